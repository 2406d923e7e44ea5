package suite

import (
	"errors"
	"fmt"
	"io"

	exptrace "golang.org/x/exp/trace"

	"sched9/trace"
	"sched9/trace/gotrace"
)

// accepted makes a Go execution trace of t and reads it with the Go project's own
// reader, which knows nothing of us: every processor's and goroutine's steps
// must follow each other without a gap, so a wake-up that is lost or comes twice
// is refused.
func accepted(t *trace.Trace) error {
	out, in := io.Pipe()
	go func() { in.CloseWithError(gotrace.Write(in, t)) }()
	defer out.Close()
	r, err := exptrace.NewReader(out)
	if err != nil {
		return fmt.Errorf("as a Go execution trace: %w", err)
	}
	for {
		if _, err := r.ReadEvent(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("as a Go execution trace: %w", err)
		}
	}
}

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
	written := make(chan error, 1)
	go func() {
		err := gotrace.Write(in, t)
		in.CloseWithError(err)
		written <- err
	}()
	err := readAll(out)
	out.CloseWithError(err)
	// What the writer refuses says more than a reader that is left with a part.
	if why := <-written; why != nil {
		err = why
	}
	if err != nil {
		return fmt.Errorf("as a Go execution trace: %w", err)
	}
	return nil
}

// readAll reads a Go execution trace to its end.
func readAll(in io.Reader) error {
	r, err := exptrace.NewReader(in)
	if err != nil {
		return err
	}
	for {
		if _, err := r.ReadEvent(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

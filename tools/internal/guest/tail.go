package guest

import (
	"fmt"
	"io"
	"time"
)

// sayLimit is how long Say waits for a writer that is stuck.
const sayLimit = time.Second

// Tail is a writer of a guest's output to which the host adds lines of its own. Its methods are
// safe for concurrent use.
type Tail struct {
	turn chan struct{} // capacity 1: filled while somebody writes; guards the fields below
	w    io.Writer
	last byte // of what was written; 0: nothing yet
}

// NewTail makes one that writes to w. nil discards.
func NewTail(w io.Writer) *Tail {
	if w == nil {
		w = io.Discard
	}
	return &Tail{turn: make(chan struct{}, 1), w: w}
}

// Write writes p.
func (t *Tail) Write(p []byte) (int, error) {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	if len(p) > 0 {
		t.last = p[len(p)-1]
	}
	return t.w.Write(p)
}

// Say writes a line "sched9: ..." and ends the last one if that is not ended. It reports
// false, and has written nothing, if the writer is busy and stays so: the end of a run must not
// wait for a reader that has gone to sleep.
func (t *Tail) Say(format string, args ...any) bool {
	return t.line("sched9: "+format+"\n", args...)
}

// EndLine ends the last line if it is not ended.
func (t *Tail) EndLine() { t.line("") }

// line writes a line, after the end of the last one.
func (t *Tail) line(format string, args ...any) bool {
	limit := time.NewTimer(sayLimit)
	defer limit.Stop()
	select {
	case t.turn <- struct{}{}:
	case <-limit.C:
		return false
	}
	defer func() { <-t.turn }()
	if t.last != 0 && t.last != '\n' {
		fmt.Fprintln(t.w)
	}
	t.last = '\n'
	fmt.Fprintf(t.w, format, args...)
	return true
}

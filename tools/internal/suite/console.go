package suite

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"sched9/trace"
)

// maxOutput bounds what is kept of each of a guest's outputs.
const maxOutput = 8 << 20

// console keeps what a guest writes: its two outputs, and both as they came.
type console struct {
	mu       sync.Mutex
	out, err strings.Builder
	both     strings.Builder

	recording bytes.Buffer // of the schedule
	trace     *trace.Trace // what it says; nil before schedule
}

// stdout and stderr are the writers for the guest's outputs.
func (c *console) stdout() io.Writer { return stream{c, &c.out} }
func (c *console) stderr() io.Writer { return stream{c, &c.err} }

// stream is one output of a console.
type stream struct {
	c  *console
	to *strings.Builder
}

// Write keeps p, unless the guest has written more than anyone wants to read.
func (s stream) Write(p []byte) (int, error) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.to.Len() < maxOutput {
		s.to.Write(p)
		s.c.both.Write(p)
	}
	return len(p), nil
}

// tail returns the last n lines of text, with a first line that tells of what
// was left out.
func tail(text string, n int) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	if len(lines) > n {
		lines = append([]string{"..."}, lines[len(lines)-n:]...)
	}
	return lines
}

package lab

import (
	"io"
	"strings"
	"sync"
)

const (
	maxOutput = 8 << 20 // bound of what is kept of each of a guest's outputs
	tailLines = 20      // how much of it is shown of a run that ended badly
)

// output keeps what a guest writes: its two outputs, whose lines stay whole, and
// both as they came.
type output struct {
	mu       sync.Mutex
	out, err strings.Builder
	both     strings.Builder
}

// stream is one of the two.
type stream struct {
	o  *output
	to *strings.Builder
}

var _ io.Writer = stream{}

// Write keeps p, unless there is more already than anybody wants to read.
func (s stream) Write(p []byte) (int, error) {
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	if s.to.Len() < maxOutput {
		s.to.Write(p)
		s.o.both.Write(p)
	}
	return len(p), nil
}

// text is both outputs as they came.
func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.ReplaceAll(o.both.String(), "\r\n", "\n")
}

// lines are the lines of the one output, and then those of the other.
func (o *output) lines() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append(lines(o.out.String()), lines(o.err.String())...)
}

// lines are those of text, without their ends.
func lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		all = append(all, strings.TrimRight(line, "\r\n"))
	}
	return all
}

// tail is the end of what the guest wrote, as an end of a message.
func (o *output) tail() string {
	all := lines(strings.TrimSpace(o.text()))
	if len(all) == 0 {
		return "; it printed nothing"
	}
	return "; it printed last:\n| " + strings.Join(all[max(0, len(all)-tailLines):], "\n| ")
}

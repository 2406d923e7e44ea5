// Package capture keeps what a guest writes.
package capture

import (
	"io"
	"strings"
	"sync"
)

// Max bounds what is kept of each of a guest's outputs, in bytes.
const Max = 8 << 20

// Output keeps what a guest writes: its two outputs, whose lines stay whole, and
// both as they came. The zero value is empty. It may be read while it is written.
type Output struct {
	mu       sync.Mutex
	out, err strings.Builder
	both     strings.Builder
}

// stream is one of the two outputs.
type stream struct {
	o  *Output
	to *strings.Builder
}

// Stdout and Stderr are the writers for the two.
func (o *Output) Stdout() io.Writer { return stream{o, &o.out} }
func (o *Output) Stderr() io.Writer { return stream{o, &o.err} }

// Write keeps p, up to the bound. It never fails: the guest goes on.
func (s stream) Write(p []byte) (int, error) {
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	n := min(len(p), Max-s.to.Len())
	s.to.Write(p[:n])
	s.o.both.Write(p[:n])
	return len(p), nil
}

// Out, Err and Both are what was written to the one, to the other, and to both as it
// came.
func (o *Output) Out() string  { return o.text(&o.out) }
func (o *Output) Err() string  { return o.text(&o.err) }
func (o *Output) Both() string { return o.text(&o.both) }

// text is what b holds.
func (o *Output) text(b *strings.Builder) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return b.String()
}

// Lines are the lines of the one output, and then those of the other.
func (o *Output) Lines() []string { return append(Lines(o.Out()), Lines(o.Err())...) }

// Lines are those of text, without their ends.
func Lines(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		all = append(all, strings.TrimRight(line, "\r\n"))
	}
	return all
}

// Tail are the last lines of text, n at most, without empty ones at the end, and
// how many there are before them.
func Tail(text string, n int) (last []string, before int) {
	last = Lines(strings.TrimRight(text, "\r\n"))
	before = max(0, len(last)-n)
	return last[before:], before
}

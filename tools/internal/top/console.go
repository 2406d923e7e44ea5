package top

import (
	"slices"
	"strings"
	"unicode"
)

// maxLines and maxLine bound what is kept of a guest's console.
const (
	maxLines = 1000
	maxLine  = 1000
)

// console keeps the last lines of what a guest prints.
type console struct {
	whole   []string
	outputs []*output
}

// output is one of the guest's outputs.
type output struct {
	c    *console
	open []byte // a line without its end
}

// output makes another output.
func (c *console) output() *output {
	o := &output{c: c}
	c.outputs = append(c.outputs, o)
	return o
}

// write takes what the guest prints.
func (o *output) write(p []byte) {
	for _, b := range p {
		switch {
		case b == '\n':
			o.c.whole = append(o.c.whole, printable(o.open))
			o.open = o.open[:0]
		case len(o.open) < maxLine:
			o.open = append(o.open, b)
		}
	}
	if n := len(o.c.whole) - maxLines; n > 0 {
		o.c.whole = slices.Delete(o.c.whole, 0, n)
	}
}

// lines are the lines that are kept, without the last back of them but with at
// least one. Those that have no end yet are behind the others.
func (c *console) lines(back int) []string {
	all := slices.Clone(c.whole)
	for _, o := range c.outputs {
		if len(o.open) > 0 {
			all = append(all, printable(o.open))
		}
	}
	return all[:max(min(1, len(all)), len(all)-back)]
}

// printable makes a line of what may do other things to a terminal.
func printable(line []byte) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, string(line))
}

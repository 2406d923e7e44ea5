// Package goruntime lays sched9 over the stock Go runtime. It is the only place
// that knows the runtime's internals: cut.txt lists what is taken out of the
// toolchain's source and what takes its place, and the folder runtime holds
// what is added to package runtime.
//
// Prepare reads the toolchain's own source, edits it, and writes an overlay for
// go build. The toolchain's source is never kept in this repository.
package goruntime

import (
	"fmt"
	"strings"
)

// cut is one line of a cut list.
type cut struct {
	verb string // func, begin, field, text, swap, drop
	file string // under GOROOT/src
	what string // signature, type, symbol or instruction
	with string // what takes its place
	why  string
	line int
}

// takes says which verbs have a what and a with.
var takes = map[string]struct{ what, with bool }{
	"func":  {true, true},
	"begin": {true, true},
	"field": {true, true},
	"text":  {true, false},
	"swap":  {true, true},
	"drop":  {false, false},
}

// parse reads a cut list. Every line must be complete: what is done without a
// reason is an error.
func parse(name, text string) ([]cut, error) {
	var cuts []cut
	for i, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l == "" || l[0] == '#' {
			continue
		}
		c := cut{line: i + 1}
		bad := func(msg string) error { return fmt.Errorf("%s:%d: %s: %s", name, c.line, msg, l) }
		rest, why, ok := cutLast(l, "// ")
		if !ok || why == "" {
			return nil, bad("a cut without a reason")
		}
		c.why = why
		if c.verb, rest, ok = strings.Cut(rest, " "); !ok {
			return nil, bad("no file")
		}
		need, ok := takes[c.verb]
		if !ok {
			return nil, bad("unknown verb")
		}
		file, rest, ok := strings.Cut(rest, ":")
		if !ok || file == "" {
			return nil, bad("no file")
		}
		if c.file = "runtime/" + strings.TrimSpace(file); file[0] == '/' {
			c.file = strings.TrimSpace(file[1:])
		}
		what, with, has := strings.Cut(rest, " => ")
		c.what, c.with = strings.TrimSpace(what), strings.TrimSpace(with)
		if has != need.with || (c.what != "") != need.what || need.with && c.with == "" {
			return nil, bad("the verb has another form")
		}
		cuts = append(cuts, c)
	}
	return cuts, nil
}

// cutLast is strings.Cut at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimSpace(s[i+len(sep):]), true
}

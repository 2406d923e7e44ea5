package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// architectures are the list's columns.
var architectures = []string{"amd64", "arm64"}

// reasons are why a test may be excepted.
var reasons = []string{
	"network", // it wants sockets
	"exec",    // it starts a process
	"profile", // it wants SIGPROF
	"files",   // it wants files of GOROOT that a test of a large module does not get, or what they cannot do yet
	"mmap",    // it maps a file, or executable memory
	"time",    // it takes minutes under TCG, or measures the host
	"design",  // it asks for what sched9 has another way
	"open",    // nobody has looked yet
}

// list is the file: a comment, and a line for each package.
type list struct {
	comment []string
	entries []*entry
}

// entry is a package:
//
//	NAME PASSED-ON-AMD64 PASSED-ON-ARM64 [-TEST=REASON]...
type entry struct {
	name   string
	passed [2]int // 0: not run there
	except []exception
}

// exception is a test that does not pass.
type exception struct{ test, reason string }

// parse reads a list.
func parse(text string) (*list, error) {
	l := new(list)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			l.comment = append(l.comment, line)
			continue
		}
		f := strings.Fields(line)
		if len(f) < 3 {
			return nil, fmt.Errorf("%q is not a package and two numbers", line)
		}
		e := &entry{name: f[0]}
		for i := range e.passed {
			n, err := strconv.Atoi(f[1+i])
			if err != nil || n < 0 {
				return nil, fmt.Errorf("%q: %s is no number of tests", line, f[1+i])
			}
			e.passed[i] = n
		}
		for _, x := range f[3:] {
			test, reason, ok := strings.Cut(strings.TrimPrefix(x, "-"), "=")
			if !ok || x[0] != '-' || !slices.Contains(reasons, reason) {
				return nil, fmt.Errorf("%q: %s is not -TEST=REASON, with a reason of %s", line, x, strings.Join(reasons, ", "))
			}
			e.except = append(e.except, exception{test, reason})
		}
		if l.find(e.name) != nil {
			return nil, fmt.Errorf("%s is there twice", e.name)
		}
		l.entries = append(l.entries, e)
	}
	return l, nil
}

// find returns the entry of a package, or nil.
func (l *list) find(name string) *entry {
	for _, e := range l.entries {
		if e.name == name {
			return e
		}
	}
	return nil
}

// add adds a package.
func (l *list) add(name string) { l.entries = append(l.entries, &entry{name: name}) }

// String is the file, packages in the order of names.
func (l *list) String() string {
	var b strings.Builder
	for _, c := range l.comment {
		fmt.Fprintln(&b, c)
	}
	slices.SortFunc(l.entries, func(x, y *entry) int { return strings.Compare(x.name, y.name) })
	for _, e := range l.entries {
		fmt.Fprintf(&b, "%s %d %d", e.name, e.passed[0], e.passed[1])
		for _, x := range e.except {
			fmt.Fprintf(&b, " -%s=%s", x.test, x.reason)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// skip is the regular expression for go test -skip.
func (e *entry) skip() string {
	var all []string
	for _, x := range e.except {
		all = append(all, x.test)
	}
	if all == nil {
		return ""
	}
	return "^(" + strings.Join(all, "|") + ")$"
}

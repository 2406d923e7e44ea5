package main

import (
	"fmt"
	"regexp"
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
	"files",   // it wants files of GOROOT that a test of a large module does not get, or what they cannot do yet
	"mmap",    // it maps a file, or executable memory
	"time",    // it takes minutes under TCG, or measures the host
	"design",  // it asks for what sched9 has another way
	"cgo",     // it wants cgo
	"race",    // it wants the race detector's library
	"none",    // it runs nothing on Linux either, or with -short
	"flags",   // it is built with flags of the compiler or linker in place of those that an image needs
	"open",    // nobody has looked yet
}

// list is the file: a comment, and a line for each package.
type list struct {
	comment []string
	entries []*entry
}

// entry is a package, one of a module at a version (MODULE@VERSION/DIRECTORY), or a judge:
//
//	NAME PASSED-ON-AMD64 PASSED-ON-ARM64 [+TEST[@VCPUS]]... [-TEST=REASON]...
//
// -*=REASON says why none of its tests is run.
type entry struct {
	name   string
	passed [2]int // 0: not run there
	long   []long
	except []exception
}

// all stands in an exception for each test of the package.
const all = "*"

// defaultVCPUs is how many vCPUs the machine of a test has.
const defaultVCPUs = 4

// long is a test that is run without -short, because it skips itself for that, or on another number of vCPUs.
type long struct {
	test  string
	vcpus int
}

// String is the long test's word in the list, without the sign.
func (t long) String() string {
	if t.vcpus == defaultVCPUs {
		return t.test
	}
	return fmt.Sprintf("%s@%d", t.test, t.vcpus)
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
			if test, ok := strings.CutPrefix(x, "+"); ok && !strings.Contains(x, "=") {
				t := long{test, defaultVCPUs}
				if name, n, ok := strings.Cut(test, "@"); ok {
					vcpus, err := strconv.Atoi(n)
					if err != nil || vcpus < 1 {
						return nil, fmt.Errorf("%q: %s is no number of vCPUs", line, n)
					}
					t = long{name, vcpus}
				}
				e.long = append(e.long, t)
				continue
			}
			test, reason, ok := strings.Cut(strings.TrimPrefix(x, "-"), "=")
			if !ok || x[0] != '-' || !slices.Contains(reasons, reason) {
				return nil, fmt.Errorf("%q: %s is neither +TEST[@VCPUS] nor -TEST=REASON, with a reason of %s", line, x, strings.Join(reasons, ", "))
			}
			e.except = append(e.except, exception{test, reason})
		}
		if e.reason() != "" && e.passed != [2]int{} {
			return nil, fmt.Errorf("%q: tests pass of which none is run", line)
		}
		if l.find(e.name) != nil {
			return nil, fmt.Errorf("%s is there twice", e.name)
		}
		l.entries = append(l.entries, e)
	}
	return l, nil
}

// reason is why none of the entry's tests is run, "" if some are.
func (e *entry) reason() string {
	for _, x := range e.except {
		if x.test == all {
			return x.reason
		}
	}
	return ""
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
		for _, t := range e.long {
			fmt.Fprintf(&b, " +%s", t)
		}
		for _, x := range e.except {
			fmt.Fprintf(&b, " -%s=%s", x.test, x.reason)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// run is one run of an entry's tests.
type run struct {
	vcpus int
	mem   string
	args  []string // for go test: which tests, and how
}

// Memory of a machine. What a long test does not use costs nothing.
const (
	defaultMem = "1G"
	longMem    = "3G"
)

// runs are the runs of the entry: tests that need not be short are run apart, those for a number of vCPUs together, one after
// another. prefix is what stands before the names in the list.
func (e *entry) runs(prefix string) []run {
	var out []string
	for _, x := range e.except {
		out = append(out, pattern(prefix+x.test))
	}
	each := []run{{defaultVCPUs, defaultMem, []string{"-short"}}}
	for _, t := range e.long {
		name := pattern(prefix + t.test)
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
		i := slices.IndexFunc(each[1:], func(r run) bool { return r.vcpus == t.vcpus }) + 1
		if i == 0 {
			each = append(each, run{t.vcpus, longMem, []string{"-run=" + name, "-parallel=1"}})
			continue
		}
		each[i].args[0] += "|" + name
	}
	if out != nil {
		each[0].args = append(each[0].args, "-skip="+strings.Join(out, "|"))
	}
	return each
}

// pattern matches a test's or a subtest's name, and no other, as -run and -skip have it.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

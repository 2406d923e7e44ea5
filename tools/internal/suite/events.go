package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

// Events takes the output of go test -json, written to it, and passes it on as go test without -json prints it; for a JUnit
// report it keeps all.
//
// Go test with -json runs tests with -v. Without Verbose the output of passing tests is left out again. So is what such a test
// itself writes to standard output, although go test would show it if another test of the package fails.
type Events struct {
	Out, Err io.Writer // what go test writes to its outputs
	JSON     bool      // pass the events on as they are
	Verbose  bool      // as go test -v

	rest     []byte // a line that is not whole yet
	packages []*eventPackage
	builds   map[string]string // what the compiler says, by import path
	err      error
}

// eventPackage is what is known of a package's tests.
type eventPackage struct {
	name   string
	own    strings.Builder // what belongs to no test
	tests  []*eventTest    // as they began
	status string          // how it ended, "" if it did not
	build  string          // the import path that did not compile
	took   float64
}

// eventTest is a test, an example or a benchmark.
type eventTest struct {
	name, status string
	text         strings.Builder
	took         float64
}

// testEvent is what go test -json writes (go doc test2json, and BuildEvent of go help buildjson).
type testEvent struct {
	Action, Package, Test, Output string
	ImportPath, FailedBuild       string
	Elapsed                       float64
}

// Write takes a piece of go test's output. The error is that of writing to Out or Err.
func (g *Events) Write(p []byte) (int, error) {
	g.rest = append(g.rest, p...)
	for {
		line, rest, whole := bytes.Cut(g.rest, []byte("\n"))
		if !whole {
			return len(p), g.err
		}
		g.line(line)
		g.rest = rest
	}
}

// line takes a line.
func (g *Events) line(line []byte) {
	var e testEvent
	if json.Unmarshal(line, &e) != nil || e.Action == "" { // the go command's own words
		g.say(g.Out, string(line)+"\n")
		return
	}
	if g.JSON {
		g.say(g.Out, string(line)+"\n")
	}
	if e.ImportPath != "" {
		if g.builds == nil {
			g.builds = map[string]string{}
		}
		g.builds[e.ImportPath] += e.Output
		g.plain(g.Err, e.Output)
		return
	}
	p := g.pkg(e.Package)
	if e.Test == "" {
		g.own(p, e)
		return
	}
	t := p.test(e.Test)
	switch e.Action {
	case "output":
		t.text.WriteString(e.Output)
		if g.Verbose {
			g.plain(g.Out, e.Output)
		}
	case "pass", "fail", "skip":
		t.status, t.took = e.Action, e.Elapsed
		if top, _, sub := strings.Cut(t.name, "/"); !sub && e.Action == "fail" && !g.Verbose {
			for _, t := range p.tests {
				if t.name == top || strings.HasPrefix(t.name, top+"/") && t.status == "fail" {
					g.plain(g.Out, t.told())
				}
			}
		}
	}
}

// own takes an event of a package as a whole.
func (g *Events) own(p *eventPackage, e testEvent) {
	switch e.Action {
	case "output":
		p.own.WriteString(e.Output)
		if g.Verbose {
			g.plain(g.Out, e.Output)
		}
	case "pass", "fail", "skip":
		p.status, p.took, p.build = e.Action, e.Elapsed, e.FailedBuild
		if g.Verbose {
			return
		}
		text := p.own.String()
		if e.Action == "fail" {
			for _, t := range p.tests {
				if t.status == "" { // it was running when all ended
					g.plain(g.Out, t.told())
				}
			}
		} else { // the last line alone
			text = text[strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')+1:]
		}
		g.plain(g.Out, text)
	}
}

// plain writes what go test would say without -json.
func (g *Events) plain(w io.Writer, text string) {
	if !g.JSON {
		g.say(w, text)
	}
}

// say writes text and keeps the error.
func (g *Events) say(w io.Writer, text string) {
	if _, err := io.WriteString(w, text); g.err == nil {
		g.err = err
	}
}

// pkg returns the package of that name.
func (g *Events) pkg(name string) *eventPackage {
	for _, p := range g.packages {
		if p.name == name {
			return p
		}
	}
	p := &eventPackage{name: name}
	g.packages = append(g.packages, p)
	return p
}

// test returns the package's test of that name.
func (p *eventPackage) test(name string) *eventTest {
	for _, t := range p.tests {
		if t.name == name {
			return t
		}
	}
	t := &eventTest{name: name}
	p.tests = append(p.tests, t)
	return t
}

// told is what go test says of a test that failed: its result, and then what it said.
func (t *eventTest) told() string {
	var result, said strings.Builder
	for line := range strings.Lines(t.text.String()) {
		switch {
		case strings.HasPrefix(line, "=== "):
		case strings.HasPrefix(strings.TrimSpace(line), "--- FAIL: "):
			result.WriteString(line)
		default:
			said.WriteString(line)
		}
	}
	return result.String() + said.String()
}

// WriteJUnit writes all as a JUnit report: a suite for each package. A package that failed though none of its tests did
// has a case of its own that says why.
func (g *Events) WriteJUnit(w io.Writer) error {
	var all junit.Testsuites
	for i, p := range g.packages {
		ts := junit.Testsuite{Name: p.name, ID: i, Time: fmt.Sprintf("%.3f", p.took)}
		blamed := p.status == "pass" || p.status == "skip"
		for _, t := range p.tests {
			text := XMLText(t.text.String())
			tc := junit.Testcase{
				Name: t.name, Classname: p.name, Time: fmt.Sprintf("%.3f", t.took),
				SystemOut: &junit.Output{Data: text},
			}
			switch t.status {
			case "pass":
			case "skip":
				tc.Skipped = &junit.Result{Message: "it skipped itself", Data: text}
			case "fail":
				blamed = true
				tc.Failure = &junit.Result{Message: "it failed", Data: text}
			default:
				blamed = true
				tc.Failure = &junit.Result{Message: "it did not end", Data: text}
			}
			ts.AddTestcase(tc)
		}
		if !blamed {
			ts.AddTestcase(junit.Testcase{
				Name: "package", Classname: p.name, Time: ts.Time,
				Error: &junit.Result{Message: "the package failed", Data: XMLText(g.builds[p.build] + p.own.String())},
			})
		}
		all.AddSuite(ts)
	}
	return all.WriteXML(w)
}

package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"sched9/tools/internal/capture"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/scenario"
)

// Names of results that are of no test: of a test file that does not compile, and
// of a test binary that fails though its tests do not.
const (
	buildName  = "build"
	binaryName = "binary"
)

// buildLimit bounds what the go command does beside running tests.
const buildLimit = 10 * time.Minute

// GoTests are Go expectations: the tests that lie beside scenarios.
type GoTests struct {
	Scenarios []scenario.Scenario
	Match     *regexp.Regexp // of SCENARIO/TEST; nil takes all
	Arch      string         // of the machines that they boot; "" is the usual one
	Limit     time.Duration  // on the tests of one scenario together
	Note      func(string)   // is told what is being waited for
}

// Runs are the tests that Each would make. Nothing is built. A scenario with a test
// file that is no Go has one run, "build", which will fail.
func (g GoTests) Runs() []scenario.Run {
	var all []scenario.Run
	for _, s := range g.Scenarios {
		for _, name := range g.tests(s) {
			all = append(all, scenario.Run{Scenario: s.Name, Name: name})
		}
	}
	return all
}

// tests are the tests of a scenario that are wanted.
func (g GoTests) tests(s scenario.Scenario) []string {
	names, err := testNames(s.Dir)
	if err != nil {
		names = []string{buildName}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return g.Match != nil && !g.Match.MatchString(s.Name+"/"+name)
	})
}

// Each runs the tests, one scenario after another because each boots machines, and
// calls done with each test's result as it comes. The error is that of a
// cancelled ctx, or says that there is no go command; tests that were cut short
// by the former have no result.
func (g GoTests) Each(ctx context.Context, done func(Result)) error {
	for _, s := range g.Scenarios {
		names := g.tests(s)
		if len(names) == 0 {
			continue
		}
		if g.Note != nil {
			g.Note("testing " + s.Name)
		}
		if err := g.run(ctx, s, names, done); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// run runs the named tests of a scenario.
func (g GoTests) run(ctx context.Context, s scenario.Scenario, names []string, done func(Result)) error {
	path, err := exec.LookPath("go")
	if err != nil {
		return errors.New("the go command is not in PATH, and tests in Go are run by it")
	}
	args := []string{"test", "-json", "-count=1", "-timeout=" + g.Limit.String()}
	if names[0] != buildName {
		args = append(args, "-run=^("+strings.Join(names, "|")+")$")
	}
	limited, cancel := context.WithTimeout(ctx, g.Limit+buildLimit)
	defer cancel()
	cmd := exec.CommandContext(limited, path, append(args, ".")...)
	cmd.Dir = s.Dir
	if g.Arch != "" {
		cmd.Env = append(os.Environ(), guest.ArchVariable+"="+g.Arch)
	}
	// The go command passes no signal on to the test: a group of their own gets it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = 5 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	c := converter{scenario: s.Name, names: names, done: func(r Result) {
		if ctx.Err() == nil {
			done(r)
		}
	}}
	c.read(out)
	err = cmd.Wait()
	if limited.Err() != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what did not heed SIGINT
		err = fmt.Errorf("go test took more than %v", g.Limit+buildLimit)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if said := strings.TrimSpace(stderr.String()); said != "" && err != nil {
		err = fmt.Errorf("%w: %s", err, said)
	}
	c.end(err)
	return nil
}

// goEvent is what `go test -json` writes (go doc test2json, go help buildjson).
type goEvent struct {
	Action      string
	Test        string
	Output      string
	OutputType  string // of Go 1.27
	Elapsed     float64
	FailedBuild string
}

// converter makes results of the events of one `go test -json`.
type converter struct {
	scenario string
	names    []string // that were asked for
	done     func(Result)

	tests map[string]*goTest
	build strings.Builder // what the compiler says
	rest  strings.Builder // what belongs to no test
	wrong bool            // something did not build
}

// goTest is a test that was begun.
type goTest struct {
	output strings.Builder
	errors strings.Builder // the part of it that a toolchain calls errors
	ended  bool
}

// read takes the events from r to their end. Text that is no event counts as output.
func (c *converter) read(r io.Reader) {
	var line []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		line = append(line, buf[:n]...)
		for {
			text, more, whole := bytes.Cut(line, []byte("\n"))
			if !whole {
				break
			}
			c.line(text)
			line = more
		}
		if err != nil {
			c.line(line)
			return
		}
	}
}

// line takes a line.
func (c *converter) line(text []byte) {
	var e goEvent
	if err := json.Unmarshal(text, &e); err != nil {
		keep(&c.rest, string(text)+"\n")
		return
	}
	c.event(e)
}

// keep appends text, unless there is more than anyone wants to read.
func keep(b *strings.Builder, text string) {
	if b.Len() < capture.Max {
		b.WriteString(text)
	}
}

// event takes an event. A subtest's output is its test's.
func (c *converter) event(e goEvent) {
	name, _, sub := strings.Cut(e.Test, "/")
	if name == "" {
		switch e.Action {
		case "build-output":
			keep(&c.build, e.Output)
		case "build-fail":
			c.wrong = true
		case "output":
			keep(&c.rest, e.Output)
		case "fail":
			c.wrong = c.wrong || e.FailedBuild != ""
		}
		return
	}
	t := c.tests[name]
	if t == nil {
		t = new(goTest)
		if c.tests == nil {
			c.tests = map[string]*goTest{}
		}
		c.tests[name] = t
	}
	switch e.Action {
	case "output":
		keep(&t.output, e.Output)
		if strings.HasPrefix(e.OutputType, "error") {
			keep(&t.errors, e.Output)
		}
	case "pass", "fail", "skip":
		if !sub && !t.ended {
			c.tell(name, t, e.Action, time.Duration(e.Elapsed*float64(time.Second)))
		}
	}
}

// tell makes the result of a test that ended. One that was skipped has proved
// nothing.
func (c *converter) tell(name string, t *goTest, action string, took time.Duration) {
	t.ended = true
	r := Result{Run: scenario.Run{Scenario: c.scenario, Name: name}, Console: t.output.String(), Took: took}
	switch action {
	case "skip":
		r.Wrong = append([]string{"it was skipped"}, messages(r.Console)...)
	case "fail":
		said := t.errors.String()
		if said == "" {
			said = r.Console
		}
		r.Wrong = append(messages(said), panics(r.Console)...)
		if len(r.Wrong) == 0 {
			r.Wrong = []string{"it failed"}
		}
	}
	c.done(r)
}

// end makes the results of tests that should have one and have none. err is how
// the go command ended.
func (c *converter) end(err error) {
	fail := func(name, console string, wrong ...string) {
		c.done(Result{Run: scenario.Run{Scenario: c.scenario, Name: name}, Console: console, Wrong: wrong})
	}
	if c.wrong {
		fail(buildName, c.rest.String(), "the tests do not compile\n"+strings.TrimSpace(c.build.String()))
		return
	}
	why := "nothing says why"
	if err != nil {
		why = err.Error()
	}
	missing := false
	for _, name := range c.names {
		t := c.tests[name]
		switch {
		case t == nil:
			fail(name, c.rest.String(), "it did not run: "+why)
		case !t.ended:
			fail(name, t.output.String()+c.rest.String(), append([]string{"the test binary ended in the middle of it: " + why}, panics(t.output.String())...)...)
		default:
			continue
		}
		missing = true
	}
	if err != nil && !missing && !c.failed() {
		fail(binaryName, c.rest.String(), "the tests passed, but go test did not: "+why)
	}
}

// failed reports whether a test's result accounts for a go command that failed.
func (c *converter) failed() bool {
	for _, t := range c.tests {
		if strings.Contains(t.output.String(), "--- FAIL: ") {
			return true
		}
	}
	return false
}

// message matches the beginning of what a test logs: "    file_test.go:12: ".
var message = regexp.MustCompile(`^ +\S+\.go:\d+: `)

// messages are what a test logged, each with the lines that belong to it.
func messages(output string) []string {
	var all []string
	open := false
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case message.MatchString(line):
			all = append(all, strings.TrimSpace(line))
			open = true
		case open && strings.HasPrefix(line, "        "):
			all[len(all)-1] += "\n" + strings.TrimSpace(line)
		default:
			open = false
		}
	}
	return all
}

// panics is what a test binary says last, without the stacks: "panic: ..." and what
// follows up to an empty line.
func panics(output string) []string {
	_, text, ok := strings.Cut("\n"+output, "\npanic: ")
	if !ok {
		return nil
	}
	text, _, _ = strings.Cut(text, "\n\n")
	return []string{"panic: " + strings.TrimSpace(text)}
}

// testNames are the names of the tests in a directory. The error is that of a file
// that is no Go.
func testNames(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		if ok, err := build.Default.MatchFile(dir, filepath.Base(file)); err == nil && !ok {
			continue // for another machine
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && isTest(fn) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names, nil
}

// isTest reports whether the go command takes fn for a test.
func isTest(fn *ast.FuncDecl) bool {
	rest, ok := strings.CutPrefix(fn.Name.Name, "Test")
	if !ok || fn.Recv != nil || fn.Type.TypeParams != nil || fn.Type.Params.NumFields() != 1 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(rest)
	star, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok || rest != "" && unicode.IsLower(first) {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "T"
}

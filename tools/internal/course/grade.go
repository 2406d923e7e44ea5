package course

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Grade is what a solution has got.
type Grade struct {
	Lab    string   `json:"lab"`
	Points int      `json:"points"`
	Of     int      `json:"of"`
	Parts  []Result `json:"parts"`
}

// Result is what it has got for a part.
type Result struct {
	Name   string `json:"name"`
	Rule   string `json:"rule"`
	Stage  Stage  `json:"stage"`
	Run    string `json:"run"`
	Points int    `json:"points"`
	Of     int    `json:"of"`
	Why    string `json:"why,omitempty"`  // why not all
	Page   string `json:"page,omitempty"` // a page that shows it, in Grader.Pages, and the place in it
}

// Grader grades solutions of labs of the tree at Root.
type Grader struct {
	Root   string
	Sched9 string       // the command that boots scenarios
	Keep   string       // a directory for the recordings of boots that lose points; "": none
	Pages  string       // a directory for pages that show why points were lost; "": none
	Note   func(string) // if not nil, is told what goes on
}

// limit is how long a part, or a build, may take on this machine. Tests and runs have shorter limits of their own; what reaches this one hangs
// in a way that they do not see.
const limit = 5 * time.Minute

// What a test may take: of processor time, which does not depend on what else this machine does, some ten times what the code of the tree takes; and, for
// one that neither computes nor waits for ever, which the Go runtime notices at once, of the host's. With these a lab in which everything hangs is graded
// in two minutes.
const (
	busiest     = 10 // s of a hosted test, or of a program of the explorer
	busiestDeep = 20 // s of a deep one
	longest     = time.Minute
	longestDeep = limit
)

// Grade grades the solution in dir, a repository that New has made. Only the files with holes are taken from it: what else was edited there does
// not count. An error is the grader's own; all that a solution can do wrong is told in the Grade.
func (g *Grader) Grade(ctx context.Context, l Lab, dir string) (Grade, error) {
	files, why := l.student(dir)
	if why != "" {
		return l.nothing(why), nil
	}
	return g.grade(ctx, l, files)
}

// student are the files with holes of the student's repository in dir. why says which cannot be read.
func (l *Lab) student(dir string) (files map[string][]byte, why string) {
	files = map[string][]byte{}
	for _, name := range l.Files() {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Sprintf("%s cannot be read: %v", name, errors.Unwrap(err))
		}
		files[name] = data
	}
	return files, ""
}

// wrong grades a wrong solution of the lab's own.
func (g *Grader) wrong(ctx context.Context, l Lab, w Wrong) (Grade, error) {
	files, err := l.originals(g.Root)
	if err != nil {
		return Grade{}, err
	}
	h := l.hole(w.Func)
	if files[h.File], err = w.fill(files[h.File]); err != nil {
		return Grade{}, err
	}
	return g.grade(ctx, l, files)
}

// nothing is a Grade without points.
func (l *Lab) nothing(why string) Grade {
	return l.sum(func(Part) (bool, string) { return false, why })
}

// sum makes a Grade of what each part was found to be.
func (l *Lab) sum(passed func(Part) (bool, string)) Grade {
	grade := Grade{Lab: l.Name, Of: l.Points()}
	for _, p := range l.Parts {
		r := Result{Name: p.Name, Rule: p.Rule, Stage: p.Stage, Run: p.Run, Of: p.Points}
		ok, why := passed(p)
		if ok {
			r.Points = p.Points
			grade.Points += p.Points
		} else {
			r.Why = why
		}
		grade.Parts = append(grade.Parts, r)
	}
	return grade
}

// unbooted is why a boot was not tried: what a scheduler does that loses goroutines in some order of steps says nothing, and may take minutes.
const unbooted = "not tried, since the explorer has found an order of steps that goes wrong"

// tree copies the tree to a folder of its own, with the files in place of the tree's; clear removes it. unfair says why these files are not tried.
func (g *Grader) tree(ctx context.Context, l Lab, files map[string][]byte) (dir string, clear func(), unfair string, err error) {
	originals, err := l.originals(g.Root)
	if err != nil {
		return "", nil, "", err
	}
	for name, data := range files {
		if why := fair(data, originals[name]); why != "" {
			return "", nil, name + ": " + why, nil
		}
	}
	if dir, err = os.MkdirTemp("", "sched9-lab-"); err != nil {
		return "", nil, "", err
	}
	clear = func() { os.RemoveAll(dir) }
	err = copyTree(ctx, g.Root, dir)
	for name, data := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o666)
		}
	}
	if err != nil {
		clear()
		return "", nil, "", err
	}
	return dir, clear, "", nil
}

// grade tries each part with the files in place of the tree's.
func (g *Grader) grade(ctx context.Context, l Lab, files map[string][]byte) (Grade, error) {
	dir, clear, unfair, err := g.tree(ctx, l, files)
	if err != nil {
		return Grade{}, err
	}
	if unfair != "" {
		return l.nothing(unfair), nil
	}
	defer clear()
	if out, failed := l.compile(ctx, dir); failed != nil {
		if ctx.Err() != nil {
			return Grade{}, ctx.Err()
		}
		return l.nothing("without the tests, which it has to do without, it does not compile:\n" + clean(out, dir, l.Files(), false)), nil
	}
	why, pages := map[string]string{}, map[string]string{} // by part's name; absent: passed
	look := looker{tree: dir, to: g.Pages}
	for _, s := range stages {
		parts := l.parts(s)
		if len(parts) == 0 {
			continue
		}
		if s == Boot && slices.ContainsFunc(l.parts(Explore), func(p Part) bool { return why[p.Name] != "" }) {
			for _, p := range parts {
				why[p.Name] = unbooted
			}
			continue
		}
		try, broken, err := g.prepare(ctx, l, s, dir)
		if err != nil {
			return Grade{}, err
		}
		for _, p := range parts {
			if broken != "" {
				why[p.Name] = clean(broken, dir, l.Files(), false)
				continue
			}
			if g.Note != nil {
				g.Note(fmt.Sprintf("%s: %s", s, p.Name))
			}
			for _, run := range strings.Fields(p.Run) {
				said := try(p, run)
				if said == "" {
					continue
				}
				why[p.Name] = clean(said, dir, l.Files(), s == Boot)
				if g.Pages != "" {
					if g.Note != nil {
						g.Note("makes a page: " + p.Name)
					}
					if pages[p.Name], err = look.look(run, said); err != nil {
						return Grade{}, err
					}
				}
				break
			}
			if ctx.Err() != nil {
				return Grade{}, ctx.Err()
			}
		}
	}
	grade := l.sum(func(p Part) (bool, string) { return why[p.Name] == "", why[p.Name] })
	for i := range grade.Parts {
		grade.Parts[i].Page = pages[grade.Parts[i].Name]
	}
	return grade, nil
}

// compile compiles the package with the holes, of the tree at dir, as each stage has it, and returns what the compiler said.
func (l *Lab) compile(ctx context.Context, dir string) (said string, failed error) {
	for _, tags := range []string{"", "explore"} {
		if out, failed := output(ctx, both, dir, nil, "go", "build", "-tags", tags, "./"+l.Package()); failed != nil {
			return string(out), failed
		}
	}
	return "", nil
}

// prepare builds what a stage needs in the tree at dir. try tries one run of a part and returns what it said if it failed; broken says why none
// can be tried.
func (g *Grader) prepare(ctx context.Context, l Lab, s Stage, dir string) (try func(p Part, run string) string, broken string, err error) {
	if s == Boot {
		// What tests leave, recordings too, goes away with the tree.
		left := filepath.Join(dir, "left")
		if err := os.Mkdir(left, 0o777); err != nil {
			return nil, "", err
		}
		args := []string{"test", "-accel", "tcg", "-keep", cmp.Or(g.Keep, left)}
		return func(_ Part, run string) string {
			out, failed := output(ctx, both, dir, []string{"TMPDIR=" + left}, g.Sched9, append(args, "-run", "^"+regexp.QuoteMeta(run)+"$")...)
			if failed == nil {
				return ""
			}
			return string(out) + failed.Error()
		}, "", nil
	}
	binary := filepath.Join(dir, string(s)+".test")
	args := []string{"test", "-c", "-o", binary}
	if s == Explore {
		args = append(args, "-tags", "explore")
	}
	if g.Note != nil {
		g.Note("builds the tests: " + string(s))
	}
	if out, failed := output(ctx, both, dir, nil, "go", append(args, "./"+l.Package())...); failed != nil {
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		return nil, string(out), nil
	}
	return func(p Part, run string) string { return l.test(ctx, dir, binary, p, run) }, "", nil
}

// test runs one test of a part, by a binary of the tests of the tree at dir, and returns what it said if it failed.
func (l *Lab) test(ctx context.Context, dir, binary string, p Part, run string) string {
	if p.Stage == Explore {
		run = "TestExplored/" + run
	}
	match, passed := "^"+strings.ReplaceAll(regexp.QuoteMeta(run), "/", "$/^")+"$", "--- PASS: "+run+" ("
	more, busy, most := "MORE=-1", busiest, longest
	if p.Deep {
		more, busy, most = "MORE=0", busiestDeep, longestDeep
	}
	slow := fmt.Errorf("%s had not ended after %v, in which it used less than %d s of processor time", run, most, busy)
	ctx, stop := context.WithTimeoutCause(ctx, most, slow)
	defer stop()
	limited := fmt.Sprintf(`ulimit -t %d && exec "$0" "$@"`, busy)
	// A test with a time limit of its own has a timer, and then the Go runtime does not see that all goroutines wait for ever.
	out, failed := output(ctx, both, filepath.Join(dir, filepath.FromSlash(l.Package())), []string{more},
		"sh", "-c", limited, binary, "-test.v", "-test.timeout=0", "-test.run="+match)
	switch {
	case spent(failed) >= time.Duration(busy)*time.Second:
		return fmt.Sprintf("%s had not ended after %d s of processor time", run, busy)
	case failed == slow:
		return slow.Error()
	case failed != nil:
		return string(out) + failed.Error()
	case !bytes.Contains(out, []byte(passed)):
		return "the test did not run"
	}
	return ""
}

// spent is the processor time of a command that was killed, 0 of any other.
func spent(failed error) time.Duration {
	var e *exec.ExitError
	if !errors.As(failed, &e) || e.Exited() {
		return 0
	}
	return (e.UserTime() + e.SystemTime()).Round(time.Second)
}

// both are the outputs of a command, as they come.
var both = (*exec.Cmd).CombinedOutput

// output runs a command with a limit, and returns what take takes of its outputs.
func output(ctx context.Context, take func(*exec.Cmd) ([]byte, error), dir string, env []string, name string, args ...string) ([]byte, error) {
	ctx, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it had not ended after %v", limit))
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = 10 * time.Second
	out, err := take(cmd)
	if ctx.Err() != nil && err != nil {
		err = context.Cause(ctx)
	}
	return out, err
}

// Most of what is shown of a failure, in lines and of a line.
const (
	mostLines = 12
	mostOf    = 160
)

// noise is what differs from run to run, or is of no interest.
var noise = []*regexp.Regexp{
	regexp.MustCompile(` \([0-9.]+s\)`), regexp.MustCompile(`(?m)^(=== |FAIL$|PASS$|ok |exit status |# |sched9: images are made ).*\n?`),
	regexp.MustCompile(`(?m)^.*its recording: sched9 trace .*\n?`), regexp.MustCompile(`(?m)^.*the recording is kept; to look at it: .*\n?`), regexp.MustCompile(`(?m) {2,}[0-9.]+s\b`), regexp.MustCompile(`timerM=[0-9a-f]+ `), regexp.MustCompile(` \+0x[0-9a-f]+`), regexp.MustCompile(` 0x[0-9a-f]{10,}\b`), regexp.MustCompile(` \[recovered.*\]`),
}

// traceBegin begins the trace of a panic, and traceEnd is behind it, if the test goes on. Of what is between them only places in the student's files
// are shown: the rest differs from run to run.
var (
	traceBegin = regexp.MustCompile(`^\s*goroutine [0-9]+ \[`)
	traceEnd   = regexp.MustCompile(`^\s*(repeated, |replay with |--- )`)
)

// clean makes what a failed part said short, and the same each time: the lines where the reason is, in which it ends, or (first) begins. dir is
// where it ran, files are the student's.
func clean(said, dir string, files []string, first bool) string {
	said = strings.ReplaceAll(said, dir+string(filepath.Separator), "")
	for _, n := range noise {
		said = n.ReplaceAllString(said, "")
	}
	var lines []string
	traced := false
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, " \n")
		traced = traceBegin.MatchString(line) || traced && !traceEnd.MatchString(line)
		mine := slices.ContainsFunc(files, func(f string) bool { return strings.Contains(line, f+":") })
		if strings.TrimSpace(line) == "" || traced && !mine {
			continue
		}
		if len(line) > mostOf {
			line = line[:mostOf] + "..."
		}
		lines = append(lines, line)
	}
	switch n := len(lines) - mostLines; {
	case n > 0 && first:
		lines = append(lines[:mostLines:mostLines], "...")
	case n > 0:
		lines = append([]string{"..."}, lines[n:]...)
	}
	return strings.Join(lines, "\n")
}

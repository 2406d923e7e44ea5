package course

import (
	"bytes"
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
	Why    string `json:"why,omitempty"` // why not all
}

// Grader grades solutions of labs of the tree at Root. Sched9 is the command that boots scenarios; Note, if not nil, is told what goes on.
type Grader struct {
	Root, Sched9 string
	Note         func(string)
}

// limit is how long a part, or a build, may take on this machine. Tests and runs have shorter limits of their own; what reaches this one hangs
// in a way that they do not see.
const limit = 5 * time.Minute

// Grade grades the solution in dir, a repository that New has made. Only the files with holes are taken from it: what else was edited there does
// not count. An error is the grader's own; all that a solution can do wrong is told in the Grade.
func (g *Grader) Grade(ctx context.Context, l Lab, dir string) (Grade, error) {
	files := map[string][]byte{}
	for _, name := range l.Files() {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return l.nothing(fmt.Sprintf("%s cannot be read: %v", name, errors.Unwrap(err))), nil
		}
		files[name] = data
	}
	return g.grade(ctx, l, files)
}

// wrong grades a wrong solution of the lab's own.
func (g *Grader) wrong(ctx context.Context, l Lab, w Wrong) (Grade, error) {
	files, err := l.originals(g.Root)
	if err != nil {
		return Grade{}, err
	}
	h := l.hole(w.Func)
	if files[h.File], err = fill(files[h.File], h.Func, w.Body); err != nil {
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

// grade tries each part with the files in place of the tree's.
func (g *Grader) grade(ctx context.Context, l Lab, files map[string][]byte) (Grade, error) {
	originals, err := l.originals(g.Root)
	if err != nil {
		return Grade{}, err
	}
	for name, data := range files {
		if why := fair(data, originals[name]); why != "" {
			return l.nothing(name + ": " + why), nil
		}
	}
	dir, err := os.MkdirTemp("", "sched9-lab-")
	if err != nil {
		return Grade{}, err
	}
	defer os.RemoveAll(dir)
	if err := copyTree(ctx, g.Root, dir); err != nil {
		return Grade{}, err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o666); err != nil {
			return Grade{}, err
		}
	}
	why := map[string]string{} // by part's name; absent: passed
	for _, s := range stages {
		parts := l.parts(s)
		if len(parts) == 0 {
			continue
		}
		try, broken, err := g.prepare(ctx, s, dir)
		if err != nil {
			return Grade{}, err
		}
		for _, p := range parts {
			if broken != "" {
				why[p.Name] = clean(broken, dir, l.Files())
				continue
			}
			if g.Note != nil {
				g.Note(fmt.Sprintf("%s: %s", s, p.Name))
			}
			if said := try(p); said != "" {
				why[p.Name] = clean(said, dir, l.Files())
			}
			if ctx.Err() != nil {
				return Grade{}, ctx.Err()
			}
		}
	}
	return l.sum(func(p Part) (bool, string) { return why[p.Name] == "", why[p.Name] }), nil
}

// prepare builds what a stage needs in the tree at dir. try tries a part and returns what it said if it failed; broken says why none can be tried.
func (g *Grader) prepare(ctx context.Context, s Stage, dir string) (try func(Part) string, broken string, err error) {
	if s == Boot {
		return func(p Part) string {
			out, failed := output(ctx, dir, nil, g.Sched9, "test", "-accel", "tcg", "-run", "^"+regexp.QuoteMeta(p.Run)+"$")
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
	if out, failed := output(ctx, dir, nil, "go", append(args, "./sched")...); failed != nil {
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		return nil, string(out), nil
	}
	return func(p Part) string {
		run, passed := "^"+regexp.QuoteMeta(p.Run)+"$", "--- PASS: "+p.Run+" ("
		if s == Explore {
			run, passed = "^TestExplored$/"+run, "--- PASS: TestExplored/"+p.Run+" ("
		}
		out, failed := output(ctx, filepath.Join(dir, "sched"), []string{"MORE=-1"}, binary, "-test.v", "-test.timeout="+longest.String(), "-test.run="+run)
		switch {
		case failed != nil:
			return string(out) + failed.Error()
		case !bytes.Contains(out, []byte(passed)):
			return "the test did not run"
		}
		return ""
	}, "", nil
}

// output runs a command with a limit.
func output(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("it had not ended after %v", limit)
	}
	return out, err
}

// longest is a test's own limit: it takes seconds.
const longest = time.Minute

// Most of what is shown of a failure, in lines and of a line.
const (
	mostLines = 12
	mostOf    = 160
)

// noise is what differs from run to run, or is of no interest.
var noise = []*regexp.Regexp{
	regexp.MustCompile(` \([0-9.]+s\)`), regexp.MustCompile(`(?m)^(=== |FAIL$|PASS$|ok |exit status |# |sched9: images are made ).*\n?`),
	regexp.MustCompile(`(?m) +[0-9.]+s$`), regexp.MustCompile(`timerM=[0-9a-f]+ `), regexp.MustCompile(` \+0x[0-9a-f]+`), regexp.MustCompile(` \[recovered.*\]`),
}

// trace begins the trace of a panic. Of what follows only places in the student's files are shown: the rest differs from run to run.
var trace = regexp.MustCompile(`^goroutine [0-9]+ `)

// clean makes what a failed part said short, and the same each time: the lines in which it ends, where the reason is. dir is where
// it ran, files are the student's.
func clean(said, dir string, files []string) string {
	said = strings.ReplaceAll(said, dir+string(filepath.Separator), "")
	for _, n := range noise {
		said = n.ReplaceAllString(said, "")
	}
	var lines []string
	traced := false
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, " \n")
		traced = traced || trace.MatchString(line)
		mine := slices.ContainsFunc(files, func(f string) bool { return strings.Contains(line, f+":") })
		if strings.TrimSpace(line) == "" || traced && !mine {
			continue
		}
		if len(line) > mostOf {
			line = line[:mostOf] + "..."
		}
		lines = append(lines, line)
	}
	if n := len(lines) - mostLines; n > 0 {
		lines = append([]string{"..."}, lines[n:]...)
	}
	return strings.Join(lines, "\n")
}

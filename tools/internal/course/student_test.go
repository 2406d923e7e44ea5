//go:build full

package course

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// student is one who has a lab's repository.
type student struct {
	*testing.T
	root, tool, dir string
	lab             Lab
}

// newStudent has the command sched9 make a repository.
func newStudent(t *testing.T, name string) *student {
	t.Helper()
	root, err := Root(".")
	if err != nil {
		t.Fatal(err)
	}
	l, err := Load(root, name)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Mutations(t.Context(), root)
	if err == nil {
		err = l.Mutate(all)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &student{T: t, root: root, tool: filepath.Join(root, "build/sched9"), dir: filepath.Join(t.TempDir(), "mine"), lab: l}
	if out, status := s.does(root, s.tool, "lab", "new", l.Name, s.dir); status != 0 {
		t.Fatalf("lab new: status %d\n%s", status, out)
	}
	return s
}

// does runs a command in a folder, and returns what it printed and its status.
func (s *student) does(dir, name string, args ...string) ([]byte, int) {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), name, args...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatalf("%v: %v", cmd.Args, err)
	}
	if cmd.ProcessState.ExitCode() > 1 {
		s.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, errs.Bytes())
	}
	return out, cmd.ProcessState.ExitCode()
}

// grade has the teacher's checkout grade the repository. The report is as it was printed.
func (s *student) grade(args ...string) (g Grade, report []byte) {
	s.Helper()
	report, status := s.does(s.root, s.tool, slices.Concat([]string{"lab", "grade", "-json"}, args, []string{s.dir})...)
	if err := json.Unmarshal(report, &g); err != nil || (status == 0) != (g.Points == g.Of) {
		s.Fatalf("status %d, %v\n%s", status, err, report)
	}
	return g, report
}

// writes has the student fill the holes: like w, or like the tree if w is nil.
func (s *student) writes(w *Wrong) {
	s.Helper()
	files, err := s.lab.originals(s.root)
	if err == nil && w != nil {
		file := s.lab.hole(w.Func).File
		files[file], err = w.fill(files[file])
	}
	for name, data := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(s.dir, name), data, 0o666))
	}
	if err != nil {
		s.Fatal(err)
	}
}

// lost are the parts that lost points, in order.
func lost(g Grade) (names []string) {
	for _, r := range g.Parts {
		if r.Points < r.Of {
			names = append(names, r.Name)
		}
	}
	return names
}

// TestStudent goes through each lab as a student does: new, wrong, right, graded each time. A wrong solution has the same report twice, to the byte.
func TestStudent(t *testing.T) {
	root, err := Root(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names(root) {
		t.Run(name, func(t *testing.T) {
			s := newStudent(t, name)
			s.begins()
			s.hidden()
			if g, report := s.grade(); g.Points != 0 {
				t.Errorf("with empty holes:\n%s", report)
			}
			w := &s.lab.Wrong[0]
			s.writes(w)
			g, report := s.grade()
			if got := lost(g); !slices.Equal(got, s.lab.inOrder(w.Loses)) {
				t.Errorf("%s loses %q, and not %q:\n%s", w.Name, got, w.Loses, report)
			}
			if _, again := s.grade(); !bytes.Equal(report, again) {
				t.Errorf("%s: graded twice\n%s\n%s", w.Name, report, again)
			}
			s.writes(nil)
			if g, report := s.grade(); g.Points != g.Of {
				t.Errorf("with the tree's code:\n%s", report)
			}
		})
	}
}

// inOrder sorts names of parts as the lab has them.
func (l *Lab) inOrder(names []string) (all []string) {
	for _, p := range l.Parts {
		if slices.Contains(names, p.Name) {
			all = append(all, p.Name)
		}
	}
	return all
}

// begins checks that the repository has what its text leads to.
func (s *student) begins() {
	s.Helper()
	for _, m := range regexp.MustCompile(`\]\(([^):#]+)`).FindAllStringSubmatch(s.get(textAtTop), -1) {
		if _, err := os.Stat(filepath.Join(s.dir, m[1])); err != nil {
			s.Errorf("LAB.md leads to %s: %v", m[1], err)
		}
	}
}

// hidden checks that the repository has one commit and nothing that is not committed, and that no file of it has a solution.
func (s *student) hidden() {
	s.Helper()
	if out, _ := s.does(s.dir, "git", "log", "--oneline"); bytes.Count(out, []byte("\n")) != 1 {
		s.Errorf("git log: %s", out)
	}
	if out, _ := s.does(s.dir, "git", "status", "--porcelain"); len(out) > 0 {
		s.Errorf("git status: %s", out)
	}
	whole, err := s.lab.originals(s.root)
	if err != nil {
		s.Fatal(err)
	}
	empty, err := s.lab.cut(s.root)
	if err != nil {
		s.Fatal(err)
	}
	// Three lines in a row that only the solution has.
	var solution []string
	for name, data := range whole {
		lines := strings.Split(string(data), "\n")
		for i := range len(lines) - 2 {
			three := strings.Join(lines[i:i+3], "\n")
			if len(strings.Join(strings.Fields(three), "")) > 60 && !bytes.Contains(empty[name], []byte(three)) {
				solution = append(solution, three)
			}
		}
	}
	err = filepath.WalkDir(s.dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" && filepath.Ext(name) != ".md" && filepath.Ext(name) != ".toml" {
			return err
		}
		data, err := os.ReadFile(name)
		for _, three := range solution {
			if bytes.Contains(data, []byte(three)) {
				s.Errorf("%s has of the solution:\n%s", name, three)
				break
			}
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
}

// TestStudentAlone: a student's repository grades itself, by make lab, and writes pages that show why points are lost: the order of steps, and the
// moment of a recording.
func TestStudentAlone(t *testing.T) {
	for _, c := range []struct {
		lab, wrong string
		page       *regexp.Regexp
	}{
		{"02-ring", "a put is not recorded", regexp.MustCompile(`(?m)^    see (steal-icount\.html)#\d+-\d+$`)},
		{"03-overflow", "the new one is forgotten", regexp.MustCompile(`(?m)^    see (step\.html)#ring/\S+$`)},
	} {
		t.Run(c.lab, func(t *testing.T) {
			s := newStudent(t, c.lab)
			i := slices.IndexFunc(s.lab.Wrong, func(w Wrong) bool { return w.Name == c.wrong })
			if i < 0 {
				t.Fatalf("there is no %q", c.wrong)
			}
			s.writes(&s.lab.Wrong[i])
			cmd := exec.CommandContext(t.Context(), "make", "-s", "lab")
			cmd.Dir = s.dir
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			m := c.page.FindSubmatch(out)
			if !errors.As(err, &exit) || m == nil {
				t.Fatalf("make lab: %v\n%s", err, out)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "build/lab", string(m[1]))); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCheats: what speaks in place of the tests, does not end, dies, or changes the tests has no points.
func TestCheats(t *testing.T) {
	const lab, fn, file = "03-overflow", "Sched.runqPutSlow", "sched/ring.go"
	for _, c := range []struct {
		name string
		edit func(t *testing.T, s *student)
		why  string
	}{
		{"it prints what the grader reads", body(fn, "println(\"--- PASS: TestR6Overflow (0.00s)\")\nreturn true"), "prints"},
		{"it does not end", body(fn, "for {\n}"), "had not ended after 10 s"},
		{"it waits for ever", body(fn, "select {}"), "all goroutines are asleep"},
		{"it locks twice", body(fn, "s.rt.Lock()\ns.rt.Lock()\nreturn true"), ""},
		{"it panics", body(fn, "panic(\"--- PASS: TestR6Overflow (0.00s)\")"), "PASS: TestR6Overflow"},
		{"it recovers from what tests say", body(fn, "defer func() { recover() }()\nreturn true"), ""},
		{"it throws the explorer's programs away", body(fn, "uses = nil\nreturn true"), "undefined: uses"},
		{"the tests are others", func(t *testing.T, s *student) {
			names, err := filepath.Glob(filepath.Join(s.dir, "sched/*_test.go"))
			if err != nil || len(names) == 0 {
				t.Fatalf("%d tests, %v", len(names), err)
			}
			for _, name := range names {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			const all = "package sched\n\nimport \"testing\"\n\nfunc TestR6Overflow(t *testing.T) {}\nfunc TestExplored(t *testing.T) { t.Run(\"ring\", func(*testing.T) {}) }\n"
			s.put("sched/ring_test.go", all)
			s.put("scenarios/yield/main.go", "package main\n\nfunc main() { println(\"yield: done\") }\n")
			s.put("labs/03-overflow/lab.toml", strings.ReplaceAll(s.get("labs/03-overflow/lab.toml"), "TestR6OverflowGivesWay", "TestR6Overflow"))
		}, "is yours to write"},
		{"it ends the tests at their beginning", func(t *testing.T, s *student) {
			s.put(file, s.get(file)+"\nfunc init() { panic(\"PASS\") }\n")
		}, "it has a function init"},
		{"it ends them by a variable", func(t *testing.T, s *student) {
			s.put(file, s.get(file)+"\nvar _ = func() int { panic(\"PASS\") }()\n")
		}, "PASS"},
		{"the file is gone", func(t *testing.T, s *student) {
			if err := os.Remove(filepath.Join(s.dir, file)); err != nil {
				t.Fatal(err)
			}
		}, "cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStudent(t, lab)
			c.edit(t, s)
			g, report := s.grade()
			if g.Points != 0 || !bytes.Contains(report, []byte(c.why)) {
				t.Errorf("want no points, and %q:\n%s", c.why, report)
			}
		})
	}
}

// body is a cheat that fills a hole with code.
func body(fn, code string) func(*testing.T, *student) {
	return func(t *testing.T, s *student) { s.writes(&Wrong{Func: fn, Body: code}) }
}

// put writes a file of the repository, get reads one.
func (s *student) put(name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o666); err != nil {
		s.Fatal(err)
	}
}

func (s *student) get(name string) string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

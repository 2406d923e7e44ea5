package course

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package p

import (
	"strings"
	u "unicode"
)

// T is a type.
type T struct{ n int }

// M does it.
func (t *T) M(s string) int {
	if u.IsUpper('x') {
		return 1
	}
	return t.n
}

func f() string { return strings.Repeat("x", 2) }
`

// TestFill: a body is replaced, and what only it imported is taken away.
func TestFill(t *testing.T) {
	const want = `package p

import (
	"strings"
)

// T is a type.
type T struct{ n int }

// M does it.
func (t *T) M(s string) int {
	panic("no")
}

func f() string { return strings.Repeat("x", 2) }
`
	if got, err := fill([]byte(source), "T.M", "panic(\"no\")"); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	for _, c := range []struct{ fn, body, why string }{{"T.N", "", "no function T.N"}, {"f", "return }", "expected"}} {
		if _, err := fill([]byte(source), c.fn, c.body); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", c.fn, err)
		}
	}
}

// TestFair: a student's file may not speak in place of the tests.
func TestFair(t *testing.T) {
	for _, c := range []struct{ old, new, why string }{
		{"return t.n", "return t.n + 1", ""},
		{"return t.n", "println(\"--- PASS: TestX (0.00s)\"); return 1", "line 16 prints"},
		{"\t\"strings\"\n", "\t\"strings\"\n\t\"os\"\n", `it imports "os"`},
		{"u \"unicode\"", "u \"syscall\"", `it imports "syscall"`},
		{"func f()", "//go:linkname f os.Exit\nfunc f()", "it has the directive //go:linkname f os.Exit"},
		{"func f()", "//line x_test.go:1\nfunc f()", "it has the directive //line x_test.go:1"},
		{"func f()", "func init() {}\n\nfunc f()", "it has a function init"},
		{"package p", "package q", "it is of package q"},
		{"func f()", "func f(", "missing"},
	} {
		why := fair([]byte(strings.Replace(source, c.old, c.new, 1)), []byte(source))
		if (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s: %q, want %q", c.new, why, c.why)
		}
	}
}

// TestLoad: every mistake in a lab's file is told.
func TestLoad(t *testing.T) {
	const good = "about = 'a'\n[[hole]]\nfile = 'p.go'\nfunc = 'f'\n[[part]]\nname = 'n'\npoints = 3\nstage = 'hosted'\nrun = 'TestX'\n"
	root := t.TempDir()
	dir := filepath.Join(root, Folder, "l")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, why string }{
		{good, ""},
		{strings.Replace(good, "about = 'a'", "", 1), "an about"},
		{strings.Replace(good, "hosted", "hasted", 1), `part "n"`},
		{strings.Replace(good, "points = 3", "points = -3", 1), `part "n"`},
		{good + good[strings.Index(good, "[[part]]"):], `part "n"`},
		{good + "colour = 1\n", "colour means nothing"},
		{good + "[[wrong]]\nname = 'w'\nfunc = 'g'\n", "which is no hole"},
		{good + "[[wrong]]\nname = 'w'\nfunc = 'f'\nloses = ['x']\n", "which is no part"},
		{"=", "expected"},
	} {
		if err := os.WriteFile(filepath.Join(dir, labFile), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := Load(root, "l")
		if c.why == "" && (err != nil || l.Points() != 3) || c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%q: %v, want %q", c.text, err, c.why)
		}
	}
	for name, why := range map[string]string{"m": "there are l", "../l": "no lab's name", "": "no lab's name"} {
		if _, err := Load(root, name); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestLabs: each lab of the tree can be read, has its text, and holes that are there; a wrong solution is Go.
func TestLabs(t *testing.T) {
	root, err := Root(".")
	if err != nil {
		t.Fatal(err)
	}
	names := Names(root)
	if len(names) == 0 {
		t.Fatal("there are no labs")
	}
	table, err := os.ReadFile(filepath.Join(root, "docs/labs.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		l, err := Load(root, name)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := l.Text(root); err != nil || !bytes.Contains(table, []byte("| ["+name+"]")) {
			t.Errorf("%s: %v, or it is not in docs/labs.md", name, err)
		}
		if _, err := l.cut(root); err != nil {
			t.Error(err)
		}
		files, err := l.originals(root)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range l.Wrong {
			if _, err := fill(files[l.hole(w.Func).File], w.Func, w.Body); err != nil || len(w.Loses) == 0 {
				t.Errorf("%s, %s: %v, or it loses nothing", name, w.Name, err)
			}
		}
	}
}

// TestClean: what a part said is the same each time.
func TestClean(t *testing.T) {
	const said = "=== RUN   TestX\n--- FAIL: TestX (0.12s)\npanic: no [recovered, repanicked]\n\ngoroutine 7 [running]:\ntesting.tRunner()\n\t/go/testing.go:1 +0x123\n" +
		"p.f()\n\t/tmp/1/sched/ring.go:77 +0x5\nFAIL\nexit status 2"
	if got, want := clean(said, "/tmp/1", []string{"sched/ring.go"}), "--- FAIL: TestX\npanic: no\n\tsched/ring.go:77"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	long := strings.Repeat("line\n", 20) + strings.Repeat("x", 1000)
	if got := strings.Split(clean(long, "/", nil), "\n"); len(got) != mostLines+1 || got[0] != "..." || len(got[mostLines]) != mostOf+3 {
		t.Errorf("%q", got)
	}
}

// graded is a grade of two parts.
var graded = Grade{"l", 3, 5, []Result{
	{"one", "R1", Hosted, "TestX", 3, 3, ""},
	{"two", "R2", Boot, "steal/4cpu", 0, 2, "no\nwork"},
}}

// TestReports: the three forms of a grade.
func TestReports(t *testing.T) {
	var b bytes.Buffer
	const want = "3/3  hosted  R1  one\n0/2  boot    R2  two\n3/5\n\ntwo (boot steal/4cpu):\n    no\n    work\n"
	if err := graded.Print(&b); err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	var back Grade
	if err := graded.JSON(&b); err != nil || json.Unmarshal(b.Bytes(), &back) != nil || back.Points != 3 || !slices.Equal(back.Parts, graded.Parts) {
		t.Errorf("%v: %+v", err, back)
	}
	b.Reset()
	var scope struct {
		Score int
		Tests []struct {
			Score  int
			Max    int `json:"max_score"`
			Status string
		}
	}
	if err := graded.Gradescope(&b); err != nil || json.Unmarshal(b.Bytes(), &scope) != nil || scope.Score != 3 || len(scope.Tests) != 2 ||
		scope.Tests[1].Status != "failed" || scope.Tests[1].Max != 2 {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestGrade makes a repository of a lab and grades it: with the holes empty, with a wrong solution that loses one part of two, with an edit that
// speaks for the tests, and with an edited test, which does not count.
func TestGrade(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds package sched's tests")
	}
	root, err := Root(".")
	if err != nil {
		t.Fatal(err)
	}
	l, err := Load(root, "overflow")
	if err != nil {
		t.Fatal(err)
	}
	l.Parts = l.parts(Hosted)[:2]
	dir := filepath.Join(t.TempDir(), "student")
	if err := New(t.Context(), root, l, dir); err != nil {
		t.Fatal(err)
	}
	if err := New(t.Context(), root, l, dir); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("made twice: %v", err)
	}
	for _, name := range []string{"LAB.md", ".git", "sched/ring_test.go"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, Folder)); err == nil {
		t.Error("a student has the teacher's folder")
	}
	ring := filepath.Join(dir, "sched/ring.go")
	empty, err := os.ReadFile(ring)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g := Grader{Root: root}
	grade := func(points int, why string) {
		t.Helper()
		got, err := g.Grade(t.Context(), l, dir)
		if err != nil || got.Points != points || !strings.Contains(got.Parts[0].Why+got.Parts[1].Why, why) {
			t.Errorf("%v: %+v, want %d points and %q", err, got, points, why)
		}
	}
	write(filepath.Join(dir, "sched/ring_test.go"), []byte("package sched\n"))
	grade(0, "sched/ring.go:")
	whole, err := l.originals(root)
	if err != nil {
		t.Fatal(err)
	}
	write(ring, whole["sched/ring.go"])
	grade(l.Points(), "")
	write(ring, bytes.Replace(empty, []byte("panic("), []byte("println("), 1))
	grade(0, "prints")
	if err := os.Remove(ring); err != nil {
		t.Fatal(err)
	}
	grade(0, "cannot be read")
}

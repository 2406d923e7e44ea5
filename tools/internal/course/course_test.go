package course

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sched9/tools/internal/scenario"
	"sched9/trace/compare"
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
		{good + "[[hole]]\nfile = 'q/q.go'\nfunc = 'g'\n", "of two packages"},
		{good + "[[wrong]]\nname = 'w'\nfunc = 'g'\n", "which is no hole"},
		{good + "[[wrong]]\nname = 'w'\nfunc = 'f'\nbody = 'b'\nloses = ['x']\n", "which is no part"},
		{good + "[[wrong]]\nname = 'w'\nfunc = 'f'\n", "one of them"},
		{good + "[[wrong]]\nname = 'w'\nfunc = 'f'\nbody = 'b'\nold = 'o'\n", "one of them"},
		{good + "[[wrong]]\nname = 'w'\nmutation = 'm'\nold = 'o'\n", "is a mutation"},
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
	if err := os.Rename(dir, filepath.Join(filepath.Dir(dir), "07-ell")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, Folder, "07-ell", labFile), []byte(good), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"7", "07", "ell", "07-ell"} {
		if l, err := Load(root, name); err != nil || l.Name != "07-ell" {
			t.Errorf("%q: %v, %q", name, err, l.Name)
		}
	}
	for name, why := range map[string]string{"m": "there are 07-ell", "../l": "no lab's name", "": "no lab's name"} {
		if _, err := Load(root, name); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestLabs: each lab of the tree can be read, has its text, and holes that are there; its runs are there; with empty holes, and with each wrong
// solution, the code compiles: so a lab is not lost when the scheduler changes.
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
	known := map[Stage]map[string]bool{
		Explore: found(t, filepath.Join(root, "docs/model.md"), `(?m)^\| ([\w-]+) \| \d, \d \|`),
		Boot:    {},
	}
	set, err := scenario.LoadAll(filepath.Join(root, "scenarios"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range set {
		for _, r := range s.Runs {
			known[Boot][r.FullName()] = true
		}
		for name := range found(t, filepath.Join(root, "scenarios", s.Name, "*_test.go"), `(?m)^func (Test\w+)\(`) {
			known[Boot][s.Name+"/"+name] = true
		}
	}
	dirs := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, name := range names {
		if l, err := Load(root, name); err == nil && !slices.Contains(dirs, "./"+l.Package()) {
			dirs = append(dirs, "./"+l.Package())
		}
	}
	c := newCompiler(t, root, dirs)
	mutations, err := Mutations(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if !regexp.MustCompile(`^[0-9]{2}-[a-z]+$`).MatchString(name) || i > 0 && name[:2] == names[i-1][:2] {
			t.Errorf("%s: a lab's folder has a number of its own, and a word", name)
		}
		l, err := Load(root, name)
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := l.Text(root)
		if err != nil || !bytes.Contains(table, []byte("| ["+name+"]")) {
			t.Errorf("%s: %v, or it is not in docs/labs.md", name, err)
		}
		answers, err := os.ReadFile(filepath.Join(root, Folder, name, "ANSWERS.md"))
		_, questions, _ := bytes.Cut(text, []byte("\n## Questions\n"))
		questions, _, _ = bytes.Cut(questions, []byte("\n## "))
		numbered := regexp.MustCompile(`(?m)^[0-9]+\. `)
		if n := len(numbered.FindAll(questions, -1)); err != nil || n == 0 || n != len(numbered.FindAll(answers, -1)) {
			t.Errorf("%s: %v, or ANSWERS.md has not an answer to each of %d questions", name, err, n)
		}
		for _, p := range l.Parts {
			known[Hosted] = found(t, filepath.Join(root, l.Package(), "*_test.go"), `(?m)^func (Test\w+)\(`)
			for _, run := range strings.Fields(p.Run) {
				name := run
				if p.Stage == Hosted {
					name, _, _ = strings.Cut(run, "/")
				}
				if !known[p.Stage][name] {
					t.Errorf("%s, %s: there is no %s %s", name, p.Name, p.Stage, run)
				}
			}
		}
		if text, err := os.ReadFile(l.file(root)); err != nil || regexp.MustCompile(`(?ms)^\[\[wrong\]\].*^\[\[(part|hole)\]\]`).Match(text) {
			t.Errorf("%s: %v, or wrong solutions do not come last: a student's repository is made without what follows the first", name, err)
		}
		files, err := l.cut(root)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := c.compiles(root, files); err != nil {
			t.Errorf("%s, with empty holes: %v", name, err)
		}
		if err := l.Mutate(mutations); err != nil {
			t.Error(err)
		}
		if len(l.Wrong) < 10 {
			t.Errorf("%s: only %d wrong solutions", name, len(l.Wrong))
		}
		for _, w := range l.Wrong {
			files, err := l.originals(root)
			if err != nil {
				t.Fatal(err)
			}
			file := l.hole(w.Func).File
			if files[file], err = w.fill(files[file]); err != nil || len(w.Loses) == 0 {
				t.Errorf("%s, %s: %v, or it loses nothing", name, w.Name, err)
				continue
			}
			if err := c.compiles(root, files); err != nil {
				t.Errorf("%s, %s: %v", name, w.Name, err)
			}
			if why := fair(files[file], files[file]); why != "" {
				t.Errorf("%s, %s: it gets no points at all, since %s", name, w.Name, why)
			}
		}
	}
	if len(names) < 2 {
		t.Errorf("only %d labs", len(names))
	}
}

// TestMutate: a lab has each mutation of its holes as a wrong solution, once, and no other.
func TestMutate(t *testing.T) {
	all := []Mutation{{"p", "one", "f", "a", "b"}, {"p", "other", "g", "a", "b"}, {"q", "elsewhere", "f", "a", "b"}}
	for _, c := range []struct {
		named []string
		why   string
	}{
		{[]string{"one"}, ""},
		{nil, "no wrong solution is mutation one of f"},
		{[]string{"one", "one"}, "it is there twice"},
		{[]string{"one", "other"}, "no hole has a mutation other"},
		{[]string{"one", "elsewhere"}, "no hole has a mutation elsewhere"},
	} {
		l := Lab{Holes: []Hole{{File: "p/p.go", Func: "f"}}}
		for _, name := range c.named {
			l.Wrong = append(l.Wrong, Wrong{Mutation: name})
		}
		err := l.Mutate(all)
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%q: %v, want %q", c.named, err, c.why)
		}
		if err == nil && (l.Wrong[0].Func != "f" || l.Wrong[0].Old != "a" || l.Wrong[0].New != "b") {
			t.Errorf("%q: %+v", c.named, l.Wrong)
		}
	}
}

// found is what the first group of an expression matches in files.
func found(t *testing.T, files, expr string) map[string]bool {
	all := map[string]bool{}
	names, err := filepath.Glob(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(expr).FindAllSubmatch(text, -1) {
			all[string(m[1])] = true
		}
	}
	return all
}

// compiler checks types of packages of the tree.
type compiler struct{ importer types.Importer }

// newCompiler makes one for packages that need no others than those that a go list with these arguments names, with what is exported of each.
func newCompiler(t *testing.T, root string, list []string) compiler {
	cmd := exec.Command("go", list...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			exports[name] = file
		}
	}
	return compiler{importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
}

// compiles checks the packages that files, by name in the tree at root, are of, with the files in place of the tree's.
func (c *compiler) compiles(root string, files map[string][]byte) error {
	dirs := map[string]bool{}
	for name := range files {
		dirs[path.Dir(name)] = true
	}
	for dir := range dirs {
		p, err := build.ImportDir(filepath.Join(root, dir), 0)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			var src any
			if data, ok := files[path.Join(dir, name)]; ok {
				src = data
			}
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), src, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			parsed = append(parsed, f)
		}
		config := types.Config{Importer: c.importer}
		if _, err := config.Check("sched9/"+dir, set, parsed, nil); err != nil {
			return err
		}
	}
	return nil
}

// TestClean: what a part said is the same each time.
func TestClean(t *testing.T) {
	const said = "=== RUN   TestX\n--- FAIL: TestX (0.12s)\npanic: no [recovered, repanicked]\n\ngoroutine 7 [running]:\ntesting.tRunner()\n\t/go/testing.go:1 +0x123\n" +
		"p.f()\n\t/tmp/1/sched/ring.go:77 +0x5\nFAIL\nexit status 2"
	if got, want := clean(said, "/tmp/1", []string{"sched/ring.go"}, false), "--- FAIL: TestX\npanic: no\n\tsched/ring.go:77"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	const goesOn = "    x_test.go:1: panic: no\n        goroutine 20 [running]:\n        p.(*T).f(0x37045d8e61c0)\n        repeated, it went the same way\n    --- FAIL: TestX (0.01s)\n"
	if got, want := clean(goesOn, "/tmp/1", nil, false), "    x_test.go:1: panic: no\n        repeated, it went the same way\n    --- FAIL: TestX"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := clean("FAIL steal/icount               2.39s  ms=4  runs=679\n  recording.go:46: the recording is kept; to look at it: sched9 trace /tmp/T-4001.s9\n", "/", nil, true); got != "FAIL steal/icount  ms=4  runs=679" {
		t.Errorf("a boot's report: %q", got)
	}
	if got := clean("panic: (sched.halted) 0xece3c21aa60\n", "/", nil, true); got != "panic: (sched.halted)" {
		t.Errorf("an address: %q", got)
	}
	long := strings.Repeat("line\n", 20) + strings.Repeat("x", 1000)
	if got := strings.Split(clean(long, "/", nil, true), "\n"); len(got) != mostLines+1 || got[0] != "line" || got[mostLines] != "..." {
		t.Errorf("%q", got)
	}
	if got := strings.Split(clean(long, "/", nil, false), "\n"); len(got) != mostLines+1 || got[0] != "..." || len(got[mostLines]) != mostOf+3 {
		t.Errorf("%q", got)
	}
}

// graded is a grade of two parts.
var graded = Grade{"l", 3, 5, []Result{
	{"one", "R1", Hosted, "TestX", 3, 3, "", ""},
	{"two", "R2", Boot, "steal/4cpu", 0, 2, "no\nwork", "steal-4cpu.html#1-2"},
}}

// TestReports: the four forms of a grade.
func TestReports(t *testing.T) {
	var b bytes.Buffer
	const want = "3/3  hosted  R1  one\n0/2  boot    R2  two\n3/5\n\ntwo (boot steal/4cpu):\n    no\n    work\n    see steal-4cpu.html#1-2\n"
	if err := graded.Print(&b); err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	var back Grade
	if err := graded.JSON(&b); err != nil || json.Unmarshal(b.Bytes(), &back) != nil || back.Points != 3 || !slices.Equal(back.Parts, graded.Parts) {
		t.Errorf("%v: %+v", err, back)
	}
	b.Reset()
	if err := graded.JUnit(&b); err != nil || strings.Count(b.String(), "<testcase ") != 2 || !strings.Contains(b.String(), `<failure message="no">`) ||
		!strings.Contains(b.String(), "see steal-4cpu.html#1-2") {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	var scope struct {
		Score int
		Tests []struct {
			Score  int
			Max    int `json:"max_score"`
			Status string
			Output string
		}
	}
	if err := graded.Gradescope(&b); err != nil || json.Unmarshal(b.Bytes(), &scope) != nil || scope.Score != 3 || len(scope.Tests) != 2 ||
		scope.Tests[1].Status != "failed" || scope.Tests[1].Max != 2 || scope.Tests[1].Output != "no\nwork\nsee steal-4cpu.html#1-2" {
		t.Errorf("%v\n%s", err, b.String())
	}
	// Of two parts with one reason the second does not repeat it.
	b.Reset()
	twice := graded
	twice.Parts = []Result{graded.Parts[1], graded.Parts[1]}
	if err := twice.Print(&b); err != nil || strings.Count(b.String(), "\ntwo (boot steal/4cpu):\n") != 2 || !strings.HasSuffix(b.String(), "\n    the same\n") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestDiffers: a solution that loses more than it is said to, or less, is told.
func TestDiffers(t *testing.T) {
	for _, c := range []struct{ loses, want []string }{
		{[]string{"two"}, nil},
		{nil, []string{"it loses \"two\":\nno\nwork"}},
		{[]string{"one", "two"}, []string{`it does not lose "one"`}},
	} {
		if got := graded.differs(c.loses); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, not %q", c.loses, got, c.want)
		}
	}
}

// TestMoment: a page shows the moment that a failure names first.
func TestMoment(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"R3: no G (at 25.965013 ms, M 0, event 66)\nR1: (at 9.000000 ms, M 1, event 1)", "#915013-1015013"},
		{"waited 3ms for a CPU between 26.000ms and 29.000ms on M1 P0", "#950000-4050000"},
		{"there were 5 at 25.010ms", "#0-60000"},
		{"the program printed nothing", ""},
	} {
		if got := moment(c.said, 25_000_000); got != c.want {
			t.Errorf("%q: %s, want %s", c.said, got, c.want)
		}
	}
}

// TestRanking: the best comes first, and who has no place last, with the reason.
func TestRanking(t *testing.T) {
	l := Lab{Contest: &Contest{Kind: "main.typist"}}
	run := func(status int, p99, ended int64) compare.Run {
		return compare.Run{Status: status, Sums: compare.Sums{Time: 9, Kinds: []compare.Kind{{Name: "main.typist", Wait: compare.Spread{P99: p99, Worst: 7}, Ended: ended}}}}
	}
	broken := run(0, 1, 1)
	broken.Broken = []string{"R7"}
	all := []Place{
		l.place("slow", run(0, 5, 8)), l.place("dead", run(2, 1, 1)), l.place("fast", run(0, 4, 8)), l.place("lost", run(0, 1, -1)), l.place("broken", broken),
		l.place("none", compare.Run{}),
	}
	slices.SortStableFunc(all, better)
	var b bytes.Buffer
	const want = "   main.typist waits: half  99 %  worst  ended  all done  \n1  fast                     0     4ns    7ns    8ns       9ns\n2  slow                     0     5ns    7ns    8ns       9ns\n" +
		"-  none                     there is no main.typist\n-  dead                     the program ended with status 2\n" +
		"-  lost                     not all of them ended\n-  broken                   it breaks [R7]\n"
	if err := PrintRanking(&b, *l.Contest, all); err != nil || b.String() != want {
		t.Errorf("%v, got\n%swant\n%s", err, b.String(), want)
	}
	if _, err := (&Grader{}).Rank(t.Context(), Lab{Name: "l"}, nil); err == nil || !strings.Contains(err.Error(), "no contest") {
		t.Errorf("a lab without a contest: %v", err)
	}
}

// TestGrade makes a repository of a lab and grades it: with the holes empty, with a wrong solution that loses one part of two, with an edit that
// speaks for the tests, and with an edited test, which does not count.
func TestGrade(t *testing.T) {
	root, err := Root(".")
	if err != nil {
		t.Fatal(err)
	}
	l, err := Load(root, "overflow")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "student")
	if err := New(t.Context(), root, l, dir); err != nil {
		t.Fatal(err)
	}
	if err := New(t.Context(), root, l, dir); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("made twice: %v", err)
	}
	l.Parts = l.parts(Hosted)[:2]
	for _, name := range []string{"LAB.md", ".git", "sched/ring_test.go", ".github/workflows/lab.yml", "scenarios/yield", "scenarios/million", "scenarios/tour"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "LAB.md")); err != nil || bytes.Contains(text, []byte("../")) || !bytes.Contains(text, []byte("](docs/SPEC.md)")) {
		t.Errorf("%v: LAB.md has links that lead elsewhere", err)
	}
	// A student can grade the repository in itself, and finds no solution there: neither whole, nor what others did wrong.
	if name, err := Of(dir); err != nil || name != l.Name {
		t.Errorf("%v: it is of %q", err, name)
	}
	own, err := Load(dir, "overflow")
	if err != nil || len(own.Wrong) != 0 || own.Points() != 100 {
		t.Errorf("%v: the student's lab has %d wrong solutions", err, len(own.Wrong))
	}
	if text, err := os.ReadFile(filepath.Join(dir, "README.md")); err != nil || !bytes.HasPrefix(text, []byte("**This is lab 03-overflow: begin with [LAB.md](LAB.md).**\n")) {
		t.Errorf("%v: README.md does not begin with where to begin", err)
	}
	for _, name := range []string{"sched/mutate", "labs/04-steal", "scenarios/steal", "scenarios/bugs", "tools/std", ".ci"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("a student has %s", name)
		}
	}
	if _, err := Of(root); err == nil {
		t.Error("the teacher's tree is taken for a student's")
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

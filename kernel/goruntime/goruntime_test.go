package goruntime

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const source = `package runtime

import (
	"internal/a"
	b "internal/bb"
)

type g struct {
	id int
}

func ready(gp *g, next bool) (ok bool) {
	a.Do()
	return b.Do()
}

func (pp *p) init(id int32) { b.Do() }
`

func edited(t *testing.T, list string) (string, error) {
	t.Helper()
	cuts, err := parse("list", list)
	if err != nil {
		t.Fatal(err)
	}
	out, err := editGo("x.go", []byte(source), cuts)
	if err == nil {
		if _, err := parser.ParseFile(token.NewFileSet(), "x.go", out, 0); err != nil {
			t.Fatalf("the result does not parse: %v\n%s", err, out)
		}
	}
	return string(out), err
}

func TestEditGo(t *testing.T) {
	out, err := edited(t, `
func x.go: ready(gp *g, next bool) (ok bool) => return mine(gp) // why
begin x.go: (pp *p) init(id int32) => first(pp) // why
field x.go: g => nsched nsched.G // why
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"{ return mine(gp) \n\n\n}",
		"{ first(pp); b.Do() }",
		"\tid int\nnsched nsched.G; }",
		`import nsched "` + Root + `sched"`,
		`_ "internal/a"`,
		`b "internal/bb"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the result:\n%s", want, out)
		}
	}
	if strings.Contains(out, "a.Do()") {
		t.Errorf("the cut body is still there:\n%s", out)
	}
}

func TestEditGoNever(t *testing.T) {
	out, err := edited(t, "func x.go: ready(gp *g, next bool) (ok bool) => never // why")
	if err != nil || !strings.Contains(out, `throw("sched9: ready was cut")`) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestEditGoSwap(t *testing.T) {
	out, err := edited(t, "swap x.go: a.Do() => nsched.Do() // why")
	if err != nil || !strings.Contains(out, "\n\tnsched.Do()\n") || !strings.Contains(out, `import nsched "`) || !strings.Contains(out, `_ "internal/a"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestEditGoSwaps: each such line is replaced, and code may be put where a function returns.
func TestEditGoSwaps(t *testing.T) {
	out, err := edited(t, "swaps x.go: } => } /* one */ // why")
	if err != nil || strings.Count(out, "\n} /* one */") != strings.Count(source, "\n}\n") || strings.Count(source, "\n}\n") < 2 {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = edited(t, "begin x.go: (pp *p) init(id int32) => first(pp) // why\nbegin x.go: (pp *p) init(id int32) => defer last(pp) // why")
	if err != nil || !strings.Contains(out, "{ first(pp); defer last(pp);") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestEditGoEach(t *testing.T) {
	out, err := edited(t, "each x.go: init => first() // why")
	if err != nil || !strings.Contains(out, "init(id int32) { first(); b.Do() }") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestEditGoNamesWhatDoesNotFit(t *testing.T) {
	for list, want := range map[string]string{
		"func x.go: gone() => never // why":                           "no function gone",
		"func x.go: ready(gp *g, next int) (ok bool) => never // why": "function ready has another signature",
		"begin x.go: (pp *p) init(id int64) => x() // why":            "function p.init has another signature",
		"field x.go: m => f int // why":                               "no struct type m",
		"each x.go: init gone => x() // why":                          "no method gone",
		"each x.go: ready => x() // why":                              "no method ready",
		"swap x.go: b.Do() => x() // why":                             "has 0 lines",
		"swap x.go: } => x() // why":                                  "has 2 lines", "swaps x.go: b.Do() => x() // why": "has 0 lines",
		"func x.go: ready(gp *g, next bool) (ok bool => never // why":      "not a signature",
		"func x.go: gone() => never // a\nfunc x.go: lost() => never // b": "no function lost",
	} {
		if _, err := edited(t, list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", list, err, want)
		}
	}
}

func TestParseRejects(t *testing.T) {
	for _, line := range []string{
		"func x.go: f() => never",       // no reason
		"func x.go: f() => never // ",   // an empty one
		"cut x.go: f() => never // why", // unknown verb
		"func x.go: f() // why",         // nothing in its place
		"func f() => never // why",      // no file
		"drop x.go: f // why",           // too much
		"text x.s: f => g // why",       // too much
		// More than a call.
		"func x.go: f() => g(); h() // why",
		"begin x.go: f() => for g() { } // why",
		"begin x.go: f() => if g() { h() } // why",
		"begin x.go: f() => if a := g(); a { return } // why",
		"begin x.go: f() *t => if a := g(); a != nil { return b } // why",
		"begin x.go: f() *t => if a := b; a != nil { return a } // why",
		"func x.go: f() => return g() == 1 // why",
	} {
		if _, err := parse("list", line); err == nil || !strings.Contains(err.Error(), "list:1") {
			t.Errorf("%q: error %v, want one that names the line", line, err)
		}
	}
}

// TestParseFast: what is cut for speed says how many instructions it saves, and of what.
func TestParseFast(t *testing.T) {
	for why, ok := range map[string]bool{
		"saves 12 of a yield: why": true, "saves 12 of a spawn: why": true, "saves 12 of a slice: why": true, "saves 12 of a memstats: why": true,
		"why": false, "saves of a yield: why": false, "saves 12 of a day: why": false, "saves 12 of a yield": false,
	} {
		if _, err := parse(fastList, "begin x.go: f() => if g() { return } // "+why); (err == nil) != ok {
			t.Errorf("%q: %v", why, err)
		}
	}
}

func TestEditAsm(t *testing.T) {
	src := "TEXT runtime·a(SB),NOSPLIT,$0\n\tSYSCALL // it\n\tRET\n\nTEXT runtime·ab(SB),NOSPLIT,$0\n\tRET\n\nTEXT runtime·b(SB),NOSPLIT,$0\n\tSYSCALL\n"
	cuts, err := parse("list", "swap x.s: SYSCALL => CALL k(SB) // why\ntext x.s: runtime·b // why")
	if err != nil {
		t.Fatal(err)
	}
	out, err := editAsm("x.s", []byte(src), cuts)
	if err != nil {
		t.Fatal(err)
	}
	want := "TEXT runtime·a(SB),NOSPLIT,$0\n\tCALL k(SB)\n\tRET\n\nTEXT runtime·ab(SB),NOSPLIT,$0\n\tRET\n"
	if strings.TrimSpace(string(out)) != strings.TrimSpace(want) || strings.Count(string(out), "\n") != strings.Count(src, "\n") {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	cuts, _ = parse("list", "text x.s: runtime·gone // why")
	if _, err := editAsm("x.s", []byte(src), cuts); err == nil || !strings.Contains(err.Error(), "runtime·gone") {
		t.Errorf("error %v, want one that names the symbol", err)
	}
}

// TestLines edits the toolchain's files: every line keeps its number, in all that is
// not cut.
func TestLines(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		edited, err := builtin(t).overlay(runtime.GOROOT(), arch, []Part{Hunt, Names})
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for name, data := range edited {
			stock, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src", filepath.FromSlash(name)))
			if err != nil || data == nil {
				continue // ours, or taken out
			}
			compared++
			want, got := strings.Split(string(stock), "\n"), strings.Split(string(data), "\n")
			if len(want) != len(got) {
				t.Errorf("%s: %s has %d lines, %d in the toolchain", arch, name, len(got), len(want))
				continue
			}
			same := 0
			for i := range want {
				if want[i] == got[i] {
					same++
				} else if strings.HasPrefix(want[i], "func ") && !strings.HasPrefix(got[i], want[i]) && strings.HasSuffix(want[i], "{") {
					t.Errorf("%s: %s:%d is %q, in the toolchain %q", arch, name, i+1, got[i], want[i])
				}
			}
			if same < len(want)/2 {
				t.Errorf("%s: %s has %d of %d lines where they were", arch, name, same, len(want))
			}
		}
		if compared < 15 {
			t.Errorf("%s: %d files of the toolchain are edited", arch, compared)
		}
	}
}

// TestPrepare lays the overlay over the toolchain that runs the test.
func TestPrepare(t *testing.T) {
	dir := t.TempDir()
	overlay, err := builtin(t).Prepare(runtime.GOROOT(), "amd64", dir)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(overlay)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"runtime/proc.go", "internal/runtime/trap_amd64.s", Root + "sched/find.go", "runtime/zsched9_runtime.go"} {
		if !strings.Contains(string(data), filepath.FromSlash(want)) {
			t.Errorf("the overlay has no %s", want)
		}
	}
	if strings.Contains(string(data), "_test.go") {
		t.Error("the overlay has tests in it")
	}
	if _, err := builtin(t).Prepare(runtime.GOROOT(), "sparc", dir); err == nil || !strings.Contains(err.Error(), "sparc") {
		t.Errorf("error %v for an unknown architecture", err)
	}
	if _, err := builtin(t).Prepare(t.TempDir(), "amd64", dir); err == nil || !strings.Contains(err.Error(), "proc.go") {
		t.Errorf("error %v for an empty GOROOT, want one that names what is missing", err)
	}
}

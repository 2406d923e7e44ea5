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
		"{ return mine(gp) }",
		"first(pp)\n b.Do()",
		"nsched nsched.G\n}",
		`import nsched "` + root + `sched"`,
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

func TestEditGoNamesWhatDoesNotFit(t *testing.T) {
	for list, want := range map[string]string{
		"func x.go: gone() => never // why":                                "no function gone",
		"func x.go: ready(gp *g, next int) (ok bool) => never // why":      "function ready has another signature",
		"begin x.go: (pp *p) init(id int64) => x() // why":                 "function p.init has another signature",
		"field x.go: m => f int // why":                                    "no struct type m",
		"swap x.go: b.Do() => x() // why":                                  "not one line",
		"swap x.go: } => x() // why":                                       "not one line",
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
	} {
		if _, err := parse("list", line); err == nil || !strings.Contains(err.Error(), "list:1") {
			t.Errorf("%q: error %v, want one that names the line", line, err)
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
	if strings.TrimSpace(string(out)) != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	cuts, _ = parse("list", "text x.s: runtime·gone // why")
	if _, err := editAsm("x.s", []byte(src), cuts); err == nil || !strings.Contains(err.Error(), "runtime·gone") {
		t.Errorf("error %v, want one that names the symbol", err)
	}
}

// TestPrepare lays the overlay over the toolchain that runs the test.
func TestPrepare(t *testing.T) {
	dir := t.TempDir()
	overlay, err := Prepare(runtime.GOROOT(), "amd64", dir)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(overlay)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"runtime/proc.go", "internal/runtime/trap.s", root + "sched/find.go", "runtime/zsched9_lang.go"} {
		if !strings.Contains(string(data), filepath.FromSlash(want)) {
			t.Errorf("the overlay has no %s", want)
		}
	}
	if strings.Contains(string(data), "_test.go") {
		t.Error("the overlay has tests in it")
	}
	if _, err := Prepare(runtime.GOROOT(), "sparc", dir); err == nil || !strings.Contains(err.Error(), "sparc") {
		t.Errorf("error %v for an unknown architecture", err)
	}
	if _, err := Prepare(t.TempDir(), "amd64", dir); err == nil || !strings.Contains(err.Error(), "proc.go") {
		t.Errorf("error %v for an empty GOROOT, want one that names what is missing", err)
	}
}

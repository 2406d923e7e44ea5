package docs

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHacking: the changes that docs/hacking.md shows fit the scheduler as it is. Each is made where the page says, and
// all of them together compile.
func TestHacking(t *testing.T) {
	sections := map[string][]string{}
	for _, s := range strings.Split(text(t, "docs/hacking.md"), "\n## ")[1:] {
		name, _, _ := strings.Cut(s, ":")
		sections[name] = blocks(s)
	}
	block := func(section string, i int) string {
		if i >= len(sections[section]) {
			t.Fatalf("section %q has no code block %d", section, i)
		}
		return sections[section][i]
	}
	e := edited{t: t, dir: t.TempDir(), files: map[string]string{}}
	e.edit("sched.go", block("One", 0), constant("globalTick"))
	e.edit("ring.go", block("Two", 0), body("runqPop", 1))
	e.edit("schedule.go", block("Three", 0)+"m.Stats[Runs]++\n", body("ran", 0, 1))
	e.edit("globq.go", block("Three", 1), body("push", 0))
	e.write("policy_fair.go", block("Four", 0))
	e.edit("policy.go", ", &Fair}", endOf("Policies"))

	overlay := filepath.Join(e.dir, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": e.files})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-overlay", overlay, "./sched")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// blocks are the parts of a page that are indented as code, without the indent.
func blocks(page string) (list []string) {
	var b strings.Builder
	for line := range strings.Lines(page + "\n.") {
		code, ok := strings.CutPrefix(line, "    ")
		switch {
		case ok:
			b.WriteString(code)
		case b.Len() == 0:
		case line == "\n":
			b.WriteString(line)
		default:
			list = append(list, strings.TrimSpace(b.String())+"\n")
			b.Reset()
		}
	}
	return list
}

// edited are files of package sched with changes, written to dir. files has their names there, by the names that they stand for.
type edited struct {
	t     *testing.T
	dir   string
	files map[string]string
}

// write has a file of package sched hold text.
func (e *edited) write(name, text string) {
	to := filepath.Join(e.dir, name)
	if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
	at, err := filepath.Abs(filepath.Join(root, "sched", name))
	if err != nil {
		e.t.Fatal(err)
	}
	e.files[at] = to
}

// edit puts code in the place of what in covers in a file of package sched.
func (e *edited) edit(name, code string, in func(*ast.File) (from, to token.Pos)) {
	old := text(e.t, filepath.Join("sched", name))
	f, err := parser.ParseFile(token.NewFileSet(), name, old, 0)
	if err != nil {
		e.t.Fatal(err)
	}
	from, to := in(f)
	if from == token.NoPos {
		e.t.Errorf("docs/hacking.md changes something in sched/%s that is not there", name)
		return
	}
	// The file is the only one of its set, so positions count from 1.
	e.write(name, old[:from-1]+code+old[to-1:])
}

// body covers the statements of a function from a number on, up to another one if there are two.
func body(name string, at ...int) func(*ast.File) (from, to token.Pos) {
	return func(f *ast.File) (from, to token.Pos) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != name || len(fn.Body.List) <= at[0] {
				continue
			}
			from, to = fn.Body.List[at[0]].Pos(), fn.Body.Rbrace
			if len(at) == 2 {
				to = fn.Body.List[at[1]].Pos()
			}
		}
		return from, to
	}
}

// constant covers the declaration of a constant.
func constant(name string) func(*ast.File) (from, to token.Pos) {
	return func(f *ast.File) (from, to token.Pos) {
		if o := f.Scope.Lookup(name); o != nil {
			from, to = o.Pos(), o.Decl.(*ast.ValueSpec).End()
		}
		return from, to
	}
}

// endOf covers the brace at the end of a variable's value.
func endOf(name string) func(*ast.File) (from, to token.Pos) {
	return func(f *ast.File) (from, to token.Pos) {
		if o := f.Scope.Lookup(name); o != nil {
			to = o.Decl.(*ast.ValueSpec).End()
			from = to - 1
		}
		return from, to
	}
}

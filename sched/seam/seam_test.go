package seam

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sched9/kernel/goruntime"
)

// reader reads the steps of functions.
type reader struct {
	dirs  map[Code]string
	funcs map[string]map[string]*ast.FuncDecl // by file and name
	texts map[Code][]matcher
	used  map[Text]bool // texts that were found somewhere
	known map[Site]bool // functions that were followed
}

// matcher is a Text as an expression.
type matcher struct {
	Text
	is *regexp.Regexp
}

// newReader returns a reader of this tree's code and of the runtime that images for goarch get with the
// toolchain at hand.
func newReader(t *testing.T, goarch string) *reader {
	t.Helper()
	tree := "../.."
	sources, err := goruntime.FindSources(tree)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := sources.Prepare(runtime.GOROOT(), goarch, dir); err != nil {
		t.Fatal(err)
	}
	r := &reader{
		dirs: map[Code]string{
			Image: filepath.Join(dir, "runtime"), Kernel: filepath.Join(tree, "kernel"),
			Scheduler: filepath.Join(tree, "sched"), Model: filepath.Join(tree, "sched"),
		},
		funcs: map[string]map[string]*ast.FuncDecl{},
		texts: map[Code][]matcher{},
		used:  map[Text]bool{},
		known: map[Site]bool{},
	}
	for code, texts := range Texts {
		for _, text := range texts {
			pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(text.Text), `\*`, ".*") + "$"
			r.texts[code] = append(r.texts[code], matcher{text, regexp.MustCompile(pattern)})
		}
	}
	return r
}

// function finds a site's function.
func (r *reader) function(s Site) (*ast.FuncDecl, error) {
	name := filepath.Join(r.dirs[s.Code], s.File)
	if r.funcs[name] == nil {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		r.funcs[name] = map[string]*ast.FuncDecl{}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				r.funcs[name][goruntime.FuncName(d)] = d
			}
		}
	}
	d := r.funcs[name][s.Func]
	if d == nil {
		return nil, fmt.Errorf("%s has no function %s", s.File, s.Func)
	}
	return d, nil
}

// steps are the steps of a site's function, in the order in which its text has them.
func (r *reader) steps(s Site) (list []Step, err error) {
	d, err := r.function(s)
	if err != nil {
		return nil, err
	}
	add := func(steps ...Step) {
		for _, step := range steps {
			if len(list) == 0 || list[len(list)-1] != step {
				list = append(list, step)
			}
		}
	}
	// follow adds the steps of a function that is called, or named, so.
	follow := func(name string, method bool) {
		to, ok := Follow[s.Code][name]
		if !ok || to == s || method != strings.Contains(to.Func, ".") {
			return // a field may be named as a function is
		}
		r.known[to] = true
		steps, bad := r.steps(to)
		add(steps...)
		err = cmpErr(err, bad)
	}
	var walk func(n ast.Node)
	// inside walks what n is made of, in the order of its text.
	inside := func(n ast.Node) {
		top := true
		ast.Inspect(n, func(n ast.Node) bool {
			if top {
				top = false
				return true
			}
			if n != nil {
				walk(n)
			}
			return false
		})
	}
	walk = func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, a := range n.Args {
				walk(a)
			}
			if step, ok := r.match(s.Code, n); ok {
				add(step)
				return
			}
			walk(n.Fun)
		case *ast.AssignStmt:
			for _, x := range n.Rhs {
				walk(x)
			}
			if step, ok := r.match(s.Code, n); ok {
				add(step)
			}
		case *ast.ReturnStmt, *ast.BinaryExpr:
			if step, ok := r.match(s.Code, n); ok {
				add(step)
				return
			}
			inside(n)
		case *ast.SelectorExpr:
			walk(n.X)
			follow(n.Sel.Name, true)
		case *ast.Ident:
			follow(n.Name, false)
		case *ast.KeyValueExpr:
			walk(n.Value)
		default:
			inside(n)
		}
	}
	walk(d.Body)
	return list, err
}

// cmpErr is the first error.
func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// match finds the step that a piece of code is.
func (r *reader) match(code Code, n ast.Node) (Step, bool) {
	var b bytes.Buffer
	printer.Fprint(&b, token.NewFileSet(), n)
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, m := range r.texts[code] {
		if m.is.MatchString(text) {
			r.used[m.Text] = true
			return m.Step, true
		}
	}
	return "", false
}

// compare says where a site's steps differ from its protocol's, "": nowhere.
func (r *reader) compare(p Protocol, s Site) string {
	got, err := r.steps(s)
	if err != nil {
		return err.Error()
	}
	if i := slices.Index(got, p.Until); p.Until != "" && i >= 0 {
		got = got[:i]
	}
	inner := slices.ContainsFunc(p.Steps, func(s Step) bool { return slices.Contains(Inner, s) })
	if !inner {
		got = slices.DeleteFunc(got, func(s Step) bool { return slices.Contains(Inner, s) })
		got = slices.Compact(got)
	}
	if slices.Equal(got, p.Steps) {
		return ""
	}
	var b strings.Builder
	for i := range max(len(got), len(p.Steps)) {
		have, want := Step("-"), Step("-")
		if i < len(got) {
			have = got[i]
		}
		if i < len(p.Steps) {
			want = p.Steps[i]
		}
		mark := "  "
		if have != want {
			mark = "! "
		}
		fmt.Fprintf(&b, "\n%s%-40s | %s", mark, want, have)
	}
	return "the protocol has | the code has" + b.String()
}

// The image, the kernel, the scheduler and the model do the steps of each protocol in its order, on both architectures.
func TestOrder(t *testing.T) {
	for _, goarch := range []string{"amd64", "arm64"} {
		r := newReader(t, goarch)
		for _, p := range Protocols {
			for _, s := range p.Sites {
				if diff := r.compare(p, s); diff != "" {
					t.Errorf("%s: %s: %s, %s: %s", goarch, p.Name, s.Code, s.Func, diff)
				}
			}
		}
		if t.Failed() {
			return
		}
		for code, texts := range Texts {
			for _, text := range texts {
				if !r.used[text] {
					t.Errorf("%s: no protocol's code has the step %q as %s", goarch, text.Step, text.Text)
				}
			}
			for name, s := range Follow[code] {
				if !r.known[s] {
					t.Errorf("%s: no protocol's code calls %s", goarch, name)
				}
			}
		}
	}
}

// What the image or the kernel does the model does too, or it is said why not.
func TestBothSides(t *testing.T) {
	for _, p := range Protocols {
		of := map[Code]int{}
		for _, s := range p.Sites {
			of[s.Code]++
		}
		image, model := of[Image]+of[Kernel], of[Model]
		if len(p.Steps) == 0 || (image > 0) != (model > 0) && p.Alone == "" || image > 0 && model > 0 && p.Alone != "" || image+model == 0 && of[Scheduler] == 0 {
			t.Errorf("%s: %d sites of the image or the kernel, %d of the model, %d of the scheduler; alone because %q", p.Name, image, model, of[Scheduler], p.Alone)
		}
	}
}

package docs

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// source is a file of the repository or of the toolchain, as far as it is looked at.
type source struct {
	text    string
	funcs   map[string]bool // functions and methods, or an assembly file's symbols
	strings []string        // string literals; of other files the whole text
	thrown  []string        // those that are arguments of a call that ends the program
	ruled   []string        // those that are arguments of a call of the checker's
}

// sources are the files that were read, by their names.
type sources map[string]*source

func newSources() sources { return sources{} }

var (
	throws   = map[string]bool{"Throw": true, "throw": true, "sched9BadEdge": true}
	rules    = map[string]bool{"must": true, "fail": true, "awaits": true, "empty": true, "moveRing": true}
	asmText  = regexp.MustCompile(`(?m)^TEXT\s+(?:\w*·)?(\w+)`)
	reaching = regexp.MustCompile(`^([\w./-]+):(?: "(.*)"|(\w+(?:, \w+)*))$`)
)

// place is where docs/rows.md means by a file's name.
func place(name string) string {
	first, rest, _ := strings.Cut(name, "/")
	switch first {
	case "rt":
		return filepath.Join(root, "kernel/goruntime/runtime", rest)
	case "check":
		return filepath.Join(root, "trace/check", rest)
	case "stock":
		return filepath.Join(build.Default.GOROOT, "src/runtime", rest)
	}
	return filepath.Join(root, name)
}

// look says what is wrong with ref: FILE:NAME, FILE:NAME, NAME or FILE: "TEXT".
func (s sources) look(ref string) error {
	m := reaching.FindStringSubmatch(ref)
	if m == nil {
		return fmt.Errorf("%q is no name of something", ref)
	}
	f, err := s.file(place(m[1]))
	if err != nil {
		return err
	}
	if m[3] != "" {
		for name := range strings.SplitSeq(m[3], ", ") {
			if !f.funcs[name] {
				return fmt.Errorf("%s has no function %s", m[1], name)
			}
		}
		return nil
	}
	in := f.strings
	if strings.HasPrefix(m[1], "check/") {
		for _, is := range f.ruled {
			if is == m[2] {
				return nil
			}
		}
		return fmt.Errorf("%s holds nobody to a rule %q", m[1], m[2])
	}
	if loc := ruleText.FindStringIndex(m[2]); loc != nil && loc[0] == 0 {
		in = f.thrown // what names a row ends the program
	}
	for _, is := range in {
		if strings.Contains(is, m[2]) {
			return nil
		}
	}
	return fmt.Errorf("%s does not say %q", m[1], m[2])
}

// file reads a file, once.
func (s sources) file(name string) (*source, error) {
	if f := s[name]; f != nil {
		return f, nil
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f := &source{text: string(b), funcs: map[string]bool{}}
	s[name] = f
	switch filepath.Ext(name) {
	case ".go":
		return f, f.parse(name)
	case ".s":
		for _, m := range asmText.FindAllStringSubmatch(f.text, -1) {
			f.funcs[m[1]] = true
		}
	}
	f.strings = []string{f.text}
	return f, nil
}

// parse finds a Go file's functions and strings.
func (f *source) parse(name string) error {
	tree, err := parser.ParseFile(token.NewFileSet(), name, f.text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.funcs[n.Name.Name] = true
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				f.strings = append(f.strings, unquote(n))
			}
		case *ast.CallExpr:
			called := ""
			switch fn := n.Fun.(type) {
			case *ast.Ident:
				called = fn.Name
			case *ast.SelectorExpr:
				called = fn.Sel.Name
			}
			for _, a := range n.Args {
				lit, ok := a.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					continue
				}
				if throws[called] {
					f.thrown = append(f.thrown, unquote(lit))
				}
				if rules[called] {
					f.ruled = append(f.ruled, unquote(lit))
				}
			}
		}
		return true
	})
	return nil
}

// unquote is the string that a literal stands for.
func unquote(n *ast.BasicLit) string {
	s, err := strconv.Unquote(n.Value)
	if err != nil {
		return n.Value
	}
	return s
}

// number is the number that s, digits, stands for; decimal the reverse.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

func decimal(n int) string { return strconv.Itoa(n) }

// equal reports whether two sets are the same.
func equal(a, b map[string]bool) bool { return maps.Equal(a, b) }

// References to missing names are found.
func TestLook(t *testing.T) {
	src := newSources()
	for _, ref := range []string{
		"sched/find.go:findRunnable", "sched/find.go:findRunnable, poll", "stock/proc.go:casgstatus", "arch/asm_amd64.s:Halt",
		`sched/g.go: "G3: a G was made runnable twice"`, `check/find.go: "M7"`,
	} {
		if err := src.look(ref); err != nil {
			t.Error(err)
		}
	}
	for _, ref := range []string{
		"sched/find.go:", "sched/find.go", "sched/none.go:findRunnable", "sched/find.go:find", "sched/find.go:findRunnable, none",
		"arch/asm_amd64.s:Hal", `sched/g.go: "G3: a G was made runnable thrice"`, `check/find.go: "M17"`,
		`check/find.go: "M"`, `sched/g.go: "sync/atomics"`, `tools/internal/docs/source_test.go: "M7: no assert"`,
	} {
		if src.look(ref) == nil {
			t.Errorf("%s is found", ref)
		}
	}
}

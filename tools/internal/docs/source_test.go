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
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is a package of the repository, or a file of it or of the toolchain, as far as it is looked at.
type source struct {
	funcs   map[string]bool // functions and methods, or an assembly file's symbols
	strings []string        // string literals; of other files the whole text
	thrown  []string        // those that are arguments of a call that ends the program
	audits  []string        // those of them in a file audit.go
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

// place is where docs/rows.md means by the name of a package or a file.
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

// look says what is wrong with ref: WHERE:NAME, WHERE:NAME, NAME or WHERE: "TEXT", where WHERE is a package, in which
// the names may move from file to file, or a file.
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
	if m[1] == "check" {
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

// audited reports whether ref is what an audit says.
func (s sources) audited(ref string) bool {
	m := reaching.FindStringSubmatch(ref)
	if m == nil || m[2] == "" {
		return false
	}
	f, err := s.file(place(m[1]))
	return err == nil && slices.ContainsFunc(f.audits, func(says string) bool { return strings.Contains(says, m[2]) })
}

// file reads a file, or the files of a package, once.
func (s sources) file(name string) (*source, error) {
	if f := s[name]; f != nil {
		return f, nil
	}
	f := &source{funcs: map[string]bool{}}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		err = f.read(name)
	default:
		err = f.readPackage(name)
	}
	if err != nil {
		return nil, err
	}
	s[name] = f
	return f, nil
}

// readPackage reads the Go and assembly files of a folder. Of its tests only the functions are known.
func (f *source) readPackage(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range files {
		g := &source{funcs: f.funcs}
		if ext := filepath.Ext(e.Name()); ext != ".go" && ext != ".s" {
			continue
		}
		if err := g.read(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
		if strings.HasSuffix(e.Name(), "_test.go") || filepath.Ext(e.Name()) == ".s" {
			continue
		}
		f.strings = append(f.strings, g.strings...)
		f.thrown = append(f.thrown, g.thrown...)
		f.ruled = append(f.ruled, g.ruled...)
		if strings.HasSuffix(e.Name(), "audit.go") {
			f.audits = append(f.audits, g.thrown...)
		}
	}
	return nil
}

// read reads a file.
func (f *source) read(name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	switch filepath.Ext(name) {
	case ".go":
		return f.parse(name, b)
	case ".s":
		for _, m := range asmText.FindAllSubmatch(b, -1) {
			f.funcs[string(m[1])] = true
		}
	}
	f.strings = []string{string(b)}
	return nil
}

// parse finds a Go file's functions and strings.
func (f *source) parse(name string, text []byte) error {
	tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
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
		"sched:findRunnable", "sched:findRunnable, poll", "sched:TestFindOrder", "stock/proc.go:casgstatus", "arch:Halt",
		`sched: "G3: a G was made runnable twice"`, `check: "M7"`, "sched/devices.go:poll",
	} {
		if err := src.look(ref); err != nil {
			t.Error(err)
		}
	}
	for _, ref := range []string{
		"sched:", "sched", "none:findRunnable", "sched:noSuch", "sched:findRunnable, none", "sched/none.go:poll",
		"arch:Hal", `sched: "G3: a G was made runnable thrice"`, `check: "M17"`,
		`check: "M"`, `sched: "sync/atomics"`, `tools/internal/docs: "M7: no assert"`, "stock/proc.go:find",
	} {
		if src.look(ref) == nil {
			t.Errorf("%s is found", ref)
		}
	}
}

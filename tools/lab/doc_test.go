package lab

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// guide is the text that teachers read.
const guide = "../../docs/exercises.md"

// exported are the names that the package offers: of methods and fields as Type.Name.
func exported(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	add := func(prefix string, ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, prefix+id.Name)
			}
		}
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if of := receiver(d); of == "" || ast.IsExported(of) {
					add(of, d.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						add("", s.Names...)
					case *ast.TypeSpec:
						add("", s.Name)
						if st, ok := s.Type.(*ast.StructType); ok {
							for _, field := range st.Fields.List {
								add(s.Name.Name+".", field.Names...)
							}
						}
					}
				}
			}
		}
	}
	return names
}

// receiver is the prefix of a method's name: its type.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	x := d.Recv.List[0].Type
	for {
		switch y := x.(type) {
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.Ident:
			return y.Name + "."
		default:
			return "?."
		}
	}
}

// TestGuide: the guide has a line for each exported name, no line for others, and
// its example is the one that is tested.
func TestGuide(t *testing.T) {
	data, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	want := map[string]bool{}
	for _, name := range exported(t) {
		if name == "Kind.String" {
			continue // for fmt
		}
		want[name] = true
		if !strings.Contains(text, "\n| `"+name+"` | ") {
			t.Errorf("%s has no line", name)
		}
	}
	if len(want) < 50 {
		t.Errorf("only %d names were found", len(want))
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "| `"); ok {
			if name, _, _ := strings.Cut(rest, "`"); !want[name] {
				t.Errorf("there is no %s", name)
			}
		}
	}
	program, err := os.ReadFile("testdata/share/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, string(program)) {
		t.Error("its program is another than testdata/share")
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(text, "The test says")
	for n := range 2 {
		_, after, ok := strings.Cut(rest, "```go\n")
		code, after, ok2 := strings.Cut(after, "```")
		if rest = after; !ok || !ok2 || !strings.Contains(string(example), code) {
			t.Errorf("its test %d is none of example_test.go", n+1)
		}
	}
}

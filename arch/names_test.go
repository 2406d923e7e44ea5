package arch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
)

// names returns the exported names that the files of a directory declare at top
// level, methods with their receiver's type, and the signatures of functions. match
// says which files.
func names(t *testing.T, dir string, match func(name string) bool) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	pkgs, err := parser.ParseDir(fset, dir, func(f fs.FileInfo) bool {
		return !strings.HasSuffix(f.Name(), "_test.go") && match(f.Name())
	}, parser.SkipObjectResolution)
	if err != nil || len(pkgs) != 1 {
		t.Fatalf("%s: %d packages, %v", dir, len(pkgs), err)
	}
	all := map[string]string{}
	for _, p := range pkgs {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					name := d.Name.Name
					if d.Recv != nil {
						recv := d.Recv.List[0].Type
						if s, ok := recv.(*ast.StarExpr); ok {
							recv = s.X
						}
						name = recv.(*ast.Ident).Name + "." + name
					}
					if ast.IsExported(d.Name.Name) && ast.IsExported(name) {
						all[name] = text(fset, d.Type)
					}
				case *ast.GenDecl:
					for _, s := range d.Specs {
						switch s := s.(type) {
						case *ast.TypeSpec:
							if s.Name.IsExported() {
								all[s.Name.Name] = "type"
							}
						case *ast.ValueSpec:
							for _, n := range s.Names {
								if n.IsExported() {
									all[n.Name] = d.Tok.String()
								}
							}
						}
					}
				}
			}
		}
	}
	return all
}

// text prints a signature in one form.
func text(fset *token.FileSet, n ast.Node) string {
	var b bytes.Buffer
	printer.Fprint(&b, fset, n)
	return strings.Join(strings.Fields(b.String()), " ")
}

// compare says what differs.
func compare(t *testing.T, a, b map[string]string) {
	t.Helper()
	for _, n := range slices.Sorted(maps.Keys(a)) {
		if s, ok := b[n]; !ok {
			t.Errorf("amd64 has %s, and arm64 does not", n)
		} else if s != a[n] {
			t.Errorf("%s is %q on amd64 and %q on arm64", n, a[n], s)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[n]; !ok {
			t.Errorf("arm64 has %s, and amd64 does not", n)
		}
	}
}

// TestSameNames: the two architectures' packages declare the same names, and so does
// the seam for each; and the seam forwards to nothing else.
func TestSameNames(t *testing.T) {
	all := func(string) bool { return true }
	amd64, arm64 := names(t, "amd64", all), names(t, "arm64", all)
	if len(amd64) < 50 {
		t.Fatalf("only %d names were found", len(amd64))
	}
	compare(t, amd64, arm64)
	of := func(arch string) func(string) bool {
		return func(name string) bool { return strings.HasSuffix(name, "_"+arch+".go") }
	}
	seam := names(t, ".", of("amd64"))
	compare(t, seam, names(t, ".", of("arm64")))
	for n := range amd64 {
		_, has := seam[n]
		if plain := !strings.Contains(n, "."); plain && !has && n != "Boot" && n != "CPU" {
			t.Errorf("%s is in the architectures' packages, but not in the seam", n)
		}
	}
}

package image

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sched9/boot"
	"sched9/kernel/goruntime"
	"sched9/tools/internal/audit"
	"sched9/tools/internal/toolchain"
)

// TestKeep links every exported method of every type of ours into an image, which a
// program that finds methods by name can have the linker do with any type. The audit
// must find nothing in them, on either architecture.
func TestKeep(t *testing.T) {
	dir := tree(t, map[string]string{
		"go.mod":  module,
		"main.go": "package main\n\nimport \"os\"\nimport \"reflect\"\nimport \"container/ring\"\n\nfunc main() { reflect.ValueOf(ring.Kept[0]).MethodByName(os.Args[0]) }\n",
	})
	for _, arch := range []string{"amd64", "arm64"} {
		exe := keep(t, dir, arch)
		r, err := audit.Check(exe)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			t.Errorf("%s: %s %s", arch, f.Func, f.What)
		}
		if _, err := boot.Build(exe, boot.Formats(arch)[0]); err != nil {
			t.Errorf("%s: %v", arch, err)
		}
	}
}

// keep links the program in dir for arch with all types of our packages in
// ring.Kept.
func keep(t *testing.T, dir, arch string) []byte {
	t.Helper()
	tc, err := toolchain.Find(t.Context(), dir, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	scratch := t.TempDir()
	sources, err := goruntime.FindSources(".")
	if err != nil {
		t.Fatal(err)
	}
	file, err := sources.Prepare(tc.Root, arch, scratch)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := readOverlay(file)
	if err != nil {
		t.Fatal(err)
	}
	add := func(path, text string) {
		to := filepath.Join(scratch, fmt.Sprintf("keep%d.go", len(overlay.Replace)))
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(tc.Root, "src", filepath.FromSlash(path))] = to
	}
	var imports, all strings.Builder
	n, types := 0, 0
	for _, p := range ours(t, tc, dir, arch, file) {
		var own strings.Builder
		for _, name := range p.GoFiles {
			for _, typ := range typesIn(t, overlay.Replace[filepath.Join(p.Dir, name)]) {
				fmt.Fprintf(&own, "(*%s)(nil), ", typ)
				types++
			}
		}
		add(p.ImportPath+"/zkeep.go", fmt.Sprintf("package %s\n\nvar Kept = []any{%s}\n", p.Name, own.String()))
		fmt.Fprintf(&imports, "import p%d %q\n", n, p.ImportPath)
		fmt.Fprintf(&all, "p%d.Kept, ", n)
		n++
	}
	if n < 10 || types < 50 {
		t.Fatalf("%s: %d types of %d packages are ours", arch, types, n)
	}
	add("container/ring/zkeep.go", fmt.Sprintf("package ring\n\n%s\nvar Kept = []any{%s}\n", imports.String(), all.String()))
	text, err := json.Marshal(overlay)
	if err == nil {
		err = os.WriteFile(file, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(scratch, "exe")
	cmd := tc.Command(t.Context(), dir, arch, "build", "-o", exe, "-tags="+goruntime.Tag, "-overlay="+file, "-ldflags="+goruntime.LinkerFlags(arch, false))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ours are our own packages in an image of the program in dir.
func ours(t *testing.T, tc toolchain.Toolchain, dir, arch, overlay string) (own []pkg) {
	t.Helper()
	cmd := tc.Command(t.Context(), dir, arch, "list", "-deps", "-json=Name,ImportPath,Dir,GoFiles", "-overlay="+overlay, "-tags="+goruntime.Tag)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all, err := decode(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.ImportPath == "internal/runtime" || strings.HasPrefix(p.ImportPath, "internal/runtime/s9/") {
			own = append(own, p)
		}
	}
	return own
}

// typesIn are the names of the types that a file declares and that have values.
func typesIn(t *testing.T, file string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok && s.TypeParams == nil {
					names = append(names, s.Name.Name)
				}
			}
		}
	}
	return names
}

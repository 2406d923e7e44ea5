package goruntime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// HotList is the list of the calls on the scheduler's short ways that the compiler puts in line although their functions are larger
// than what it puts in line by itself. It is made by a command (sched9 bench -hot), is there for speed alone, and need not exist.
const HotList = own + "/hot.txt"

// A Call says that one function calls another, both by their names to the linker.
type Call struct{ From, To string }

// String is the call's line of the list.
func (c Call) String() string { return c.From + " " + c.To }

// FormatHot makes the list of calls, each of which once.
func FormatHot(calls []Call) []byte {
	lines := make([]string, len(calls))
	for i, c := range calls {
		lines[i] = c.String() + "\n"
	}
	slices.Sort(lines)
	return []byte("# Calls that are put in line (docs/bench.md), made by: sched9 bench -hot\n" + strings.Join(slices.Compact(lines), ""))
}

// hot reads the list; it is empty if there is none.
func (s Sources) hot() (calls []Call, err error) {
	text, err := fs.ReadFile(s.files, HotList)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 2 {
			return nil, fmt.Errorf("%s:%d: no caller and callee: %s", HotList, i+1, line)
		}
		calls = append(calls, Call{f[0], f[1]})
	}
	return calls, err
}

// Profile returns what tells the compiler of the calls of HotList, in the form in which it takes a profile, and the packages that are
// to be compiled with it. The image's sources are those of the toolchain at goroot with the overlay that Prepare wrote. missing
// are calls that are not in them: where another toolchain has other functions, it goes without.
//
// The compiler knows a hot call by its line, counted from the line of the function that it has been put into. So there is an
// entry for each way from a function that is not itself put in line.
func (s Sources) Profile(goroot, goarch, overlay string) (profile []byte, packages []string, missing []Call, err error) {
	calls, err := s.hot()
	if err != nil || len(calls) == 0 {
		return nil, nil, nil, err
	}
	names, inner, to := map[string]bool{}, map[string]bool{}, map[string][]string{}
	for _, c := range calls {
		names[c.From], names[c.To], inner[c.To] = true, true, true
		to[c.From] = append(to[c.From], c.To)
		for _, name := range []string{c.From, c.To} {
			if pkg := packageOf(name); !slices.Contains(packages, pkg) {
				packages = append(packages, pkg)
			}
		}
	}
	slices.Sort(packages)
	code, err := readCode(goroot, goarch, overlay, packages, names)
	if err != nil {
		return nil, nil, nil, err
	}
	entries := map[string]bool{}
	var walk func(root, from string, above []string) error
	walk = func(root, from string, above []string) error {
		if slices.Contains(above, from) {
			return fmt.Errorf("%s: %s calls itself", HotList, from)
		}
		for _, callee := range to[from] {
			lines := code[from].calls[lastName(callee)]
			if len(lines) == 0 {
				missing = append(missing, Call{from, callee})
			}
			for _, line := range lines {
				entries[fmt.Sprintf("%s\n%s\n%d 1\n", root, callee, line-code[root].line)] = true
			}
			if err := walk(root, callee, append(above, from)); err != nil {
				return err
			}
		}
		return nil
	}
	for from := range to {
		if !inner[from] {
			err = errors.Join(err, walk(from, from, nil))
		}
	}
	// The names of the functions are the order, so that a build can be repeated.
	return []byte("GO PREPROFILE V1\n" + strings.Join(slices.Sorted(maps.Keys(entries)), "")), packages, missing, err
}

// Ways returns calls by which each of those given is reached in the source. A function that calls another in the image does so in the source
// too, or calls one that calls it and is so small that the compiler has put it in line. Those that nothing in the source explains, such as calls of assembly, are
// left out.
func Ways(goroot, goarch, overlay string, given []Call) ([]Call, error) {
	var packages []string
	for _, c := range given {
		for _, name := range []string{c.From, c.To} {
			if pkg := packageOf(name); !slices.Contains(packages, pkg) {
				packages = append(packages, pkg)
			}
		}
	}
	code, err := readCode(goroot, goarch, overlay, packages, nil)
	if err != nil {
		return nil, err
	}
	var found []Call
	for _, c := range given {
		if _, ok := code[c.To]; ok {
			found = append(found, code.way(c, 4)...)
		}
	}
	return found, nil
}

// way returns calls that lead from c.From to c.To, at most most of them, the fewest that there are. Only the last may leave the package.
func (code code) way(c Call, most int) []Call {
	from, ok := code[c.From]
	if !ok || most == 0 {
		return nil
	}
	if len(from.calls[lastName(c.To)]) > 0 {
		return []Call{c}
	}
	var best []Call
	for _, name := range slices.Sorted(maps.Keys(from.calls)) {
		next := packageOf(c.From) + "." + name
		if _, ok := code[next]; !ok {
			continue
		}
		if rest := code.way(Call{next, c.To}, most-1); rest != nil && (best == nil || len(rest)+1 < len(best)) {
			best = append([]Call{{c.From, next}}, rest...)
			most = len(best)
		}
	}
	return best
}

// packageOf is the import path of a function's package.
func packageOf(name string) string {
	dir, last := path.Split(name)
	pkg, _, _ := strings.Cut(last, ".")
	return dir + pkg
}

// lastName is a function's name without package and receiver.
func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// code is what functions call, by their names to the linker.
type code map[string]body

// body is one function: the line of its name, and those of its calls, by the last names of what is called.
type body struct {
	line  int
	calls map[string][]int
}

// readCode reads the functions of packages as they are in an image: those that are named, nil: all.
func readCode(goroot, goarch, overlay string, packages []string, names map[string]bool) (code, error) {
	var over struct{ Replace map[string]string }
	data, err := os.ReadFile(overlay)
	if err == nil {
		err = json.Unmarshal(data, &over)
	}
	if err != nil {
		return nil, err
	}
	out := code{}
	for _, pkg := range packages {
		dir := filepath.Join(goroot, "src", filepath.FromSlash(pkg))
		files := map[string]string{} // where each is
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			files[e.Name()] = filepath.Join(dir, e.Name())
		}
		for from, to := range over.Replace {
			if filepath.Dir(from) == dir {
				files[filepath.Base(from)] = to
			}
		}
		for name, file := range files {
			if file == "" || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				continue
			}
			if err := out.read(pkg, name, file, goarch, names); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// read adds the functions of a file that stands at file, if it is one of package pkg's for goarch.
func (code code) read(pkg, name, file, goarch string, names map[string]bool) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	// Most files have none of the functions, and to read them all takes as long as the build.
	if names != nil && !slices.ContainsFunc(slices.Collect(maps.Keys(names)), func(n string) bool {
		return packageOf(n) == pkg && bytes.Contains(data, []byte(" "+lastName(n)+"("))
	}) {
		return nil
	}
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled, ctx.BuildTags = "linux", goarch, false, []string{Tag}
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	if ok, err := ctx.MatchFile(filepath.Dir(file), name); err != nil || !ok {
		return err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		b := body{fset.Position(fn.Name.Pos()).Line, map[string][]int{}}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false // a function of its own
			}
			if c, ok := n.(*ast.CallExpr); ok {
				callee := ""
				switch x := c.Fun.(type) {
				case *ast.Ident:
					callee = x.Name
				case *ast.SelectorExpr:
					callee = x.Sel.Name
				}
				b.calls[callee] = append(b.calls[callee], fset.Position(c.Pos()).Line)
			}
			return true
		})
		code[pkg+"."+receiver(fn)+fn.Name.Name] = b
	}
	return nil
}

// receiver is what a method's name to the linker has before its last name.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		if id, ok := star.X.(*ast.Ident); ok {
			return "(*" + id.Name + ")."
		}
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "."
	}
	return "?." // of a generic type
}

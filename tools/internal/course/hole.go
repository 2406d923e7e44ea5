package course

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"sched9/kernel/goruntime"
	"sched9/tools/edit"
)

// fill replaces the body of the function fn of the Go file src, and takes away imports that are not used any more.
func fill(src []byte, fn, body string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	d := find(f, fn)
	if d == nil || d.Body == nil {
		return nil, fmt.Errorf("there is no function %s", fn)
	}
	from, to := fset.Position(d.Body.Lbrace).Offset, fset.Position(d.Body.Rbrace).Offset
	out := slices.Concat(src[:from+1], []byte("\n"+strings.TrimRight(body, "\n")+"\n"), src[to:])
	return tidy(out)
}

// fill makes the solution out of the text of the file with its hole.
func (w Wrong) fill(src []byte) ([]byte, error) {
	if w.Body != "" {
		return fill(src, w.Func, w.Body)
	}
	f, err := edit.In(src, w.Func)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, fmt.Errorf("there is no function %s", w.Func)
	}
	out, err := f.Replace(w.Old, w.New)
	if err != nil {
		return nil, err
	}
	return tidy(out)
}

// tidy takes unused imports away and formats the file.
func tidy(src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	for _, i := range slices.Backward(f.Imports) {
		if !used[nameOf(i)] {
			from, to := fset.Position(i.Pos()).Offset, fset.Position(i.End()).Offset
			src = slices.Concat(src[:from], src[to:])
		}
	}
	// An import declaration that is empty now.
	src = bytes.Replace(src, []byte("import \n"), nil, 1)
	return format.Source(src)
}

// nameOf is the name by which a file refers to what it imports.
func nameOf(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	p, _ := strconv.Unquote(i.Path.Value)
	return path.Base(p)
}

// find is the function of that name, Type.Name of a method, nil if there is none.
func find(f *ast.File, fn string) *ast.FuncDecl {
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && goruntime.FuncName(d) == fn {
			return d
		}
	}
	return nil
}

// fair says what a student's file has that would let it speak in place of the tests: another import than the original's, a directive of its
// own, a print, or an init. "" if it has none of that.
func fair(student, original []byte) (why string) {
	fset := token.NewFileSet()
	mine, err := parser.ParseFile(fset, "", student, parser.ParseComments)
	if err != nil {
		return err.Error()
	}
	theirs, err := parser.ParseFile(token.NewFileSet(), "", original, parser.ParseComments)
	if err != nil {
		return err.Error()
	}
	if mine.Name.Name != theirs.Name.Name {
		return fmt.Sprintf("it is of package %s", mine.Name.Name)
	}
	for _, i := range mine.Imports {
		same := func(j *ast.ImportSpec) bool { return i.Path.Value == j.Path.Value && nameOf(i) == nameOf(j) }
		if !slices.ContainsFunc(theirs.Imports, same) {
			return fmt.Sprintf("it imports %s", i.Path.Value)
		}
	}
	has := directives(theirs)
	for d := range directives(mine) {
		if !has[d] {
			return fmt.Sprintf("it has the directive %s", d)
		}
	}
	for _, d := range mine.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && goruntime.FuncName(d) == "init" && find(theirs, "init") == nil {
			return "it has a function init"
		}
	}
	ast.Inspect(mine, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && (id.Name == "print" || id.Name == "println") {
				why = fmt.Sprintf("line %d prints", fset.Position(call.Pos()).Line)
			}
		}
		return why == ""
	})
	return why
}

// directives are the comments of a file that tell the toolchain something.
func directives(f *ast.File) map[string]bool {
	all := map[string]bool{}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//line ") || strings.HasPrefix(c.Text, "/*line ") || strings.HasPrefix(c.Text, "//export ") {
				all[strings.TrimSpace(c.Text)] = true
			}
		}
	}
	return all
}

package goruntime

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path"
	"strings"
)

// bound are the interfaces by which package sched reaches the world, the files they stand in, and the types whose
// methods are called in their place in an image, as the linker names them.
var bound = []struct{ name, file, to string }{
	{"Machine", "machine.go", Root + "kernel.Machine"},
	{"Runtime", "runtime.go", "runtime.sched9Runtime"},
}

// bindFile is the file of package sched that bind's takes the place of.
const bindFile = "sched/bind.go"

// bind returns an image's file in place of bindFile, which says what it is for. For each method of an interface it has a
// function without a body, which the linker binds to the method of the type that stands for the interface in
// images, and a method that calls it and is inlined. Those types have no fields, so that a method is called like a function.
func (s Sources) bind() ([]byte, error) {
	var imports, methods bytes.Buffer
	for _, b := range bound {
		name := path.Join("sched", b.file)
		src, err := fs.ReadFile(s.files, name)
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		iface := interfaceOf(f, b.name)
		if iface == nil {
			return nil, fmt.Errorf("%s has no interface %s", name, b.name)
		}
		for _, i := range f.Imports {
			fmt.Fprintf(&imports, "import %s\n", i.Path.Value)
		}
		fmt.Fprintf(&methods, "type bound%s struct{}\n", b.name)
		for _, m := range iface.Methods.List {
			if err := bindMethod(&methods, fset, m, b.name, b.to); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, b.name, err)
			}
		}
	}
	return format.Source(append([]byte("package sched\nimport _ \"unsafe\"\n"+imports.String()), methods.Bytes()...))
}

// interfaceOf returns the interface type called name of f, or nil.
func interfaceOf(f *ast.File, name string) (iface *ast.InterfaceType) {
	ast.Inspect(f, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok && t.Name.Name == name {
			iface, _ = t.Type.(*ast.InterfaceType)
		}
		return true
	})
	return iface
}

// bindMethod writes what binds method m of the interface called of to the method of type to.
func bindMethod(w *bytes.Buffer, fset *token.FileSet, m *ast.Field, of, to string) error {
	t, ok := m.Type.(*ast.FuncType)
	if !ok || len(m.Names) != 1 {
		return errors.New("an interface that is bound embeds no other")
	}
	name := m.Names[0].Name
	var args []string
	for _, p := range t.Params.List {
		if len(p.Names) == 0 {
			return fmt.Errorf("a parameter of %s has no name", name)
		}
		for _, n := range p.Names {
			args = append(args, n.Name)
		}
	}
	var signature bytes.Buffer
	if err := printer.Fprint(&signature, fset, t); err != nil {
		return err
	}
	sig := strings.TrimPrefix(signature.String(), "func")
	call := fmt.Sprintf("call%s%s", of, name)
	ret := ""
	if t.Results != nil {
		ret = "return "
	}
	fmt.Fprintf(w, "\n//go:linkname %s %s.%s\nfunc %s%s\n", call, to, name, call, sig)
	fmt.Fprintf(w, "func (bound%s) %s%s { %s%s(%s) }\n", of, name, sig, ret, call, strings.Join(args, ", "))
	return nil
}

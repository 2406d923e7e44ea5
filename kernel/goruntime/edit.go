package goruntime

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
)

// edit is a replacement of src[from:to].
type edit struct {
	from, to int
	text     string
}

// apply carries out edits, which do not overlap. The text of an edit has no line breaks, and the
// line breaks of the replaced text stay. So every remaining line keeps its number in the
// toolchain's file, for tracebacks, debuggers and readers.
func apply(src []byte, edits []edit) []byte {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].from < edits[j].from })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, src[at:e.from]...)
		out = append(out, e.text...)
		out = append(out, bytes.Repeat([]byte("\n"), bytes.Count(src[e.from:e.to], []byte("\n")))...)
		at = e.to
	}
	return append(out, src[at:]...)
}

// imports are the packages that inserted code may name.
var imports = map[string]string{
	"narch":   ArchRoot,
	"nkernel": Root + "kernel",
	"nrecord": Root + "record",
	"nsched":  Root + "sched",
}

// editGo applies cuts to a Go file of the toolchain. What a cut names must be
// there, once, with the same signature; otherwise the error names it, so that
// a new toolchain stops the build instead of misbehaving.
func editGo(name string, src []byte, cuts []cut) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the toolchain's %s does not parse: %w", name, err)
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	funcs := map[string]*ast.FuncDecl{} // by name with receiver type
	structs := map[string]*ast.StructType{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			funcs[FuncName(d)] = d
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					if st, ok := t.Type.(*ast.StructType); ok {
						structs[t.Name.Name] = st
					}
				}
			}
		}
	}
	var edits []edit
	var errs []error
	used := map[string]bool{}
	for _, c := range cuts {
		for n := range imports {
			if strings.Contains(c.with, n+".") {
				used[n] = true
			}
		}
		if c.verb == "field" {
			st := structs[c.what]
			if st == nil {
				errs = append(errs, fmt.Errorf("%s: this toolchain has no struct type %s", name, c.what))
				continue
			}
			at := offset(st.Fields.Closing)
			edits = append(edits, edit{at, at, c.with + "; "})
			continue
		}
		if c.verb == "each" {
			for _, n := range strings.Fields(c.what) {
				found := false
				for _, d := range f.Decls {
					if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil && d.Name.Name == n && d.Body != nil {
						at := offset(d.Body.Lbrace) + 1
						edits = append(edits, edit{at, at, " " + c.with + ";"})
						found = true
					}
				}
				if !found {
					errs = append(errs, fmt.Errorf("%s: this toolchain has no method %s", name, n))
				}
			}
			continue
		}
		if c.verb == "swap" || c.verb == "swaps" {
			lines := findLines(src, c.what)
			if n := len(lines); n == 0 || n > 1 && c.verb == "swap" {
				errs = append(errs, fmt.Errorf("%s: this toolchain has %d lines %q", name, n, c.what))
				continue
			}
			for _, at := range lines {
				edits = append(edits, edit{at, at + len(c.what), c.with})
			}
			continue
		}
		want, err := parseSignature(c.what)
		if err != nil {
			errs = append(errs, fmt.Errorf("cut list, line %d: %w", c.line, err))
			continue
		}
		d := funcs[FuncName(want)]
		if d == nil || d.Body == nil {
			errs = append(errs, fmt.Errorf("%s: this toolchain has no function %s", name, FuncName(want)))
			continue
		}
		if got, wanted := signature(d), signature(want); got != wanted {
			errs = append(errs, fmt.Errorf("%s: function %s has another signature in this toolchain: %s, not %s", name, FuncName(want), got, wanted))
			continue
		}
		from, to, text := offset(d.Body.Lbrace)+1, offset(d.Body.Rbrace), c.with
		switch {
		case c.verb == "begin":
			to, text = from, " "+c.with+";"
		case c.with == "never":
			text = fmt.Sprintf(" throw(%q); for {} ", "sched9: "+FuncName(want)+" was cut")
		default:
			text = " " + c.with + " "
		}
		edits = append(edits, edit{from, to, text})
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var add strings.Builder
	for _, n := range slices.Sorted(maps.Keys(used)) {
		fmt.Fprintf(&add, "; import %s %q", n, imports[n])
	}
	edits = append(edits, edit{offset(f.Name.End()), offset(f.Name.End()), add.String()})
	return blankUnused(name, apply(src, edits))
}

// findLines finds the lines that hold text and nothing else but white space.
func findLines(src []byte, text string) (lines []int) {
	from := 0
	for l := range strings.Lines(string(src)) {
		if strings.TrimSpace(l) == text {
			lines = append(lines, from+strings.Index(l, text))
		}
		from += len(l)
	}
	return lines
}

// blankUnused turns imports that the cuts left unused into blank ones.
func blankUnused(name string, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("%s does not parse after the cuts: %w", name, err)
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
	var edits []edit
	for _, s := range f.Imports {
		local := path.Base(strings.Trim(s.Path.Value, `"`))
		if s.Name != nil {
			local = s.Name.Name
		}
		if local == "_" || local == "." || used[local] {
			continue
		}
		from := fset.Position(s.Pos()).Offset
		to := fset.Position(s.Path.Pos()).Offset
		edits = append(edits, edit{from, to, "_ "})
	}
	return apply(src, edits), nil
}

// FuncName names a function, with its receiver's type: "ready", "p.init".
func FuncName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + d.Name.Name
	}
	return "?." + d.Name.Name
}

// parseSignature parses a signature of the cut list.
func parseSignature(s string) (*ast.FuncDecl, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc "+s, parser.SkipObjectResolution)
	if err == nil && len(f.Decls) == 1 {
		if d, ok := f.Decls[0].(*ast.FuncDecl); ok {
			return d, nil
		}
	}
	return nil, fmt.Errorf("not a signature: %s", s)
}

// signature prints a function's signature in one form.
func signature(d *ast.FuncDecl) string {
	var b bytes.Buffer
	printer.Fprint(&b, token.NewFileSet(), &ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type})
	return strings.Join(strings.Fields(b.String()), " ")
}

// editAsm applies cuts to an assembly file of the toolchain.
func editAsm(name string, src []byte, cuts []cut) ([]byte, error) {
	lines := strings.Split(string(src), "\n")
	var errs []error
	for _, c := range cuts {
		found := false
		switch c.verb {
		case "text":
			found = dropText(lines, c.what)
		case "swap":
			for i, l := range lines {
				if strings.Join(strings.Fields(stripComment(l)), " ") == c.what {
					lines[i] = "\t" + c.with
					found = true
				}
			}
		}
		if !found {
			errs = append(errs, fmt.Errorf("%s: this toolchain has no %s", name, c.what))
		}
	}
	return []byte(strings.Join(lines, "\n")), errors.Join(errs...)
}

// dropText empties the lines of the assembly function symbol: from its TEXT line to
// the next. It reports whether there is one.
func dropText(lines []string, symbol string) (found bool) {
	in := false
	for i, l := range lines {
		if strings.HasPrefix(l, "TEXT") {
			in = strings.HasPrefix(strings.TrimSpace(l[4:]), symbol+"(SB)")
			found = found || in
		}
		if in {
			lines[i] = ""
		}
	}
	return found
}

// stripComment cuts a line's comment off.
func stripComment(l string) string {
	l, _, _ = strings.Cut(l, "//")
	return l
}

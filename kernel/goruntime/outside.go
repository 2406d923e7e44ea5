package goruntime

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Servers (package srv) and the packages of other modules that they use lie below GOROOT/src in an image, so that the
// program's own module need not know them. Unlike the kernel's, these are ordinary packages, whose goroutines are preempted.

// OutsideRoot is where they lie. A path there has no dot in its first element, as the go command wants of the standard
// library's.
const OutsideRoot = "zsched9/"

// NetFile is the file by which package net has its server.
const NetFile = "net/zsched9_net.go"

// Modules are the modules of the packages that servers use.
var Modules = []string{"gvisor.dev/gvisor", "github.com/google/btree", "9fans.net/go", "golang.org/x/exp", "golang.org/x/time",
	"github.com/insomniacslk/dhcp", "github.com/u-root/uio", "github.com/pierrec/lz4/v4"}

// standIns are packages of ours that take the place of some of those.
var standIns = map[string]string{
	"gvisor.dev/gvisor/pkg/log":               "sched9/srv/log",
	"github.com/insomniacslk/dhcp/interfaces": "sched9/srv/interfaces",
	"github.com/u-root/uio/rand":              "sched9/srv/rand",
}

// outsidePath returns the import path in an image of a package that a server or a package of Modules imports.
func outsidePath(p string) string {
	if s := standIns[p]; s != "" {
		p = s
	}
	if rest, ours := strings.CutPrefix(p, "sched9/srv"); ours {
		return OutsideRoot + "srv" + rest
	}
	if rest, ours := strings.CutPrefix(p, "sched9/"); ours {
		return Root + rest // a driver
	}
	if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") {
		return OutsideRoot + p
	}
	return p
}

// ReadFile returns a file of sched9.
func (s Sources) ReadFile(name string) ([]byte, error) { return fs.ReadFile(s.files, name) }

// PublicFile is the file of package sched9/srv, which programs import.
const PublicFile = "srv.go"

// Public returns what PublicFile is in an image: it has the types and functions of the packages there.
func (s Sources) Public() ([]byte, error) {
	data, err := s.ReadFile("srv/" + PublicFile)
	if err != nil {
		return nil, err
	}
	return moveImports(PublicFile, data, false)
}

// OutsideSum writes to w what Outside's result depends on, other than the toolchain.
func (s Sources) OutsideSum(w io.Writer) error {
	roots, err := s.outsideRoots()
	if err != nil {
		return err
	}
	cuts, err := s.outsideCuts()
	if err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "go.sum", own + "/outside.go"} {
		data, err := s.ReadFile(name)
		if err != nil && path.Ext(name) != ".go" {
			return err
		}
		w.Write(data)
	}
	_, err = fmt.Fprint(w, roots, cuts)
	return err
}

// Outside returns the sources of all packages of other modules that servers need, by name under GOROOT/src. places are the
// directories of Modules, tags the release tags of the toolchain.
//
// The files are those for FreeBSD on RISC-V, with their constraints taken out: for that system the packages are written in Go
// alone. The go command runs the assembler in a package's directory, and these exist in the overlay only; and what they have
// for Linux goes by golang.org/x/sys/unix, with more assembly.
func (s Sources) Outside(places map[string]string, tags []string) (map[string][]byte, error) {
	roots, err := s.outsideRoots()
	if err != nil {
		return nil, err
	}
	cuts, err := s.outsideCuts()
	if err != nil {
		return nil, err
	}
	ctx := build.Context{GOOS: "freebsd", GOARCH: "riscv64", Compiler: "gc", ReleaseTags: tags}
	out := map[string][]byte{}
	seen := map[string]bool{}
	for len(roots) > 0 {
		p := roots[0]
		roots = roots[1:]
		if seen[p] || standIns[p] != "" || outsidePath(p) == p {
			continue
		}
		seen[p] = true
		dir := ""
		for m, d := range places {
			if rest, ok := strings.CutPrefix(p+"/", m+"/"); ok {
				dir = filepath.Join(d, filepath.FromSlash(rest))
			}
		}
		if dir == "" {
			return nil, fmt.Errorf("package %s is of none of the modules that images have", p)
		}
		pkg, err := ctx.ImportDir(dir, 0)
		if err != nil {
			return nil, err
		}
		roots = append(roots, pkg.Imports...)
		for _, name := range pkg.GoFiles {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			// The compiler has no such directive, and in the standard library it minds.
			data = bytes.ReplaceAll(data, []byte("//go:inline\n"), []byte("//\n"))
			to := outsidePath(p) + "/" + strings.TrimSuffix(name, ".go") + "_s9.go" // a name without a constraint
			key := outsidePath(p) + "/" + name
			if list := cuts[key]; list != nil {
				if data, err = editGo(key, data, list); err != nil {
					return nil, err
				}
				delete(cuts, key)
			}
			if out[to], err = moveImports(key, data, true); err != nil {
				return nil, err
			}
		}
	}
	for name := range cuts {
		return nil, fmt.Errorf("the cut list names %s, which no server needs", name)
	}
	return out, nil
}

// outsideRoots are the packages of other modules that servers import.
func (s Sources) outsideRoots() (roots []string, err error) {
	found := map[string]bool{}
	err = s.each(func(name string, data []byte) error {
		if !strings.HasPrefix(name, "srv/") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			if !strings.HasPrefix(p, "sched9/") && outsidePath(p) != p {
				found[p] = true
			}
		}
		return nil
	})
	for p := range found {
		roots = append(roots, p)
	}
	sort.Strings(roots)
	return roots, err
}

// outsideCuts are the cut list's lines for files of other modules, by name under GOROOT/src.
func (s Sources) outsideCuts() (map[string][]cut, error) {
	text, err := s.ReadFile(own + "/cut.txt")
	if err != nil {
		return nil, err
	}
	all, err := parse("cut.txt", string(text))
	cuts := map[string][]cut{}
	for _, c := range all {
		if strings.HasPrefix(c.file, OutsideRoot) {
			cuts[c.file] = append(cuts[c.file], c)
		}
	}
	return cuts, err
}

// moveImports gives the imports of a source file their paths in an image, and takes its build constraint out if it is to be
// used anywhere. Lines keep their numbers.
func moveImports(name string, src []byte, anywhere bool) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var edits []edit
	replace := func(n ast.Node, text string) {
		edits = append(edits, edit{fset.Position(n.Pos()).Offset, fset.Position(n.End()).Offset, text})
	}
	for _, i := range f.Imports {
		if p, _ := strconv.Unquote(i.Path.Value); outsidePath(p) != p {
			replace(i.Path, strconv.Quote(outsidePath(p)))
		}
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if anywhere && c.Pos() < f.Package && (strings.HasPrefix(c.Text, "//go:build") || strings.HasPrefix(c.Text, "// +build")) {
				replace(c, "//")
			}
		}
	}
	return apply(src, edits), nil
}

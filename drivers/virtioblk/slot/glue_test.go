package slot

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// glue are the functions around this package that the model writes a second time, under the same names.
var glue = []string{
	"Begin", "Reap", // of package virtioblk
	"trapDisk", "reap", "unlockDisk", "releaseSlot", "beginDisk", "awaitDisk", "doDisk", "standInLine", "copyPiece", "flushDisk",
	"settle", "wrote", "look", "yields", "readLater", "writeLater",
}

// apart are functions of the image that call this package and are not compared.
var apart = []string{
	"grabFileSlot",  // one call, under the lock, before any other thread knows the file
	"newFile",       // the same
	"slotsInUse",    // the end of a run
	"Connect",       // before there are calls
	"initRecorders", // these slots are no disk's
}

// steps are what is compared, beside calls of glue's functions and of the methods of Table, Own and Word.
var steps = []string{"Quiet", "Finished", "Make", "pollMarkFile", "copyIn", "copyOut", "Copy", "futexWait", "futexWake"}

// unseen are methods that look at the time.
var unseen = []string{"Passed"}

// parse parses a file.
func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// functions calls do with each function of a file and the type of its receiver, "" for none.
func functions(f *ast.File, do func(recv string, fn *ast.FuncDecl)) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		recv := ""
		if fn.Recv != nil {
			of := fn.Recv.List[0].Type
			if p, ok := of.(*ast.StarExpr); ok {
				of = p.X
			}
			recv = of.(*ast.Ident).Name
		}
		do(recv, fn)
	}
}

// sketch writes down what a function does that matters here, in its order.
type sketch struct {
	known map[string]bool
	out   []string
}

// add adds what n does.
func (s *sketch) add(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncLit:
		return // the model's conditions, which a walk asks for
	case *ast.CallExpr:
		// The arguments come first.
		for _, a := range n.Args {
			s.add(a)
		}
		s.add(n.Fun)
		name, of := "", ast.Expr(nil)
		switch f := n.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name, of = f.Sel.Name, f.X
		}
		switch {
		case name == "Lock" || name == "Unlock":
			s.out = append(s.out, lockOf(of)+"."+name)
		case s.known[name]:
			s.out = append(s.out, name)
		}
	case *ast.AssignStmt:
		for _, e := range n.Rhs {
			s.add(e)
		}
		for _, e := range n.Lhs {
			if sel, ok := e.(*ast.SelectorExpr); ok && sel.Sel.Name == "Held" {
				s.out = append(s.out, "Held=")
			}
		}
	case *ast.IfStmt:
		s.branch("if", n.Body.List, n.Init, n.Cond)
		s.add(n.Else)
	case *ast.CaseClause:
		s.branch("case", n.Body, exprs(n.List)...)
	case *ast.ForStmt:
		s.branch("for", append(slices.Clone(n.Body.List), n.Post), n.Init, n.Cond)
	case *ast.RangeStmt:
		s.branch("for", n.Body.List, n.X)
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			s.add(e)
		}
		s.out = append(s.out, "return")
	case *ast.BranchStmt:
		s.out = append(s.out, n.Tok.String())
	case nil:
	default:
		ast.Inspect(n, func(c ast.Node) bool {
			if c == n || c == nil {
				return true
			}
			s.add(c)
			return false
		})
	}
}

// branch adds the statements under a condition, unless they only leave.
func (s *sketch) branch(kind string, body []ast.Stmt, when ...ast.Node) {
	var cond, then sketch
	cond.known, then.known = s.known, s.known
	for _, n := range when {
		cond.add(n)
	}
	for _, n := range body {
		then.add(n)
	}
	left := !slices.ContainsFunc(then.out, func(step string) bool { return step != "return" && step != "break" && step != "continue" })
	if len(cond.out) == 0 && left {
		return
	}
	s.out = append(append(append(append(s.out, kind), cond.out...), "{"), append(then.out, "}")...)
}

// exprs makes nodes of expressions.
func exprs(list []ast.Expr) (nodes []ast.Node) {
	for _, e := range list {
		nodes = append(nodes, e)
	}
	return nodes
}

// lockOf returns whose lock e is.
func lockOf(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			if x.Sel.Name == "tableLock" {
				return "disk"
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			if x.Name == "disks" {
				return "disk"
			}
			return "file"
		default:
			return "?"
		}
	}
}

// A model that does not do what the image does proves nothing about it. Compared are the calls, in their order, and the
// branches and loops around them, but not the conditions.
func TestGlue(t *testing.T) {
	known := map[string]bool{}
	for _, name := range []string{"slot.go", "own.go"} {
		functions(parse(t, name), func(recv string, fn *ast.FuncDecl) {
			if (recv == "Table" || recv == "Own" || recv == "Word") && !slices.Contains(unseen, fn.Name.Name) {
				known[fn.Name.Name] = fn.Name.IsExported()
			}
		})
	}
	for _, name := range append(slices.Clone(glue), steps...) {
		known[name] = true
	}
	steps := func(fn *ast.FuncDecl) string {
		s := sketch{known: known}
		s.add(fn.Body)
		for len(s.out) > 0 && s.out[len(s.out)-1] == "return" {
			s.out = s.out[:len(s.out)-1]
		}
		return strings.Join(s.out, " ")
	}

	model := map[string]string{}
	functions(parse(t, "model_test.go"), func(recv string, fn *ast.FuncDecl) {
		if recv == "world" {
			model[fn.Name.Name] = steps(fn)
		}
	})
	files, err := filepath.Glob("../../../kernel/*.go")
	if err != nil || files == nil {
		t.Fatal("no kernel", err)
	}
	image := map[string]string{}
	for _, path := range append(files, "../virtioblk.go") {
		functions(parse(t, path), func(recv string, fn *ast.FuncDecl) {
			name := fn.Name.Name
			if slices.Contains(glue, name) && (recv == "" || recv == "file" || recv == "Disk") {
				if image[name] != "" {
					t.Errorf("two functions %s", name)
				}
				image[name] = steps(fn)
				return
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Slots" || sel.Sel.Name == "own") && !slices.Contains(apart, name) {
					t.Errorf("%s: %s uses a disk's slots, and the model does not know it", path, name)
				}
				return true
			})
		})
	}
	for _, name := range glue {
		if image[name] == "" || image[name] != model[name] {
			t.Errorf("%s is not the same:\nimage: %s\nmodel: %s", name, image[name], model[name])
		}
	}
}

// Package goruntime lays sched9 over the stock Go runtime. It is the only place that knows the
// runtime's internals: cut.txt lists what is cut from the toolchain's source, with the
// replacements, and the folder runtime holds the files added to package runtime.
//
// Prepare reads the toolchain's own source, edits it, and writes an overlay for go build. The
// toolchain's source is never kept in this repository.
package goruntime

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// cut is one line of a cut list.
type cut struct {
	verb string // func, begin, each, field, text, swap, swaps, drop
	file string // under GOROOT/src
	what string // signature, names, type, symbol or instruction
	with string // what takes its place
	why  string
	line int
}

// fastList is the list of what is cut for speed alone. There need not be one.
const fastList = "fast.txt"

// saves is how the reasons there begin.
var saves = regexp.MustCompile(`^saves \d+ of a (yield|pingpong|spawn|slice|memstats): `)

// takes says which verbs have a what and a with.
var takes = map[string]struct{ what, with bool }{
	"func":  {true, true},
	"begin": {true, true},
	"each":  {true, true},
	"field": {true, true},
	"text":  {true, false},
	"swap":  {true, true},
	"swaps": {true, true},
	"drop":  {false, false},
}

// parse reads a cut list. Every line must be complete: a cut without a reason is an error.
func parse(name, text string) ([]cut, error) {
	var cuts []cut
	for i, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l == "" || l[0] == '#' {
			continue
		}
		c := cut{line: i + 1}
		bad := func(msg string) error { return fmt.Errorf("%s:%d: %s: %s", name, c.line, msg, l) }
		rest, why, ok := cutLast(l, "// ")
		if !ok || why == "" {
			return nil, bad("a cut without a reason")
		}
		if c.why = why; name == fastList && !saves.MatchString(why) {
			return nil, bad("a cut for speed that does not say what it saves")
		}
		if c.verb, rest, ok = strings.Cut(rest, " "); !ok {
			return nil, bad("no file")
		}
		need, ok := takes[c.verb]
		if !ok {
			return nil, bad("unknown verb")
		}
		file, rest, ok := strings.Cut(rest, ":")
		if !ok || file == "" {
			return nil, bad("no file")
		}
		if c.file = "runtime/" + strings.TrimSpace(file); file[0] == '/' {
			c.file = strings.TrimSpace(file[1:])
		}
		what, with, has := strings.Cut(rest, " => ")
		c.what, c.with = strings.TrimSpace(what), strings.TrimSpace(with)
		if has != need.with || (c.what != "") != need.what || need.with && c.with == "" {
			return nil, bad("the verb has another form")
		}
		if body := c.verb == "func" || c.verb == "begin"; body && c.with != "never" && !isSimple(c.with) {
			return nil, bad("the code is more than a statement with one call")
		}
		cuts = append(cuts, c)
	}
	return cuts, nil
}

// isSimple reports whether code is one call, now or when the function returns, what a call or a constant is assigned to, a return of either, a return if a
// call says so, or of what a call returns if that is not nil. What more there is to be done is written in Go's own files.
func isSimple(code string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {"+code+"\n}", parser.SkipObjectResolution)
	if err != nil || len(f.Decls) != 1 {
		return false
	}
	body := f.Decls[0].(*ast.FuncDecl).Body.List
	if len(body) != 1 {
		return false
	}
	switch s := body[0].(type) {
	case *ast.ExprStmt:
		return isTerm(s.X)
	case *ast.DeferStmt:
		return true
	case *ast.AssignStmt:
		return len(s.Rhs) == 1 && isTerm(s.Rhs[0])
	case *ast.ReturnStmt:
		return len(s.Results) == 0 || len(s.Results) == 1 && isTerm(s.Results[0])
	case *ast.IfStmt:
		if s.Else != nil || len(s.Body.List) != 1 {
			return false
		}
		ret, ok := s.Body.List[0].(*ast.ReturnStmt)
		if ok && s.Init != nil {
			return returnsInit(s, ret)
		}
		return ok && isTerm(s.Cond)
	}
	return false
}

// returnsInit reports whether ret is the return in "if x := f(); x != nil { return x }".
func returnsInit(s *ast.IfStmt, ret *ast.ReturnStmt) bool {
	init, ok := s.Init.(*ast.AssignStmt)
	cond, is := s.Cond.(*ast.BinaryExpr)
	if !ok || !is || init.Tok != token.DEFINE || len(init.Lhs) != 1 || len(init.Rhs) != 1 || cond.Op != token.NEQ || len(ret.Results) != 1 {
		return false
	}
	_, call := init.Rhs[0].(*ast.CallExpr)
	name := func(x ast.Expr) string {
		if id, ok := x.(*ast.Ident); ok {
			return id.Name
		}
		return ""
	}
	x := name(init.Lhs[0])
	return call && x != "" && name(cond.X) == x && name(cond.Y) == "nil" && name(ret.Results[0]) == x
}

// isTerm reports whether x is a call, or a name or a literal.
func isTerm(x ast.Expr) bool {
	switch x.(type) {
	case *ast.CallExpr, *ast.Ident, *ast.BasicLit:
		return true
	}
	return false
}

// cutLast is strings.Cut at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimSpace(s[i+len(sep):]), true
}

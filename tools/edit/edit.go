// Package edit replaces code in a function of Go, whatever has become of its comments, layout, local names and file since. Package
// mutate breaks the scheduler with it, and labs have their wrong solutions by it.
package edit

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sched9/kernel/goruntime"
)

// Function is a function or method of a package: its file, and where it is there.
type Function struct {
	File       string // its path, if Find has found it
	src        []byte
	begin, end int
	locals     map[string]bool // what it declares, its parameters too
}

// Find returns the function called name, or Type.name, of the package in dir, without its tests.
func Find(dir, name string) (*Function, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		f, err := In(src, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if f != nil {
			f.File = file
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s has no function %s", dir, name)
}

// In returns the function of that name in the text of a file, nil if there is none.
func In(src []byte, name string) (*Function, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && goruntime.FuncName(fn) == name {
			return &Function{"", src, set.Position(fn.Pos()).Offset, set.Position(fn.End()).Offset, localsOf(fn)}, nil
		}
	}
	return nil, nil
}

// localsOf returns the names that fn declares.
func localsOf(fn *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	add := func(x ast.Expr) {
		if id, ok := x.(*ast.Ident); ok {
			names[id.Name] = true
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, x := range n.Lhs {
					add(x)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key)
				add(n.Value)
			}
		}
		return true
	})
	return names
}

// word is a token of Go: what it says and where it is.
type word struct {
	text       string
	begin, end int
	name       bool // an identifier that is not selected from something: it may be a local one
}

// words splits Go code, whole or not, into tokens. Comments and spaces do not count, nor does a semicolon at the end.
func words(src []byte) (list []word) {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, func(token.Position, string) {}, 0)
	after := token.ILLEGAL
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		at := file.Offset(pos)
		w := word{text: cmp.Or(lit, tok.String()), begin: at, name: tok == token.IDENT && after != token.PERIOD}
		if tok == token.SEMICOLON {
			w.text = ";" // a line's end is one
		}
		w.end = at + len(w.text)
		list = append(list, w)
		after = tok
	}
	for len(list) > 0 && list[len(list)-1].text == ";" {
		list = list[:len(list)-1]
	}
	return list
}

// match reports whether the words of src that are as many as those of old say the same, if src's local
// names may be others than old's. It returns what they are there.
func match(old, src []word, locals map[string]bool) (bound map[string]string, ok bool) {
	bound = map[string]string{}
	taken := map[string]string{}
	for i, o := range old {
		s := src[i]
		if o.name && s.name && locals[s.text] {
			if b := bound[o.text]; b != "" && b != s.text || taken[s.text] != "" && taken[s.text] != o.text {
				return nil, false
			}
			bound[o.text], taken[s.text] = s.text, o.text
		} else if o.text != s.text {
			return nil, false
		}
	}
	return bound, true
}

// Replace returns the text of f's file with new in the place of old, which is in f once. Neither comments nor
// layout nor f's local names count: new gets the names that f has.
func (f *Function) Replace(old, new string) ([]byte, error) {
	pattern := words([]byte(old))
	src := words(f.src[f.begin:f.end])
	if len(pattern) == 0 {
		return nil, fmt.Errorf("there is nothing to look for")
	}
	var exact, other []int
	binds := map[int]map[string]string{}
	for i := 0; i+len(pattern) <= len(src); i++ {
		bound, ok := match(pattern, src[i:], f.locals)
		if !ok {
			continue
		}
		binds[i] = bound
		same := true
		for is, was := range bound {
			same = same && is == was
		}
		if same {
			exact = append(exact, i)
		} else {
			other = append(other, i)
		}
	}
	at := exact
	if len(exact) == 0 {
		at = other
	}
	if len(at) != 1 {
		return nil, fmt.Errorf("its code occurs %d times, not once%s:\n%s", len(at), missing(pattern, src), old)
	}
	i := at[0]
	text := rename(new, binds[i])
	if slices.EqualFunc(words([]byte(text)), src[i:i+len(pattern)], func(a, b word) bool { return a.text == b.text }) {
		return nil, fmt.Errorf("it changes nothing")
	}
	begin, end := f.begin+src[i].begin, f.begin+src[i+len(pattern)-1].end
	return slices.Concat(f.src[:begin], []byte(text), f.src[end:]), nil
}

// rename returns code with other local names.
func rename(code string, names map[string]string) string {
	var b strings.Builder
	done := 0
	for _, w := range words([]byte(code)) {
		if is := names[w.text]; w.name && is != "" {
			b.WriteString(code[done:w.begin])
			b.WriteString(is)
			done = w.end
		}
	}
	b.WriteString(code[done:])
	return b.String()
}

// missing says which of old's words src does not have, other than names that may be local ones.
func missing(old, src []word) string {
	for _, o := range old {
		if !o.name && !slices.ContainsFunc(src, func(s word) bool { return s.text == o.text }) {
			return fmt.Sprintf(" (there is no %q)", o.text)
		}
	}
	return ""
}

package book

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"html"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sched9/kernel/goruntime"
)

// cut is a block cut: the declaration of a name in a package, its comment too, or the whole of a file. Two more lines may say from
// where to where: `from TEXT` and `to TEXT`, each of which is on one line of it and no other.
func (b *blocks) cut(text string) (string, error) {
	lines := strings.Split(text, "\n")
	words := strings.Fields(lines[0])
	var code, file string
	switch len(words) {
	case 1:
		data, err := os.ReadFile(filepath.Join(b.site.Root, words[0]))
		if err != nil {
			return "", fmt.Errorf("there is no file %s", words[0])
		}
		code, file = string(data), words[0]
	case 2:
		var err error
		if code, file, err = declared(b.site.Root, words[0], words[1]); err != nil {
			return "", err
		}
	default:
		return "", fmt.Errorf("%q is neither a package and a name nor a file", lines[0])
	}
	for _, l := range lines[1:] {
		var err error
		if code, err = narrow(code, l); err != nil {
			return "", fmt.Errorf("%s: %w", lines[0], err)
		}
	}
	p := b.site.pages[b.page]
	link := b.site.follow(b.page, strings.Repeat("../", strings.Count(b.page, "/"))+file, p)
	return fmt.Sprintf("<pre>%s</pre>\n<p class=\"more\"><a href=\"%s\">%s</a></p>\n", coloured(code), link, html.EscapeString(file)), nil
}

// narrow takes lines away: those before `from TEXT`, or those behind `to TEXT`.
func narrow(code, line string) (string, error) {
	word, want, _ := strings.Cut(line, " ")
	if want == "" || word != "from" && word != "to" {
		return "", fmt.Errorf("%q is neither from nor to", line)
	}
	if n := strings.Count(code, want); n != 1 {
		return "", fmt.Errorf("%q is there %d times", want, n)
	}
	at := strings.Index(code, want)
	if word == "from" {
		return code[strings.LastIndex(code[:at], "\n")+1:], nil
	}
	if end := strings.Index(code[at:], "\n"); end >= 0 {
		code = code[:at+end+1]
	}
	return code, nil
}

// declared returns the declaration of a function, method (Type.name), type, constant or variable of the package in dir, and its file.
func declared(root, dir, name string) (code, file string, err error) {
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		return "", "", err
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		src, err := os.ReadFile(f)
		if err != nil {
			return "", "", err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, f, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return "", "", err
		}
		if n, doc := find(tree, name); n != nil {
			from, to := n.Pos(), n.End()
			if doc != nil {
				from = doc.Pos()
			}
			begin := set.Position(from).Offset
			begin = strings.LastIndex(string(src[:begin]), "\n") + 1
			return string(src[begin:set.Position(to).Offset]) + "\n", path.Join(dir, filepath.Base(f)), nil
		}
	}
	return "", "", fmt.Errorf("%s declares no %s", dir, name)
}

// find is what declares a name, and its comment.
func find(tree *ast.File, name string) (ast.Node, *ast.CommentGroup) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if goruntime.FuncName(d) == name {
				return d, d.Doc
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				var doc *ast.CommentGroup
				var names []*ast.Ident
				switch s := s.(type) {
				case *ast.TypeSpec:
					doc, names = s.Doc, []*ast.Ident{s.Name}
				case *ast.ValueSpec:
					doc, names = s.Doc, s.Names
				}
				for _, n := range names {
					switch {
					case n.Name != name:
					case !d.Lparen.IsValid():
						return d, d.Doc
					default:
						return s, doc
					}
				}
			}
		}
	}
	return nil, nil
}

// listing is a file's text as HTML. Of the name only its ending counts.
func listing(name, text string) string {
	if path.Ext(name) == ".go" {
		return "<pre>" + coloured(text) + "</pre>\n"
	}
	return "<pre>" + html.EscapeString(text) + "</pre>\n"
}

// coloured is Go's text as HTML, with comments and keywords marked. What is no Go is left as it is.
func coloured(text string) string {
	src := []byte(text)
	set := token.NewFileSet()
	var s scanner.Scanner
	file := set.AddFile("", -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	var b strings.Builder
	done := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		mark := ""
		switch {
		case tok == token.COMMENT:
			mark = "i"
		case tok.IsKeyword():
			mark = "b"
		default:
			continue
		}
		at := file.Offset(pos)
		end := min(at+len(lit), len(src))
		fmt.Fprintf(&b, "%s<%s>%s</%s>", html.EscapeString(text[done:at]), mark, html.EscapeString(text[at:end]), mark)
		done = end
	}
	b.WriteString(html.EscapeString(text[done:]))
	return b.String()
}

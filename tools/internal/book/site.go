// Package book makes a site of the chapters in docs/book and of whatever they lead to.
//
// A chapter is Markdown. Blocks of code whose language is one of these words are made when the site is built:
//
//	run       a command `sched9 run ... ./docs/book/NAME`: shown with what it prints; its recording is called NAME,
//	          or as a second line, `as OTHER`, says
//	picture   a picture of a recording (picture.go has the words)
//	step      a link to a page on which one steps through a program of the explorer (step.go has the words)
//	cut       a package and a name in it: the declaration, as it is in the tree now; or a file
//
// The site has the tree's folders: docs/book/01-read.md becomes docs/book/01-read.html, and sched/ring.go becomes sched/ring.go.html.
package book

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html"
	"html/template"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"sched9/trace"
)

const (
	home = "docs/book/README.md"

	// First is the page to begin with, in the site.
	First = "docs/book/README.html"
)

//go:embed page.html
var pageText string

var frame = template.Must(template.New("page").Parse(pageText))

// Site is a site in the making.
type Site struct {
	Root string // of the tree

	// Boot carries out a command of a block run. Without it the site is a draft, without what comes of boots: all else that
	// can be wrong with a page is found.
	Boot Boot

	out   string
	pages map[string]*leaf // by path in the tree
	queue []string
	views map[string]*trace.View // recordings, by name; of a draft nil
	steps map[string]bool        // pages for stepping, by their names
	errs  []error
}

// leaf is one file of the tree as a page.
type leaf struct {
	links   []link
	anchors map[string]bool
}

// link leads from a page to a place in the tree: a file or folder, and an anchor in it.
type link struct{ to, anchor string }

// Pages says how many pages were written.
func (s *Site) Pages() int { return len(s.pages) }

// Write makes the site in a directory. It goes on after what is wrong on a page, and names all of it.
func (s *Site) Write(dir string) error {
	s.out, s.pages, s.views, s.steps, s.errs = dir, map[string]*leaf{}, map[string]*trace.View{}, map[string]bool{}, nil
	for s.queue = []string{home}; len(s.queue) > 0; s.queue = s.queue[1:] {
		if name := s.queue[0]; s.pages[name] == nil {
			s.pages[name] = &leaf{anchors: map[string]bool{}}
			if err := s.page(name, s.pages[name]); err != nil {
				s.errs = append(s.errs, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	s.anchors()
	s.errs = append(s.errs, s.write("index.html", []byte(`<!doctype html><meta http-equiv="refresh" content="0; url=`+First+`">`+"\n")))
	return errors.Join(s.errs...)
}

// anchors finds links to places that their pages do not have.
func (s *Site) anchors() {
	for name, p := range s.pages {
		for _, l := range p.links {
			if l.anchor != "" && s.pages[l.to] != nil && !s.pages[l.to].anchors[l.anchor] {
				s.errs = append(s.errs, fmt.Errorf("%s: %s has no heading #%s", name, l.to, l.anchor))
			}
		}
	}
	slices.SortFunc(s.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
}

// write writes a file of the site.
func (s *Site) write(name string, data []byte) error {
	name = filepath.Join(s.out, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// page writes the page of one file or folder.
func (s *Site) page(name string, p *leaf) error {
	full := filepath.Join(s.Root, name)
	st, err := os.Stat(full)
	if err != nil {
		return fmt.Errorf("there is no such file")
	}
	if st.IsDir() {
		return s.folder(name, full)
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return err
	}
	switch path.Ext(name) {
	case ".md":
		return s.markdown(name, data, p)
	case ".png", ".html", ".svg":
		return s.write(name, data)
	}
	return s.frame(name, name, "<h1>"+html.EscapeString(name)+"</h1>\n"+listing(name, string(data)))
}

// folder writes what a folder holds.
func (s *Site) folder(name, full string) error {
	list, err := os.ReadDir(full)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<h1>%s</h1>\n<ul>\n", html.EscapeString(name))
	for _, e := range list {
		fmt.Fprintf(&b, "<li>%s</li>\n", html.EscapeString(e.Name()))
	}
	b.WriteString("</ul>\n")
	return s.frame(name, name, b.String())
}

// target is where a file or folder of the tree is in the site.
func (s *Site) target(name string) string {
	if st, err := os.Stat(filepath.Join(s.Root, name)); err == nil && st.IsDir() {
		return path.Join(name, "index.html")
	}
	switch path.Ext(name) {
	case ".md":
		return strings.TrimSuffix(name, ".md") + ".html"
	case ".png", ".html", ".svg":
		return name
	}
	return name + ".html"
}

// frame writes a page with all that is around its text.
func (s *Site) frame(name, title, body string) error {
	to := s.target(name)
	up := strings.Repeat("../", strings.Count(to, "/"))
	var b bytes.Buffer
	err := frame.Execute(&b, struct {
		Title, Up string
		Chapters  []chapter
		Body      template.HTML
	}{title, up, s.chapters(name), template.HTML(body)})
	if err != nil {
		return err
	}
	return s.write(to, b.Bytes())
}

// chapter is a line of the book's contents.
type chapter struct {
	File, Title string
	Here        bool
}

// chapters are the book's, by their files.
func (s *Site) chapters(here string) (list []chapter) {
	files, _ := filepath.Glob(filepath.Join(s.Root, "docs/book/[0-9]*.md"))
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		first, _, _ := strings.Cut(string(data), "\n")
		name := path.Join("docs/book", filepath.Base(f))
		list = append(list, chapter{s.target(name), strings.TrimPrefix(first, "# "), name == here})
	}
	return list
}

// markdown writes a page of Markdown.
func (s *Site) markdown(name string, src []byte, p *leaf) error {
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(&blocks{s, name}, 100))))
	doc := md.Parser().Parse(text.NewReader(src))
	title := name
	err := ast.Walk(doc, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if id, ok := n.AttributeString("id"); ok {
				p.anchors[string(id.([]byte))] = true
			}
			if n.Level == 1 && n.Lines().Len() > 0 {
				at := n.Lines().At(0)
				title = string(at.Value(src))
			}
		case *ast.Link:
			n.Destination = []byte(s.follow(name, string(n.Destination), p))
		case *ast.Image:
			n.Destination = []byte(s.follow(name, string(n.Destination), p))
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, src, doc); err != nil {
		return err
	}
	return s.frame(name, title, b.String())
}

// follow notes a link of a page and returns what it is in the site.
func (s *Site) follow(from, to string, p *leaf) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" {
		if err != nil {
			s.errs = append(s.errs, fmt.Errorf("%s: %w", from, err))
		}
		return to
	}
	name := from
	if u.Path != "" {
		name = path.Join(path.Dir(from), u.Path)
	}
	if name == ".." || strings.HasPrefix(name, "../") {
		s.errs = append(s.errs, fmt.Errorf("%s: %s leads out of the tree", from, to))
		return to
	}
	p.links = append(p.links, link{name, u.Fragment})
	if _, err := os.Stat(filepath.Join(s.Root, name)); err != nil {
		s.errs = append(s.errs, fmt.Errorf("%s: there is no %s", from, name))
		return to
	}
	s.queue = append(s.queue, name)
	rel, err := filepath.Rel(path.Dir(s.target(from)), s.target(name))
	if err != nil {
		s.errs = append(s.errs, err)
		return to
	}
	if u.Fragment != "" {
		rel += "#" + u.Fragment
	}
	return filepath.ToSlash(rel)
}

package book

import (
	"fmt"
	"html"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"sched9/trace"
	"sched9/trace/page"
)

// blocks renders the blocks of code of a page.
type blocks struct {
	site *Site
	page string
}

// RegisterFuncs takes blocks of code from goldmark's own renderer.
func (b *blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, b.render)
}

// render writes a block. What is wrong with one is an error of the site; the rest is written all the same.
func (b *blocks) render(w util.BufWriter, src []byte, node ast.Node, enter bool) (ast.WalkStatus, error) {
	if !enter {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.FencedCodeBlock)
	var text strings.Builder
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		text.Write(at.Value(src))
	}
	lang := string(n.Language(src))
	made, err := b.made(lang, text.String())
	if err != nil {
		b.site.errs = append(b.site.errs, fmt.Errorf("%s: %s: %w", b.page, lang, err))
	}
	w.WriteString(made)
	return ast.WalkSkipChildren, nil
}

// made is what a block becomes.
func (b *blocks) made(lang, text string) (string, error) {
	switch lang {
	case "cut":
		return b.cut(strings.TrimSpace(text))
	case "run":
		return b.run(strings.TrimSpace(text))
	case "picture":
		return b.picture(text)
	case "step":
		return b.step(text)
	}
	return listing("."+lang, text), nil
}

// run boots a program and shows what it printed. A second line, `as NAME`, gives the recording another name than the program's.
func (b *blocks) run(text string) (string, error) {
	command, as, _ := strings.Cut(text, "\n")
	words := strings.Fields(command)
	at := -1
	for i, w := range words {
		if strings.HasPrefix(w, "./docs/book/") {
			at = i
		}
	}
	if len(words) < 3 || words[0] != "sched9" || words[1] != "run" || at < 0 {
		return "", fmt.Errorf("%q is not sched9 run ... ./docs/book/NAME", command)
	}
	dir := words[at]
	name := path.Base(dir)
	if as != "" {
		var ok bool
		if name, ok = strings.CutPrefix(as, "as "); !ok || strings.ContainsAny(name, " /\n") {
			return "", fmt.Errorf("%q is not as NAME", as)
		}
	}
	if _, err := os.Stat(filepath.Join(b.site.Root, dir, "main.go")); err != nil {
		return "", fmt.Errorf("%s has no main.go", dir)
	}
	if _, ok := b.site.views[name]; ok {
		return "", fmt.Errorf("there is a recording %s already", name)
	}
	v, said, err := b.site.record(name, words[2:])
	if err != nil {
		return "", fmt.Errorf("%s: %w", command, err)
	}
	b.site.views[name] = v
	return fmt.Sprintf("<pre><b>$ %s</b>\n%s</pre>\n<p class=\"more\"><a href=\"%s.html\">The recording of this run, as a page</a></p>\n",
		html.EscapeString(command), html.EscapeString(said), name), nil
}

// record boots a program, and writes the page that shows its recording. A draft has none.
func (s *Site) record(name string, args []string) (*trace.View, string, error) {
	if s.Boot == nil {
		return nil, "", nil
	}
	v, said, err := s.Boot.view(s.Root, args)
	if err != nil {
		return nil, "", err
	}
	var b strings.Builder
	if err := page.Write(&b, v); err != nil {
		return nil, "", err
	}
	return v, said, s.write(path.Join("docs/book", name+".html"), []byte(b.String()))
}

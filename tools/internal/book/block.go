package book

import (
	"fmt"
	"html"
	"os"
	"os/exec"
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
	case "go":
		return "<pre>" + coloured(text) + "</pre>\n", nil
	}
	return "<pre>" + html.EscapeString(text) + "</pre>\n", nil
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

// record boots a program, reads its recording, and writes the page that shows it. A draft has none.
func (s *Site) record(name string, args []string) (*trace.View, string, error) {
	if s.Boot == nil {
		return nil, "", nil
	}
	dir, err := os.MkdirTemp("", "book")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, name+".s9")
	said, err := s.Boot(s.Root, args, file)
	if err != nil {
		return nil, "", err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	t, err := trace.Read(f)
	if err != nil {
		return nil, "", err
	}
	v := t.View()
	var b strings.Builder
	if err := page.Write(&b, v); err != nil {
		return nil, "", err
	}
	return v, said, s.write(path.Join("docs/book", name+".html"), []byte(b.String()))
}

// Tool is a Boot by the command sched9 of that name, which is relative to the tree.
func Tool(name string) func(dir string, args []string, recording string) (string, error) {
	return func(dir string, args []string, recording string) (string, error) {
		cmd := exec.Command(name, append([]string{"run", "-trace", recording}, args...)...)
		cmd.Dir = dir
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("%w\n%s%s", err, out, errs.String())
		}
		return string(out), nil
	}
}

package book

import (
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sched9/record"
	"sched9/tools/edit"
	"sched9/trace/events"
)

//go:embed step.html
var stepPage string

//go:embed step.js
var stepScript string

// step is a block step: a link to such a page. Each line is a word and what it is:
//
//	program submit        of the explorer
//	says Try it.          what the link says
//	name lost             with these four: the scheduler is broken first, the page is step-lost.html, and it begins
//	in Sched.f            with the order that the explorer finds
//	take a()              code of a function
//	put b()               what takes its place
func (b *blocks) step(text string) (string, error) {
	w := map[string]string{}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !slices.Contains([]string{"program", "says", "name", "in", "take", "put"}, word) {
			return "", fmt.Errorf("the word %q is unknown", word)
		}
		w[word] += rest
	}
	_, put := w["put"]
	if w["program"] == "" || w["says"] == "" || (w["name"] != "") != put || (w["in"] != "" && w["take"] != "") != put {
		return "", errors.New("program, says, or some of name, in, take and put are missing")
	}
	if text, err := stepWords(b.site.Root); err != nil || !strings.Contains(text, fmt.Sprintf("%q:", w["program"])) {
		return "", fmt.Errorf("docs/model.md has no program %s: %v", w["program"], err)
	}
	s := stepper{root: b.site.Root}
	file := "step.html"
	if put {
		file = "step-" + w["name"] + ".html"
		if err := s.breaks(w["in"], w["take"], w["put"]); err != nil {
			return "", err
		}
	}
	start := w["program"] + "/-"
	if b.site.Boot != nil {
		var err error
		if put {
			if start, err = s.counterexample(w["program"]); err != nil {
				return "", err
			}
		}
		if !b.site.steps[file] {
			if err := s.write(filepath.Join(b.site.out, "docs/book", file)); err != nil {
				return "", err
			}
			b.site.steps[file] = true
		}
	}
	return fmt.Sprintf("<p class=\"step\"><a href=\"%s#%s\">%s</a></p>\n", file, html.EscapeString(start), html.EscapeString(w["says"])), nil
}

// stepper makes pages of the scheduler of a tree, perhaps with an edit.
type stepper struct {
	root         string
	file, source string // the edited file, and what it has then
}

// Step writes a page that needs nothing beside itself: the scheduler of the tree at root, as the explorer runs it, compiled to WebAssembly. In it
// one chooses at each access to a shared word which M goes on, and sees the queues. It builds for some seconds.
func Step(root, file string) error { return stepper{root: root}.write(file) }

// breaks has code of a function of package sched replaced. Its layout and local names do not count.
func (s *stepper) breaks(in, take, put string) error {
	f, err := edit.Find(filepath.Join(s.root, "sched"), in)
	if err != nil {
		return err
	}
	source, err := f.Replace(take, put)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	s.file, s.source = f.File, string(source)
	return nil
}

// test is a `go test` of package sched with the tag explore, and with the edit. Its files are in dir.
func (s stepper) test(dir string, args ...string) (*exec.Cmd, error) {
	args = append([]string{"test", "-tags", "explore"}, args...)
	if s.file != "" {
		file, err := filepath.Abs(s.file)
		if err != nil {
			return nil, err
		}
		broken, overlay := filepath.Join(dir, "broken.go"), filepath.Join(dir, "overlay.json")
		text, err := json.Marshal(map[string]any{"Replace": map[string]string{file: broken}})
		if err != nil {
			return nil, err
		}
		if err := errors.Join(os.WriteFile(broken, []byte(s.source), 0o666), os.WriteFile(overlay, text, 0o666)); err != nil {
			return nil, err
		}
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.Command("go", append(args, "./sched")...)
	cmd.Dir = s.root
	return cmd, nil
}

// printed is how the explorer prints an order that breaks a rule.
var printed = regexp.MustCompile(`replay with SCHEDULE='([^']+)'`)

// counterexample is an order of a program that breaks a rule of the broken scheduler.
func (s stepper) counterexample(program string) (string, error) {
	dir, err := os.MkdirTemp("", "step")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	cmd, err := s.test(dir, "-timeout", "3m", "-run", "TestExplored/^"+program+"$")
	if err != nil {
		return "", err
	}
	out, err := cmd.CombinedOutput()
	m := printed.FindSubmatch(out)
	if err == nil || m == nil {
		return "", fmt.Errorf("the explorer finds no order of %s that breaks a rule: %v\n%s", program, err, out)
	}
	return string(m[1]), nil
}

// write writes the page.
func (s stepper) write(file string) error {
	root := s.root
	dir, err := os.MkdirTemp("", "step")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "sched.wasm")
	build, err := s.test(dir, "-c", "-ldflags", "-s -w", "-trimpath", "-o", binary)
	if err != nil {
		return err
	}
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", build.Args, err, out)
	}
	wasm, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	// The file that belongs to the toolchain which has just built.
	goroot := exec.Command("go", "env", "GOROOT")
	goroot.Dir = root
	out, err := goroot.Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "lib/wasm/wasm_exec.js"))
	if err != nil {
		return err
	}
	words, err := stepWords(root)
	if err != nil {
		return err
	}
	packed, err := pack(wasm)
	if err != nil {
		return err
	}
	page := stepPage
	for _, part := range [][2]string{{"/*glue*/", string(glue)}, {"/*words*/", words}, {"/*wasm*/", packed}, {"/*js*/", stepScript}} {
		if strings.Count(stepPage, part[0]) != 1 {
			return fmt.Errorf("step.html has no %s", part[0])
		}
		page = strings.Replace(page, part[0], part[1], 1)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(page), 0o666)
}

// pack makes text of a program: compressed, in base64.
func pack(program []byte) (string, error) {
	var packed strings.Builder
	b := base64.NewEncoder(base64.StdEncoding, &packed)
	z := gzip.NewWriter(b)
	if _, err := z.Write(program); err != nil {
		return "", err
	}
	err := errors.Join(z.Close(), b.Close())
	return packed.String(), err
}

// words are what the page says of words, events, rules and programs.
type words struct {
	Words    map[string]string      // by the explorer's name for a word, without numbers: ps.head
	Events   map[string]events.Note // by name
	Rules    map[string]string      // by number
	Programs map[string]string      // by name
	Ring     string                 // where a row of a ring's event has how many: record.CountShift
}

var (
	ruleRow    = regexp.MustCompile(`(?m)^\| ([A-Z]\d+) \| (.*?) \|`)
	programRow = regexp.MustCompile(`(?m)^\| ([\w-]+) \| \d+, \d+ \| \d+ \| (?:[^|]* \| ){4}(.*) \|$`)
)

// stepWords are they, from the tree's comments and documents.
func stepWords(root string) (string, error) {
	w := words{map[string]string{}, map[string]events.Note{}, map[string]string{}, map[string]string{}, fmt.Sprint(record.CountShift)}
	for _, table := range []struct {
		file string
		row  *regexp.Regexp
		in   map[string]string
	}{{"docs/SPEC.md", ruleRow, w.Rules}, {"docs/model.md", programRow, w.Programs}} {
		text, err := os.ReadFile(filepath.Join(root, table.file))
		if err != nil {
			return "", err
		}
		for _, m := range table.row.FindAllSubmatch(text, -1) {
			table.in[string(m[1])] = string(m[2])
		}
		if len(table.in) == 0 {
			return "", fmt.Errorf("%s has no rows", table.file)
		}
	}
	for i, name := range record.Names {
		w.Events[name] = events.Table[i].Note
	}
	for _, t := range []struct{ file, name, prefix string }{{"sched.go", "Sched", ""}, {"p.go", "P", "ps."}, {"m.go", "M", "ms."}} {
		if err := fieldWords(filepath.Join(root, "sched", t.file), t.name, t.prefix, w.Words); err != nil {
			return "", err
		}
	}
	// The model's runtime keeps these two, as package runtime does.
	w.Words["rt.spinning"], w.Words["rt.idle"] = w.Words["nmspinning"], w.Words["npidle"]
	text, err := json.Marshal(w)
	return string(text), err
}

// fieldWords adds the comments of a struct's fields. Fields that follow a comment without an empty line in between share it.
func fieldWords(file, name, prefix string, to map[string]string) error {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	n, _ := find(tree, name)
	d, ok := n.(*ast.GenDecl)
	if !ok {
		return fmt.Errorf("%s declares no %s", file, name)
	}
	fields, ok := d.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	if !ok {
		return fmt.Errorf("%s of %s is no struct", name, file)
	}
	above, last := "", 0
	for _, f := range fields.Fields.List {
		begin := set.Position(f.Pos()).Line
		if f.Doc != nil {
			above = f.Doc.Text()
		} else if begin != last+1 {
			above = ""
		}
		last = set.Position(f.End()).Line
		text := above
		if f.Comment != nil {
			text = f.Comment.Text()
		}
		for _, id := range f.Names {
			to[prefix+id.Name] = strings.Join(strings.Fields(text), " ")
		}
	}
	return nil
}

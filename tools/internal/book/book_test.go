package book

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

const root = "../../.."

// TestBook: each link and anchor of the book, and of all pages that it leads to, leads somewhere; each name whose code it shows is in the tree; each
// picture is of a program that runs before, and of events that there are. Each lab has a chapter, with the three systems at its end.
func TestBook(t *testing.T) {
	s := Site{Root: root}
	if err := s.Write(t.TempDir()); err != nil {
		t.Error(err)
	}
	const end = "\n## What Go does, what Linux does, what Plan 9 did\n"
	for _, lab := range labs(t) {
		name := "docs/book/" + filepath.Base(lab) + ".md"
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Errorf("lab %s has no chapter", filepath.Base(lab))
			continue
		}
		if s.pages[name] == nil {
			t.Errorf("no page leads to %s", name)
		}
		_, rest, ok := strings.Cut(string(data), end)
		if !ok {
			t.Errorf("%s does not end with what Go, Linux and Plan 9 do", name)
		}
		for _, system := range []string{"**Go", "**Linux", "**Plan 9", "](../../labs/" + filepath.Base(lab) + "/README.md)"} {
			if !strings.Contains(rest, system) {
				t.Errorf("the end of %s has no %s", name, system)
			}
		}
	}
}

// TestLabPictures: each lab's picture is of a program and of events that there are, is in the lab's folder, and stands in its text with what it says.
func TestLabPictures(t *testing.T) {
	for _, lab := range labs(t) {
		args, d, err := labDrawing(filepath.Join(lab, labWords))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := os.Stat(filepath.Join(root, args[len(args)-1], "main.go")); err != nil {
			t.Errorf("%s: %v", lab, err)
		}
		text, err := os.ReadFile(filepath.Join(lab, "README.md"))
		if want := "![" + d.says + "](" + labPicture + ")"; err != nil || !bytes.Contains(text, []byte(want)) || !bytes.Contains(text, []byte("`sched9 run "+strings.Join(args, " ")+"`")) {
			t.Errorf("%s: %v, or its text has not %s and how it was made", lab, err, want)
		}
		if picture, err := os.ReadFile(filepath.Join(lab, labPicture)); err != nil || !bytes.HasPrefix(picture, []byte("<svg ")) {
			t.Errorf("%s: %v, or no picture: go run ./tools/book -labs labs", lab, err)
		}
	}
}

// labs are the folders of all labs.
func labs(t *testing.T) []string {
	t.Helper()
	labs, err := filepath.Glob(filepath.Join(root, "labs/[0-9]*"))
	if err != nil || len(labs) == 0 {
		t.Fatalf("there are no labs: %v", err)
	}
	return labs
}

// TestLabMistakes: what is wrong with a lab's picture is an error that names the file.
func TestLabMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"rm -rf x\n", "is not sched9 run"},
		{"sched9 run ./x\nlanes P\n", "are missing"},
		{"sched9 run ./x\nlanes P\nat Strat\n", "there is no event Strat"},
		{"sched9 run ./x\nlanes P\nat Start 9\nafter 1us\nsays x\n", "events Start"},
	} {
		dir := tree(t, map[string]string{"labs/1/picture.txt": c.text})
		if err := Labs(dir, t.TempDir(), boot(t)); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "labs/1/picture.txt") {
			t.Errorf("%q: the error is %v, not %q", c.text, err, c.want)
		}
	}
	dir := tree(t, map[string]string{"labs/1/picture.txt": "sched9 run ./x\nlanes P\nat Start 2\nbefore 1us\nafter 10us\nsays x\n"})
	to := t.TempDir()
	err := Labs(dir, to, boot(t))
	if data, _ := os.ReadFile(filepath.Join(to, "1", labPicture)); err != nil || !strings.Contains(string(data), "at 19.0us<") {
		t.Errorf("%v, %s", err, data)
	}
}

// tree makes a tree of files.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// block is a block of code in a page.
func block(lang, text string) string { return "\n```" + lang + "\n" + text + "\n```\n" }

const (
	goCode  = "package p\n\n// f is <there>.\nfunc f() {\n\ta()\n\tb()\n\tc()\n}\n\nconst (\n\t// one is 1.\n\tone = 1\n\ttwo = 2\n)\n"
	drawn   = "of run\nlanes P\nat Start 2 main.f\nbefore 1us\nafter 10us\nsays A run."
	running = "sched9 run -icount ./docs/book/run"
)

// TestMistakes: whatever is wrong with a page is an error that names the page and the thing.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[x](gone.md)", "there is no docs/book/gone.md"},
		{"![x](gone.png)", "there is no docs/book/gone.png"},
		{"[x](#gone)", "docs/book/README.md has no heading #gone"},
		{"[x](other.md#gone)", "docs/book/other.md has no heading #gone"},
		{"[x](other.md)", "docs/book/other.md: there is no docs/book/nowhere.md"},
		{"[x](../../../etc/passwd)", "leads out of the tree"},
		{block("cut", "p gone"), "p declares no gone"},
		{block("cut", "gone.go"), "there is no file gone.go"},
		{block("cut", "p f\nfrom gone()"), `"gone()" is there 0 times`},
		{block("cut", "p f\nto ()"), `"()" is there 4 times`},
		{block("cut", "p f\nbetween a"), "neither from nor to"},
		{block("run", "sched9 run ./docs/book/gone"), "./docs/book/gone has no main.go"},
		{block("run", "rm -rf ./docs/book/run"), "is not sched9 run"},
		{block("run", running) + block("run", running), "there is a recording run already"},
		{block("run", running+"\nlike that"), `"like that" is not as NAME`},
		{block("step", "program ring"), "are missing"},
		{block("step", "program ring\nsays x\nname y\nin Sched.f\ntake a()"), "are missing"},
		{block("step", "program ring\nsay x"), `the word "say" is unknown`},
		{block("step", "program gone\nsays x"), "SPEC.md"},
		{block("picture", drawn), "no program run ran before"},
		{block("run", running) + block("picture", strings.Replace(drawn, "Start", "Strat", 1)), "there is no event Strat"},
		{block("run", running) + block("picture", strings.Replace(drawn, "says", "says:", 1)), `the word "says:" is unknown`},
		{block("run", running) + block("picture", "of run\nlanes P\nafter 1ms\nsays x"), "are missing"},
	} {
		s := Site{Root: tree(t, map[string]string{
			home: "# Book\n\n" + c.text, "docs/book/other.md": "# Other\n[y](nowhere.md)", "p/p.go": goCode, "docs/book/run/main.go": "package main",
		})}
		if err := s.Write(t.TempDir()); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "docs/book/") {
			t.Errorf("%q: the error is %v, not %q", c.text, err, c.want)
		}
	}
}

// step is an event of a recording.
type step struct {
	At   int64
	M, P int
	Kind record.Event
	G    uint64
	Arg  uint64
	Aux  uint64
}

// boot stands in for sched9: a recording in which a goroutine runs twice.
func boot(t *testing.T) Boot {
	return func(_ string, args []string, recording string) (string, error) {
		r := tracetest.Of(t, trace.Meta{Program: "run", SMP: 1}, 1000, []step{
			{0, 0, 0, record.EvAcquire, 0, 0, 0},
			{1, 0, 0, record.EvCreate, 1, 0, 0},
			{3, 0, 0, record.EvStart, 1, uint64(record.FromNext), 0},
			{10, 0, 0, record.EvYield, 1, 0, 0},
			{20, 0, 0, record.EvStart, 1, uint64(record.FromGlobal), 0},
			{30, 0, 0, record.EvExit, 1, 0, 0},
		})
		return "<hello> " + strings.Join(args, " ") + "\n", os.WriteFile(recording, r.Bytes(trace.Legend{}, &trace.End{}), 0o666)
	}
}

// TestSite: a page has what its blocks stand for, and twice the same.
func TestSite(t *testing.T) {
	from := tree(t, map[string]string{
		home: "# Book\n\n[code](../../p/p.go) [folder](../../p) [head](#book) [out](https://go.dev)\n" +
			block("cut", "p f\nfrom a()\nto b()") + block("cut", "p one") + block("run", running) + block("run", running+"\nas again") + block("picture", strings.Replace(drawn, " main.f", "", 1)),
		"docs/book/01-a.md": "# First chapter\n", "p/p.go": goCode, "docs/book/run/main.go": "package main",
	})
	var pages [2][]byte
	for i := range pages {
		dir := t.TempDir()
		s := Site{Root: from, Boot: boot(t)}
		if err := s.Write(dir); err != nil {
			t.Fatal(err)
		}
		var err error
		if pages[i], err = os.ReadFile(filepath.Join(dir, First)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"index.html", "docs/book/run.html", "docs/book/again.html", "p/p.go.html", "p/index.html"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
	for _, want := range []string{
		`<h1 id="book">Book</h1>`, `<a href="../../p/p.go.html">`, `<a href="../../p/index.html">`, `<a href="README.html#book">`, `<a href="https://go.dev">`,
		`docs/book/01-a.html">First chapter</a>`, "<pre>\ta()\n\tb()\n</pre>", "<pre>\t<i>// one is 1.</i>\n\tone = 1\n</pre>",
		"<b>$ " + running + "</b>\n&lt;hello&gt; -icount ./docs/book/run\n", "<svg ", "at 19.0us<", "A run.", `href="run.html#19000-30000"`,
	} {
		if !bytes.Contains(pages[0], []byte(want)) {
			t.Errorf("%q is missing in\n%s", want, pages[0])
		}
	}
	if !bytes.Equal(pages[0], pages[1]) {
		t.Error("written twice, the page differs")
	}
}

// TestMoment: a picture whose moment the recording does not have is an error.
func TestMoment(t *testing.T) {
	for _, at := range []string{"Start 3", "Start 1 main.f"} {
		s := Site{Boot: boot(t), Root: tree(t, map[string]string{
			home:                    block("run", running) + block("picture", strings.Replace(drawn, "Start 2 main.f", at, 1)),
			"docs/book/run/main.go": "package main",
		})}
		if err := s.Write(t.TempDir()); err == nil || !strings.Contains(err.Error(), "events Start") {
			t.Errorf("at %s: the error is %v", at, err)
		}
	}
}

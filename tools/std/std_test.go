package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestList reads the lists and writes them as they are.
func TestList(t *testing.T) {
	for _, name := range []string{"list.txt", "modules.txt"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		l, err := parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		if l.String() != string(text) {
			t.Errorf("%s is not in the order of names, or has blanks where none belong", name)
		}
		if len(l.entries) == 0 {
			t.Errorf("%s is empty", name)
		}
		for _, e := range l.entries {
			if module, _ := cutModule(e.name); (module != "") != (name == "modules.txt") {
				t.Errorf("%s stands in %s", e.name, name)
			}
		}
	}
}

// TestListWhole compares the list with the standard library at hand: each package that has tests has a line.
func TestListWhole(t *testing.T) {
	text, err := os.ReadFile("list.txt")
	if err != nil {
		t.Fatal(err)
	}
	l, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", "std")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 200 {
		t.Fatalf("go list std has %d packages with tests", len(packages))
	}
	for _, p := range packages {
		if !strings.HasPrefix(p, "vendor/") && l.find(p) == nil {
			t.Errorf("%s is not in the list", p)
		}
	}
}

// TestNotRun refuses an entry of which no test is run.
func TestNotRun(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(name, []byte("a 0 0 -*=network\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := options{arch: "amd64", list: name, tool: "/none"}
	if _, err := o.run(t.Context(), []string{"a"}, io.Discard); err == nil || err.Error() != "a is not run: network" {
		t.Error(err)
	}
}

func TestParse(t *testing.T) {
	l, err := parse("# c\nb 2 0 -TestX=network -TestY=exec\na 1 1\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := l.String(), "# c\na 1 1\nb 2 0 -TestX=network -TestY=exec\n"; got != want {
		t.Errorf("%q", got)
	}
	for _, c := range []struct{ line, prefix, want string }{
		{"p 1 1", "", "[{4 1G [-short]}]"},
		{"p 1 1 -TestX=network -TestY=exec", "", "[{4 1G [-short -skip=^TestX$|^TestY$]}]"},
		{"p 1 1 -x=network", "Test/a.d/", `[{4 1G [-short -skip=^Test$/^a\.d$/^x$]}]`},
		{"p 1 1 +TestL +TestM -TestX=exec", "", "[{4 1G [-short -skip=^TestX$|^TestL$|^TestM$]} {4 3G [-run=^TestL$|^TestM$ -parallel=1]}]"},
		{"p 1 1 +TestL@1 +TestL@2 +TestM@1", "", "[{4 1G [-short -skip=^TestL$|^TestM$]} {1 3G [-run=^TestL$|^TestM$ -parallel=1]} {2 3G [-run=^TestL$ -parallel=1]}]"},
	} {
		l, err := parse(c.line)
		if err != nil || l.String() != c.line+"\n" {
			t.Fatalf("%q is %q: %v", c.line, l, err)
		}
		if got := fmt.Sprint(l.entries[0].runs(c.prefix)); got != c.want {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
		}
	}
	for _, bad := range []string{"a", "a 1", "a 1 x", "a 1 -1", "a 1 1 -T", "a 1 1 -T=why", "a 1 1 T=exec", "a 1 1 +T=exec", "a 1 1 +T@0", "a 1 0 -*=cgo", "a 1 1 +T@x", "a 1 1\na 2 2"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestVerdict judges what go test says.
func TestVerdict(t *testing.T) {
	const pass = `{"Action":"pass","Test":"TestA"}
{"Action":"pass","Test":"TestA/sub"}
{"Action":"skip","Test":"TestS"}
{"Action":"pass","Test":"ExampleB"}
`
	for _, c := range []struct {
		events string
		want   int
		has    string
	}{
		{pass + `{"Action":"pass"}`, 2, ""},
		{pass + `{"Action":"pass"}`, 1, ""},
		{pass + `{"Action":"pass"}`, 3, "2 tests passed, the list has 3"},
		{pass + `{"Action":"fail","Test":"TestC"}` + "\n" + `{"Action":"fail"}`, 2, "TestC"},
		{pass + `{"Action":"fail","Test":"TestC"}` + "\n" + `{"Action":"pass"}`, 2, ""},
		{pass + `{"Action":"output","Output":"exit status 2\n"}` + "\n" + `{"Action":"output","Output":"FAIL\tx\n"}` + "\n" + `{"Action":"fail"}`, 2, "it ended early: exit status 2"},
		{`{"Action":"run","Test":"TestD"}` + "\n" + pass + `{"Action":"run","Test":"TestA"}` + "\n" + pass, 4, "it ended early in TestD: "},
		{pass, 2, "it ended early"},
		{"", 0, "it ended early"},
	} {
		if got := read([]byte(c.events), "").verdict(c.want); got != c.has && (c.has == "" || !strings.HasPrefix(got, c.has)) {
			t.Errorf("%s\n%d: %q, want %q", c.events, c.want, got, c.has)
		}
	}
}

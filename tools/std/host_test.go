package main

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestJudges changes the judges of the toolchain at hand: what is swapped must be there, and Go come of it.
func TestJudges(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	for name, j := range judges {
		scratch := t.TempDir()
		overlay, err := j.overlay(src, scratch)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := os.ReadFile(overlay)
		var o struct{ Replace map[string]string }
		if err := errors.Join(err, json.Unmarshal(text, &o)); err != nil || len(o.Replace) == 0 {
			t.Fatalf("%s: %s %v", name, text, err)
		}
		for from, to := range o.Replace {
			if _, err := parser.ParseFile(token.NewFileSet(), to, nil, 0); err != nil {
				t.Errorf("%s: %v", from, err)
			}
			if text, err := os.ReadFile(to); err != nil || !strings.Contains(string(text), "SCHED9_") {
				t.Errorf("%s starts nothing of ours: %v", from, err)
			}
		}
		j.swaps = []swap{{j.swaps[0].file, "not in any source of Go", ""}}
		if _, err := j.overlay(src, scratch); err == nil {
			t.Errorf("%s: a text that is not there is swapped", name)
		}
	}
}

// TestCallers finds tests that call a function by others, and no others.
func TestCallers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a_test.go": "package a\nfunc build() {}\nfunc run() { build() }\nfunc TestDirect() { build() }\nfunc TestNot() { other() }\n",
		"b_test.go": "package a_test\nfunc TestByRun() { if true { run() } }\nfunc other() {}\n",
		"c.go":      "package a\nfunc TestNoTest() { build() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := callers(dir, []string{"build"})
	if want := []string{"TestByRun", "TestDirect"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
}

// TestRuns tells the programs of the test folder that are run from those that are compiled alone.
func TestRuns(t *testing.T) {
	re := regexp.MustCompile(runs)
	for text, want := range map[string]bool{
		"// run\n\npackage main\n":                            true,
		"//go:build !wasm\n// +build !wasm\n\n// run -race\n": true,
		"// runoutput ./rotate.go\n":                          true,
		"// errorcheck\n\n// Copyright\n":                     false,
		"// compile\n\npackage p\n\n// run\n":                 false,
		"// runs are counted\n":                               false,
		"// rundircmpout\n":                                   false,
	} {
		if re.MatchString(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// TestReadPrefix counts the tests below a prefix, whatever else they have in their names.
func TestReadPrefix(t *testing.T) {
	r := read([]byte(`{"Action":"pass","Test":"Test/a.go"}
{"Action":"output","Test":"Test/d/b.go","Output":"why\n"}
{"Action":"fail","Test":"Test/d/b.go"}
{"Action":"skip","Test":"Test/c.go"}
{"Action":"fail","Test":"Test"}
{"Action":"fail"}
`), "Test/")
	if r.passed != 1 || !slices.Equal(r.failed, []string{"d/b.go"}) || r.said() != "why\n" {
		t.Errorf("%+v says %q", r, r.said())
	}
}

func TestModule(t *testing.T) {
	for name, want := range map[string][2]string{
		"example.com/m/v2@v2.1.0/a/b": {"example.com/m/v2@v2.1.0", "./a/b"},
		"example.com/m@v1.0.0":        {"example.com/m@v1.0.0", "./"},
		"net/http":                    {"", "net/http"},
	} {
		if module, pkg := cutModule(name); module != want[0] || pkg != want[1] {
			t.Errorf("%s: %s %s", name, module, pkg)
		}
	}
}

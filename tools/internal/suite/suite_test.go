package suite

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sched9/tools/internal/guest"
	"sched9/tools/internal/report"
	"sched9/tools/internal/scenario"
)

// results are a run that passed and one that did not.
func results() []Result {
	run := func(name string) scenario.Run { return scenario.Run{Scenario: "steal", Name: name} }
	good := guest.Outcome{Report: report.Parse("counter ms 4\ncounter steals 12\ncounter stops 0\nexit 0\n")}
	return []Result{
		{Run: run("4cpu"), Outcome: good, Console: "steal: done\n", Took: 1200 * time.Millisecond},
		{Run: run("8cpu"), Outcome: good, Console: strings.Repeat("line\n", 300) + "last \x01 & <word>",
			Wrong: []string{"exit status 2, not 0", "does not compile\nhere"}, Took: 50 * time.Millisecond},
	}
}

func TestPrint(t *testing.T) {
	var b bytes.Buffer
	r := results()
	Print(&b, r[0], false)
	if want := "ok   steal/4cpu                 1.20s  ms=4  steals=12\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	b.Reset()
	Print(&b, r[0], true)
	if !strings.HasSuffix(b.String(), "\n     | steal: done\n") {
		t.Errorf("verbose: %q", b.String())
	}
	b.Reset()
	Print(&b, r[1], false)
	lines := strings.Split(b.String(), "\n")
	if !strings.HasPrefix(lines[0], "FAIL steal/8cpu") || lines[1] != "     exit status 2, not 0" || lines[3] != "     here" ||
		lines[4] != "     | ..." || len(lines) != 4+1+tailLines+1 {
		t.Errorf("a failure: %q", b.String())
	}
	b.Reset()
	Print(&b, r[1], true)
	if n := strings.Count(b.String(), "| line\n"); n != 300 {
		t.Errorf("a verbose failure shows %d lines", n)
	}
}

func TestPrintJSON(t *testing.T) {
	var b bytes.Buffer
	for _, r := range results() {
		if err := PrintJSON(&b, r); err != nil {
			t.Fatal(err)
		}
	}
	var actions []string
	for d := json.NewDecoder(&b); d.More(); {
		var e event
		if err := d.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if e.Action != "output" {
			actions = append(actions, e.Action+" "+e.Package+"/"+e.Test)
		}
	}
	if want := []string{"run steal/4cpu", "pass steal/4cpu", "run steal/8cpu", "fail steal/8cpu"}; !slices.Equal(actions, want) {
		t.Errorf("got %q", actions)
	}
}

func TestWriteJUnit(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJUnit(&b, results()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	s := got.Suites[0]
	if s.Name != "steal" || s.Tests != 2 || s.Failures != 1 || s.Cases[0].Failure != nil || s.Cases[1].Failure.Message != "exit status 2, not 0" {
		t.Errorf("got %+v", got)
	}
}

// scenarios writes scenarios and returns the suite of them.
func scenarios(t *testing.T, files map[string]string) Suite {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := scenario.LoadAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	return Suite{Scenarios: all, Arch: "amd64", Accel: "tcg", Jobs: 2}
}

// files are a program that boots and one that does not compile.
var files = map[string]string{
	"go.mod":       "module example.com/s\n\ngo 1.26\n",
	"fine/main.go": "package main\n\nimport \"os\"\n\nfunc main() {\n\tprintln(\"to stderr\")\n\tos.Stdout.WriteString(\"to stdout\\n\")\n\tos.Exit(len(os.Args))\n}\n",
	"fine/expect.toml": `about = "boots"
[[run]]
name = "good"
smp = 1
timeout = "60s"
exit = 2
args = ["x"]
soak = true
require = ["^to stdout$", "^to stderr$"]
[[run]]
name = "bad"
smp = 1
timeout = "60s"
exit = 0
require = []
forbid = ["stdout"]
[[run.counter]]
name = "runs"
min = 1000000
`,
	"broken/main.go":     "package main\n\nfunc main() { nothing() }\n",
	"broken/expect.toml": "about = 'does not compile'\n[[run]]\nname = 'r'\nsmp = 1\ntimeout = '60s'\n",
}

func TestEach(t *testing.T) {
	s := scenarios(t, files)
	var sum Summary
	wrong := map[string]string{}
	err := s.Each(t.Context(), func(r Result) {
		sum.Add(r)
		wrong[r.Run.FullName()] = strings.Join(r.Wrong, "; ")
	})
	if err != nil || sum != (Summary{Passed: 1, Failed: 2}) || sum.String() != "1 passed, 2 failed" {
		t.Errorf("%v, %v", sum, err)
	}
	if wrong["fine/good"] != "" {
		t.Errorf("fine/good: %s", wrong["fine/good"])
	}
	for _, want := range []string{"exit status 1, not 0", "a line matches stdout: to stdout", "counter runs is"} {
		if !strings.Contains(wrong["fine/bad"], want) {
			t.Errorf("fine/bad: %q lacks %q", wrong["fine/bad"], want)
		}
	}
	if !strings.Contains(wrong["broken/r"], "undefined: nothing") {
		t.Errorf("broken/r: %s", wrong["broken/r"])
	}
	s.Match = regexp.MustCompile("/good$")
	if runs := s.Runs(); len(runs) != 1 || runs[0].FullName() != "fine/good" {
		t.Errorf("-run takes %v", runs)
	}
}

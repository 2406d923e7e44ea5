package scenario

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sched9/tools/internal/guest"
	"sched9/tools/internal/report"
)

const good = `
about = "a program"
[[run]]
name = "4cpu"
smp = 4
env = ["GOGC=5"]
args = ["x", ""]
timeout = "60s"
exit = 3
soak = true
require = ['^a: done$', 'on stderr']
forbid = ['wrong:']
[[run.counter]]
name = "steals"
min = 2
max = 9
[[run.counter]]
name = "preempts"
per = "ticks"
scale = 1000
min = 2.5
[[run]]
name = "small"
smp = 1
mem = "128M"
machine = "pc"
input = "one\ntwo"
prompt = '\?$'
disk = "16M"
icount = true
timeout = "3m"
[[run]]
name = "free"
smp = 1
require = []
forbid = []
`

func TestParse(t *testing.T) {
	s, err := parse("a", good)
	if err != nil {
		t.Fatal(err)
	}
	if s.About != "a program" || len(s.Runs) != 3 {
		t.Fatalf("got %+v", s)
	}
	r, g := s.Runs[0], s.Runs[0].Guest()
	if r.FullName() != "a/4cpu" || !r.Soak || r.Exit != 3 || r.Limit() != time.Minute {
		t.Errorf("got %+v", r)
	}
	if g.SMP != 4 || g.Mem != "512M" || g.Machine != "" || g.ICount || len(g.Args) != 2 || g.Env[0] != "GOGC=5" || g.Name != "a" {
		t.Errorf("got %+v", g)
	}
	if g.Input != nil || g.Prompt != nil || g.Disks != nil {
		t.Errorf("got %+v", g)
	}
	for range 2 { // each boot has its own
		g := s.Runs[1].Guest()
		text, err := io.ReadAll(g.Input)
		if err != nil || string(text) != "one\ntwo" || !g.Prompt.MatchString("what?") {
			t.Errorf("input %q, %v, prompt %v", text, err, g.Prompt)
		}
		if len(g.Disks) != 1 || g.Disks[0] != (guest.Disk{Size: 16 << 20}) {
			t.Errorf("disks %+v", g.Disks)
		}
	}
	if g := s.Runs[1].Guest(); g.Mem != "128M" || g.Machine != "pc" || !g.ICount || g.Timeout != 3*time.Minute {
		t.Errorf("got %+v", g)
	}
	if usual, free := s.Runs[1], s.Runs[2]; usual.Require[0].String() != "^a: done$" || len(usual.Require) != 1 || len(usual.Forbid) != 3 ||
		len(free.Require)+len(free.Forbid) != 0 || free.Limit() != 2*time.Minute {
		t.Errorf("got %+v and %+v", usual, free)
	}
}

func TestParseBad(t *testing.T) {
	const run = "about = 'x'\n[[run]]\nname = 'r'\nsmp = 1\ntimeout = '1s'\n"
	for _, c := range []struct{ text, want string }{
		{"about = 'x'\n[[run]\n", "line 3"},
		{"[[run]]\nname = 'r'\nsmp = 1\ntimeout = '1s'\n", "about"},
		{"about = 'x'\n", "no [[run]]"},
		{run + "requires = []\n", `unknown key "run.requires"`},
		{run + "[[run.counter]]\nname = 'x'\nmim = 1\n", `unknown key "run.counter.mim"`},
		{"surprise = 1\n" + run, `unknown key "surprise"`},
		{run + "require = ['(']\n", "missing closing )"},
		{run + "exit = 256\n", "exit status 256"},
		{run + "exit = 'no'\n", "exit"},
		{run + "machine = 'isapc'\n", `machine "isapc"`},
		{run + "mem = '8M'\n", "too small"},
		{run + "env = ['x']\n", "KEY=VALUE"},
		{run + "input = 3\n", "input"},
		{run + "input = ['a']\n", "input"},
		{run + "prompt = '?'\ninput = 'x'\n", "missing argument"},
		{run + "prompt = 'x'\n", "prompt is nothing without input"},
		{run + "disk = 16\n", "disk"},
		{run + "disk = '16'\n", "not a size of K or M"},
		{run + "disk = 'M'\n", "not a size of K or M"},
		{run + "disk = '0K'\n", "not a size of K or M"},
		{run + "disk = '-1M'\n", "not a size of K or M"},
		{run + "disk = '2000M'\n", "at most 1024 MiB"},
		{run + "disk = '1K'\nicount = true\nboots = 2\n", "neither input nor disk"},
		{run + "input = ''\nicount = true\nboots = 2\n", "neither input nor disk"},
		{run + "[[run.counter]]\nname = 'x'\n", "neither min nor max"},
		{run + "[[run.counter]]\nmin = 1\n", "no name"},
		{run + "[[run.counter]]\nname = 'x'\nmin = 2\nmax = 1\n", "above max"},
		{run + "[[run.counter]]\nname = 'x'\nscale = 2\nmax = 1\n", "no per"},
		{run + "[[run]]\nname = 'r'\nsmp = 1\ntimeout = '1s'\n", "twice"},
		{"about = 'x'\n[[run]]\nname = 'a b'\nsmp = 1\ntimeout = '1s'\n", "its name"},
		{"about = 'x'\n[[run]]\nname = 'r'\ntimeout = '1s'\n", "0 vCPUs"},
		{"about = 'x'\n[[run]]\nname = 'r'\nsmp = 1\ntimeout = '-1s'\n", "time limit"},
		{"about = 'x'\n[[run]]\nname = 'r'\nsmp = 1\ntimeout = '1'\n", "missing unit"},
	} {
		if _, err := parse("a", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
}

func TestLoadAll(t *testing.T) {
	dir := t.TempDir()
	if _, err := LoadAll(dir); err == nil || !strings.Contains(err.Error(), "no scenarios") {
		t.Errorf("an empty directory: %v", err)
	}
	for name, text := range map[string]string{"b": good, "a": good} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, fileName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := LoadAll(dir)
	if err != nil || len(all) != 2 || all[0].Name != "a" || all[1].Dir != filepath.Join(dir, "b") {
		t.Errorf("got %+v, %v", all, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", fileName), []byte("x = 1"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadAll(dir); err == nil || !strings.Contains(err.Error(), filepath.Join("a", fileName)) {
		t.Errorf("a broken file: %v", err)
	}
}

// TestRepository reads the scenarios of this repository.
func TestRepository(t *testing.T) {
	all, err := LoadAll(filepath.Join("..", "..", "..", "scenarios"))
	if err != nil {
		t.Fatal(err)
	}
	soak := 0
	for _, s := range all {
		for _, r := range s.Runs {
			if r.Soak {
				soak++
			}
		}
	}
	if soak == 0 {
		t.Error("no run is marked for the soak")
	}
}

func TestCheck(t *testing.T) {
	s, err := parse("a", good)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Runs[0]
	told := func(counters string) report.Report { return report.Parse(counters + "exit 3\n") }
	fine := told("counter steals 5\ncounter preempts 3\ncounter ticks 1000\n")
	for _, c := range []struct {
		name           string
		o              guest.Outcome
		stdout, stderr string
		want           []string
	}{
		{"all holds", guest.Outcome{Status: 3, Report: fine}, "x\na: done\r\n", "this is on stderr\n", nil},
		{"status", guest.Outcome{Status: 0, Report: fine}, "a: done", "on stderr", []string{"exit status 0, not 3"}},
		{"lost", guest.Outcome{Status: 127, Why: "the guest is lost", Report: fine}, "a: done", "on stderr", []string{"the guest is lost"}},
		{"require", guest.Outcome{Status: 3, Report: fine}, "a: done!\n", "on stderr", []string{"no line matches ^a: done$"}},
		{"forbid", guest.Outcome{Status: 3, Report: fine}, "a: done", "on stderr\na: wrong: it", []string{"a line matches wrong:: a: wrong: it"}},
		{"too few", guest.Outcome{Status: 3, Report: told("counter steals 1\ncounter preempts 2\ncounter ticks 1000\n")}, "a: done", "on stderr",
			[]string{"counter steals is 1, at least 2", "counter preempts*1000/ticks is 2, at least 2.5"}},
		{"too many", guest.Outcome{Status: 3, Report: told("counter steals 10\ncounter preempts 3\ncounter ticks 1\n")}, "a: done", "on stderr",
			[]string{"counter steals is 10, at most 9"}},
		{"the clock", guest.Outcome{Status: 3, Report: told("counter clock_wrong_ppm 50001\ncounter steals 2\ncounter preempts 2\ncounter ticks 100\n")}, "a: done", "on stderr",
			[]string{"the guest's clock is wrong by 50001 millionths, 50000 may be"}},
		{"no counters", guest.Outcome{Status: 3, Report: told("")}, "a: done", "on stderr",
			[]string{"counter steals was not", "counter preempts was not"}},
		{"no ticks", guest.Outcome{Status: 3, Report: told("counter steals 2\ncounter preempts 2\ncounter ticks 0\n")}, "a: done", "on stderr",
			[]string{"counter ticks is 0"}},
		{"no report", guest.Outcome{Status: 124, Why: "too late"}, "a: done", "on stderr", []string{"too late"}},
	} {
		got := append(r.Check(c.o, c.stdout, c.stderr), r.CheckCounters(c.o.Report)...)
		ok := len(got) == len(c.want)
		for i := range got {
			ok = ok && strings.HasPrefix(got[i], c.want[i])
		}
		if !ok {
			t.Errorf("%s: got %s, want %s", c.name, fmt.Sprintf("%q", got), fmt.Sprintf("%q", c.want))
		}
	}
}

package report

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	r := Parse("counter runs 12\ncounter runs.0 5\ncounter runs.1 7\ncounter steals 0\nexit 7\n")
	if !r.Ended || r.Status != 7 {
		t.Errorf("ended %v with %d", r.Ended, r.Status)
	}
	if got := r.Names(); !slices.Equal(got, []string{"runs", "steals"}) {
		t.Errorf("names %q", got)
	}
	if r.Counters["runs.1"] != 7 || r.Missing() != "" {
		t.Errorf("counters %v, missing %q", r.Counters, r.Missing())
	}
	var b strings.Builder
	r.Print(&b)
	if want := "runs    12    5 7\nsteals  0\n"; b.String() != want {
		t.Errorf("printed %q, want %q", b.String(), want)
	}
}

// TestFault: the kernel says that it is at fault, whatever the status.
func TestFault(t *testing.T) {
	for text, fault := range map[string]bool{"fault\nexit 126\n": true, "exit 126\n": false, "counter runs 1\nfault\nexit 2\n": true} {
		if r := Parse(text); !r.Ended || r.Fault != fault {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

// TestSwitches: a switch has its numbers, and a file whose name may have blanks; a line with less is none.
func TestSwitches(t *testing.T) {
	r := Parse("switch 7 2 8 1 115 3 0 99 41 main.f sync.(*Mutex).Lock /a b/c.go\nexit 0\n")
	want := []Switch{{From: 7, Times: 2, To: 8, Other: true, Why: 's', At: 3, Time: 99, Line: 41, Function: "main.f", Call: "sync.(*Mutex).Lock", File: "/a b/c.go"}}
	if !slices.Equal(r.Switches, want) || !r.Ended {
		t.Errorf("%+v, want %+v", r.Switches, want)
	}
	for _, bad := range []string{"switch 7 2 8 1 115 3 0 99 41 main.f -", "switch 7 2 8 1 115 3 0 99 x main.f - f.go"} {
		if r := Parse(bad + "\nexit 0\n"); r.Ended {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestRuns: a machine that is given several runs has a line for each that ended well, in order, also if it is lost
// in the next one.
func TestRuns(t *testing.T) {
	r := Parse("run 18446744073709551615 2\nrun 3 4\n")
	if want := [][]uint64{{1<<64 - 1, 2}, {3, 4}}; !slices.EqualFunc(r.Runs, want, slices.Equal) || r.Ended {
		t.Errorf("runs %v, want %v; ended %v", r.Runs, want, r.Ended)
	}
}

func TestParseBroken(t *testing.T) {
	for _, c := range []struct{ text, missing string }{
		{"", "it left no report"},
		{"counter runs 1\n", "its report breaks off"},
		{"counter runs 1\nexit 0", `its report breaks off at "exit 0"`},
		{"counter runs x\nexit 0\n", `its report breaks off at "counter runs x"`},
		{"counter runs -1\nexit 0\n", `its report breaks off at "counter runs -1"`},
		{"exit 256\n", `its report breaks off at "exit 256"`},
		{"exit 0\nexit 0\n", `its report breaks off at "exit 0"`},
		{"exit 0\ncounter runs 1\n", `its report breaks off at "counter runs 1"`},
		{"run\nexit 0\n", `its report breaks off at "run"`},
		{"run 1 -2\nexit 0\n", `its report breaks off at "run 1 -2"`},
		{"hello\n", `its report breaks off at "hello"`},
	} {
		r := Parse(c.text)
		if r.Ended || r.Missing() != c.missing {
			t.Errorf("%q: ended %v, %q, want %q", c.text, r.Ended, r.Missing(), c.missing)
		}
	}
}

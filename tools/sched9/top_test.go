package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
)

// recorded writes the recording of a run that ended so and returns its name.
func recorded(t *testing.T, e trace.End) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "recording"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := trace.NewWriter(f, trace.Meta{Program: "some", SMP: 2, Mult: 1 << 32})
	if err := w.Records(1, 0, []record.Record{record.Pack(5_000_000-1, record.EvBoot, record.NoP, 0, 0, 0, 0)}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(e); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// TestTopFollow: the page of a recorded run, with its status.
func TestTopFollow(t *testing.T) {
	for _, c := range []struct {
		end  trace.End
		want string
	}{
		{trace.End{}, "some, 2 vCPUs  guest 5.00ms  1 event, 0/s, none lost  ended with status 0\n"},
		{trace.End{Status: 7}, "some, 2 vCPUs  guest 5.00ms  1 event, 0/s, none lost  ended with status 7\n"},
		{trace.End{Status: 127, Why: "lost"}, "some, 2 vCPUs  guest 5.00ms  1 event, 0/s, none lost  ended with status 127: lost\n"},
	} {
		stdout, stderr, status := sched9(t, "top", "-follow", recorded(t, c.end))
		if status != c.end.Status || stderr != "" || !strings.HasPrefix(stdout, c.want) ||
			!strings.Contains(stdout, "\nM1        scheduling       0  Boot               0 ") || !strings.HasSuffix(stdout, "\nconsole\n\n") {
			t.Errorf("status %d, %q\n%s", status, stderr, stdout)
		}
	}
}

// TestTop boots a program: its status, and a page that tells of its end and of
// what it printed.
func TestTop(t *testing.T) {
	stdout, stderr, status := sched9(t, "top", "-accel", "tcg", "-smp", "2", exitScenario, "7")
	if status != 7 || stderr != "" {
		t.Errorf("status %d, %q", status, stderr)
	}
	for _, want := range []string{"2 vCPUs  guest ", "  ended with status 7\n", "runtime.main G1", "\nexit: ending"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
}

// TestTopWrong: what is wrong is said in a line.
func TestTopWrong(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"top", statusUsage, "which program?"},
		{"top -smp 0 x", statusUsage, "0 vCPUs"},
		{"top -depth 99 x", statusUsage, "99 code addresses"},
		{"top ./nowhere", statusUsage, "there is no directory ./nowhere"},
		{"top -follow nowhere", statusUsage, "there is no recording nowhere"},
		{"top -follow nowhere x", statusUsage, `unexpected argument "x"`},
		{"top -follow top_test.go", statusUsage, "it is no recording"},
		{"top -nonsense", statusUsage, "unknown flag: -nonsense"},
	} {
		_, stderr, status := sched9(t, strings.Fields(c.args)...)
		if status != c.status || !strings.HasPrefix(last(stderr), "sched9: ") || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %q; want %d, %q", c.args, status, stderr, c.status, c.want)
		}
	}
}

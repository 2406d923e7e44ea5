package lab

import (
	"strings"
	"testing"
	"time"

	"sched9/trace"
)

// TestBootRefused: what cannot be booted and recorded ends the test with a reason.
func TestBootRefused(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		name string
		dir  string
		opts []Option
		want string
	}{
		{"vCPUs", "testdata/share", []Option{VCPUs(0)}, "0 vCPUs asked for"},
		{"memory", "testdata/share", []Option{Memory("1K")}, `memory size "1K"`},
		{"machine", "testdata/share", []Option{Machine("vax")}, `machine "vax"`},
		{"environment", "testdata/share", []Option{Env("X")}, `environment "X"`},
		{"arguments", "testdata/share", []Option{Args("\x00")}, "zero byte"},
		{"time", "testdata/share", []Option{Timeout(-1)}, "time limit -1ns"},
		{"directory", "testdata/none", nil, "there is no directory ./testdata/none"},
		{"no program", ".", nil, "it is package lab, not main"},
		{"too little time", "testdata/share", []Option{Timeout(time.Nanosecond)}, "could not be booted and recorded"},
	} {
		f := &fake{TB: t}
		said := f.try(func() { Boot(f, c.dir, c.opts...) })
		if !f.fatal || !strings.Contains(said, c.want) {
			t.Errorf("%s: it says %q, without %q", c.name, said, c.want)
		}
	}
}

func TestBootNoQEMU(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	f := &fake{TB: t}
	if said := f.try(func() { Boot(f, "testdata/share") }); !f.fatal || !strings.Contains(said, "install the package qemu-system-x86") {
		t.Errorf("it says %q", said)
	}
}

// TestBootDeadline: a test that has no time left says so.
func TestBootDeadline(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, left := range []time.Duration{-time.Hour, grace / 2} {
		f := &fake{TB: t}
		if said := f.try(func() { Boot(limited{f, time.Now().Add(left)}, "testdata/share") }); !f.fatal || !strings.Contains(said, "no time is left of the test's own") {
			t.Errorf("it says %q", said)
		}
	}
}

// TestBootStatus: a status that is not 0 is a failure if nobody asked for it.
func TestBootStatus(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		name string
		test func(*Run)
		want string
	}{
		{"asked", func(r *Run) {
			r.Exit(3)
			r.Prints(`^ends: half a line, and the rest$`, `^ends: to the other output$`)
			r.Main().In("main.main").Count().Is(0)
			r.System().In("runtime.forcegchelper").Count().Is(1)
		}, ""},
		{"not asked", func(r *Run) {}, "the program ended with status 3; 0 is wanted; it printed last:"},
		{"asked for another", func(r *Run) { r.Exit(4) }, "the program ended with status 3; 4 is wanted; it printed last:"},
	} {
		f := &fake{TB: t}
		if said := f.try(func() { c.test(Boot(f, "testdata/ends", ICount())) }); c.want == "" && said != "" || !strings.HasPrefix(said, c.want) {
			t.Errorf("%s: it says %q, not %q", c.name, said, c.want)
		}
		if kept := len(f.logs) > 0; kept != (c.want != "") {
			t.Errorf("%s: the logs are %q", c.name, f.logs)
		}
	}
}

// TestBootTwice: a directory is built once, and counted instructions repeat.
func TestBootTwice(t *testing.T) {
	one, err := programs["amd64"].Get(t.Context(), "testdata/ends")
	if err != nil {
		t.Fatal(err)
	}
	two, err := programs["amd64"].Get(t.Context(), "./testdata/../testdata/ends")
	if err != nil || &one.Data[0] != &two.Data[0] {
		t.Errorf("it was built again, or not: %v", err)
	}
	var traces [2]*trace.Trace
	for i := range traces {
		r := Boot(t, "testdata/ends", ICount(), VCPUs(2), Args("an argument"), Env("A=b"))
		r.Exit(3)
		traces[i] = r.View.Trace
	}
	if len(traces[0].Events) == 0 || !traces[0].Same(traces[1]) {
		t.Errorf("two runs differ: %d and %d events", len(traces[0].Events), len(traces[1].Events))
	}
}

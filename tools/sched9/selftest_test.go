package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSelftest: the command boots its program, which says what machine it has and tries the steps that are named.
func TestSelftest(t *testing.T) {
	t.Parallel()
	for _, arch := range []string{"amd64", "arm64"} {
		stdout, stderr, status := sched9(t, "selftest", "-arch", arch, "-smp", "2", "processors", "clock", "TLB shootdown")
		if status != 0 || !strings.Contains(stdout, "selftest: machine: arch "+arch+"\n") || !strings.Contains(stdout, "\nTLB shootdown      ok     30 times for 2 processors") || strings.Contains(stdout, "\npreemption ") {
			t.Errorf("%s: status %d, %s%s", arch, status, stdout, stderr)
		}
	}
	if stdout, _, status := sched9(t, "selftest", "-smp", "1", "clocks"); status != 2 || !strings.Contains(stdout, `there is no step "clocks"`) {
		t.Errorf("a step that there is not: status %d, %s", status, stdout)
	}
	name := filepath.Join(t.TempDir(), "x.img")
	if _, stderr, status := sched9(t, "selftest", "-o", name, "-format", "usb"); status != 0 {
		t.Fatalf("a stick: status %d, %s", status, stderr)
	}
	if st, err := os.Stat(name); err != nil || st.Size() < 1<<20 {
		t.Errorf("a stick: %v, %v", st, err)
	}
	for _, args := range [][]string{{"-format", "usb"}, {"-o", name, "clock"}, {"-o", name, "-format", "tape"}} {
		if _, stderr, status := sched9(t, append([]string{"selftest"}, args...)...); status != statusUsage {
			t.Errorf("%q: status %d, %s", args, status, stderr)
		}
	}
}

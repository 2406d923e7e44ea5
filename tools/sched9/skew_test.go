//go:build full

package main

import "testing"

// TestSkew: a processor whose time-stamp counter is not in step with the one that starts it has it set, so that time does not go back from one to the other. In
// Bochs: in QEMU 7.2 nothing moves the counter of one processor.
func TestSkew(t *testing.T) {
	stdout, stderr, status := sched9(t, "run", "-via", "bochs", "-smp", "4", "-names", "-timeout", "10m", "-env", "GOMAXPROCS=1", "./testdata/skew")
	const want = "skew: 4 processors, two ahead: true, clock-step set, back by 0 ns\n"
	if status != 0 || stdout != want {
		t.Errorf("status %d, %q, want %q\n%s", status, stdout, want, stderr)
	}
}

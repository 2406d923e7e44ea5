//go:build full

package main

import (
	"strings"
	"testing"
)

// TestX2APIC: the word on the command line has all processors in x2APIC mode, and without it none is; interrupts between them
// arrive in either. QEMU 7.2 has that mode only with KVM.
func TestX2APIC(t *testing.T) {
	for env, want := range map[string]string{"x2apic=1": "x2apic: 4 processors, ids 0xf\n", "x2apic=0": "x2apic: 4 processors, ids 0x0\n"} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, status := sched9(t, "run", "-via", "bochs", "-smp", "4", "-timeout", "10m", "-env", env, "./testdata/x2apic")
			if status != 0 || stdout != want {
				t.Errorf("status %d, %q, want %q\n%s", status, stdout, want, stderr)
			}
		})
	}
	t.Run("tour", func(t *testing.T) {
		t.Parallel()
		stdout, stderr, status := sched9(t, "run", "-via", "bochs", "-smp", "4", "-timeout", "20m", "-env", "x2apic=1", "../../scenarios/tour")
		if status != 0 || !strings.Contains(stdout, "tour: all 12 steps ok\n") {
			t.Errorf("status %d, %q\n%s", status, stdout, stderr)
		}
	})
}

package main

import (
	"strings"
	"testing"
)

// TestARM64 boots programs on processors and with memory that scenarios do not ask for.
func TestARM64(t *testing.T) {
	image := t.TempDir() + "/image"
	if _, stderr, status := sched9(t, "build", "-arch", "arm64", "-o", image, "../../scenarios/preempt"); status != 0 {
		t.Fatalf("status %d\n%s", status, stderr)
	}
	for _, args := range []string{
		"-smp 2 -cpu max",
		"-smp 2 -cpu cortex-a72 -machine virt,virtualization=on",
		"-smp 3 -cpu max -mem 6G -machine virt,gic-version=2",
	} {
		stdout, stderr, status := sched9(t, append(append([]string{"run", "-arch", "arm64", "-accel", "tcg"}, strings.Fields(args)...), image)...)
		if status != 0 || !strings.Contains(stdout, "preempt: done\n") {
			t.Errorf("%s: status %d\n%s%s", args, status, stdout, stderr)
		}
	}
	for args, want := range map[string]string{
		"-machine q35":                       `"q35" is not one of virt`,
		"-smp 9 -machine virt,gic-version=2": "at most 8 vCPUs",
		"-cpu pentium":                       "QEMU failed",
	} {
		_, stderr, status := sched9(t, append(append([]string{"run", "-arch", "arm64", "-accel", "tcg"}, strings.Fields(args)...), image)...)
		if status == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d\n%s", args, status, stderr)
		}
	}
}

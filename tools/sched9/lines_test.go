package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestLines: tracebacks through the runtime's edited files name the lines of the
// toolchain's own, which are those that the program prints on the host.
func TestLines(t *testing.T) {
	const program = "./testdata/lines"
	host, err := exec.CommandContext(t.Context(), "go", "run", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"runtime/proc.go:", "runtime/signal_unix.go:"} {
		if !strings.Contains(string(host), file) {
			t.Errorf("no frame is in %s\n%s", file, host)
		}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		stdout, stderr, status := sched9(t, "run", "-arch", arch, "-accel", "tcg", program)
		if status != 0 || stdout != string(host) {
			t.Errorf("%s: status %d\n%s%swant\n%s", arch, status, stdout, stderr, host)
		}
	}
}

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestGoFlags: flags of go build, in GOFLAGS and on the command line, reach the program, and
// the runtime below it works on.
func TestGoFlags(t *testing.T) {
	const program = "./testdata/flags"
	t.Setenv("GOFLAGS", "-ldflags=-X=main.version=one")
	stdout, stderr, status := sched9(t, "run", "-accel", "tcg", program)
	if want := "version \"one\", inlined true\n<nil>\n"; status != 0 || stdout != want {
		t.Errorf("status %d\n%s%swant\n%s", status, stdout, stderr, want)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		stdout, stderr, status := sched9(t, "run", "-arch", arch, "-accel", "tcg", "-smp", "2",
			"-gcflags", "all=-N -l -d=checkptr", "-ldflags=-s -w -X 'main.version=a b'", program)
		if want := "version \"a b\", inlined false\n"; status != 2 || stdout != want || !strings.HasPrefix(stderr, "fatal error: checkptr: misaligned pointer conversion\n") {
			t.Errorf("%s: status %d\n%s%swant\n%s", arch, status, stdout, stderr, want)
		}
	}
	image := filepath.Join(t.TempDir(), "image")
	if _, stderr, status := sched9(t, "build", "-ldflags", "-X=main.version=two", "-o", image, program); status != 0 {
		t.Errorf("build: status %d\n%s", status, stderr)
	}
	if stdout, _, status := sched9(t, "run", "-accel", "tcg", image); status != 0 || !strings.HasPrefix(stdout, "version \"two\"") {
		t.Errorf("the image: status %d\n%s", status, stdout)
	}
	if _, stderr, status := sched9(t, "run", "-tags=x", image); status != statusUsage || !strings.Contains(stderr, "-tags=x is for a build") {
		t.Errorf("flags for an image: status %d\n%s", status, stderr)
	}
}

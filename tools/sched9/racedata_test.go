//go:build full

package main

import (
	"flag"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var raceArch = flag.String("race.arch", "amd64", "architecture for which the Go project's tests of its race detector are run")

// TestRaceData runs the test data of Go's package runtime/race on ours. A test there is called Race... if it has a race, and NoRace... if it
// has none.
func TestRaceData(t *testing.T) {
	dir := filepath.Join(runtime.GOROOT(), "src/runtime/race")
	files, err := filepath.Glob(filepath.Join(dir, "testdata/*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no test data: %v", dir, err)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(f) == "cgo_test.go" })
	t.Chdir(dir)
	args := []string{"-arch", *raceArch, "-smp", "1", "-mem", "2G", "-timeout", "20m", "-env", "GORACE=suppress_equal_stacks=0"}
	stdout, stderr, _ := gotestIn(t, append(append(args, files...), "-race", "-v")...)
	if !strings.Contains(stdout, "ALL TESTS COMPLETE") {
		t.Fatalf("not all tests ran\n%s%s", stdout[max(len(stdout)-5000, 0):], stderr)
	}
	right, wrong, skipped := 0, 0, 0
	for _, part := range strings.Split(stdout, "=== RUN   Test")[1:] {
		name, log, _ := strings.Cut(part, "\n")
		if !regexp.MustCompile(`^(No)?Race`).MatchString(name) {
			continue
		}
		found := strings.Contains(log, "race detected during execution of test")
		switch {
		case strings.Contains(log, "--- SKIP"):
			skipped++
		case found == strings.HasPrefix(name, "Race"):
			right++
		default:
			wrong++
			t.Errorf("%s: race found: %v", name, found)
		}
	}
	if right < 350 {
		t.Errorf("only %d tests are right", right)
	}
	t.Logf("%d right, %d wrong, %d skipped", right, wrong, skipped)
}

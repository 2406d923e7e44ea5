// Package threads runs the threads of a small world in turns, for tests that try all their interleavings: between any two accesses to words that
// several of them use another may go on. It needs the tag explore, with which package sched/atomic tells of each access.
package threads

import (
	"os/exec"
	"strings"
	"testing"
)

// Explored runs TestExplored of the package in the working directory with the tag explore, and logs what it tried.
func Explored(t *testing.T) {
	t.Helper()
	out, err := exec.Command("go", "test", "-tags", "explore", "-failfast", "-timeout", "10m", "-v", "-run", "^TestExplored$", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "model: ") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// Package threads runs the threads of a small world in turns, for tests that try all their interleavings: between any two accesses to words that
// several of them use another may go on. It needs the tag explore, with which package sched/atomic tells of each access.
package threads

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Explored runs TestExplored of the package in the working directory with the tag explore, and logs what it tried.
func Explored(t *testing.T) {
	t.Helper()
	// The go command knows a test's result by heart until a file changes that it looked at: it shall look at those that only the tag shows.
	list, err := exec.Command("go", "list", "-tags", "explore", "-deps", "-test", "-f",
		`{{if not .Standard}}{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(list)) {
		os.Stat(name)
	}
	out, err := exec.Command("go", "test", "-tags", "explore", "-failfast", "-timeout", "45m", "-v", "-run", "^TestExplored$", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "model: ") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

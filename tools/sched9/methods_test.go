package main

import "testing"

// TestMethods: a program that finds methods by name, as templates do, builds and runs.
func TestMethods(t *testing.T) {
	stdout, stderr, status := sched9(t, "run", "-accel", "tcg", "./testdata/methods", "ab", "Twice")
	if want := "abab\nGET a=1&b=2 nobody\n"; status != 0 || stdout != want {
		t.Errorf("status %d\n%s%swant\n%s", status, stdout, stderr, want)
	}
}

package main

import (
	"strings"
	"testing"
)

// TestLabInput: what is no lab, no student's repository or no one form of a report is refused, with the reason.
func TestLabInput(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"lab", "sched9 lab COMMAND"},
		{"lab nonsense", `there is no command "nonsense"`},
		{"lab list x", `unexpected argument "x"`},
		{"lab new steal", "a lab's name or number, and a directory"},
		{"lab new 99 x", "there are 01-read, 02-ring"},
		{"lab grade", "it takes a student's repository"},
		{"lab grade .", "no repository of one lab"},
		{"lab grade -json -junit .", "take one"},
		{"lab rank 10", "and students' repositories"},
		{"lab rank steal x", "lab 04-steal has no contest"},
		{"lab check -run ( steal", "missing closing"},
		{"lab check -run nothing^ steal", `no solution's name matches "nothing^"`},
	} {
		_, stderr, status := sched9(t, strings.Fields(c.args)...)
		if status != statusUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: status %d, %q, want %q", c.args, status, stderr, c.want)
		}
	}
	if stdout, stderr, status := sched9(t, "lab", "list"); status != 0 || stderr != "" || strings.Count(stdout, "(100 points)\n") != 10 {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

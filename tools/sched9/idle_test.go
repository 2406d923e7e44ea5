package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestNetIdle: as many connections as are asked for over loopback, which then stay idle, in the memory that they are given; and where there is no
// memory for more open files, there is ENFILE, and enough memory for the rest.
func TestNetIdle(t *testing.T) {
	t.Parallel()
	connections, mem, limit := 2000, "256M", "5m"
	if full {
		connections, mem, limit = 100_000, "6G", "60m"
	}
	for _, c := range []struct{ mem, limit, argument, want string }{
		{"64M", "5m", "files", "idle: %d files, memory %d, free %d\n"},
		{mem, limit, fmt.Sprint(connections), "idle: " + fmt.Sprint(connections) + " connections, %d bytes each, %d goroutines\n"},
	} {
		stdout, stderr, status := sched9(t, "run", "-accel", "tcg", "-smp", "2", "-mem", c.mem, "-timeout", c.limit, "-env", "GOGC=25", "./testdata/idle", c.argument)
		t.Log(strings.TrimSpace(stdout))
		got := make([]any, strings.Count(c.want, "%d"))
		for i := range got {
			got[i] = new(int)
		}
		if n, err := fmt.Sscanf(stdout, c.want, got...); status != 0 || n != len(got) {
			t.Errorf("%s: status %d, %q, %v\n%s", c.argument, status, stdout, err, stderr)
		}
	}
}

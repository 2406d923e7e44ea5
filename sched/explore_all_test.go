//go:build !explore

package sched

import (
	"bytes"
	"context"
	"os/exec"
	"testing"
	"time"
)

// explored makes the go command run tests of this package with the tag explore: there another M may
// go on at every access to shared words. It returns their output.
func explored(t *testing.T, run string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 46*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "go", "test", "-tags", "explore", "-failfast", "-timeout", "45m", "-v", "-run", run, ".")
	cmd.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out.Bytes())
	}
	return out.String()
}

// TestExploration tries all interleavings of the programs of explore_uses_test.go.
func TestExploration(t *testing.T) {
	if raceEnabled || testing.Short() {
		// The race detector sees nothing there: one M runs at a time. The long tests without it
		// do the whole.
		t.Setenv("MORE", "-1")
		t.Setenv("SEEDS", "2")
	}
	out := explored(t, "^(TestExplored|TestReplay|TestRandom|TestDocumented|TestTrail)$")
	for _, line := range bytes.Split([]byte(out), []byte("\n")) {
		if bytes.HasPrefix(line, []byte("model:")) {
			t.Logf("%s", line)
		}
	}
	if !bytes.Contains([]byte(out), []byte("model: ")) {
		t.Errorf("nothing was explored:\n%s", out)
	}
}

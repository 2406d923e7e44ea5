package main

import (
	"bytes"
	"os"
	"regexp"
	"sync"
	"syscall"
	"testing"

	"sched9/tools/internal/guest"
)

// quitter sends this process SIGQUIT when the guest says something.
type quitter struct{ once sync.Once }

// Write sends the signal.
func (q *quitter) Write(p []byte) (int, error) {
	q.once.Do(func() { syscall.Kill(os.Getpid(), syscall.SIGQUIT) })
	return len(p), nil
}

// TestQuitShowsState: a guest that hangs shows where it stands (V4).
func TestQuitShowsState(t *testing.T) {
	var stderr bytes.Buffer
	status := execute(t.Context(), []string{"run", "-accel", "tcg", "-smp", "2", "./testdata/hang"}, new(quitter), &stderr)
	if status != guest.StatusFault {
		t.Errorf("status %d", status)
	}
	// The end of the line that is the signal may still be on its way out of the guest.
	for _, want := range []string{"NMI from outside", "  M0: ", "  P1: ", "  G1: (running|syscall) m="} {
		if !regexp.MustCompile(want).MatchString(stderr.String()) {
			t.Errorf("%q is not in\n%s", want, stderr.String())
		}
	}
}

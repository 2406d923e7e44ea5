package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
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
	for _, machine := range []string{"amd64 q35", "arm64 virt", "arm64 virt,gic-version=2,virtualization=on"} {
		arch, name, _ := strings.Cut(machine, " ")
		t.Run(machine, func(t *testing.T) { quits(t, "-arch", arch, "-machine", name) })
	}
}

// quits is TestQuitShowsState for a machine.
func quits(t *testing.T, machine ...string) {
	var stderr bytes.Buffer
	args := append([]string{"run", "-accel", "tcg", "-smp", "2"}, machine...)
	status := execute(t.Context(), append(args, "./testdata/hang"), new(quitter), &stderr)
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

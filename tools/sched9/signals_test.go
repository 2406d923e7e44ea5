package main

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"sched9/tools/internal/guest"
)

// sender sends this process a signal for each line that the guest has said.
type sender struct {
	mu      sync.Mutex
	text    strings.Builder
	signals []syscall.Signal
}

// Write sends signals.
func (s *sender) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	for n := bytes.Count(p, []byte("\n")); n > 0 && len(s.signals) > 0; n-- {
		syscall.Kill(os.Getpid(), s.signals[0])
		s.signals = s.signals[1:]
	}
	return len(p), nil
}

// TestSignals: signals reach a program that waits for nothing else, and count against a deadlock. The second of the signals
// that end programs ends the run, whether the program listened to the first or not; the first ends a program that does not
// listen.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		arch    string
		how     []string
		signals []syscall.Signal
		said    string
		status  int
		last    string
	}{
		{"amd64", nil, []syscall.Signal{syscall.SIGWINCH, syscall.SIGTERM, syscall.SIGINT}, "ready\ngot window changed\ngot terminated\n", guest.StatusInterrupt, "sched9: interrupted"},
		{"arm64", nil, []syscall.Signal{syscall.SIGWINCH, syscall.SIGINT, syscall.SIGTERM}, "ready\ngot window changed\ngot interrupt\n", guest.StatusInterrupt, "sched9: interrupted"},
		{"amd64", []string{"deaf"}, []syscall.Signal{syscall.SIGTERM}, "ready\n", 143, "the program was killed by SIGTERM: termination"},
		{"arm64", []string{"deaf"}, []syscall.Signal{syscall.SIGHUP}, "ready\n", 129, "the program was killed by SIGHUP: terminal line hangup"},
	} {
		t.Run(strings.Join(append([]string{c.arch}, c.how...), " "), func(t *testing.T) {
			var stderr bytes.Buffer
			stdout := &sender{signals: c.signals}
			args := append([]string{"run", "-smp", "2", "-arch", c.arch, "./testdata/signalled"}, c.how...)
			status := execute(t.Context(), args, stdout, &stderr)
			if status != c.status || stdout.text.String() != c.said || last(stderr.String()) != c.last {
				t.Errorf("status %d, said %q\n%s", status, stdout.text.String(), stderr.String())
			}
		})
	}
}

package qemu

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

func TestClassify(t *testing.T) {
	ours := errors.New("ours")
	for _, tc := range []struct {
		name string
		e    ending
		want Reason
		err  string // in the error; "" for none
	}{
		{"debug-exit", ending{status: 33}, Exited, ""},
		{"largest status", ending{status: 255}, Exited, ""},
		{"power off", ending{events: []string{"RESUME", "SHUTDOWN guest-shutdown"}}, Exited, ""},
		{"triple fault", ending{events: []string{"SHUTDOWN guest-reset"}}, Reset, "triple-faulted"},
		{"panic", ending{events: []string{"GUEST_PANICKED pause", "SHUTDOWN guest-panic"}}, Panicked, "panic"},
		{"QEMU's error", ending{status: 1, stderr: "qemu-system-x86_64: bad thing\nmore"}, Failed, "status 1: bad thing"},
		{"silent error", ending{status: 1}, Failed, "status 1"},
		{"monitor lost", ending{err: ours}, Failed, "ours"},
		{"monitor lost by exit", ending{status: 33, err: ours}, Exited, ""},
		{"no reason", ending{}, Failed, "no reason"},
		{"SIGKILL", ending{status: -1, signal: syscall.SIGKILL}, Killed, "outside"},
		{"SIGTERM", ending{events: []string{"SHUTDOWN host-signal"}}, Killed, "outside"},
		{"crash", ending{status: -1, signal: syscall.SIGSEGV, stderr: "oops"}, Failed, "crashed"},
		{"SIGKILL of ours", ending{status: -1, signal: syscall.SIGKILL, forced: true, err: ours}, Failed, "ours"},
		{"time-out", ending{status: -1, signal: syscall.SIGKILL, forced: true, ours: TimedOut, err: ours}, TimedOut, "ours"},
		{"time-out with a word", ending{status: 41, ours: TimedOut, err: ours}, TimedOut, "ours"},
		{"time-out with a reset", ending{events: []string{"SHUTDOWN guest-reset"}, ours: TimedOut, err: ours}, TimedOut, "ours"},
		{"cancelled", ending{events: []string{"SHUTDOWN host-qmp-quit"}, ours: Cancelled, err: ours}, Cancelled, "ours"},
	} {
		r := classify(tc.e)
		if r.Reason != tc.want || (r.Err == nil) != (tc.err == "") ||
			r.Err != nil && !strings.Contains(r.Err.Error(), tc.err) {
			t.Errorf("%s: %v, %v, want %v, %q", tc.name, r.Reason, r.Err, tc.want, tc.err)
		}
	}
}

func TestReasonsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for r := Failed; r <= Unheard; r++ {
		if s := r.String(); seen[s] || strings.HasPrefix(s, "reason") {
			t.Errorf("%d is called %q", r, s)
		}
		seen[r.String()] = true
	}
	if s := (Unheard + 1).String(); s != "reason 9" {
		t.Errorf("an unknown reason is called %q", s)
	}
}

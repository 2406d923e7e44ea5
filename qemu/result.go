package qemu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// Reason says why a run ended.
type Reason int

const (
	Failed      Reason = iota // QEMU could not start the guest, or failed itself
	Exited                    // the guest ended itself: debug-exit, or power off (status 0)
	Reset                     // the guest reset the machine or triple-faulted
	Panicked                  // the guest reported a panic to the pvpanic device
	TimedOut                  // Config.Timeout passed; Status is set if the guest then ended by NMI
	Cancelled                 // the context was cancelled or Quit called
	Killed                    // a signal from outside ended QEMU
	Interrupted               // Interrupt was called; Status as with TimedOut
	Unheard                   // a writer of the guest's output returned an error, which Lost tells
)

// String is the reason in lower case.
func (r Reason) String() string {
	switch r {
	case Failed:
		return "failed"
	case Exited:
		return "exited"
	case Reset:
		return "reset"
	case Panicked:
		return "panicked"
	case TimedOut:
		return "timed out"
	case Cancelled:
		return "cancelled"
	case Killed:
		return "killed"
	case Interrupted:
		return "interrupted"
	case Unheard:
		return "unheard"
	default:
		return fmt.Sprintf("reason %d", int(r))
	}
}

// Result is how a run ended.
type Result struct {
	Reason Reason

	// Status is QEMU's exit status, -1 if a signal ended QEMU. A guest that
	// wrote v to debug-exit makes it 2*v+1 (modulo 256). 1 is QEMU's own
	// status for an error and counts as Failed: guests must not write 0.
	Status int

	// Err says in a sentence why the guest did not end itself. It is nil when
	// Reason is Exited.
	Err error

	// Lost says what of the guest's output its writers did not take, and why. It is nil if
	// they took all.
	Lost error

	Stderr string   // QEMU's own complaints, the first 16 KiB
	Events []string // QEMU's events in order, with their reason: "SHUTDOWN guest-reset"
	Accel  string   // the accelerator used, "tcg" or "kvm"
}

// QMP events that tell how a run ended.
const (
	eventShutdown = "SHUTDOWN"
	eventPanicked = "GUEST_PANICKED"
)

// ending is what the end of a run looked like.
type ending struct {
	status int            // QEMU's exit status, -1 if signal is set
	signal syscall.Signal // the signal that ended QEMU, or 0
	events []string
	stderr string

	ours   Reason // TimedOut, Cancelled, Interrupted or Unheard if supervise ended QEMU for that, else 0 (Failed)
	forced bool   // supervise had to use SIGKILL
	err    error  // what supervise has to say, or nil
}

// classify decides a run's Reason and Err. What supervise did comes first, as
// QEMU's end is then its doing; then signals, QEMU's events, and its status.
func classify(e ending) Result {
	r := Result{Status: e.status, Stderr: e.stderr, Events: e.events}
	shutdown := func(reason string) bool {
		return slices.Contains(e.events, eventShutdown+" "+reason)
	}
	panicked := slices.ContainsFunc(e.events, func(s string) bool {
		return strings.HasPrefix(s, eventPanicked)
	})
	switch {
	case e.ours != Failed:
		r.Reason, r.Err = e.ours, e.err
	case e.forced:
		r.Reason, r.Err = Failed, e.err
	case e.signal != 0 && crash(e.signal):
		r.Reason, r.Err = Failed, fmt.Errorf("QEMU crashed (%v)%s", e.signal, complaint(e.stderr))
	case e.signal != 0:
		r.Reason, r.Err = Killed, fmt.Errorf("QEMU was killed from outside (%v)", e.signal)
	case shutdown("host-signal"):
		r.Reason, r.Err = Killed, errors.New("QEMU was ended from outside by a signal")
	case panicked:
		r.Reason, r.Err = Panicked, errors.New("the guest reported a panic")
	case shutdown("guest-reset"):
		r.Reason, r.Err = Reset, errors.New("the guest reset the machine or triple-faulted")
	case e.status > 1 && e.status%2 == 1, shutdown("guest-shutdown"):
		r.Reason = Exited
	case e.status == 1:
		r.Reason, r.Err = Failed, fmt.Errorf("QEMU failed with status 1%s", complaint(e.stderr))
	case e.err != nil:
		r.Reason, r.Err = Failed, e.err
	default:
		r.Reason, r.Err = Failed, fmt.Errorf("QEMU ended with status %d and no reason%s", e.status, complaint(e.stderr))
	}
	return r
}

// crash reports whether a process gets sig by its own fault.
func crash(sig syscall.Signal) bool {
	switch sig {
	case syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGSEGV, syscall.SIGTRAP, syscall.SIGSYS:
		return true
	}
	return false
}

// complaint is the first line of QEMU's error output as the tail of a
// sentence, or nothing.
func complaint(stderr string) string {
	line, _, _ := strings.Cut(stderr, "\n")
	if name, rest, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(name, "qemu") {
		line = rest
	}
	if line == "" {
		return ""
	}
	return ": " + line
}

package kernel

import (
	"unsafe"

	"sched9/arch"
)

// Signals that the program sends itself, by kill(2) and its kin, and those that the host passes on. The program is process 1, alone in its group and
// its session, and the answers are Linux's: a process or thread that does not exist gives ESRCH, an invalid signal number EINVAL, and signal 0 only
// asks.
//
// A signal that the program does not handle has Linux's default effect. A handled one goes to the runtime (upSignal), which has a handler for nearly
// all of them.

// pidSelf is the program's process, its group and its session.
const pidSelf = 1

// numSignals is the highest number of a signal.
const numSignals = 64

// Signals with a part in the code below (Linux's include/uapi/asm-generic/signal.h).
const (
	sigHUP   = 1
	sigINT   = 2
	sigKILL  = 9
	sigPIPE  = 13
	sigTERM  = 15
	sigCHLD  = 17
	sigCONT  = 18
	sigSTOP  = 19
	sigTSTP  = 20
	sigTTIN  = 21
	sigTTOU  = 22
	sigURG   = 23
	sigWINCH = 28
)

// Handlers that are none.
const (
	handlerDefault = 0
	handlerIgnore  = 1
)

// sigaction is Linux's: a signal's handler and its flags.
type sigaction struct{ handler, flags, restorer, mask uint64 }

// sigactions.lock guards what the program wants to be done with each signal. Nothing is
// taken under it.
var sigactions struct {
	lock Spin
	each [numSignals + 1]sigaction
}

// setSigaction is rt_sigaction.
func setSigaction(x args) uintptr {
	n, from, to, size := x.a, x.b, x.c, x.d
	if size != 8 || n < 1 || n > numSignals || from != 0 && (n == sigKILL || n == sigSTOP) {
		return fail(eINVAL)
	}
	var wanted sigaction
	if from != 0 && !get(from, &wanted) {
		return fail(eFAULT)
	}
	on := sigactions.lock.Lock()
	was := sigactions.each[n]
	if from != 0 {
		sigactions.each[n] = wanted
	}
	sigactions.lock.Unlock(on)
	if to == 0 {
		return 0
	}
	return answer(to, &was)
}

// kill is kill(2): a number above 0 is a process or one of its threads, 0 is the caller's
// group, -1 all processes but the caller's, and others below 0 are groups.
func kill(x args) uintptr {
	if pid := int32(x.a); pid != 0 && pid != pidSelf && !isThread(pid) {
		return fail(eSRCH)
	}
	return raise(int32(x.b))
}

// tgkill is tgkill(2), for a thread of a process; tkill is tkill(2), for a thread. Which of
// the program's threads a signal is for makes no difference.
func tgkill(x args) uintptr {
	pid, tid := int32(x.a), int32(x.b)
	switch {
	case pid <= 0 || tid <= 0:
		return fail(eINVAL)
	case pid != pidSelf || !isThread(tid):
		return fail(eSRCH)
	}
	return raise(int32(x.c))
}

// tkill: see tgkill.
func tkill(x args) uintptr { return tgkill(args{a: pidSelf, b: x.a, c: x.b}) }

// isThread reports whether thread tid exists.
func isThread(tid int32) bool {
	id := cpuOf(uintptr(tid))
	return tid > 0 && id < numCPU && cpus[id].online.Load() != 0 && threadOf(id) == uintptr(tid)
}

// hostSignals sends the program the signals that the host has sent, a byte each, except those that end with a trace of the
// sender. Interrupt context, of the boot processor, to which devices interrupt: so it has the port for itself.
func hostSignals() {
	for {
		n, ok := con.signals.Receive()
		if !ok {
			return
		}
		switch n {
		case sigHUP, sigINT, sigTERM, sigWINCH:
			raise(int32(n))
		}
	}
}

// raise sends the program signal n, which may end it. Scheduler stack; or a trap, for a signal that hostSignals lets
// through.
func raise(n int32) uintptr {
	if n < 0 || n > numSignals {
		return fail(eINVAL)
	}
	if n == 0 {
		return 0
	}
	on := sigactions.lock.Lock()
	handler := sigactions.each[n].handler
	sigactions.lock.Unlock(on)
	switch handler {
	case handlerIgnore:
		return 0
	case handlerDefault:
		switch n {
		case sigCHLD, sigCONT, sigURG, sigWINCH:
			return 0
		case sigTSTP, sigTTIN, sigTTOU:
			return 0 // they stop no process of a group that nothing outside could continue
		}
	default:
		if !upSignal(uint32(n)) {
			return 0
		}
	}
	dieBySignal(int(n))
	return 0
}

// dieBySignal ends the run because of signal n, and says so in a line. The status is what a
// shell would show. Nothing could continue a program that stops, so this is its end too.
func dieBySignal(n int) {
	how := "killed by "
	if n == sigSTOP {
		how = "stopped, and can never go on, by "
	}
	var line [128]byte
	at := 0
	for _, s := range [...]string{"the program was ", how, upSignalName(uint32(n)), "\n"} {
		at += copy(line[at:], s)
	}
	say(uintptr(unsafe.Pointer(&line)), uintptr(at))
	Exit(128 + n)
}

// getpgid is getpgid(2), and getsid(2) answers the same.
func getpgid(x args) uintptr {
	if pid := int32(x.a); pid != 0 && pid != pidSelf && !isThread(pid) {
		return fail(eSRCH)
	}
	return pidSelf
}

// gettid returns the number of this processor's thread, as programs see it, threadOf that of
// processor id: a processor that was reset is another thread. cpuOf returns the processor of a
// thread. The boot processor begins as the thread with the process's number.
func gettid() uintptr { return threadOf(arch.ID()) }

// threadOf: see gettid.
func threadOf(id int) uintptr { return uintptr(cpus[id].lives*arch.MaxCPU + id + pidSelf) }

// cpuOf: see gettid.
func cpuOf(tid uintptr) int { return int(tid-pidSelf) % arch.MaxCPU }

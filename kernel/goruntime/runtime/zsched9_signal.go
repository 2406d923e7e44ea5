//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Signals that end the program with a trace: those that it sends itself, such as SIGQUIT, and
// unrecoverable exceptions. The output is the stock handler's, printed by the same functions, which
// need the registers in the form that Linux gives to a handler.

// sched9End is the goroutine whose signal ends the program, set by sched9ClaimEnd, and the data for
// its report.
var sched9End struct {
	gp   atomic.Uintptr
	info siginfo
	ctxt ucontext
}

// sched9ClaimEnd makes gp's signal the one that ends the program, and reports whether it did:
// another may have been first. Any context.
func sched9ClaimEnd(gp *g) bool { return sched9End.gp.CompareAndSwap(0, uintptr(unsafe.Pointer(gp))) }

// sched9EndContext is the report's data in the form that the stock functions take. Any context.
func sched9EndContext() sigctxt { return sigctxt{&sched9End.info, unsafe.Pointer(&sched9End.ctxt)} }

// sched9EndAt notes which signal ends the program: its number, what Linux would give as its
// code, and an address. The claim is the caller's. Any context.
func sched9EndAt(sig uint32, code, addr uintptr) {
	info := &sched9End.info
	info.si_signo, info.si_code, info.si_addr = int32(sig), int32(code), uint64(addr)
}

// sched9IsFatal reports whether Linux's handler would not turn the exception noted in gp (as for
// sigpanic) into a panic: an undefined instruction, a breakpoint, or runtime.abort, which is a
// breakpoint or an access to address 0. Any context.
func sched9IsFatal(gp *g) bool {
	return gp.sig == _SIGILL || gp.sig == _SIGTRAP || isAbortPC(gp.sigpc)
}

// sched9Sigpanic begins sigpanic, which an exception makes a goroutine call. On its stack;
// it does not return if the exception is fatal.
func sched9Sigpanic() {
	if sched9IsFatal(getg()) {
		systemstack(func() { sched9Fatal(getg().m.curg) })
	}
}

// sched9Fatal ends the program with a trace because of gp's signal, on the scheduler stack of the M
// that runs gp. It does not return. It is the end of the stock sighandler, except that several
// threads take turns there: here a second M stops for good.
func sched9Fatal(gp *g) {
	if sched9End.gp.Load() != uintptr(unsafe.Pointer(gp)) {
		lock(&deadlock)
		lock(&deadlock)
	}
	c := sched9EndContext()
	mp := getg().m
	mp.throwing = throwTypeRuntime
	mp.caughtsig.set(gp)
	startpanic_m()
	fatalsignal(uint32(c.info.si_signo), &c, gp, mp)
	level, _, docrash := gotraceback()
	if level > 0 {
		goroutineheader(gp)
		tracebacktrap(c.sigpc(), c.sigsp(), c.siglr(), gp)
		tracebackothers(gp)
		print("\n")
		dumpregs(&c)
	}
	if docrash {
		crash()
	}
	exit(2)
}

// sched9Signal is for a signal that the program or the host sends and that has the runtime's handler. It
// does what that does on Linux: os/signal gets the signal if it wants it, else it is ignored, or the program's end;
// sched9Signal reports whether the program is to die of it. On the scheduler stack of an M whose goroutine makes
// the call; or in an interrupt, for a signal that asks for no trace: sigsend is made for handlers.
func sched9Signal(sig uint32) bool {
	if atomic.Load(&handlingSig[sig]) == 0 {
		return true // the runtime wants to die by it (dieFromSignal)
	}
	if sigsend(sig) || signal_ignored(sig) { // os/signal ignores SIGTRAP, for which its handler stays
		return false
	}
	flags := sigtable[sig].flags
	if flags&_SigKill != 0 {
		return true
	}
	if flags&(_SigThrow|_SigPanic) == 0 {
		return false
	}
	mp := getg().m
	gp := mp.curg
	if sched9ClaimEnd(gp) {
		sched9EndAt(sig, _SI_USER, 0)
		c := sched9EndContext()
		sched9Called(c.regs(), mp.g0.sched.sp)
	}
	sched9Fatal(gp)
	return false
}

// sched9SignalName is a signal's name, as tracebacks print it.
func sched9SignalName(sig uint32) string { return sigtable[sig].name }

//go:build sched9

package runtime

import (
	"internal/abi"
	narch "sched9/arch"
	nkernel "sched9/kernel"
	nrecord "sched9/record"
	nsched "sched9/sched"
	"unsafe"
)

// Interrupts and faults, which replace the stock runtime's signals.

// sched9Tick is the timer's interrupt [S2, A2], at clock now; it returns when the next one is
// wanted, 0 if none is. Runs as the M's gsignal, interrupts off; no locks.
func sched9Tick(f *narch.Frame, now int64) int64 {
	gp := (*g)(unsafe.Pointer(f.G))
	mp := gp.m
	if mp == nil || mp.nsched == nil {
		return 0
	}
	call := mp.curg != nil && readgstatus(mp.curg)&^_Gscan == _Gsyscall
	leave, next := sched9.Tick(mp.nsched, now, call, sched9Running(gp), f.PC())
	if nsched.Hunting {
		var over bool
		if leave, next, over = sched9.HuntTick(mp.nsched, nanotime(), leave, next); over {
			nkernel.HuntOver(nsched.RunsOn)
		}
	}
	if leave && call {
		// It leaves on its way out of the call (exitsyscall). A goroutine that scans its stack
		// before then may take the request for its own and clear it; the next tick asks again.
		mp.curg.preempt = true
		return next
	}
	if leave {
		// [A1]: the poisoned guard stops it at its next call; [A2]: or now. If the
		// tick struck in the scheduler or a leaf on this G's behalf, the guard
		// does it when the G goes on.
		if curg := mp.curg; curg != nil && readgstatus(curg)&^_Gscan == _Grunning {
			curg.preempt = true
			curg.stackguard0 = stackPreempt
			if pp := mp.p.ptr(); pp != nil { // else it is about to get it, back from a system call
				pp.preempt = true
			}
		}
		if sched9Leave(f, gp) {
			next = sched9.Left(mp.nsched, next)
		}
	}
	return next
}

// sched9Running returns the number of the goroutine that gp's M runs, 0 if none.
func sched9Running(gp *g) uint64 {
	if curg := gp.m.curg; curg != nil {
		return curg.goid
	}
	return 0
}

// sched9Preempt is another M's request to leave the running G [A4]: the
// runtime's preemptM, which counts on the acknowledgement even if the G cannot
// be left here; else it would not ask again.
func sched9Preempt(f *narch.Frame) {
	gp := (*g)(unsafe.Pointer(f.G))
	sched9Leave(f, gp)
	if mp := gp.m; mp != nil {
		mp.preemptGen.Add(1)
	}
}

// sched9Leave redirects the interrupted G into asyncPreempt, if it is user code
// at a point where all its pointers are known [A2, A3]. isAsyncSafePoint
// refuses code on g0, with locks held, assembly, and the runtime's own. It reports
// whether the G yields next.
func sched9Leave(f *narch.Frame, gp *g) bool {
	mp := gp.m
	if mp == nil || gp != mp.curg {
		return false
	}
	noted := sched9Noted(gp)
	if !noted && (debug.asyncpreemptoff != 0 || !wantAsyncPreempt(gp)) {
		return false
	}
	ok, pc := isAsyncSafePoint(gp, f.PC(), f.SP(), f.LR())
	if !ok {
		return false
	}
	if noted {
		sched9Note(f, gp, pc)
		return false
	}
	sched9KeepSafePoint(mp, f.PC(), pc)
	mp.nsched.Rec.Record(nrecord.EvInject, gp.goid, 0, uint64(pc))
	f.Call(abi.FuncPCABI0(asyncPreempt), pc)
	nkernel.CountPreempt()
	return true
}

// sched9Fault turns an exception in a goroutine into a Go panic, as the stock signal handler does,
// or, if the exception cannot be recovered from, into the end of the program (zsched9_signal.go).
// It reports whether it could. It runs on the exception stack, on the empty g: it may use only
// gp. beyond says that the access was to a mapped file where that has no page.
func sched9Fault(f *narch.Frame, k narch.Kind, addr uintptr, beyond bool) bool {
	gp := (*g)(unsafe.Pointer(f.G))
	mp := gp.m
	if mp == nil || mp.curg != gp || gp == mp.g0 || gp == mp.gsignal || gp.throwsplit {
		return false
	}
	const siKernel = 0x80
	switch k {
	case narch.FaultPage:
		gp.sig, gp.sigcode0, gp.sigcode1 = _SIGSEGV, _SEGV_MAPERR, addr
		if beyond {
			gp.sig, gp.sigcode0 = _SIGBUS, _BUS_ADRERR
		}
	case narch.FaultAddress:
		gp.sig, gp.sigcode0, gp.sigcode1 = _SIGSEGV, siKernel, 0
	case narch.FaultDivide:
		gp.sig, gp.sigcode0, gp.sigcode1 = _SIGFPE, _FPE_INTDIV, f.PC()
	case narch.FaultFloat:
		gp.sig, gp.sigcode0, gp.sigcode1 = _SIGFPE, 0, f.PC()
	case narch.FaultIllegal:
		gp.sig, gp.sigcode0, gp.sigcode1 = _SIGILL, sched9CodeIllegal, f.PC()
	case narch.FaultBreakpoint:
		gp.sig, gp.sigcode0, gp.sigcode1 = _SIGTRAP, sched9CodeBreakpoint, f.PC()
	default:
		return false
	}
	pc := f.PC()
	gp.sigpc = pc
	// The stack must have room for what is pushed on it.
	if sp := f.SP(); sp <= gp.stack.lo+32 || sp > gp.stack.hi {
		return false
	}
	if sched9IsFatal(gp) && sched9ClaimEnd(gp) {
		mp.locks++ // not preempted on its way to sched9Fatal: others that come there keep their Ms
		sched9EndAt(gp.sig, gp.sigcode0, gp.sigcode1)
		c := sched9EndContext()
		sched9Interrupted(c.regs(), f)
	}
	if shouldPushSigpanic(gp, pc, f.Caller()) {
		f.Call(abi.FuncPCABI0(sigpanic0), pc)
	} else {
		// A call through a bad function value: make it look as if the
		// caller had called sigpanic.
		f.Jump(abi.FuncPCABI0(sigpanic0))
	}
	return true
}

// sched9NoM is the m of the empty g, on which boot code and exception handlers run, so
// that code which uses getg().m works. The entry point sets it up.
var sched9NoM m

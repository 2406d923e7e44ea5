//go:build sched9

package runtime

import (
	"internal/abi"
	nkernel "sched9/kernel"
	nsched "sched9/sched"
	"unsafe"
)

// Foreign code (sched/foreign.go): what the runtime has for cgo, on processors.

// sched9Foreigns is a processor that runs foreign code, by its number. All is set
// before it starts, but arg and done, which are its own.
var sched9Foreigns [64]struct {
	pc, parm uintptr
	nm       *nsched.M
	mp       *m            // the extra M, ready early
	gp       *g            // its goroutine, tied to it: waits while there is no call
	fn       func(uintptr) // what may be called
	arg      uintptr       // of the call at hand
	done     bool          // the goroutine waits for the next one
}

// What the calls answer when they cannot be carried out: -errno.
const (
	sched9Again   = ^uintptr(11 - 1) // EAGAIN
	sched9Invalid = ^uintptr(22 - 1) // EINVAL
)

// sched9ForeignCall calls the code at pc with arg in its first argument register, on
// the system stack, without the P, which others take at once [M5].
func sched9ForeignCall(pc, arg uintptr) uintptr {
	mp := getg().m
	if mp.curg != nil && readgstatus(mp.curg)&^_Gscan == _Gsyscall {
		sched9.HandoffSyscall(mp.nsched)
	}
	return sched9CallForeign(pc, arg)
}

// sched9CallForeign is in assembly.
func sched9CallForeign(pc, arg uintptr) uintptr

// sched9ForeignCPU starts a processor that no M has run with the code at pc, and
// returns its number, or -EAGAIN if all are Ms. fn is the address of a func(uintptr)
// value, which lives as long as the program. The caller has a P, so it is not between
// entersyscall and exitsyscall, where that may be taken.
func sched9ForeignCPU(pc, arg, fn uintptr) uintptr {
	mp := getg().m
	if mp.curg == nil || readgstatus(mp.curg)&^_Gscan != _Grunning || pc == 0 || fn == 0 {
		return sched9Invalid
	}
	nm := sched9.TakeForeignCPU()
	if nm == nil {
		return sched9Again
	}
	id := int(nm.ID)
	f := &sched9Foreigns[id]
	f.pc, f.parm, f.nm = pc, arg, nm
	f.fn = *(*func(uintptr))(unsafe.Pointer(&fn))

	extraMLength.Add(1) // so that the fuse does not count it
	f.mp = allocm(nil, nil, -1)
	f.mp.isextra = true
	f.mp.nsched = nm
	nm.RuntimeM = uintptr(unsafe.Pointer(f.mp))
	sched9IRQStack(f.mp, id)
	lo, hi := nkernel.G0Stack(id)
	sched9SetStack(f.mp.g0, lo, hi)

	// The goroutine that runs the calls must be ready before the first call.
	body := sched9Callbacks
	gp := newproc1(*(**funcval)(unsafe.Pointer(&body)), mp.curg, abi.FuncPCABI0(goexit), true, waitReasonForceGCIdle)
	gp.lockedm.set(f.mp)
	sched9Counts(gp)[0] = 1
	nm.LockedGs = 1
	f.gp = gp
	nkernel.StartForeign(id, uintptr(unsafe.Pointer(&f.mp.tls))+sched9TLSOffset, abi.FuncPCABIInternal(sched9ForeignMain))
	return uintptr(id)
}

// sched9ForeignMain is where the processor begins, as no goroutine.
func sched9ForeignMain() {
	f := &sched9Foreigns[nkernel.ID()]
	sched9CallForeign(f.pc, f.parm)
	nkernel.Idle()
}

// sched9Callbacks is the goroutine that foreign code's calls run on, always on the
// same processor.
func sched9Callbacks() {
	f := &sched9Foreigns[nkernel.ID()]
	for {
		f.fn(f.arg)
		mcall(sched9CallbackEnd)
	}
}

// sched9Callback is a call of Go by foreign code on a processor of its own, on its
// stack: the processor borrows its extra M until the goroutine has done the call.
func sched9Callback(arg uintptr) uintptr {
	f := &sched9Foreigns[nkernel.ID()]
	if f.mp == nil || getg() == f.mp.g0 || getg().m.curg != nil {
		return sched9Invalid // the caller is no foreign processor
	}
	f.arg, f.done = arg, false
	sched9BorrowM(f.mp.g0)
	return 0
}

// sched9BorrowM, in assembly, makes g0 the running g, saves in g0.sched where to return, and calls
// sched9NeedM. It returns, on the previous g, when that point is resumed.
func sched9BorrowM(g0 *g)

// sched9NeedM runs the goroutine. On g0 of the extra M, without a P; does not return.
func sched9NeedM() {
	mp := getg().m
	f := &sched9Foreigns[nkernel.ID()]
	sched9MInit()
	casgstatus(f.gp, _Gwaiting, _Grunnable)
	lock(&sched.lock)
	sched9.NeedM(mp.nsched, sched9G(f.gp))
}

// sched9CallbackEnd is called when the goroutine has done a call: it waits, and its M
// goes back to the foreign code.
func sched9CallbackEnd(gp *g) {
	mp := getg().m
	casgstatus(gp, _Grunning, _Gwaiting)
	sched9Suspend(mp)
	dropg()
	sched9.DropM(mp.nsched)
	gogo(&mp.g0.sched)
}

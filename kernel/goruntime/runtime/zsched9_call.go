//go:build sched9

package runtime

import (
	nkernel "sched9/kernel"
	nrecord "sched9/record"
	nsched "sched9/sched"
)

// System calls that hold the CPU. The stock entersyscall and exitsyscall are in place; this file
// handles a P that was taken away during the call (sched/syscall.go).

// sched9ToCall begins entersyscall.
//
//go:nosplit
func sched9ToCall(pc uintptr) { sched9Call(nrecord.EvSyscallEnter, pc) }

// sched9Leaf answers a system call. Called by sched9Syscall, which sees to the
// stack; here because assembly can call Go functions of its own package only.
func sched9Leaf(num, a, b, c, d, e, f uintptr) uintptr {
	return nkernel.Syscall(num, a, b, c, d, e, f)
}

// sched9FromCall is called by exitsyscall, when gp is running again, for the P that it had. From
// here on its P cannot be taken.
//
//go:nosplit
func sched9FromCall(gp *g) *p {
	nm := gp.m.nsched
	sched9.ExitSyscall(nm)
	sched9Call(nrecord.EvSyscallExit, gp.syscallpc)
	gp.sched.sp = 0 // until now a dump may begin there (sched9Struck); gp runs on from elsewhere
	return gp.m.oldp.ptr()
}

// sched9LeaveCall makes gp, which is back from a system call with its P and was asked to leave during it [S2], leave now,
// without waiting for gp's next call. It reports false if gp may not, because its M holds locks.
//
//go:nosplit
func sched9LeaveCall(gp *g) bool {
	if gp.m.locks != 0 {
		return false
	}
	gp.throwsplit = false
	mcall(gopreempt_m)
	return true
}

// sched9CallTryGetP is exitsyscallTryGetP.
func sched9CallTryGetP(old *p) *p {
	mp := getg().m
	var nold *nsched.P
	if old != nil {
		nold = old.nsched
	}
	np := sched9.ExitSyscallTryGetP(mp.nsched, sched9G(mp.curg), nold)
	if np == nil {
		return nil
	}
	decGSyscallNoP(mp)
	return sched9ToP(np)
}

// sched9CallNoP is exitsyscallNoP: gp came back and found no P. On the scheduler's
// stack; does not return.
func sched9CallNoP(gp *g) {
	mp := getg().m
	traceExitingSyscall()
	trace := traceAcquire()
	mp.nsched.Rec.Leaving(false)
	casgstatus(gp, _Grunning, _Grunnable)
	traceExitedSyscall()
	if trace.ok() {
		trace.GoSysExit(true)
		traceRelease(trace)
	}
	decGSyscallNoP(mp)
	locked := mp.lockedg != 0
	if locked {
		sched9Suspend(mp)
	}
	lock(&sched.lock)
	dropg() // under the lock, so that an audit finds gp with its M or in a queue
	sched9.ExitSyscallNoP(mp.nsched, sched9G(gp), locked)
}

// BlockSyscallExit, TakeSyscallP and ResumeSyscall are the stock way to keep a goroutine in its call: its
// status bears the scan bit [G6].
//
//go:nowritebarrierrec
func (sched9Runtime) BlockSyscallExit(np *nsched.P) *nsched.M {
	pp := sched9ToP(np)
	if pp == nil {
		return nil
	}
	thread, ok := setBlockOnExitSyscall(pp)
	if !ok {
		return nil
	}
	return thread.mp.nsched
}

//go:nowritebarrierrec
func (sched9Runtime) TakeSyscallP(nm *nsched.M, np *nsched.P) {
	syscallingThread{mp: sched9ToM(nm), pp: sched9ToP(np)}.takeP()
}

//go:nowritebarrierrec
func (sched9Runtime) ResumeSyscall(nm *nsched.M) {
	gp := sched9ToM(nm).curg
	syscallingThread{gp: gp, status: readgstatus(gp) &^ _Gscan}.resume()
}

// sched9SyscallBlocks is told that the leaf which the caller's M runs is about to hold the processor,
// and reports whether its P may be taken. Scheduler stack.
//
// The P stays if the goroutine is not between entersyscall and exitsyscall, or if the M holds locks:
// then the runtime itself waits, and SyscallBlocks might need one of those locks.
func sched9SyscallBlocks() (call bool) {
	mp := getg().m
	if mp == nil || mp.nsched == nil || mp.locks != 0 || mp.curg == nil || readgstatus(mp.curg)&^_Gscan != _Gsyscall {
		return false
	}
	sched9.SyscallBlocks(mp.nsched)
	return true
}

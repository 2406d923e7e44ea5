//go:build sched9

package runtime

import (
	nkernel "sched9/kernel"
	nsched "sched9/sched"
	"unsafe"

	"internal/abi"
)

// Replacements of functions that cut.txt cuts. Each is called where the stock one was, so its
// contract is the stock one's.

// sched9Ready is ready.
func sched9Ready(gp *g, traceskip int, next bool) {
	mp := acquirem()
	if readgstatus(gp)&^_Gscan != _Gwaiting {
		dumpgstatus(gp)
		throw("sched9: G1: ready of a G that does not wait")
	}
	trace := traceAcquire()
	casgstatus(gp, _Gwaiting, _Grunnable)
	if trace.ok() {
		trace.GoUnpark(gp, traceskip)
		traceRelease(trace)
	}
	sched9.Ready(mp.nsched, sched9G(gp), next)
	releasem(mp)
}

// sched9Put is runqput. Its callers all mean the P that they have.
func sched9Put(pp *p, gp *g, next bool) {
	mp := acquirem()
	if mp.p.ptr() != pp {
		throw("sched9: R2: runqput on a P of another M")
	}
	sched9.RunqPut(mp.nsched, sched9G(gp), next)
	releasem(mp)
}

// sched9GlobrunqPutBatch is globrunqputbatch.
func sched9GlobrunqPutBatch(batch *gQueue) {
	for !batch.empty() {
		sched9.GlobrunqPut(getg().m.nsched, sched9G(batch.pop()))
	}
}

// sched9PollWork is pollWork.
func sched9PollWork() bool {
	mp := acquirem()
	work := sched9.GlobrunqLen() != 0 || !sched9.RunqEmpty(mp.p.ptr().nsched)
	releasem(mp)
	return work
}

// sched9StartM1 is startm, whose Gs are on the global queue already.
func sched9StartM1() {
	mp := acquirem()
	sched9.StartIdle(mp.nsched, 1)
	releasem(mp)
}

// sched9PidlePut is pidleput.
func sched9PidlePut(pp *p, now int64) int64 {
	sched9.PutIdleP(getg().m.nsched, pp.nsched, now)
	return now
}

// sched9PidleGet is pidleget.
func sched9PidleGet(now int64) (*p, int64) {
	np := sched9.GetIdleP(getg().m.nsched, now)
	if np == nil {
		return nil, now
	}
	return sched9ToP(np), now
}

// sched9Drain is runqdrain. It puts the Gs on the global queue itself, instead of returning them to
// a caller that does so, and returns none.
func sched9Drain(pp *p) (q gQueue) {
	lock(&sched.lock)
	sched9.RunqDrain(getg().m.nsched, pp.nsched)
	unlock(&sched.lock)
	return
}

// sched9Wake is wakep.
func sched9Wake() {
	mp := acquirem()
	sched9.WakeP(mp.nsched)
	releasem(mp)
}

// sched9Inject is injectglist: it makes a list of waiting Gs runnable. With a P
// it keeps for it what idle Ps will not take.
func sched9Inject(list *gList) {
	if list.empty() {
		return
	}
	mp := acquirem()
	local := int32(0)
	if mp.p != 0 {
		local = list.size - sched.npidle.Load()
	}
	global := int32(0)
	for !list.empty() {
		gp := list.pop()
		sched9Unpark(gp)
		if local > 0 {
			local--
			sched9.RunqPut(mp.nsched, sched9G(gp), false)
			continue
		}
		lock(&sched.lock)
		sched9.GlobrunqPut(mp.nsched, sched9G(gp))
		unlock(&sched.lock)
		global++
	}
	if global > 0 {
		sched9.StartIdle(mp.nsched, global)
	}
	if mp.p != 0 {
		sched9.WakeP(mp.nsched)
	}
	releasem(mp)
}

// sched9Schedule is schedule.
func sched9Schedule() {
	mp := getg().m
	if mp.locks != 0 {
		throw("sched9: G5: schedule with a lock held")
	}
	if mp.lockedg != 0 {
		sched9Suspend(mp)
		sched9.ScheduleLocked(mp.nsched)
	}
	sched9.Schedule(mp.nsched)
}

// sched9Gosched is goschedImpl: gp, which runs here, leaves and stays runnable. preempted:
// it was made to.
func sched9Gosched(gp *g, preempted bool) {
	mp := getg().m
	mp.nsched.Rec.Leaving(preempted)
	if readgstatus(gp)&^_Gscan != _Grunning {
		dumpgstatus(gp)
		throw("sched9: G1: a G that does not run leaves")
	}
	trace := traceAcquire()
	if trace.ok() {
		// Before the change: afterwards another M may run it, on the stack that
		// this walks.
		if preempted {
			trace.GoPreempt()
		} else {
			trace.GoSched()
		}
	}
	casgstatus(gp, _Grunning, _Grunnable)
	if trace.ok() {
		traceRelease(trace)
	}
	dropg()
	if preempted && sched.gcwaiting.Load() {
		// It is not its fault: it goes first when the world goes on.
		sched9Put(mp.p.ptr(), gp, true)
		schedule()
	}
	if mp.lockedg != 0 {
		// Only this M may run it, and waits for it.
		sched9.YieldLocked(mp.nsched, sched9G(gp))
		schedule()
	}
	if mp.locks != 0 {
		throw("sched9: G5: a G leaves with a lock held")
	}
	sched9.Yield(mp.nsched, sched9G(gp), mainStarted)
}

// sched9WakeTimerM is wakeNetPoller: a timer was set for when. Between the stock store of the timer
// and WakeTimerM's load comes the exchange that unlocks the P's timers, so the load is later even
// on a machine where a load passes a plain store (sched/atomic).
func sched9WakeTimerM(when int64) {
	mp := acquirem()
	sched9.WakeTimerM(mp.nsched, when)
	releasem(mp)
}

// sched9MaxStack is the largest size of a goroutine's stack, at most Linux's 1 GB: a share of the memory, rounded up to a power
// of two as stacks are. An endless recursion then ends as stack overflow, with its trace, and not as out of memory: a growing
// stack needs one and a half times its new size.
//
// The time matters too: each growth copies and adjusts the whole stack, and a trace walks it three times, at a thousand
// instructions for each frame. A machine with less than 1 GiB is most likely emulated, and gets 8 MiB, as Linux's threads do: the
// trace comes within a second there.
func sched9MaxStack() uintptr {
	const least, most, small = 8 << 20, 1000000000, 1 << 30
	size := uint64(1)
	for size < nkernel.Memory() {
		size *= 2
	}
	if size < small {
		return least
	}
	return min(uintptr(size/8), most)
}

// sched9MPreInit is mpreinit: the M's interrupt g. Its stack is the processor's,
// with guards, and is set when the processor is known.
func sched9MPreInit(mp *m) {
	mp.gsignal = malg(-1)
	mp.gsignal.m = mp
	if mp == &m0 {
		sched9IRQStack(mp, 0)
	}
}

// sched9IRQStack gives mp's gsignal the interrupt stack of processor id.
func sched9IRQStack(mp *m, id int) {
	lo, hi := nkernel.IRQStack(id)
	sched9SetStack(mp.gsignal, lo, hi)
}

// sched9SetStack makes [lo, hi) the stack of gp, one of an M's own.
func sched9SetStack(gp *g, lo, hi uintptr) {
	gp.stack = stack{lo, hi}
	gp.stackguard0 = lo + stackGuard
	gp.stackguard1 = gp.stackguard0
}

// sched9MInit begins minit: on the new M itself.
func sched9MInit() {
	nkernel.SetIRQG(uintptr(unsafe.Pointer(getg().m.gsignal)))
}

// sched9StartM is the machine's StartM: the runtime's M, then the processor. The caller
// may have no P; allocm borrows the new M's for its allocations. sched.M does not move
// and lives for ever, so it is stored without a write barrier.
//
//go:nowritebarrierrec
func sched9StartM(nm *nsched.M, np *nsched.P) {
	pp := sched9ToP(np)
	mp := allocm(pp, nil, -1)
	*(*uintptr)(unsafe.Pointer(&mp.nsched)) = uintptr(unsafe.Pointer(nm))
	nm.RuntimeM = uintptr(unsafe.Pointer(mp))
	mp.nextp.set(pp)
	mp.sigmask = initSigmask
	id := int(nm.ID)
	sched9IRQStack(mp, id)
	lo, hi := nkernel.G0Stack(id)
	sched9SetStack(mp.g0, lo, hi)
	nkernel.StartCPU(id, uintptr(unsafe.Pointer(&mp.tls))+sched9TLSOffset, uintptr(unsafe.Pointer(mp.g0)), abi.FuncPCABI0(mstart))
}

//go:build sched9

package runtime

import (
	"internal/runtime/sys"
	narch "sched9/arch"
	nsched "sched9/sched"
	"unsafe"
)

// The short ways (sched/short.go): from one goroutine to the next, and from a waker to its queue, where nothing unusual has to be
// seen to. One word is asked; if it is not 0 nothing is done, and the long way goes on. They record what the long ways do.

// sched9Byte reads a byte, such as a bool, as a number: what must be 0 is collected with |, for one branch.
//
//go:nosplit
func sched9Byte(p unsafe.Pointer) uint32 { return uint32(*(*uint8)(p)) }

// The finalizers' goroutine is to be woken if it waits and has been asked: two bits side by side.
const _ = -(fingWake ^ fingWait<<1)

// sched9Unusual is not 0 if mp, which owns pp, must not simply go on with the next goroutine of its queues: a lock is held, a
// goroutine is tied to mp, or there is anything that Quiet or the scheduler's Unusual speaks of.
func sched9Unusual(mp *m, pp *p) uintptr {
	fing := fingStatus.Load()
	word := uint32(mp.locks) | gcBlackenEnabled | pp.runSafePointFn | fing>>1&fing&fingWait | sched9.Unusual(mp.nsched) |
		sched9Byte(unsafe.Pointer(&sched.gcwaiting)) | sched9Byte(unsafe.Pointer(&trace.enabled)) |
		sched9Byte(unsafe.Pointer(&trace.shutdown)) | sched9Byte(unsafe.Pointer(&goroutineProfile.active))
	if pp.timers.minWhenModified.Load()|pp.timers.minWhenHeap.Load() != 0 && pp.timers.wakeTime() <= nanotime() {
		return 1
	}
	return uintptr(word) | uintptr(mp.lockedg) | uintptr(gcCleanups.workUnits.Load())
}

// sched9Leaves changes gp's state from running to another as casgstatus does, which counts such changes and measures one stay in
// eight. The caller owns the transition.
//
//go:nosplit
func sched9Leaves(gp *g, to uint32) {
	if uint32(gp.trackingSeq)%gTrackingPeriod == 0 || !sched9Moves(gp, _Grunning, to) {
		casgstatus(gp, _Grunning, to)
		return
	}
	gp.trackingSeq++
}

// sched9Moves changes gp's state along an edge, if nobody wants to know of it: a recorder, a measurement, a bubble. Otherwise it
// changes nothing, and casgstatus does. An image that serves names wants to know of each, for the times of goroutines.
//
//go:nosplit
func sched9Moves(gp *g, from, to uint32) bool {
	return sched9NamesOfG == 0 && uintptr(unsafe.Pointer(gp.bubble))|uintptr(sched9Byte(unsafe.Pointer(&gp.tracking))|sched9Byte(unsafe.Pointer(&sched9Recording))|
		sched9Byte(unsafe.Pointer(&casgstatusAlwaysTrack))) == 0 && gp.atomicstatus.CompareAndSwap(from, to)
}

// sched9YieldShort is sched9Gosched, or it returns.
func sched9YieldShort(gp *g, preempted bool) {
	mp := getg().m
	pp := mp.p.ptr()
	if sched9Unusual(mp, pp) != 0 {
		return
	}
	nm, np, ng := mp.nsched, pp.nsched, &gp.nsched
	nm.Rec.Leaving(preempted)
	sched9Leaves(gp, _Grunnable)
	dropg()
	lock(&sched.lock)
	next := sched9.Swap(nm, np, ng)
	unlock(&sched.lock)
	next, inherit := sched9.Swapped(nm, np, ng, next, mainStarted)
	if next != nil {
		sched9Run(mp, pp, next, inherit)
	}
	schedule()
}

// sched9ScheduleShort is sched9Schedule, or it returns.
func sched9ScheduleShort() {
	mp := getg().m
	pp := mp.p.ptr()
	if pp == nil || sched9Unusual(mp, pp) != 0 {
		return
	}
	if next, inherit := sched9.Take(mp.nsched, pp.nsched); next != nil {
		sched9Run(mp, pp, next, inherit)
	}
}

// sched9Run runs ng, which mp has taken from a queue of pp, its P: Sched.Dispatch, sched9Runtime.Execute and execute, if nothing is
// to be asked in those. It does not return. mp has a P, so that write barriers are allowed, as in execute.
//
//go:yeswritebarrierrec
func sched9Run(mp *m, pp *p, ng *nsched.G, inherit bool) {
	gp := sched9ToG(ng)
	ask := uintptr(gp.lockedm) | uintptr(unsafe.Pointer(pp.nextGCMarkWorker)) | uintptr(sched9Byte(unsafe.Pointer(&sched.disable.user)))
	ask |= uintptr(sched9HaltAsked(gp))
	if sys.DITSupported {
		ask |= uintptr(sched9Byte(unsafe.Pointer(&gp.ditWanted)) ^ sched9Byte(unsafe.Pointer(&mp.ditEnabled)))
	}
	if ask != 0 {
		sched9.Dispatch(mp.nsched, ng, inherit)
	}
	now := int64(0)
	if !inherit {
		now = narch.Nanotime()
		pp.schedtick++
	}
	sched9.Begin(mp.nsched, ng, inherit, now)
	pp.preempt = false
	mp.curg = gp
	gp.m = mp
	gp.syncSafePoint = false
	if !sched9Moves(gp, _Grunnable, _Grunning) {
		casgstatus(gp, _Grunnable, _Grunning)
	}
	gp.waitsince = 0
	gp.preempt = false
	gp.stackguard0 = gp.stack.lo + stackGuard
	if hz := sched.profilehz; mp.profilehz != hz {
		setThreadCPUProfiler(hz)
	}
	gogo(&gp.sched)
}

// sched9ReadyShort is goready, whose caller may be on any stack, or it reports false.
func sched9ReadyShort(gp *g) bool {
	mp := acquirem()
	pp := mp.p.ptr()
	if pp == nil || sched9.Unusual(mp.nsched)|sched9Byte(unsafe.Pointer(&trace.enabled)) != 0 {
		releasem(mp)
		return false
	}
	if !sched9Moves(gp, _Gwaiting, _Grunnable) {
		// The recorder walks a stack that it does not run on (sched9Stack).
		systemstack(func() { casgstatus(gp, _Gwaiting, _Grunnable) })
	}
	if sched9.Submit(mp.nsched, pp.nsched, &gp.nsched, true) {
		systemstack(func() { sched9.Summon(mp.nsched) })
	}
	releasem(mp)
	return true
}

// sched9ParkShort is park_m, or it returns. The goroutine is in no bubble, and no trace is written.
func sched9ParkShort(gp *g) {
	if uintptr(unsafe.Pointer(gp.bubble))|uintptr(sched9Byte(unsafe.Pointer(&trace.enabled))) != 0 {
		return
	}
	gp.waitsince = int64(sched9Clock())
	sched9Leaves(gp, _Gwaiting)
	dropg()
	mp := getg().m
	if fn := mp.waitunlockf; fn != nil {
		ok := fn(gp, mp.waitlock)
		mp.waitunlockf = nil
		mp.waitlock = nil
		if !ok {
			casgstatus(gp, _Gwaiting, _Grunnable)
			execute(gp, true)
		}
	}
	schedule()
}

// sched9PutNew makes newg run soon, which was just made on pp, the caller's P, as runqput and wakep do; or it reports false, and has
// done nothing. Scheduler stack.
func sched9PutNew(pp *p, newg *g) bool {
	mp := getg().m
	if sched9.Unusual(mp.nsched) != 0 || !mainStarted {
		return false
	}
	if sched9.Submit(mp.nsched, pp.nsched, &newg.nsched, true) {
		sched9.Summon(mp.nsched)
	}
	return true
}

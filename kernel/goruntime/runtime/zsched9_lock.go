//go:build sched9

package runtime

import (
	"internal/abi"
	"internal/goarch"
	nkernel "sched9/kernel"
	nrecord "sched9/record"
	"unsafe"
)

// Goroutines that are tied to their Ms (sched/locked.go). The stock functions count
// and tie; the counts are an M's own [M12]. As an M may be lent while its goroutine
// waits, the counts are kept for the goroutine whenever it does not run.

// sched9Counts returns where the two counts, lockedExt and lockedInt, are kept: at the top of gp's stack, where
// newproc1 leaves four words for code that reads beyond its frame, and none writes. Like all that is on a stack
// they move with it. A field for them in each g, though few are ever tied, would be a size class more.
func sched9Counts(gp *g) *[2]uint32 {
	if gp.stack.hi-gp.stktopsp < 4*goarch.PtrSize {
		throw("sched9: M12: there is no room above a goroutine's first frame")
	}
	return (*[2]uint32)(unsafe.Pointer(gp.stack.hi - unsafe.Sizeof([2]uint32{})))
}

// sched9Suspend puts the counts of the goroutine that mp is locked to into the
// goroutine, which leaves the CPU.
func sched9Suspend(mp *m) {
	gp := mp.lockedg.ptr()
	if gp.lockedm.ptr() != mp {
		throw("sched9: M6: lockedg and lockedm are no pair")
	}
	*sched9Counts(gp) = [2]uint32{mp.lockedExt, mp.lockedInt}
	mp.lockedExt, mp.lockedInt = 0, 0
	mp.lockedg = 0
}

// sched9Relock gives mp, which is about to run gp, gp's counts back.
func sched9Relock(mp *m, gp *g) {
	if gp.lockedm.ptr() != mp {
		throw("sched9: M6: a locked goroutine runs on another M")
	}
	if mp.lockedg != 0 {
		throw("sched9: M6: an M is locked to two goroutines")
	}
	counts := sched9Counts(gp)
	mp.lockedExt, mp.lockedInt = counts[0], counts[1]
	mp.lockedg.set(gp)
}

// sched9OwnThread ties gp, which runs for the first time, to mp, as LockOSThread would:
// the policy is a thread for each goroutine. The runtime's own are not threads.
func sched9OwnThread(mp *m, gp *g) {
	if isSystemGoroutine(gp, false) || gp.goid == 1 && !mainStarted {
		return
	}
	mp.lockedExt = 1
	mp.nsched.LockedGs++
	mp.lockedg.set(gp)
	gp.lockedm.set(mp)
	mp.nsched.Rec.Record(nrecord.EvLock, gp.goid, 1, 0)
}

// sched9Lock begins dolockOSThread: the running goroutine was tied to its M, perhaps
// once more.
//
//go:nosplit
func sched9Lock() {
	mp := getg().m
	n := mp.lockedExt + mp.lockedInt
	if n == 1 {
		mp.nsched.LockedGs++
	}
	sched9Locks(nrecord.EvLock, n)
}

// sched9Unlock begins dounlockOSThread: it is tied once less.
//
//go:nosplit
func sched9Unlock() {
	mp := getg().m
	n := mp.lockedExt + mp.lockedInt
	if n == 0 {
		mp.nsched.LockedGs--
	}
	sched9Locks(nrecord.EvUnlock, n)
}

// sched9Locks records how many times the running goroutine is tied now.
//
//go:nosplit
func sched9Locks(e nrecord.Event, n uint32) {
	if nrecord.Recording && sched9Recording {
		gp := getg()
		gp.m.nsched.Rec.Record(e, gp.goid, uint64(n), 0)
	}
}

// sched9MExit is mexit: the goroutine that the M was locked to has ended. The program may have
// changed the processor's state, so the processor is reset and begins again as another M of the
// runtime's [M11]. On g0, with a P.
//
// If other goroutines are tied to the M as well, because there were too few Ms, it goes on
// unchanged for them.
func sched9MExit() {
	mp := getg().m
	if mp.nsched.LockedGs <= 0 {
		throw("sched9: M11: an M ends, and no goroutine was tied to it")
	}
	for {
		mp.lockedExt = 0
		if mp.nsched.LockedGs--; mp.nsched.LockedGs == 0 {
			break
		}
		mp.mstartfn = sched9Schedule
		mstart1() // notes that g0's stack begins here; we come back when the next one ends
	}
	lock(&sched.lock)
	sched.nmfreed++ // first, so that the fuse sees no more Ms than there are
	mp.id = mReserveID()
	unlock(&sched.lock)
	mp.mstartfn = sched9MRestart
	id := int(mp.nsched.ID)
	sched9.ExitM(mp.nsched)
	nkernel.RestartCPU(id, uintptr(unsafe.Pointer(&mp.tls))+sched9TLSOffset, uintptr(unsafe.Pointer(mp.g0)), abi.FuncPCABI0(mstart), mp.g0.stack.hi)
}

// sched9MRestart is where it begins.
func sched9MRestart() { sched9.Restart(getg().m.nsched) }

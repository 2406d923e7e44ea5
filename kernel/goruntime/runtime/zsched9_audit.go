//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	"internal/strconv"
	nkernel "sched9/kernel"
	nrecord "sched9/record"
)

// The audit: sched.Audit over the stopped world, and over all goroutines. It is
// asked for by the kernel's option audit=MS or by GODEBUG=schedaudit=MS, and then
// comes about every MS milliseconds of a machine that is not idle, and when the
// program ends.

var sched9Audits struct {
	every int64 // in nanoseconds, 0: no audits
	last  atomic.Int64

	// g is the goroutine that audits, parked if idle. Like the one that forces collections it is
	// the runtime's own and does not count against a deadlock. It releases lock only after it has
	// left its M, and its waker holds lock: otherwise it could run on another M before it has left
	// this one.
	lock mutex
	g    *g
	idle atomic.Uint32 // guarded by lock; read without it as a hint

	// Guarded by worldsema, which a stop of the world holds.
	epoch uint32
	done  uint64
}

// sched9StartAudits begins gcenable: the first goroutine, before main.
func sched9StartAudits() {
	ms := int64(nkernel.Option("audit"))
	if n, err := strconv.Atoi(nkernel.Debug("schedaudit")); err == nil {
		ms = int64(n)
	}
	if ms > 0 {
		sched9Audits.every = ms * 1e6
		go sched9Auditor()
	}
}

// sched9AuditAt returns when the next audit is due, on a machine that is not idle; 0:
// never. Any context.
func sched9AuditAt() int64 {
	a := &sched9Audits
	if a.every == 0 || a.idle.Load() == 0 || sched.npidle.Load() == gomaxprocs {
		return 0
	}
	return a.last.Load() + a.every
}

// sched9Auditor is the goroutine that makes audits.
func sched9Auditor() {
	a := &sched9Audits
	a.g = getg()
	for {
		lock(&a.lock)
		a.idle.Store(1)
		goparkunlock(&a.lock, waitReasonForceGCIdle, traceBlockSystemGoroutine, 1)
		sched9Audit()
	}
}

// sched9AuditDue readies the auditor if it is time. From Periodic.
func sched9AuditDue(now int64) {
	a := &sched9Audits
	if a.every == 0 || now-a.last.Load() < a.every || a.idle.Load() == 0 {
		return
	}
	lock(&a.lock)
	if a.idle.CompareAndSwap(1, 0) {
		a.last.Store(now)
		var list gList
		list.push(a.g)
		injectglist(&list)
	}
	unlock(&a.lock)
}

// sched9AuditEnd makes the last audit, as the program ends. On a goroutine.
func sched9AuditEnd() {
	if sched9Audits.every > 0 && panicking.Load() == 0 {
		sched9Audit()
	}
}

// sched9Audit stops the world and looks at everything. On a goroutine.
func sched9Audit() {
	stop := sched9HoldWorld()
	systemstack(sched9AuditStopped)
	sched9FreeWorld(stop)
}

// sched9AuditStopped is the audit itself: world stopped, scheduler stack.
func sched9AuditStopped() {
	mp := getg().m
	sched9Audits.epoch++
	epoch := sched9Audits.epoch
	lock(&sched.lock)
	sched9.Audit(mp.nsched, epoch)
	for i := range uint32(gomaxprocs) {
		if idlepMask.read(i) {
			throw("sched9: audit: P6: in a stopped world a P's bit says that it is idle")
		}
	}
	var tied [nrecord.MaxProcs]int32
	forEachGRace(func(gp *g) {
		if m := gp.lockedm.ptr(); m != nil {
			tied[m.nsched.ID]++
		}
		queued := false
		switch readgstatus(gp) &^ _Gscan {
		case _Gwaiting:
			// [G4]: it has left its M, and has a wait reason. A goroutine that only counts as
			// waiting has a P, and the world does not stop before it goes on.
			if gp.waitreason == waitReasonZero || gp.m != nil {
				throw("sched9: audit: G4: a G waits without a reason, or on an M")
			}
		case _Gsyscall:
			if gp.m == nil || gp.m.curg != gp {
				throw("sched9: audit: G2: a G in a system call is not its M's")
			}
			if gp.m.p != 0 {
				throw("sched9: audit: M4: in a stopped world an M in a system call has a P")
			}
		case _Grunnable:
			if mp := gp.m; mp != nil && mp.p == 0 {
				return // back from a system call, and about to be put on a queue
			}
			if mp := gp.lockedm.ptr(); mp != nil && mp.p == 0 && sched9Foreigns[mp.nsched.ID].mp == mp {
				return // foreign code calls back, and waits for the lock (sched9NeedM)
			}
			if queued = true; sched.disable.user && !schedEnabled(gp) {
				return // it may be withheld
			}
		case _Grunning:
			if gp.m == nil || gp.m.curg != gp {
				throw("sched9: audit: G2: a G that runs is not its M's")
			}
			if gp != mp.curg && gp.m.p != 0 { // else it comes back from a system call
				throw("sched9: audit: P4: a G runs in a stopped world")
			}
		}
		sched9.AuditG(sched9G(gp), queued, epoch)
	})
	for i, n := range tied {
		if sched9.M(int32(i)).LockedGs != n {
			throw("sched9: audit: M12: an M does not count the Gs that are tied to it")
		}
	}
	unlock(&sched.lock)
	sched9Audits.done++
}

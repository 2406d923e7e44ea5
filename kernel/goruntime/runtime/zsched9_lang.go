//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	nkernel "sched9/kernel"
	nsched "sched9/sched"
	stdatomic "sync/atomic"
	"unsafe"
)

// This file is sched's Language over the stock runtime. Its conventions are
// sched.Language's: scheduler stack (g0), with a P unless a method says
// otherwise, so without write barriers where there is none. A method without a
// comment of its own does what sched.Language says, by what stock code does in
// that place.
//
// One field each in g, m and p ties the two worlds together; the overlay adds
// them: g.nsched is the sched.G itself, m.nsched and p.nsched point to the
// sched.M and sched.P, whose Lang points back.

// sched9 is the scheduler.
var sched9 nsched.Sched

type sched9Lang struct{}

// sched9G and the three below go from the runtime's world to ours and back.
func sched9G(gp *g) *nsched.G { return &gp.nsched }

func sched9ToG(ng *nsched.G) *g {
	if ng == nil {
		return nil
	}
	return (*g)(unsafe.Pointer(uintptr(unsafe.Pointer(ng)) - unsafe.Offsetof(g{}.nsched)))
}

func sched9ToM(nm *nsched.M) *m { return (*m)(unsafe.Pointer(nm.Lang)) }

func sched9ToP(np *nsched.P) *p { return (*p)(unsafe.Pointer(np.Lang)) }

// sched9Init makes the scheduler ready. First thing of schedinit: m0, its g0,
// world stopped, no P yet, collector off.
func sched9Init() {
	sched9.Init(nkernel.Machine{}, sched9Lang{},
		(*stdatomic.Int32)(unsafe.Pointer(&sched.nmspinning)),
		(*stdatomic.Int32)(unsafe.Pointer(&sched.npidle)))
	sched9.M(0).Lang = uintptr(unsafe.Pointer(&m0))
	m0.nsched = sched9.M(0)
	sched9Recording = m0.nsched.Rec.On()
	nkernel.Describe(sched9About())
}

// sched9Procs begins procresize: it tells the scheduler the new number of Ps
// and returns it, at most one for each processor (SPEC.md, table of
// disagreements). World stopped, sched.lock held.
func sched9Procs(n int32) int32 {
	if c := int32(nkernel.NumCPU()); n > c {
		n = c
	}
	mp := getg().m
	if pp := mp.p.ptr(); pp != nil && pp.id >= n {
		// procresize takes this P from us by hand.
		sched9.Disown(mp.nsched, pp.nsched)
	}
	mp.nsched.Rec.Record(nsched.EvProcs, 0, uint64(n), 0)
	sched9.SetProcs(n)
	return n
}

// sched9InitP begins p.init.
func sched9InitP(pp *p, id int32) {
	pp.nsched = sched9.P(id)
	pp.nsched.Lang = uintptr(unsafe.Pointer(pp))
}

func (sched9Lang) Lock()   { lock(&sched.lock) }
func (sched9Lang) Unlock() { unlock(&sched.lock) }

func (sched9Lang) Stopping() bool { return sched.gcwaiting.Load() }

func (sched9Lang) StopP(np *nsched.P) {
	pp := sched9ToP(np)
	pp.status = _Pgcstop
	pp.gcStopTime = nanotime()
	sched.stopwait--
	if sched.stopwait == 0 {
		notewakeup(&sched.stopnote)
	}
}

// Acquire and Release go through the stock wirep and releasepNoTrace, which
// call Own and Disown: the runtime wires Ps in other places too.
func (sched9Lang) Acquire(m *nsched.M, np *nsched.P) { acquirep(sched9ToP(np)) }
func (sched9Lang) Release(m *nsched.M, np *nsched.P) { releasep() }

// Idle and Busy keep the stock list of idle Ps as well, because forEachP walks
// it: the scheduler's list is last in, first out like that one.
func (sched9Lang) Idle(np *nsched.P, now int64) {
	pp := sched9ToP(np)
	if now == 0 {
		now = nanotime()
	}
	if pp.timers.len.Load() == 0 {
		timerpMask.clear(pp.id)
	}
	sched9FreeWorker(pp)
	idlepMask.set(pp.id)
	pp.link = sched.pidle
	sched.pidle.set(pp)
	if !pp.limiterEvent.start(limiterEventIdle, now) {
		throw("sched9: an idle P has another limiter event")
	}
}

// sched9FreeWorker gives back the mark worker that pp was given when the world was
// restarted, and for which no M was found. Left on an idle P it would be nobody's:
// other Ps see that the collector needs no more workers, and it waits for this
// one for ever. The node is never freed, so it is stored without a write
// barrier, which is not allowed here: the M may have no P.
func sched9FreeWorker(pp *p) {
	node := pp.nextGCMarkWorker
	if node == nil {
		return
	}
	gcController.markWorkerStop(pp.gcMarkWorkerMode, 0)
	gcBgMarkWorkerPool.push(&node.node)
	*(*uintptr)(unsafe.Pointer(&pp.nextGCMarkWorker)) = 0
}

func (sched9Lang) Busy(np *nsched.P, now int64) {
	pp := sched9ToP(np)
	if now == 0 {
		now = nanotime()
	}
	if pp.nextGCMarkWorker != nil {
		throw("sched9: P2: an idle P has a mark worker")
	}
	timerpMask.set(pp.id)
	idlepMask.clear(pp.id)
	if sched.pidle.ptr() != pp {
		throw("sched9: P2: the two lists of idle Ps differ")
	}
	sched.pidle = pp.link
	pp.limiterEvent.stop(limiterEventIdle, now)
}

func (sched9Lang) ParkedMs(n int32) { sched.nmidle = n }

func (sched9Lang) SafePoint(np *nsched.P) {
	pp := sched9ToP(np)
	pp.preempt = false
	if pp.runSafePointFn != 0 {
		runSafePointFn()
	}
}

func (sched9Lang) SafePointPending(np *nsched.P) bool { return sched9ToP(np).runSafePointFn != 0 }

func (sched9Lang) RunTimers(np *nsched.P, now int64) (t, next int64, ran bool) {
	return sched9ToP(np).timers.check(now, nil)
}

func (sched9Lang) NextTimer(np *nsched.P) int64 {
	pp := sched9ToP(np)
	if pp == nil {
		return 0
	}
	return pp.timers.wakeTime()
}

func (sched9Lang) Worker(np *nsched.P, now int64) *nsched.G {
	if traceEnabled() || traceShuttingDown() {
		if gp := traceReader(); gp != nil {
			sched9Unpark(gp)
			return sched9G(gp)
		}
	}
	if gcBlackenEnabled != 0 {
		if now == 0 {
			now = nanotime()
		}
		if gp, _ := gcController.findRunnableGCWorker(sched9ToP(np), now); gp != nil {
			return sched9G(gp)
		}
	}
	return nil
}

func (sched9Lang) IdleWorker(np *nsched.P) *nsched.G {
	pp := sched9ToP(np)
	if gcBlackenEnabled == 0 || !gcShouldScheduleWorker(pp) || !gcController.addIdleMarkWorker() {
		return nil
	}
	node := (*gcBgMarkWorkerNode)(gcBgMarkWorkerPool.pop())
	if node == nil {
		gcController.removeIdleMarkWorker()
		return nil
	}
	pp.gcMarkWorkerMode = gcMarkWorkerIdleMode
	gp := node.gp.ptr()
	sched9Unpark(gp)
	return sched9G(gp)
}

func (sched9Lang) IdleWorkerWanted() bool {
	return atomic.Load(&gcBlackenEnabled) != 0 && gcController.needIdleMarkWorker() && gcShouldScheduleWorker(nil)
}

// sched9Unpark makes a G of the runtime's own runnable for the caller to run.
func sched9Unpark(gp *g) {
	trace := traceAcquire()
	casgstatus(gp, _Gwaiting, _Grunnable)
	if trace.ok() {
		trace.GoUnpark(gp, 0)
		traceRelease(trace)
	}
}

func (sched9Lang) Background() {
	if fingStatus.Load()&(fingWait|fingWake) == fingWait|fingWake {
		if gp := wakefing(); gp != nil {
			ready(gp, 0, true)
		}
	}
	if gcCleanups.needsWake() {
		gcCleanups.wake()
	}
}

// Periodic does what sysmon does by the clock (S5, S6).
func (sched9Lang) Periodic() {
	now := nanotime()
	if scavenger.sysmonWake.Load() != 0 {
		scavenger.wake()
	}
	if t := (gcTrigger{kind: gcTriggerTime, now: now}); t.test() && forcegc.idle.Load() {
		lock(&forcegc.lock)
		forcegc.idle.Store(false)
		var list gList
		list.push(forcegc.g)
		injectglist(&list)
		unlock(&forcegc.lock)
	}
	sched9AuditDue(now)
	if every := int64(debug.schedtrace) * 1e6; every > 0 {
		last := sched9LastTrace.Load()
		if (last == 0 || now-last >= every) && sched9LastTrace.CompareAndSwap(last, now) {
			schedtrace(debug.scheddetail > 0)
		}
	}
}

var sched9LastTrace atomic.Int64

func (sched9Lang) Withhold(ng *nsched.G) bool {
	gp := sched9ToG(ng)
	if !sched.disable.user || schedEnabled(gp) {
		return false
	}
	lock(&sched.lock)
	if schedEnabled(gp) {
		unlock(&sched.lock)
		return false
	}
	sched.disable.runnable.pushBack(gp)
	unlock(&sched.lock)
	return true
}

func (sched9Lang) Execute(m *nsched.M, ng *nsched.G, inherit bool) {
	// A P that was given a mark worker and runs something else gives it up.
	gcController.releaseNextGCMarkWorker(getg().m.p.ptr())
	nkernel.TickOn()
	execute(sched9ToG(ng), inherit)
}

func (sched9Lang) CheckDead() { checkdead() }

func (sched9Lang) Runnable(ng *nsched.G) bool {
	return readgstatus(sched9ToG(ng))&^_Gscan == _Grunnable
}

func (sched9Lang) Throw(rule string) {
	systemstack(func() {
		print("sched9: broken rule ", rule, "\n")
	})
	throw("scheduler invariant broken")
}

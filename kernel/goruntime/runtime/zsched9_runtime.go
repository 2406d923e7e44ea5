//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	"internal/strconv"
	nkernel "sched9/kernel"
	nrecord "sched9/record"
	nsched "sched9/sched"
	natomic "sched9/sched/atomic"
	"unsafe"
)

// This file implements sched.Runtime over the stock runtime. Its conventions are sched.Runtime's:
// scheduler stack (g0), with a P unless a method says otherwise, so without write barriers where
// there is none. A method without a comment of its own does what sched.Runtime says, as stock code
// does in that place.
//
// One field each in g, m and p ties the two worlds together; the overlay adds them: g.nsched is the
// sched.G itself, m.nsched and p.nsched point to the sched.M and sched.P, whose Lang points back.
//
// Functions that may run on an M without a P are marked nowritebarrierrec: the compiler proves that
// they, and the functions they call directly, store no pointer with a write barrier.

// sched9 is the scheduler.
var sched9 nsched.Sched

// sched9Runtime is sched's Runtime. Package sched calls its methods directly (sched/bind.go).
type sched9Runtime struct{}

var _ nsched.Runtime = sched9Runtime{}

// sched9G and the three below go from the runtime's world to ours and back.
func sched9G(gp *g) *nsched.G { return &gp.nsched }

// With our part a g is in the size class of the allocator that it is in without: a parked goroutine takes no
// more memory than on Linux. Classes of such sizes are 32 bytes apart. What an image that serves names has beside does not count.
const _ = (unsafe.Sizeof(g{})-sched9NamesOfG-unsafe.Sizeof(nsched.G{})+nsched.HomeOfG+31)/32 - (unsafe.Sizeof(g{})-sched9NamesOfG+31)/32

// sched9ToG, sched9ToM and sched9ToP return the runtime's own for a G, an M and a P of the scheduler.
func sched9ToG(ng *nsched.G) *g {
	if ng == nil {
		return nil
	}
	return (*g)(unsafe.Pointer(uintptr(unsafe.Pointer(ng)) - unsafe.Offsetof(g{}.nsched)))
}

// sched9ToM: see sched9ToG.
func sched9ToM(nm *nsched.M) *m { return (*m)(unsafe.Pointer(nm.RuntimeM)) }

// sched9ToP: see sched9ToG.
func sched9ToP(np *nsched.P) *p { return (*p)(unsafe.Pointer(np.RuntimeP)) }

// sched9Init makes the scheduler ready. First thing of schedinit: m0, its g0,
// world stopped, no P yet, collector off.
func sched9Init() {
	foreign, _ := strconv.Atoi(nkernel.Debug("schedforeign")) // 0 if it is not set
	sched9.Init(nsched.Config{
		Spinning: (*natomic.Int32)(unsafe.Pointer(&sched.nmspinning)),
		Idle:     (*natomic.Int32)(unsafe.Pointer(&sched.npidle)),
		Slice:    nkernel.Slice(),
		Policy:   sched9Policy(),
		Foreign:  int32(foreign),
	})
	sched9.M(0).RuntimeM = uintptr(unsafe.Pointer(&m0))
	m0.nsched = sched9.M(0)
	sched9Recording = m0.nsched.Rec.On()
	sched9QuickEdges(sched9Recording)
	nkernel.Describe(sched9About())
}

// sched9Procs begins procresize: it tells the scheduler the new number of Ps and returns it, at most
// one for each processor (SPEC.md, table of disagreements). World stopped, sched.lock held.
//
// Every start of the world comes here, mostly with the current number. Then the number stays, even if
// a processor has been given to foreign code since: the collector may be running, and relies on each
// P that it began with. Until the next change there may be one P more than there are Ms; it is idle,
// or used by a foreign processor's callback.
func sched9Procs(n int32) int32 {
	if c := sched9.MaxMs(); n > c && n != gomaxprocs {
		n = c
	}
	mp := getg().m
	if pp := mp.p.ptr(); pp != nil && pp.id >= n {
		// procresize takes this P from us by hand.
		sched9.UnwireP(mp.nsched, pp.nsched)
	}
	mp.nsched.Rec.Record(nrecord.EvProcs, 0, uint64(n), 0)
	sched9.SetProcs(n)
	return n
}

// sched9Policy reads GODEBUG's schedpolicy. It is asked for before the environment is
// the runtime's, so it looks where the kernel keeps it.
func sched9Policy() *nsched.Policy {
	name := nkernel.Debug("schedpolicy")
	if name == "" {
		return nil
	}
	p := nsched.PolicyNamed(name)
	if p == nil {
		why := [2*len(nsched.Policies) + 3]string{"GODEBUG: schedpolicy is one of"}
		for i, p := range nsched.Policies {
			why[2*i+1], why[2*i+2] = " ", p.Name
		}
		why[len(why)-2], why[len(why)-1] = ", and not ", name
		nkernel.Fatal(why[:]...)
	}
	return p
}

// sched9InitP begins p.init.
func sched9InitP(pp *p, id int32) {
	pp.nsched = sched9.P(id)
	pp.nsched.RuntimeP = uintptr(unsafe.Pointer(pp))
}

//go:nowritebarrierrec
func (sched9Runtime) Lock() { lock(&sched.lock) }

//go:nowritebarrierrec
func (sched9Runtime) Unlock() { unlock(&sched.lock) }

//go:nowritebarrierrec
func (sched9Runtime) Stopping() bool { return sched.gcwaiting.Load() }

//go:nowritebarrierrec
func (sched9Runtime) Quiet(np *nsched.P) (quiet bool, timer int64) {
	pp := sched9ToP(np)
	return !sched.gcwaiting.Load() && atomic.Load(&pp.runSafePointFn) == 0 && gcBlackenEnabled == 0 &&
		!traceEnabled() && !traceShuttingDown() &&
		fingStatus.Load()&(fingWait|fingWake) != fingWait|fingWake && !gcCleanups.needsWake(), pp.timers.wakeTime()
}

//go:nowritebarrierrec
func (sched9Runtime) WantStop() { sched.gcwaiting.Store(true) }

//go:nowritebarrierrec
func (sched9Runtime) StopP(np *nsched.P) {
	pp := sched9ToP(np)
	pp.status = _Pgcstop
	pp.gcStopTime = nanotime()
}

//go:nowritebarrierrec
func (sched9Runtime) Preempt(m *nsched.M) {
	if mp := sched9ToM(m); mp != nil && mp.p != 0 {
		preemptone(mp.p.ptr())
	}
}

// AcquireP and ReleaseP go through the stock wirep and releasepNoTrace, which
// call WireP and UnwireP: the runtime wires Ps in other places too.
//
//go:nowritebarrierrec
func (sched9Runtime) AcquireP(m *nsched.M, np *nsched.P) { acquirep(sched9ToP(np)) }

//go:nowritebarrierrec
func (sched9Runtime) ReleaseP(m *nsched.M, np *nsched.P) { releasep() }

//go:nowritebarrierrec
func (sched9Runtime) Idle(np *nsched.P, now int64) {
	pp := sched9ToP(np)
	if now == 0 {
		now = nanotime()
	}
	if pp.timers.len.Load() == 0 {
		timerpMask.clear(pp.id)
	}
	sched9FreeWorker(pp)
	idlepMask.set(pp.id)
	if !pp.limiterEvent.start(limiterEventIdle, now) {
		throw("sched9: an idle P has another limiter event")
	}
}

// sched9FreeWorker returns the mark worker that pp was given when the world was restarted, and for
// which no M was found. On an idle P the worker would be lost: other Ps see that the collector
// needs no more workers, and it waits for this one for ever. The node is never freed, so it is
// stored without a write barrier, which is not allowed here: the M may have no P.
func sched9FreeWorker(pp *p) {
	node := pp.nextGCMarkWorker
	if node == nil {
		return
	}
	gcController.markWorkerStop(pp.gcMarkWorkerMode, 0)
	gcBgMarkWorkerPool.push(&node.node)
	*(*uintptr)(unsafe.Pointer(&pp.nextGCMarkWorker)) = 0
}

//go:nowritebarrierrec
func (sched9Runtime) Busy(np *nsched.P, now int64) {
	pp := sched9ToP(np)
	if now == 0 {
		now = nanotime()
	}
	if pp.nextGCMarkWorker != nil {
		throw("sched9: P2: an idle P has a mark worker")
	}
	timerpMask.set(pp.id)
	idlepMask.clear(pp.id)
	pp.limiterEvent.stop(limiterEventIdle, now)
}

//go:nowritebarrierrec
func (sched9Runtime) MsAsleep(n int32) { sched.nmidle = n }

func (sched9Runtime) MarkSafePoints() {
	own := getg().m.p.ptr()
	for _, pp := range allp {
		if pp != own {
			atomic.Store(&pp.runSafePointFn, 1)
		}
	}
}

//go:nowritebarrierrec
func (sched9Runtime) SafePointPending(np *nsched.P) bool {
	return atomic.Load(&sched9ToP(np).runSafePointFn) != 0
}

//go:nowritebarrierrec
func (sched9Runtime) SafePoint(np *nsched.P) bool {
	pp := sched9ToP(np)
	if !atomic.Cas(&pp.runSafePointFn, 1, 0) {
		return false
	}
	sched.safePointFn(pp)
	return true
}

func (sched9Runtime) RunTimers(np *nsched.P, now int64) (t int64, ran bool) {
	t, _, ran = sched9ToP(np).timers.check(now, nil)
	return t, ran
}

//go:nowritebarrierrec
func (sched9Runtime) NextTimer(np *nsched.P) int64 {
	pp := sched9ToP(np)
	if pp == nil {
		return 0
	}
	return pp.timers.wakeTime()
}

func (sched9Runtime) Worker(np *nsched.P, now int64) *nsched.G {
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

func (sched9Runtime) IdleWorker(np *nsched.P) *nsched.G {
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

//go:nowritebarrierrec
func (sched9Runtime) IdleWorkerWanted() bool {
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

func (sched9Runtime) Background() {
	if fingStatus.Load()&(fingWait|fingWake) == fingWait|fingWake {
		if gp := wakefing(); gp != nil {
			ready(gp, 0, true)
		}
	}
	if gcCleanups.needsWake() {
		gcCleanups.wake()
	}
	sched9WatchDue()
}

// Periodic does what sysmon does by the clock [S5, S6].
func (sched9Runtime) Periodic() {
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

// PeriodicAt is the time of the earliest of Periodic's tasks.
//
//go:nowritebarrierrec
func (sched9Runtime) PeriodicAt() int64 {
	if scavenger.sysmonWake.Load() != 0 && scavenger.parked { // else it waits for its turn already
		return 1
	}
	at := sched9AuditAt()
	soonest := func(t int64) {
		if at == 0 || t < at {
			at = t
		}
	}
	if last := int64(atomic.Load64(&memstats.last_gc_nanotime)); last != 0 && forcegc.idle.Load() && gcphase == _GCoff && gcController.gcPercent.Load() >= 0 {
		soonest(last + forcegcperiod + 1)
	}
	if debug.schedtrace > 0 {
		soonest(sched9LastTrace.Load() + int64(debug.schedtrace)*1e6)
	}
	return at
}

var sched9LastTrace atomic.Int64

//go:nowritebarrierrec
func (sched9Runtime) PollReady() bool { return sched9PollReady() }

func (sched9Runtime) Poll(m *nsched.M) int {
	list, delta := netpoll(0)
	n := 0
	for !list.empty() {
		gp := list.pop()
		sched9Unpark(gp)
		sched9.RunqPut(m, sched9G(gp), false)
		n++
	}
	netpollAdjustWaiters(delta)
	return n
}

func (sched9Runtime) Claim(ng *nsched.G) (to *nsched.M, withheld bool) {
	gp := sched9ToG(ng)
	if gp.lockedm == 0 && !sched.disable.user {
		return nil, false // nearly always
	}
	return sched9Claim(gp)
}

// sched9Claim is Claim of a G that is tied to an M, or while the program's Gs may not run.
func sched9Claim(gp *g) (to *nsched.M, withheld bool) {
	if sched.disable.user && !schedEnabled(gp) {
		lock(&sched.lock)
		if !schedEnabled(gp) {
			sched.disable.runnable.pushBack(gp)
			unlock(&sched.lock)
			return nil, true
		}
		unlock(&sched.lock)
	}
	if mp := gp.lockedm.ptr(); mp != nil {
		to = mp.nsched
	}
	return to, false
}

func (sched9Runtime) Execute(m *nsched.M, ng *nsched.G, inherit bool) {
	gp := sched9ToG(ng)
	mp := getg().m
	pp := mp.p.ptr()
	// A P that was given a mark worker and runs something else gives it up.
	if pp.nextGCMarkWorker != nil {
		gcController.releaseNextGCMarkWorker(pp)
	}
	pp.preempt = false
	if gp.lockedm != 0 {
		sched9Relock(mp, gp)
	} else if sched9.Policy().Threads {
		sched9OwnThread(mp, gp)
	}
	sched9HaltHere(gp)
	sched9HuntSwitched(gp)
	execute(gp, inherit)
}

//go:nowritebarrierrec
func (sched9Runtime) CheckDead() {
	if !netpollAnyWaiters() { // a device may still wake a goroutine
		checkdead()
	}
}

// sched9Scavenged returns how many nanoseconds count as the scavenger's work of that many. It stops after a millisecond of work, so what is much longer is the
// host's, which did not run this processor. It sleeps for a hundred times as long, or a thousand times; while it does its timer is one that may
// wake somebody, and no deadlock is reported.
func sched9Scavenged(worked float64) float64 {
	const most = 2 * minScavWorkTime
	return min(worked, most)
}

func (sched9Runtime) Runnable(ng *nsched.G) bool {
	return readgstatus(sched9ToG(ng))&^_Gscan == _Grunnable
}

func (sched9Runtime) Throw(rule string) {
	systemstack(func() {
		print("sched9: broken rule ", rule, "\n")
	})
	throw("scheduler invariant broken")
}

//go:build sched9

package runtime

import nrecord "sched9/record"

// Stopping the world, restarting it, and visiting every P: the runtime's part of it. The
// scheduler's part is in sched/stop.go.

// sched9HoldWorld stops the world for one of ours, until sched9FreeWorld. On a goroutine.
//
// With GODEBUG=gcstoptheworld no goroutine of the program runs while the collector works, but the runtime's own do, such as the auditor. If one of them stopped
// the world then, worldsema would go to the first who waits for it, perhaps one of the program's: it does not run before the collection ends, and the
// collector waits behind it. Stock Go has nobody who would. So such a stop waits for the collection's end.
func sched9HoldWorld() worldStop {
	if debug.gcstoptheworld > 0 {
		return stopTheWorldGC(stwUnknown)
	}
	return stopTheWorld(stwUnknown)
}

// sched9FreeWorld: see sched9HoldWorld.
func sched9FreeWorld(stop worldStop) {
	if debug.gcstoptheworld > 0 {
		startTheWorldGC(stop)
		return
	}
	startTheWorld(stop)
}

// sched9StopTheWorld is stopTheWorldWithSema. On the scheduler's stack of a goroutine
// that holds worldsema.
func sched9StopTheWorld(reason stwReason) worldStop {
	mp := getg().m
	if mp.locks > 0 {
		throw("sched9: P4: stopTheWorld with a lock held")
	}
	sched9Record(nrecord.EvStop, uint64(reason))
	// A goroutine that waits counts as stopped: a mark worker may scan it, and so
	// two that wait for each other to stop do not wait for ever.
	gp := mp.curg
	casGToWaitingForSuspendG(gp, _Grunning, waitReasonStoppingTheWorld)
	if trace := traceAcquire(); trace.ok() {
		trace.STWStart(reason)
		traceRelease(trace)
	}
	w := worldStop{reason: reason, startedStopping: nanotime()}
	sched9.StopTheWorld(mp.nsched)
	w.finishedStopping = nanotime()
	took := w.finishedStopping - w.startedStopping
	if reason.isGC() {
		sched.stwStoppingTimeGC.record(took)
	} else {
		sched.stwStoppingTimeOther.record(took)
	}
	for _, pp := range allp {
		if pp.status != _Pgcstop || pp.gcStopTime == 0 {
			sched9Wedge() // a dying program disturbs others
			throw("sched9: P4: a P is not stopped in a stopped world")
		}
		w.stoppingCPUTime += w.finishedStopping - pp.gcStopTime
		pp.gcStopTime = 0
	}
	sched9Wedge()
	worldStopped()
	casgstatus(gp, _Gwaiting, _Grunning)
	return w
}

// sched9Wedge stops the caller for good if the program dies elsewhere.
func sched9Wedge() {
	if freezing.Load() {
		lock(&deadlock)
		lock(&deadlock)
	}
}

// sched9Flushed begins flushmcache: it reports whether pp's cache of memory is empty, since it was flushed before and pp
// had no M in the meantime. Only the M of a P takes memory from the cache, or puts any there. World stopped.
func sched9Flushed(pp *p) bool {
	flushed := pp.nflushed
	pp.nflushed = pp.m == 0
	return flushed
}

// sched9WireP begins wirep. Only the M that calls it has pp.
//
//go:nowritebarrierrec
func sched9WireP(pp *p) {
	pp.nflushed = false
	sched9.WireP(getg().m.nsched, pp.nsched)
}

// sched9StartTheWorld is startTheWorldWithSema. The Ps that procresize returns
// have work; Ms without a P wait for them.
func sched9StartTheWorld(now int64, w worldStop) int64 {
	assertWorldStopped()
	mp := acquirem()
	lock(&sched.lock)
	procs := gomaxprocs
	if newprocs != 0 {
		procs = newprocs
		newprocs = 0
	}
	busy := procresize(procs)
	sched9Record(nrecord.EvGo, 0) // before any M can go on
	sched.gcwaiting.Store(false)
	unlock(&sched.lock)
	worldStarted()

	for busy != nil {
		pp := busy
		busy = pp.link.ptr()
		pp.m = 0
		sched9.StartP(mp.nsched, pp.nsched)
	}

	if now == 0 {
		now = nanotime()
	}
	total := now - w.startedStopping
	if w.reason.isGC() {
		sched.stwTotalTimeGC.record(total)
	} else {
		sched.stwTotalTimeOther.record(total)
	}
	trace := traceAcquire()
	if trace.ok() {
		trace.STWDone()
		traceRelease(trace)
	}
	sched9Stops.Add(1)
	sched9.WakeP(mp.nsched)
	releasem(mp)
	return now
}

// sched9ForEachP is forEachPInternal: fn runs for every P, on its owner between two goroutines, or
// here if the P has no owner. The caller holds worldsema.
func sched9ForEachP(fn func(*p)) {
	mp := acquirem()
	sched.safePointFn = fn // read only once a P is marked
	fn(mp.p.ptr())
	sched9.ForEachP(mp.nsched)
	for _, pp := range allp {
		if pp.runSafePointFn != 0 {
			throw("sched9: forEachP left out a P")
		}
	}
	sched.safePointFn = nil
	releasem(mp)
}

package sched

// retryTick is how long, in nanoseconds, after a tick that asked a G to leave the next
// one comes, if the G could not be left where it stood (A3). Not a divisor of
// anything: ticks at the same distance might strike the same code again and again.
const retryTick = 97_000

// Tick is called by the timer interrupt of m's CPU, at clock now. It reports whether
// the running G should leave the CPU: its slice is used up and something else
// waits (S2, U5), or a timer of its P is due, or a device has something to tell
// (S3), or a G is queued behind another M's system call (S1). next is when to tick again, at most a Slice from now; 0: m has no P, and
// needs no tick. call says that m's G is in a system call, g is the number of the
// running G, 0 if there is none, and pc where it was interrupted.
//
// A G that runs alone is not asked to leave and its CPU not disturbed but by this
// tick, once in a slice (A5): that is sysmon's longest nap, and how long a G that
// comes to the global queue while all Ps run may have to wait until its right to a
// CPU is seen.
//
// Interrupt context on m's own CPU: it takes no lock. m's P is its own, because m
// itself is interrupted, unless its G is in a system call.
func (s *Sched) Tick(m *M, now int64, call bool, g uint64, pc uintptr) (leave bool, next int64) {
	p := m.P()
	if p == nil {
		return false, 0
	}
	m.Stats.Ticks++
	if call {
		m.Rec.Record(EvTick, g, TickCall, uint64(pc))
		return false, s.callTick(m, p, now)
	}
	if g == 0 {
		// It looks for work, and may have looked at timers and devices already. The G
		// that it finds is to be left for the next of those.
		next = now + s.slice
		if t := earlier(s.lang.NextTimer(p), s.orphanTimer()); t != 0 {
			next = min(next, t)
		}
		if s.lang.Polled() {
			next = now
		}
		return false, max(next, now+min(retryTick, s.slice))
	}
	flags := uint64(0)
	if t := s.lang.PeriodicAt(); t != 0 && t <= now {
		s.periodic.Store(1)
		flags = TickLeave
	}
	waits := !p.empty() || s.runqsize.Load() != 0
	if s.policy == N1 {
		return false, now + s.slice // nobody is made to leave
	}
	if end := p.sliceStart + s.slice; now < end {
		next = end
	} else if waits || s.lang.Wanted(p) {
		// The next slice begins when the G is gone; until then every tick asks
		// again.
		m.Stats.Preempts++
		p.expired.Store(1)
		flags = TickLeave | TickSlice
	} else {
		next = now + s.slice
	}
	if t := s.lang.NextTimer(p); t != 0 {
		if t <= now {
			flags |= TickLeave
		} else if t < next {
			next = t
		}
	}
	orphan := s.orphanTimer()
	if orphan > now {
		next = min(next, orphan)
	}
	if s.lang.Polled() || orphan != 0 && orphan <= now || s.sysmon.Load() != 0 && s.behind(now) {
		s.pollDue.Store(1)
		flags |= TickLeave
	}
	if waits {
		s.overlooked(m, p)
	}
	if flags != 0 {
		next = now + min(retryTick, s.slice)
	}
	m.Rec.Record(EvTick, g, flags, uint64(pc))
	return flags != 0, next
}

// orphanTimer returns when the next timer of an orphaned P is due that no keeper sleeps
// for, because every M runs or waits for a G of its own; 0: there is none.
func (s *Sched) orphanTimer() int64 {
	if s.keeper.Load() != 0 {
		return 0
	}
	var until int64
	for i := int32(0); i < s.procs.Load(); i++ {
		if p := &s.ps[i]; p.orphaned() {
			until = earlier(until, s.lang.NextTimer(p))
		}
	}
	return until
}

// orphaned reports whether nobody looks at p's timers as its owner: p is idle, or its
// M's G is in a system call that somebody has noticed. Any context; a hint.
func (p *P) orphaned() bool {
	if p.idle.Load() != 0 {
		return true
	}
	m := p.M()
	return m != nil && m.callSince.Load() != 0
}

// overlooked has a P started if work waits that idle Ps should run and nobody is on
// his way to look (S4). Waking Ms is the business of whoever makes work, so this
// never has to do anything; it counts as a rescue if it does. What two ticks of the
// same slice saw was not just being seen to. Interrupt context, on m's CPU.
func (s *Sched) overlooked(m *M, p *P) {
	switch {
	case s.npidle.Load() == 0 || s.nmspinning.Load() != 0 || s.lang.Stopping():
		p.overlooked = 0
	case p.overlooked != p.tick:
		p.overlooked = p.tick
	default:
		s.rescue.Store(1)
		s.nudge(m)
	}
}

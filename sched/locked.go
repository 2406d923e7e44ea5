package sched

import "sched9/record"

// Gs that are tied to an M [M6, M12, M13]: such a G runs on its M alone, and while it waits its M
// runs no other. The M hands its P on and stops; an M that finds the G passes it to its M, with a
// P.
//
// An M is a CPU, and a machine has only so many. When all other CPUs wait for Gs tied to them, or
// hold system calls, an M lends itself: it runs other Gs, as any M does, until its own is found,
// which then goes first. On a machine with one CPU that is always so.

// ScheduleLocked is Schedule for an M whose own G, tied to it, has left the CPU. m may own a P. It
// does not return.
func (s *Sched) ScheduleLocked(m *M) {
	for s.stopLockedM(m) {
		p := m.P()
		if s.rt.Stopping() {
			s.stopOwn(m)
			continue
		}
		s.safePoint(p)
		if g := s.lockedqGet(m); g != nil {
			s.dequeue(g)
			if s.hasWork(m) {
				s.WakeP(m) // its own G may have yielded, and wait behind this one
			}
			s.run(m, g)
		}
	}
	s.Schedule(m) // lent
}

// YieldLocked puts g, which m ran and which is tied to it and runnable again, at the end of the
// global queue, behind the Gs on m's P. The caller goes on with ScheduleLocked. Scheduler stack; no
// lock held.
//
// m gives its P away next. If no M can be had for it, its ring's Gs go to the global queue then
// (startM): behind g, if g went first. Two tied Gs that compute would then starve a third: each
// takes it from the global queue to its ring, where it never runs [U2, U4].
//
// The M that gets the P runs what was on it, and others have looked at that; but not at Gs that are wired to it, so
// for g another M is woken then.
func (s *Sched) YieldLocked(m *M, g *G) {
	p := m.P()
	s.rt.Lock()
	passed := p.hasPassed()
	s.runqDrain(m, p)
	s.GlobrunqPut(m, g)
	s.rt.Unlock()
	if passed {
		s.WakeP(m)
	}
}

// stopLockedM hands m's P on, if it has one, and stops m until it gets another, with a G that is
// tied to it; or it reports false: m is lent, and owns a P too.
func (s *Sched) stopLockedM(m *M) bool {
	if p := m.P(); p != nil {
		if m.nlockedq.Load() != 0 {
			return true
		}
		if s.isLastM(m) {
			return false
		}
		s.rt.ReleaseP(m, p)
		s.handoffP(m, p)
	}
	s.rt.Lock()
	if p := s.idlePForLockedq(m); p != nil {
		s.rt.Unlock()
		s.rt.AcquireP(m, p)
		return true
	}
	if s.lastM(m) {
		s.rt.Unlock()
		s.stopM(m)
		return false
	}
	// The others are held up: only m can take care of what waits for an M now.
	if s.ncpu == s.MaxMs() && m.ID < s.ncpu && s.othersBlocked(m) && (s.wantM || s.hasTimer() || s.rt.PollReady()) {
		s.wantM = false
		if p := s.GetIdleP(m, 0); p != nil {
			s.rt.Unlock()
			s.rt.AcquireP(m, p)
			s.becomeSpinning(m)
			return false
		}
	}
	m.Rec.Record(record.EvPark, 0, record.ParkLocked, 0)
	s.becomes(m, mLockedWait)
	s.nmlocked++
	s.checkDead()
	s.rt.Unlock()
	m.Stats[Parks]++
	s.awaitP(m)
	if m.lent {
		m.lent = false
		return false
	}
	return true
}

// isLastM is lastM for a caller without the lock.
func (s *Sched) isLastM(m *M) bool {
	s.rt.Lock()
	last := s.lastM(m)
	s.rt.Unlock()
	return last
}

// lastM reports whether all CPUs but m's wait for Gs tied to them, and none is left to be started.
// A CPU that runs foreign code is never the last: its M is there for one G. Scheduler lock held.
func (s *Sched) lastM(m *M) bool {
	if s.ncpu < s.MaxMs() || m.ID >= s.ncpu {
		return s.MaxMs() == 1 && m.ID == 0
	}
	for i := int32(0); i < s.ncpu; i++ {
		if o := &s.ms[i]; o != m && o.state.Load() != mLockedWait {
			return false
		}
	}
	return true
}

// toLend returns an M that waits for a G tied to it and should be lent, because all others do so
// too, or are known to be in system calls; or nil. Scheduler lock held.
func (s *Sched) toLend() *M {
	if s.nmlocked == 0 || s.ncpu < s.MaxMs() {
		return nil
	}
	for i := int32(0); i < s.ncpu; i++ {
		if m := &s.ms[i]; m.state.Load() == mLockedWait && s.othersBlocked(m) {
			return m
		}
	}
	return nil
}

// othersBlocked reports whether all Ms but m wait for Gs tied to them, or are known to be in system
// calls. Scheduler lock held; a hint as to the latter.
func (s *Sched) othersBlocked(m *M) bool {
	for i := int32(0); i < s.ncpu; i++ {
		if o := &s.ms[i]; o != m && o.state.Load() != mLockedWait && o.callSince.Load() == 0 {
			return false
		}
	}
	return true
}

// startLockedM gives g, which m found and may not run, to the M that it is tied to. If that M
// sleeps it gets a P too: an idle one, or m's own; then m sleeps until it gets another. m owns a P,
// on return too.
//
// The scheduler lock decides whether the other M sleeps. An M that is awake looks at its lockedq
// before it sleeps, under the lock.
func (s *Sched) startLockedM(m *M, g *G, to *M) {
	m.Rec.Record(record.EvPass, g.ID, uint64(to.ID), uint64(m.Rec.NotRun()))
	m.Stats[Passes]++
	s.rt.Lock()
	s.enqueue(g)
	to.lockedq.push(g)
	to.nlockedq.Add(1)
	if !to.Asleep() {
		s.rt.Preempt(to) // it may be lent
		s.rt.Unlock()
		return
	}
	p := s.GetIdleP(m, 0)
	own := p == nil
	if own {
		p = m.P()
		s.rt.ReleaseP(m, p)
		m.Rec.Record(record.EvHandoff, 0, uint64(p.ID), 0)
	}
	s.wakeM(m, to, p, false)
	if own {
		s.stopM(m)
	}
}

// lockedqGet takes a G that was passed to m, or returns nil. m owns a P.
func (s *Sched) lockedqGet(m *M) *G {
	s.rt.Lock()
	g := m.lockedq.pop()
	if g != nil {
		m.nlockedq.Add(-1)
	}
	s.rt.Unlock()
	m.Rec.Found(record.FromPass)
	return g
}

// idlePForLockedq takes an idle P for m, which is about to sleep without one, if Gs of its own wait
// for it. If there is no idle P they go back to the global queue: an M that finds them there passes
// them on, with a P. Scheduler lock held.
func (s *Sched) idlePForLockedq(m *M) *P {
	if m.lockedq.n == 0 {
		return nil
	}
	if p := s.GetIdleP(m, 0); p != nil {
		return p
	}
	for g := m.lockedq.pop(); g != nil; g = m.lockedq.pop() {
		m.nlockedq.Add(-1)
		s.globrunqPush(m, g)
	}
	return nil
}

// ExitM hands on the P of m, whose G ended while it was tied to it: m's CPU is made
// like new and calls Restart [M11]. m's scheduler stack.
func (s *Sched) ExitM(m *M) {
	p := m.P()
	m.Rec.Record(record.EvExitM, 0, 0, 0)
	m.Stats[Exits]++
	s.rt.ReleaseP(m, p)
	s.becomes(m, mExited)
	s.handoffP(m, p)
}

// Restart is where an M goes on whose CPU was made like new. It does not return.
func (s *Sched) Restart(m *M) {
	s.becomes(m, mRunning)
	s.stopM(m)
	s.Schedule(m)
}

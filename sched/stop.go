package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
)

// Stopping the world [P4]. The stopper says so under the lock (WantStop), takes the Ps that are
// idle or whose Ms are in system calls, and interrupts the others. Each owner that comes to the
// scheduler finds Stopping and gives its P up (gcstopM). The last one wakes the stopper.

// StopTheWorld stops the world for by, which owns a P and keeps it. On return no other M owns one.
// Scheduler stack, preemption off; no lock held. The runtime makes sure that only one M at a time
// stops the world, and restarts it before another may.
func (s *Sched) StopTheWorld(by *M) {
	own := by.P()
	if own == nil {
		s.rt.Throw("P4: the world is stopped by an M without a P")
	}
	s.rt.Lock()
	s.stopNote.Store(0)
	s.stopwait = s.procs.Load()
	s.rt.WantStop()
	s.preemptAll(by)
	if Wiring {
		s.drainWired(by, own)
	}
	s.countStopped(own)
	s.stopCalls(by)
	for p := s.GetIdleP(by, 0); p != nil; p = s.GetIdleP(by, 0) {
		s.stopP(by, p)
	}
	wait := s.stopwait > 0
	s.rt.Unlock()
	if wait {
		s.await(by, &s.stopNote, stopCalls)
	}
	if s.stopwait != 0 {
		s.rt.Throw("P4: the world did not stop")
	}
	if Wiring {
		s.rt.Lock()
		s.setLong() // the last that was wired may have ended
		s.rt.Unlock()
	}
}

// stopCalls stops the Ps of Ms in system calls. StopTheWorld does it again while it waits: a G may
// have entered a call after the last look and before its M was interrupted.
func stopCalls(s *Sched, by *M) {
	s.rt.Lock()
	s.stopCalls(by)
	s.rt.Unlock()
}

// stopCalls: see the function. Scheduler lock held.
func (s *Sched) stopCalls(by *M) {
	for i := int32(0); i < s.procs.Load(); i++ {
		if p := &s.ps[i]; p.M() != by && s.retake(by, p, 0, true) {
			s.stopP(by, p)
		}
	}
}

// stopP counts p, which has no owner, as stopped. Scheduler lock held by the calling M.
func (s *Sched) stopP(by *M, p *P) {
	if p.M() != nil || p.idle.Load() != 0 {
		s.rt.Throw("P4: an owned or idle P is stopped")
	}
	if Wiring {
		s.drainWired(by, p)
	}
	by.Rec.Record(record.EvStopP, 0, uint64(p.ID), 0)
	s.countStopped(p)
}

// countStopped counts p as stopped and wakes the stopper if it was the last. A
// program that dies stops the world without counting. Scheduler lock held.
func (s *Sched) countStopped(p *P) {
	s.rt.StopP(p)
	if s.stopwait > 0 {
		if s.stopwait--; s.stopwait == 0 {
			s.stopNote.Store(1)
			if m := s.stopper.ptr(); m != nil {
				s.machine.Kick(m)
			}
		}
	}
}

// askAgain is how long, in nanoseconds, a stopper waits before it interrupts again the Ms that have
// not stopped: a G may have been at no safe point [A3].
const askAgain = 100_000

// await halts by until *note is set. Every askAgain it calls again, if that is not nil, and
// interrupts all running Gs. by owns a P.
//
// The waker stores *note and then reads stopper, under the lock; we store stopper under the lock.
// Either it sees us, or *note is set before we look.
//
// by's G cannot leave during the wait, so ticks would only repeat themselves; they are off. But the
// tick that was set is not forgotten [S2, T1].
func (s *Sched) await(by *M, note *atomic.Uint32, again func(s *Sched, by *M)) {
	tick := s.machine.TickOff(by)
	s.rt.Lock()
	s.stopper = handleM(by)
	s.rt.Unlock()
	for note.Load() == 0 {
		s.machine.HaltUntil(by, note, s.machine.Now()+askAgain)
		if note.Load() != 0 {
			break
		}
		if again != nil {
			again(s, by)
		}
		s.preemptAll(by)
	}
	s.rt.Lock()
	s.stopper = 0
	s.rt.Unlock()
	s.machine.TickAt(by, tick)
}

// preemptAll asks the running Gs of all other Ms to leave [A4]. Any lock may be held.
func (s *Sched) preemptAll(by *M) {
	for i := int32(0); i < s.procs.Load(); i++ {
		if m := s.ps[i].M(); m != nil && m != by {
			s.rt.Preempt(m)
		}
	}
}

// ForEachP runs Runtime.SafePoint once for every P but by's own: its owner does so between two Gs,
// or by does so if it has no owner. Scheduler stack, preemption off, no lock held; the world is not
// stopped.
//
// No P is forgotten: it is marked before by looks. An owner looks at the mark before it gives the P
// up, and before its G enters a system call. If the owner looked before the mark was set, then the
// P is idle or its M is in a system call when by looks, the first time or a later one.
func (s *Sched) ForEachP(by *M) {
	s.rt.Lock()
	s.safeNote.Store(0)
	s.safewait = s.procs.Load() - 1
	s.rt.MarkSafePoints()
	s.preemptAll(by)
	for p := s.pidle.ptr(); p != nil; p = p.link.ptr() {
		if s.rt.SafePoint(p) {
			s.safewait--
		}
	}
	wait := s.safewait > 0
	s.rt.Unlock()
	if wait {
		safePoints(s, by)
		s.await(by, &s.safeNote, safePoints)
	}
}

// safePoints takes marked Ps from system calls and hands them off, which runs their safe points.
func safePoints(s *Sched, by *M) {
	for i := int32(0); i < s.procs.Load(); i++ {
		if p := &s.ps[i]; s.rt.SafePointPending(p) && s.retake(by, p, 0, true) {
			s.handoffP(by, p)
		}
	}
}

// RunSafePoint runs the safe point of m's P, if it is marked. m is about to enter a system call, or
// is between two Gs.
func (s *Sched) RunSafePoint(m *M) { s.safePoint(m.P()) }

// safePoint runs p's safe point if it is marked. The caller's M owns p.
func (s *Sched) safePoint(p *P) {
	if s.rt.SafePointPending(p) && s.rt.SafePoint(p) {
		s.rt.Lock()
		s.countSafe()
		s.rt.Unlock()
	}
}

// countSafe counts a P that has run its safe point, and wakes the stopper if it was the last.
// Scheduler lock held.
func (s *Sched) countSafe() {
	if s.safewait--; s.safewait == 0 {
		s.safeNote.Store(1)
		if m := s.stopper.ptr(); m != nil {
			s.machine.Kick(m)
		}
	}
}

// gcstopM gives m's P to the stop of the world that was requested [P4] and parks m until it is
// given a P again. On return m owns a P.
func (s *Sched) gcstopM(m *M) {
	if m.Spinning() {
		// The restart of the world wakes Ms for the work there is.
		s.dropSpinning(m)
	}
	s.stopOwn(m)
	s.stopM(m)
}

// stopOwn gives m's P to the stop of the world. The G that left m for the stop is p's runnext now,
// and continues afterwards in the rest of its slice.
func (s *Sched) stopOwn(m *M) {
	p := m.P()
	if p.runnext.Load() != 0 {
		p.used = s.machine.Now() - m.sliceStart
	}
	s.rt.ReleaseP(m, p)
	s.rt.Lock()
	if !s.rt.Stopping() {
		// The stop waits for this P, so it cannot have ended.
		s.rt.Throw("P4: the world restarted before every P had stopped")
	}
	s.stopP(m, p)
	s.rt.Unlock()
}

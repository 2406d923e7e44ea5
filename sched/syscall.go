package sched

import "sched9/record"

// System calls that hold the CPU: a polled device, a slow console, firmware. In the form of Go 1.26
// (SPEC.md's table): entering one changes only the G, and its M keeps its P. If it lasts too long
// another M takes the P away (retake): the runtime holds the G in its call during that, so the M
// cannot come back in between. A G that comes back to an M without a P looks for another.

// RetakeAfter is how long a system call lasts, in nanoseconds, before its P may be
// taken [S1], RetakeAlways how long before it is though nothing waits for it.
const (
	RetakeAfter  = 20_000
	RetakeAlways = 10_000_000

	// callAgain is the time between looks at a system call that lasts.
	callAgain = 1_000_000
)

// SyscallBlocks is told that m's G, in a system call, is about to hold the CPU for some time: its P
// is looked at after RetakeAfter. Some M must be there to look, so if no M sleeps and a CPU was
// never started, that gets the P now. On m itself, scheduler stack; no lock held.
//
// A tick may have struck between the entry of the call and here, and have noticed the call first:
// then it looks again by itself, but it starts no CPU (kickSleeper), so whether some M can take the
// P is still checked here.
func (s *Sched) SyscallBlocks(m *M) {
	if m.P() == nil {
		return
	}
	now := s.machine.Now()
	noticed := m.callSince.Load() != 0
	if !noticed {
		m.callSince.Store(now)
	}
	if s.unattended() {
		s.handoffSyscall(m, true)
		return
	}
	if !noticed {
		s.machine.TickAt(m, now+RetakeAfter)
	}
}

// unattended reports whether an interrupt, which starts no CPU, would find no M to kick, because
// none sleeps, although there is a CPU that was never started. m, the caller's, is about to be held
// up.
func (s *Sched) unattended() bool {
	s.rt.Lock()
	none := s.midle == 0 && s.nmlocked == 0 && s.ncpu < s.MaxMs()
	s.rt.Unlock()
	return none
}

// handoffSyscall gives the P of m away, whose G is in a system call: it is handed off, or, with
// start, given to a CPU that was never started. The G is held during that: making an M allocates,
// for which m borrows the P, and no other M may take the P then.
func (s *Sched) handoffSyscall(m *M, start bool) {
	p := m.P()
	if p == nil || s.rt.BlockSyscallExit(p) != m {
		return
	}
	m.Rec.Record(record.EvRelease, 0, 0, 0)
	m.Rec.SetP(record.NoP)
	if m.callSince.Load() == 0 {
		m.callSince.Store(s.machine.Now())
	}
	m.p.Store(0)
	p.m.Store(0)
	s.rt.TakeSyscallP(m, p)
	if start {
		m.Rec.Record(record.EvHandoff, 0, uint64(p.ID), 0)
		s.rt.Lock()
		if s.rt.Stopping() {
			s.stopP(m, p)
			s.rt.Unlock()
		} else {
			// As in handoffP: a visit of every P (ForEachP) finds this one neither idle nor in a
			// call, and if no M can be had after all, no owner will run its safe point for long.
			if s.rt.SafePoint(p) {
				s.countSafe()
			}
			s.startM(m, p, false)
		}
	} else {
		s.handoffP(m, p)
	}
	s.rt.ResumeSyscall(m)
}

// ExitSyscall notes that m's G has come back from its system call: the runtime has made it running
// again, so its P cannot be taken from here on. On m itself; m may have lost its P.
//
//go:nosplit
func (s *Sched) ExitSyscall(m *M) {
	if m.callSince.Load() != 0 {
		m.callSince.Store(0)
	}
	if m.p.Load() == 0 {
		m.Rec.SetP(record.NoP)
	}
}

// callTick is the tick of an M whose G is in a system call: it asks a sleeping M to take the P if
// it is time. It returns when to tick again, 0: there is no P to take. Interrupt context on m's own
// CPU; no lock. Another M may take the P during the call.
func (s *Sched) callTick(m *M, p *P, now int64) (next int64) {
	since := m.callSince.Load()
	switch {
	case since == 0:
		m.callSince.Store(now)
		return now + RetakeAfter
	case now-since < RetakeAfter:
		return since + RetakeAfter
	case s.retakeDue(m, p, now):
		s.sysmonDue.Store(1)
		s.kickSleeper(m)
	}
	return now + callAgain
}

// retakeDue reports whether p should be taken from m, whose G is in a system call [S1]: it has been
// there for long enough, and others wait or no M looks for work. Any M may ask; the answer may be a
// moment old.
func (s *Sched) retakeDue(m *M, p *P, now int64) bool {
	since := m.callSince.Load()
	if since == 0 || now-since < RetakeAfter {
		return false
	}
	return now-since >= RetakeAlways || !p.runqEmpty() || s.runqsize.Load() != 0 || s.nmspinning.Load()+s.npidle.Load() == 0
}

// retake takes p from an M whose G is in a system call, if that is due or anyhow is set, and
// reports whether it did: then by must hand p on. by need not have a P of its own. The scheduler
// lock may be held.
//
// Orderings. BlockSyscallExit makes the G's way back wait, by a compare-and-swap of its status, and
// has found M and P still together after it. So between the two calls no other M stores m.p or p.m,
// and what m sees when its G is back (ExitSyscall) comes after the stores here.
func (s *Sched) retake(by *M, p *P, now int64, anyhow bool) bool {
	m := s.rt.BlockSyscallExit(p)
	if m == nil {
		return false
	}
	take := anyhow || s.retakeDue(m, p, now)
	if take {
		// From here on m is known to be held up (othersBlocked).
		if m.callSince.Load() == 0 {
			m.callSince.Store(s.machine.Now())
		}
		m.p.Store(0)
		p.m.Store(0)
		by.Rec.Record(record.EvRetake, 0, uint64(p.ID)|uint64(m.ID)<<8, 0)
		by.Stats[Retakes]++
		s.rt.TakeSyscallP(m, p)
	}
	s.rt.ResumeSyscall(m)
	return take
}

// ExitSyscallTryGetP takes an idle P for m, which lost its own in a system call: old if that is idle,
// otherwise another; nil if there is none. The caller acquires it. m's own scheduler stack.
//
// It also returns nil if Gs wait in the global queue: there was no M to run them on the idle P, so m does,
// and its G waits behind them (ExitSyscallNoP). Otherwise Gs whose calls all last would starve others if
// the only Ms are theirs [U2].
func (s *Sched) ExitSyscallTryGetP(m *M, old *P) *P {
	if s.npidle.Load() == 0 || s.runqsize.Load() != 0 {
		return nil
	}
	s.rt.Lock()
	p := old
	if p == nil || p.idle.Load() == 0 {
		p = s.pidle.ptr()
	}
	if p != nil {
		s.removeIdleP(m, p, 0)
	}
	s.rt.Unlock()
	return p
}

// ExitSyscallNoP makes g runnable, which came back from a system call to m and found no P, and lets
// m look for work: g waits behind those already waiting, unless it is tied to m, as locked says.
// m's own scheduler stack; the scheduler lock is held. It does not return.
func (s *Sched) ExitSyscallNoP(m *M, g *G, locked bool) {
	p := s.GetIdleP(m, 0)
	runs := p != nil && (s.runq.n == 0 || locked)
	if !runs {
		s.GlobrunqPut(m, g)
	}
	s.rt.Unlock()
	if p != nil {
		s.rt.AcquireP(m, p)
		if runs {
			s.run(m, g)
		}
	} else if locked {
		s.ScheduleLocked(m)
	} else {
		s.stopM(m)
	}
	s.Schedule(m)
}

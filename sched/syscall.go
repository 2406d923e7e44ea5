package sched

import "sched9/record"

// The way back from system calls, in the form of Go 1.26 (SPEC.md's table): entering one changes only the
// G, and its M keeps its P, unless another M takes it because the call lasts (retake.go). A G
// that comes back to an M without a P looks for another.

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

// ExitSyscallTryGetP takes an idle P for m, which lost its own in a system call of g: old if that is idle,
// otherwise another; nil if there is none. The caller acquires it. m's own scheduler stack.
//
// It also returns nil if Gs wait in the global queue: there was no M to run them on the idle P, so m does,
// and its G waits behind them (ExitSyscallNoP). Otherwise Gs whose calls all last would starve others if
// the only Ms are theirs [U2]. It returns nil, too, if g is wired to a P: ExitSyscallNoP sees to that [P7].
func (s *Sched) ExitSyscallTryGetP(m *M, g *G, old *P) *P {
	if s.npidle.Load() == 0 || s.runqsize.Load() != 0 || Wiring && g.home.get() != 0 {
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
	if Wiring && !locked {
		if home := s.homeOf(g); home != nil && home != p {
			runs = false // it is found on the global queue, and passed on [P7]
		}
	}
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

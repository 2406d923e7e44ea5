package sched

import "sched9/record"

// How an M in a system call that lasts loses its P, in the order in which it happens [S1, M4].
//
//  1. A leaf that is about to hold the CPU says so (SyscallBlocks), or a tick strikes in the call
//     (callTick): callSince is set, and the M ticks until the P is gone.
//  2. If there would be no M to take the P, it is given away at once (handoffSyscall).
//  3. A tick that finds the call too long (retakeDue) notes that (sysmonDue) and kicks an M that
//     sleeps. Interrupts take no lock, so they take no P.
//  4. That M takes the P (retakeCalls, retake) and hands it on (handoffP), often to itself. If no M
//     sleeps, a tick of one that runs sees what is queued behind the call (behind), and the M
//     does it before it takes its next G (sysmonRunning).
//  5. The G comes back (syscall.go), with its P or without.
//
// The stop of the world and visits of every P (stop.go) take Ps from calls as in 4, at once.
//
// In 1 the P is not given away at once: a G that returns without its P queues behind all others, and
// most operations of devices are short. docs/inside.md has the measurements.

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
// then it looks again by itself, but it starts no CPU (KickSleeper), so whether some M can take the
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
		s.KickSleeper(m)
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
	return now-since >= RetakeAlways || !p.runqEmpty() || p.hasPassed() || s.runqsize.Load() != 0 || s.nmspinning.Load()+s.npidle.Load() == 0
}

// retakeCalls does what a tick has asked for: it takes the Ps of Ms whose calls last. m sleeps
// otherwise, and has no P; it may have one on its way to it afterwards (nextp).
func (s *Sched) retakeCalls(m *M) {
	if s.sysmonDue.Load() == 0 || !s.sysmonDue.CompareAndSwap(1, 0) {
		return
	}
	m.Rec.Record(record.EvSysmon, 0, 0, 0)
	s.countSysmon(1)
	now := s.machine.Now()
	for i := int32(0); i < s.procs.Load(); i++ {
		if p := &s.ps[i]; s.retake(m, p, now, false) {
			s.handoffP(m, p)
		}
	}
	s.countSysmon(-1)
}

// countSysmon notes that an M listed as asleep is awake, or (-1) no longer is: while it has a P in
// its hands, another M that loses sight of that P would believe the program dead.
func (s *Sched) countSysmon(n int32) {
	s.rt.Lock()
	if s.nsysmon += n; n < 0 {
		s.checkDead()
	}
	s.rt.Unlock()
}

// behind reports whether Gs are queued behind a system call that lasts, on any P but own. Any
// context; a hint.
func (s *Sched) behind(own *P, now int64) bool {
	for i := int32(0); i < s.procs.Load(); i++ {
		if p := &s.ps[i]; p != own && p.behind(now) {
			return true
		}
	}
	return false
}

// behind reports whether Gs are queued on p behind a system call that lasts. Any context;
// a hint.
func (p *P) behind(now int64) bool {
	m := p.M()
	if m == nil {
		return false
	}
	since := m.callSince.Load()
	return since != 0 && now-since >= RetakeAfter && (!p.runqEmpty() || p.hasPassed())
}

// sysmonRunning takes the Ps of Ms in long system calls if Gs are queued there, as sysmon does when
// an M sleeps. If no M sleeps, these Gs go to the global queue (startM), where they have their turn
// among the running ones [U2], and the P is idle: the G that comes back from the call finds it
// there. m owns a P, has preemption off and no lock.
//
// No G waits for long. The tick of the M that is held up stores sysmonDue, again and again while the
// call lasts. A tick of an M that runs Gs, at most a Slice later, sees sysmonDue and the queue, and
// makes its G leave; then m looks here before it takes the next. If two Ms do so, or one that does
// sysmon's work at the same time, the P is taken once (retake).
func (s *Sched) sysmonRunning(m *M) {
	if s.sysmonDue.Load() == 0 {
		return
	}
	now := s.machine.Now()
	for i := int32(0); i < s.procs.Load(); i++ {
		if p := &s.ps[i]; p.behind(now) && p.M() != m {
			m.Rec.Record(record.EvSysmon, 0, record.SysmonBehind, 0)
			if s.retake(m, p, now, false) {
				s.handoffP(m, p)
			}
		}
	}
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

package sched

// What sysmon does, without a thread or a CPU of its own. Interrupts notice what is
// due (tick.go): they take no lock and own no P. An M that sleeps anyhow does what
// takes a lock: an interrupt nudges it, it does its duty, and goes on sleeping or
// finds itself with a P. If no M sleeps there is no M to give a P to either, and
// running Ms look after the rest when they look for work: after what is queued behind
// a system call too (relieve).

// nudge has a sleeping M do its duty: the keeper, a parked one, or one that waits for a
// G of its own. by is the M that runs the caller. Any context, no lock.
//
// No nudge is lost. The caller has stored what there is to do. An M that falls
// asleep first shows itself (parked, stopped, or keeper), then looks whether there is
// something to do (duty), then halts; we look for sleepers after the store. One of
// the two sees the other. If we see it, its token keeps it from halting.
func (s *Sched) nudge(by *M) {
	if k := muintptr(s.keeper.Load()).ptr(); k != nil {
		s.poke(by, k)
		return
	}
	for i := range s.ms {
		if m := &s.ms[i]; m.parked.Load() != 0 {
			s.poke(by, m)
			return
		}
	}
	for i := range s.ms {
		if m := &s.ms[i]; m.stopped.Load() != 0 {
			s.poke(by, m)
			return
		}
	}
}

// duty does what sleeping Ms are nudged for. m, without a P, shows itself as asleep;
// it may have a P on its way to it afterwards (nextp).
func (s *Sched) duty(m *M) {
	if s.sysmon.Load() != 0 && s.sysmon.CompareAndSwap(1, 0) {
		m.Rec.Record(EvDuty, 0, 0, 0)
		s.beginDuty(1)
		now := s.machine.Now()
		for i := int32(0); i < s.procs.Load(); i++ {
			if p := &s.ps[i]; s.retake(m, p, now, false) {
				s.handOff(m, p)
			}
		}
		s.beginDuty(-1)
	}
	if s.npidle.Load() == 0 {
		return
	}
	if s.rescue.Load() != 0 && s.rescue.CompareAndSwap(1, 0) {
		m.Rec.Record(EvDuty, 0, DutyRescue, 0)
		if s.work() { // a moment has passed since a tick saw some
			m.Stats.Rescues++
			s.Wake(m)
		}
	} else if s.lang.Polled() {
		s.Wake(m)
	}
}

// relieve takes the Ps of Ms in system calls that last if Gs are queued behind those, as
// duty does where an M sleeps. If none does, what is queued goes to the global queue
// (startM), whose Gs have their turn among those that run (U2), and the P is idle: who comes
// back from the call finds it there. m owns a P, has preemption off and no lock.
//
// Nothing waits for long. The tick of the M that is held up stores sysmon, again and
// again while the call lasts. A tick of an M that runs Gs, at most a Slice later, sees
// it, and the queue, and has its G leave; and then m looks here before it takes the next.
// Two Ms that do, or one that does its duty meanwhile, take the P once (retake).
func (s *Sched) relieve(m *M) {
	if s.sysmon.Load() == 0 {
		return
	}
	now := s.machine.Now()
	for i := int32(0); i < s.procs.Load(); i++ {
		if p := &s.ps[i]; p.behind(now) && p.M() != m {
			m.Rec.Record(EvDuty, 0, DutyBehind, 0)
			if s.retake(m, p, now, false) {
				s.handOff(m, p)
			}
		}
	}
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
	return since != 0 && now-since >= RetakeAfter && !p.empty()
}

// beginDuty notes that an M which is listed as asleep is awake, or (-1) is so no more:
// while it has a P in its hands another M that loses sight of that P would take the
// program for dead.
func (s *Sched) beginDuty(n int32) {
	s.lang.Lock()
	if s.onDuty += n; n < 0 {
		s.sleeps()
	}
	s.lang.Unlock()
}

// Nudge has a sleeping M look at what devices have to tell (N1). Interrupt context,
// on by's CPU; Language.Polled reports it already.
func (s *Sched) Nudge(by *M) { s.nudge(by) }

// Hurry is Nudge for what shall not wait for the next tick where every M is busy: the next M that looks for
// work asks the devices first. Any context, on by's CPU.
func (s *Sched) Hurry(by *M) {
	s.pollDue.Store(1)
	s.nudge(by)
}

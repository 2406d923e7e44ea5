package sched

// What sysmon does, without a thread or a CPU of its own. Interrupts notice what is
// due (tick.go): they take no lock and own no P. An M that sleeps anyhow does what
// takes a lock: an interrupt nudges it, it does its duty, and goes on sleeping or
// finds itself with a P. If no M sleeps there is no M to give a P to either, and
// running Ms look after the rest when they look for work.

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

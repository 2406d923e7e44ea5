package sched

import "sched9/record"

// Sysmon's work, without a thread or a CPU of its own. Interrupts notice what is due (tick.go);
// they take no lock and own no P. Work that needs a lock is done by a sleeping M. An interrupt
// kicks it; it does sysmon's work, then goes back to sleep, unless that work gave it a P. If no M
// sleeps there is no M that could be given a P either; then running Ms do the rest when they look
// for work, including Gs queued behind a system call (sysmonRunning).

// kickSleeper has a sleeping M do sysmon's work: an idle one, or else one that waits for a
// G of its own. by is the M that runs the caller. Any context, no lock.
//
// No kick is lost. The caller has stored what there is to do. An M that falls
// asleep first shows itself (state), then looks whether there is something to do
// (sysmon), then halts; we look for sleepers after the store. One of
// the two sees the other. If we see it, its token keeps it from halting.
func (s *Sched) kickSleeper(by *M) {
	var waits *M
	for i := range s.ms {
		switch m := &s.ms[i]; m.state.Load() {
		case mIdle:
			s.kick(by, m)
			return
		case mLockedWait:
			waits = m
		}
	}
	if waits != nil {
		s.kick(by, waits)
	}
}

// sysmon does what sleeping Ms are kicked for. m, without a P, shows itself as asleep;
// it may have a P on its way to it afterwards (nextp).
func (s *Sched) sysmon(m *M) {
	if s.sysmonDue.Load() != 0 && s.sysmonDue.CompareAndSwap(1, 0) {
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
	if s.npidle.Load() == 0 {
		return
	}
	if s.rescue.Load() != 0 && s.rescue.CompareAndSwap(1, 0) {
		m.Rec.Record(record.EvSysmon, 0, record.SysmonRescue, 0)
		if s.anyWork() { // a moment has passed since a tick saw some
			m.Stats[Rescues]++
			s.WakeP(m)
		}
	} else if s.rt.PollReady() {
		s.WakeP(m)
	}
}

// sysmonRunning takes the Ps of Ms in long system calls if Gs are queued there, as sysmon does when
// an M sleeps. If no M sleeps, these Gs go to the global queue (startM), where they have their turn
// among the running ones [U2], and the P is idle: the G that comes back from the call finds it
// there. m owns a P, has preemption off and no lock.
//
// No G waits for long. The tick of the M that is held up stores sysmon, again and again while the
// call lasts. A tick of an M that runs Gs, at most a Slice later, sees sysmon and the queue, and
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
	return since != 0 && now-since >= RetakeAfter && !p.runqEmpty()
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

// KickSleeper makes a sleeping M look for device events [N1]. Interrupt context, on by's CPU;
// Runtime.PollReady reports them already.
func (s *Sched) KickSleeper(by *M) { s.kickSleeper(by) }

// Hurry is KickSleeper for events that cannot wait for the next tick when every M is busy: the next M that looks
// for work asks the devices first. Any context, on by's CPU.
func (s *Sched) Hurry(by *M) {
	s.pollDue.Store(1)
	s.kickSleeper(by)
}

package sched

import "sched9/record"

// What sysmon does, without a thread or a CPU of its own. Interrupts notice what is
// due (tick.go): they take no lock and own no P. An M that sleeps anyhow does what
// takes a lock: an interrupt kicks it, it does sysmon's work, and goes on sleeping or
// finds itself with a P. If no M sleeps there is no M to give a P to either, and
// running Ms look after the rest when they look for work: after what is queued behind
// a system call too (sysmonRunning).

// kickSleeper has a sleeping M do sysmon's work: the timer M, a parked one, or one that waits for a
// G of its own. by is the M that runs the caller. Any context, no lock.
//
// No kick is lost. The caller has stored what there is to do. An M that falls
// asleep first shows itself (parked, stopped, or timer M), then looks whether there is
// something to do (sysmon), then halts; we look for sleepers after the store. One of
// the two sees the other. If we see it, its token keeps it from halting.
func (s *Sched) kickSleeper(by *M) {
	if k := muintptr(s.timerM.Load()).ptr(); k != nil {
		s.kick(by, k)
		return
	}
	for i := range s.ms {
		if m := &s.ms[i]; m.parked.Load() != 0 {
			s.kick(by, m)
			return
		}
	}
	for i := range s.ms {
		if m := &s.ms[i]; m.lockedWait.Load() != 0 {
			s.kick(by, m)
			return
		}
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

// sysmonRunning takes the Ps of Ms in system calls that last if Gs are queued behind those, as
// sysmon does where an M sleeps. If none does, what is queued goes to the global queue
// (startM), whose Gs have their turn among those that run [U2], and the P is idle: who comes
// back from the call finds it there. m owns a P, has preemption off and no lock.
//
// Nothing waits for long. The tick of the M that is held up stores sysmon, again and
// again while the call lasts. A tick of an M that runs Gs, at most a Slice later, sees
// it, and the queue, and has its G leave; and then m looks here before it takes the next.
// Two Ms that do, or one that does sysmon's work meanwhile, take the P once (retake).
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

// countSysmon notes that an M which is listed as asleep is awake, or (-1) is so no more:
// while it has a P in its hands another M that loses sight of that P would take the
// program for dead.
func (s *Sched) countSysmon(n int32) {
	s.rt.Lock()
	if s.nsysmon += n; n < 0 {
		s.checkDead()
	}
	s.rt.Unlock()
}

// KickSleeper has a sleeping M look at what devices have to tell [N1]. Interrupt context,
// on by's CPU; Runtime.PollReady reports it already.
func (s *Sched) KickSleeper(by *M) { s.kickSleeper(by) }

// Hurry is KickSleeper for what shall not wait for the next tick where every M is busy: the next M that looks for
// work asks the devices first. Any context, on by's CPU.
func (s *Sched) Hurry(by *M) {
	s.pollDue.Store(1)
	s.kickSleeper(by)
}

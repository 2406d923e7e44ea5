package sched

// Sysmon's work, without a thread or a CPU of its own. Interrupts notice what is due (tick.go);
// they take no lock and own no P. Work that needs a lock is done by a sleeping M. An interrupt
// kicks it; it does sysmon's work, then goes back to sleep, unless that work gave it a P. If no M
// sleeps there is no M that could be given a P either; then running Ms do the rest when they look
// for work, including Gs queued behind a system call (sysmonRunning).

// KickSleeper makes a sleeping M do sysmon's work: an idle one, otherwise one that waits for a G
// tied to it. by is the M that runs the caller. Any context, no lock.
//
// No kick is lost. The caller has stored the request, or Runtime.PollReady reports it [N1]. An M that falls asleep first shows itself
// (state), then looks for a request (sysmon), then halts; we look for sleepers after the store. One
// of the two sees the other. If we see it, its token keeps it from halting.
func (s *Sched) KickSleeper(by *M) {
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

// sysmon does what sleeping Ms are kicked for. m, without a P, counts as asleep; on return a P may
// be on its way to it (nextp).
func (s *Sched) sysmon(m *M) {
	s.retakeCalls(m)
	if s.npidle.Load() != 0 && s.rt.PollReady() {
		s.WakeP(m)
	}
}

// Hurry is KickSleeper for events that cannot wait for the next tick when every M is busy: the next M that looks
// for work asks the devices first. Any context, on by's CPU.
func (s *Sched) Hurry(by *M) {
	s.pollDue.Store(1)
	s.KickSleeper(by)
}

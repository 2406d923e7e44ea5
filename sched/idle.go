package sched

import "sched9/record"

// PutIdleP puts p, which has no owner and no G, on the idle list [P2]. Scheduler lock held by the
// calling M. now may be 0.
func (s *Sched) PutIdleP(by *M, p *P, now int64) {
	if !p.runqEmpty() {
		s.rt.Throw("P2: a P with Gs goes idle")
	}
	if p.M() != nil || p.idle.Load() != 0 {
		s.rt.Throw("P2: an owned or idle P goes idle")
	}
	if p.hasPassed() {
		s.rt.Throw("P7: a P goes idle, and Gs that are wired to it wait for it")
	}
	by.Rec.Record(record.EvIdleP, 0, uint64(p.ID), 0)
	s.rt.Idle(p, now)
	p.link = s.pidle
	s.pidle = handleP(p)
	s.markIdle(p)
	p.idle.Store(1)
	s.npidle.Add(1)
}

// GetIdleP takes a P off the idle list, or returns nil. Scheduler lock held by
// the calling M.
func (s *Sched) GetIdleP(by *M, now int64) *P {
	p := s.pidle.ptr()
	if p != nil {
		s.removeIdleP(by, p, now)
	}
	return p
}

// removeIdleP takes p off the idle list, where it is. Scheduler lock held by the
// calling M.
func (s *Sched) removeIdleP(by *M, p *P, now int64) {
	at := &s.pidle
	for at.ptr() != p {
		at = &at.ptr().link
	}
	*at = p.link
	p.link = 0
	s.markOwned(p)
	p.idle.Store(0)
	s.npidle.Add(-1)
	by.Rec.Record(record.EvBusyP, 0, uint64(p.ID), 0)
	s.rt.Busy(p, now)
}

// getIdlePSpinning is GetIdleP for an M that will spin. If no P is idle it stores the wish in
// needspinning, for an M that is about to give up its P. Scheduler lock held.
func (s *Sched) getIdlePSpinning(by *M) *P {
	p := s.GetIdleP(by, 0)
	if p == nil {
		s.needspinning.Store(1)
	}
	return p
}

// putIdleM puts m, which has no P, on the idle list [M1]. Scheduler lock held.
func (s *Sched) putIdleM(m *M) {
	if m.P() != nil || m.Spinning() {
		s.rt.Throw("M1: an M with a P, or spinning, goes idle")
	}
	m.Rec.Record(record.EvPark, 0, 0, 0)
	m.link = s.midle
	s.midle = handleM(m)
	s.nmidle++
	s.becomes(m, mIdle)
}

// idleM returns the idle M to wake, nil if none is idle. It prefers by itself, if by is idle and
// awake for sysmon's work. It takes the timer M last, because another M would have to wake and
// sleep in its place. Scheduler lock held.
func (s *Sched) idleM(by *M) *M {
	if by.state.Load() == mIdle {
		return by
	}
	m := s.midle.ptr()
	if m != nil && uintptr(s.midle) == s.timerM.Load() && m.link != 0 {
		m = m.link.ptr()
	}
	return m
}

// removeIdleM takes m, which is on the idle list, off it. If m was the timer M, there is none now.
// Scheduler lock held.
func (s *Sched) removeIdleM(m *M) {
	at := &s.midle
	for at.ptr() != m {
		at = &at.ptr().link
	}
	*at = m.link
	m.link = 0
	s.nmidle--
	if s.isTimerM(m) {
		s.timerM.Store(0)
	}
}

// stopM parks m, which has no P, until it is given one [M9]. On return m owns a P.
func (s *Sched) stopM(m *M) {
	if m.P() != nil || m.Spinning() {
		s.rt.Throw("M9: stopM of an M with a P, or spinning")
	}
	s.rt.Lock()
	p := s.idlePForLockedq(m)
	if p == nil {
		p = s.takeWantedP(m)
	}
	if p != nil {
		s.rt.Unlock()
		s.rt.AcquireP(m, p)
		s.becomeSpinning(m)
		return
	}
	s.putIdleM(m)
	s.checkDead()
	s.rt.Unlock()
	m.Stats[Parks]++
	s.awaitP(m)
}

// checkDead is called when one more M is about to sleep. If all sleep, the program is dead or waits
// for a device [U6]. Scheduler lock held.
func (s *Sched) checkDead() {
	n := s.asleep()
	s.rt.MsAsleep(n)
	// Foreign code may call back, and the timer M wakes by itself; but sysmon's periodic work never
	// wakes a G.
	if n == s.nms && s.nforeignUsed == 0 && !s.hasTimer() {
		s.rt.CheckDead()
	}
}

// asleep returns the number of Ms that sleep. Scheduler lock held.
func (s *Sched) asleep() int32 { return s.nmidle + s.nmlocked - s.nsysmon }

// awaitP halts m, which is idle or waits for a G that is tied to it, until m is given a P, and
// acquires that P. After each kick it does sysmon's work and computes its deadline again.
//
// If m was given the P to run a G while no M slept for the timers, it wakes another that will. Either m was the timer M itself; or
// it spun, found nothing, and was given the P before it could become it. In both cases an M that set a timer meanwhile may have
// woken nobody, because it saw m as the timer M, or spin. (An M that is given a P to spin looks at the timers itself.) Without an
// idle P the timers' Ps have owners, and whoever gives one up sleeps for them.
func (s *Sched) awaitP(m *M) {
	due := false
	for m.nextpArrived() == nil {
		s.sysmon(m)
		var until int64
		until, due = s.timerSleep(m)
		s.sleep(m, &m.park, until)
	}
	p := puintptr(m.nextp.Load()).ptr()
	m.nextp.Store(0)
	s.rt.AcquireP(m, p)
	m.Rec.Record(record.EvUnpark, 0, 0, 0)
	switch {
	case due:
		s.becomeSpinning(m)
	case m.untimed && !m.Spinning() && s.npidle.Load() != 0:
		s.WakeP(m)
	}
}

// takeWantedP takes an idle P for m, which is about to sleep, if startM found no M for a P.
// Scheduler lock held.
//
// startM, having found no sleeping M, sets wantM and puts the P back in one locked step. An M on
// its way to sleep does so in the same locked step as its call here. So one of the two sees the
// other, and no work is left between them.
func (s *Sched) takeWantedP(m *M) *P {
	if !s.wantM {
		return nil
	}
	s.wantM = false
	return s.GetIdleP(m, 0)
}

// nextpArrived clears the token and returns the P that the waker left, or nil if the token was only
// a kick.
//
// The waker stores state, then nextp, then park, then kicks. We swap park to 0 and then read nextp.
// If we consumed the waker's token we see its nextp. If its store of park comes after our swap,
// HaltUntil returns at once. We may also see its nextp after having consumed another's token; then
// its store to park arrives later, as a spurious token, which the next sleep takes for a kick. In
// every case, having read nextp we see the state, which was stored before it: reading an old one
// would count m as a spinner twice, and then no WakeP would ever wake an M again. nextp is stored
// once for each sleep, because the waker ended that sleep under the lock (wakeM).
func (m *M) nextpArrived() *P {
	if m.park.Swap(0) == 0 {
		return nil
	}
	return puintptr(m.nextp.Load()).ptr()
}

// startM gives p to an M: an idle one, otherwise one that waits for a G tied to it and is lent,
// otherwise a CPU that was never started [M8]. spinning says that the M will spin and is counted
// already. by is the calling M, which may have no P; preemption is off.
//
// The scheduler lock is held on entry and released on return.
//
// If there is no such M, started is false, and the caller's work stays in its queue: every M runs
// then, and will look for work before it sleeps.
func (s *Sched) startM(by *M, p *P, spinning bool) (started bool) {
	if spinning && !p.runqEmpty() {
		s.rt.Throw("M3: a spinning M gets a P with Gs")
	}
	m := s.idleM(by)
	if m == nil {
		if m = s.toLend(); m != nil {
			m.lent = true
		}
	}
	if m != nil {
		s.wakeM(by, m, p, spinning)
		return true
	}
	if s.ncpu < s.MaxMs() {
		m := &s.ms[s.ncpu]
		s.ncpu++
		s.nms++
		by.Rec.Record(record.EvStartM, 0, uint64(m.ID), wakeArg(p, spinning))
		s.becomes(m, awake(spinning))
		s.rt.Unlock()
		by.Stats[Wakes]++
		s.machine.StartM(m, p)
		return true
	}
	// There is no M for p: give p back. All Ms are running, or about to sleep, or about to wake
	// with a P; those about to sleep find wantM in stopM.
	if !p.runqEmpty() || p.hasPassed() {
		s.runqDrain(by, p)
	}
	if spinning {
		s.unsummon(by)
	}
	s.PutIdleP(by, p, 0)
	s.wantM = true
	s.rt.Unlock()
	return false
}

// wakeM gives p to m, which sleeps: it is idle, or waits for a G tied to it. by is the calling M;
// it may be m itself, awake to do sysmon's work. The scheduler lock is held on entry and released
// on return. The order of the stores is the one that nextpArrived's comment requires.
func (s *Sched) wakeM(by, m *M, p *P, spinning bool) {
	m.untimed = false
	switch m.state.Load() {
	case mIdle:
		s.removeIdleM(m)
		m.untimed = s.timerM.Load() == 0
	case mLockedWait:
		s.nmlocked-- // it was not looking for work
	default:
		s.rt.Throw("M9: an M is woken that does not sleep")
	}
	s.becomes(m, awake(spinning))
	s.rt.MsAsleep(s.asleep())
	// Record before storing nextp: if m is already awake (another token) it acts on nextp
	// immediately.
	by.Rec.Record(record.EvWakeM, 0, uint64(m.ID), wakeArg(p, spinning))
	m.nextp.Store(uintptr(handleP(p)))
	s.rt.Unlock()
	m.park.Store(1)
	if m != by {
		s.machine.Kick(m)
	}
	by.Stats[Wakes]++
}

// wakeArg is the argument of EvWakeM and EvStartM beside the M.
func wakeArg(p *P, spinning bool) uint64 {
	if spinning {
		return uint64(p.ID) | record.WakeSpinning
	}
	return uint64(p.ID)
}

// kick ends the sleep of m. If m is awake already, its next sleep consumes the token, looks around
// and goes on. Any context.
func (s *Sched) kick(by, m *M) {
	by.Rec.Record(record.EvKick, 0, uint64(m.ID), 0)
	m.park.Store(1)
	s.machine.Kick(m)
}

// nextTimer returns when the earliest timer of any P is due, and that P; 0 if there is none. It may be called
// without a P, and then procs may change during the call, because a stop of the world does not stop
// the caller. If the number it reads is too small, it misses Ps that have just been made and have
// no timers; if too large, it looks at Ps whose timers were moved. The restart of the world wakes
// Ms.
func (s *Sched) nextTimer() (until int64, first *P) {
	for set := s.timedPs(); set != 0; {
		var p *P
		p, set = s.next(set)
		if t := s.rt.NextTimer(p); t != 0 && (until == 0 || t < until) {
			until, first = t, p
		}
	}
	return until, first
}

// hasTimer reports whether any P has a timer. As nextTimer.
func (s *Sched) hasTimer() bool {
	until, _ := s.nextTimer()
	return until != 0
}

// earlier is the earlier of two times; 0 means none.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// never is timerMUntil if the timer M has no deadline and sleeps until it is kicked.
const never = 1<<63 - 1

// timerSleep returns the deadline for m, which is about to halt, 0: none. If m is idle, a P is idle
// too, and no other M is the timer M, then m becomes it: it sleeps until the earliest timer is due
// [T2], or sysmon's next periodic task [S5]. If that is due now, m has given itself an idle P on
// return, to look for it. Without an idle P there is no timer M: the Ps' owners look at their
// timers, and ticks at those of Ps in calls (orphanTimer).
//
// Orderings. An M that sets a timer first stores it, then reads s.timerM (WakeTimerM). The timer M
// stores s.timerM, with timerMUntil 0, then reads the timers, then stores timerMUntil, then halts.
// It does so again after each kick.
//
//   - The setter sees no timer M: it wakes an M, if a P is idle, which becomes the timer M if it
//     finds nothing else. The claim comes later, and the claimer's read finds the timer.
//   - It sees a timer M: it kicks it unless timerMUntil is early enough; 0 is not. If timerMUntil
//     is from an earlier look than the last, the 0 of the last look comes after the setter's read,
//     so the last look's read of the timers comes after the setter's store. A kick is a token in
//     m.park, so it ends the halt even if it comes before it.
//   - It sees a timer M that is just being given a P. That M wakes another in its place (awaitP),
//     or spins, and then whichever M continues the search does the same.
//   - It sees no timer M and wakes none because one spins. If that finds nothing it comes here, and
//     its read comes later; or it is given a P on its way, and wakes another too (awaitP).
//
// All but the setter's part is done with the scheduler lock. So an M that gives m a P, which ends
// m's place as timer M, does that before or after all of it.
func (s *Sched) timerSleep(m *M) (until int64, due bool) {
	s.rt.Lock()
	if m.state.Load() != mIdle || s.timerM.Load() != 0 && !s.isTimerM(m) {
		s.rt.Unlock()
		return 0, false
	}
	if s.npidle.Load() == 0 {
		if s.isTimerM(m) {
			s.endTimerSleep(m)
		}
		s.rt.Unlock()
		return 0, false
	}
	s.timerMUntil.Store(0)
	s.timerM.Store(uintptr(handleM(m)))
	periodic := s.rt.PeriodicAt()
	timer, p := s.nextTimer()
	until = earlier(timer, periodic)
	now := s.machine.Now()
	m.Rec.Record(record.EvTimerSleep, 0, uint64(until), 0)
	switch {
	case until == 0:
		s.timerMUntil.Store(never)
	case until > now:
		s.timerMUntil.Store(until)
	default:
		if periodic != 0 && periodic <= now {
			s.periodic.CompareAndSwap(periodicNone, periodicDue)
		}
		s.endTimerSleep(m)
		// The P with the timer, if that is idle: m looks at its own P's timers first.
		if p == nil || p.idle.Load() == 0 {
			p = s.pidle.ptr()
		}
		s.removeIdleP(m, p, now)
		s.wakeM(m, m, p, false)
		return 0, true
	}
	s.rt.Unlock()
	return until, false
}

// isTimerM reports whether m is the timer M. Scheduler lock held.
func (s *Sched) isTimerM(m *M) bool { return muintptr(s.timerM.Load()).ptr() == m }

// endTimerSleep makes m no longer the timer M. Scheduler lock held.
func (s *Sched) endTimerSleep(m *M) {
	m.Rec.Record(record.EvTimerWake, 0, 0, 0)
	s.timerM.Store(0)
}

// WakeTimerM makes sure that some M looks at a timer that was set for when: the timer M, if it
// would sleep past when; an M that it wakes, if there is no timer M. If all Ps are busy by then,
// by's own tick, which comes no later than when, makes by's G leave if the timer is its P's [T1].
// by is the calling M, with preemption off.
func (s *Sched) WakeTimerM(by *M, when int64) {
	by.Rec.Record(record.EvSetTimer, 0, uint64(when), 0)
	if by.P() != nil {
		s.machine.TickAt(by, when)
	}
	if k := muintptr(s.timerM.Load()).ptr(); k != nil {
		until := s.timerMUntil.Load()
		if until == 0 || until > when {
			s.kick(by, k)
		}
		return
	}
	s.WakeP(by)
}

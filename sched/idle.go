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
	by.Rec.Record(record.EvIdleP, 0, uint64(p.ID), 0)
	s.rt.Idle(p, now)
	p.link = s.pidle
	s.pidle = handleP(p)
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
	p.idle.Store(0)
	s.npidle.Add(-1)
	by.Rec.Record(record.EvBusyP, 0, uint64(p.ID), 0)
	s.rt.Busy(p, now)
}

// getIdlePSpinning is GetIdleP for an M that will spin. Without an idle P it
// notes the wish, which an M that is about to give up its P will meet.
// Scheduler lock held.
func (s *Sched) getIdlePSpinning(by *M) *P {
	p := s.GetIdleP(by, 0)
	if p == nil {
		s.needspinning.Store(1)
	}
	return p
}

// putIdleM puts m, which has no P, on the list of parked Ms [M1]. Scheduler
// lock held.
func (s *Sched) putIdleM(m *M) {
	if m.P() != nil || m.spinning {
		s.rt.Throw("M1: an M with a P, or spinning, goes idle")
	}
	m.Rec.Record(record.EvPark, 0, 0, 0)
	m.link = s.midle
	s.midle = handleM(m)
	s.nmidle++
	m.parked.Store(1)
}

// getIdleM takes a parked M, or returns nil: by itself, if that is one that does
// sysmon's work. Scheduler lock held.
func (s *Sched) getIdleM(by *M) *M {
	m := by
	if by.parked.Load() == 0 {
		m = s.midle.ptr()
	}
	if m != nil {
		s.removeIdleM(m)
	}
	return m
}

// removeIdleM takes m off the list of parked Ms, where it is. Scheduler lock held.
func (s *Sched) removeIdleM(m *M) {
	at := &s.midle
	for at.ptr() != m {
		at = &at.ptr().link
	}
	*at = m.link
	m.link = 0
	s.nmidle--
	m.parked.Store(0)
	s.rt.MsAsleep(s.asleep())
}

// stopM parks m, which has no P, until it is given one [M9]. On return m owns a P.
func (s *Sched) stopM(m *M) {
	if m.P() != nil || m.spinning {
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

// checkDead is called when one more M is about to sleep: if all do, the program is dead,
// or waits for a device [U6]. Scheduler lock held.
func (s *Sched) checkDead() {
	n := s.asleep()
	s.rt.MsAsleep(n)
	// Foreign code may call, and a timer M that waited for sysmon's sake alone when it fell
	// asleep may have a timer to wait for by now.
	if n == s.nms && s.nforeignUsed == 0 && s.nextTimer() == 0 {
		s.rt.CheckDead()
	}
}

// asleep is how many Ms sleep and will not wake by themselves. Scheduler lock held.
func (s *Sched) asleep() int32 {
	n := s.nmidle + s.nmlocked - s.nsysmon
	if s.sysmonOnly && !s.wantM { // a timer M that is wanted is on its way
		n++
	}
	return n
}

// awaitP halts m until it is given a P, and acquires that. Meanwhile it does sysmon's work
// when it is kicked.
func (s *Sched) awaitP(m *M) {
	for m.nextpArrived() == nil {
		s.sysmon(m)
		s.sleep(m, &m.park, 0)
	}
	p := puintptr(m.nextp.Load()).ptr()
	m.nextp.Store(0)
	s.rt.AcquireP(m, p)
	m.Rec.Record(record.EvUnpark, 0, 0, 0)
}

// takeWantedP takes an idle P for m, which is about to sleep, if startM found no M
// for one. Scheduler lock held.
//
// startM notes the want and puts the P back in one locked step, having found no
// parked M and no timer M. An M on its way to sleep becomes one of those in the
// same locked step as it asks here. So one of the two sees the other, and no
// work is left between them.
func (s *Sched) takeWantedP(m *M) *P {
	if !s.wantM {
		return nil
	}
	s.wantM = false
	return s.GetIdleP(m, 0)
}

// nextpArrived clears the token and returns the P that the waker left, or nil
// for a token that meant something else (a kick of a timer M that had woken by
// itself).
//
// The waker stores spinning, then nextp, then park, then kicks. We swap park to
// 0 and then read nextp. If we consumed the waker's token we see its nextp. If
// its store of park comes after our swap, HaltUntil returns at once. We may
// also see its nextp after having consumed another's token; then its park comes
// later and is a token too many, which the next sleep takes for a look around.
// In every case, having read nextp we see spinning, which was stored before it:
// reading an old one would count m as a spinner twice, and no WakeP would ever
// wake anybody again. nextp is stored once per parking, because the waker took
// m off the idle list under the lock.
func (m *M) nextpArrived() *P {
	if m.park.Swap(0) == 0 {
		return nil
	}
	return puintptr(m.nextp.Load()).ptr()
}

// startM has p run by some M: a parked one, else the timer M, else one that waits for a
// G of its own and is lent, else a CPU that was never started [M8]. spinning says that the
// M is to spin and is counted already. by is the calling M, which may have no P; preemption
// is off.
//
// The scheduler lock is held on entry and released on return.
//
// Work that made the caller come here stays in its queue: if no M can be had,
// every M runs and will look for work before it sleeps; started is then false.
func (s *Sched) startM(by *M, p *P, spinning bool) (started bool) {
	if spinning && !p.runqEmpty() {
		s.rt.Throw("M3: a spinning M gets a P with Gs")
	}
	m := s.getIdleM(by)
	if m == nil {
		m = s.takeTimerM()
	}
	if m != nil {
		by.Rec.Record(record.EvWakeM, 0, uint64(m.ID), wakeArg(p, spinning))
		if m.spinning || m.nextp.Load() != 0 {
			s.rt.Throw("M1: a parked M spins or has a next P")
		}
		m.spinning = spinning
		m.nextp.Store(uintptr(handleP(p)))
		s.rt.Unlock()
		m.park.Store(1)
		if m != by {
			s.machine.Kick(m)
		}
		by.Stats[Wakes]++
		return true
	}
	if m := s.toLend(); m != nil {
		s.endLockedWait(m)
		by.Rec.Record(record.EvWakeM, 0, uint64(m.ID), wakeArg(p, spinning))
		s.rt.Unlock()
		m.spinning = spinning
		m.lent = true
		m.nextp.Store(uintptr(handleP(p)))
		m.park.Store(1)
		if m != by {
			s.machine.Kick(m)
		}
		return true
	}
	if s.ncpu < s.MaxMs() {
		m := &s.ms[s.ncpu]
		s.ncpu++
		s.nms++
		by.Rec.Record(record.EvStartM, 0, uint64(m.ID), wakeArg(p, spinning))
		s.rt.Unlock()
		m.spinning = spinning
		by.Stats[Wakes]++
		s.machine.StartM(m, p)
		return true
	}
	// No M is parked and none can be started: give p back. All Ms run, or are about
	// to sleep, or to wake with a P; those that come to sleep find wantM in stopM or
	// timerSleep.
	if !p.runqEmpty() {
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

// takeTimerM returns the timer M, if it sleeps or is about to, and nobody has given it
// a P yet; or nil. The caller gives it one, and sets its spinning, before it lets go of
// the scheduler lock, which it holds: the timer M, on its way back, first gives up its
// place under the lock and then looks for a P. Until then it owns neither field.
func (s *Sched) takeTimerM() *M {
	m := muintptr(s.timerM.Load()).ptr()
	if m == nil || m.nextp.Load() != 0 {
		return nil
	}
	if s.sysmonOnly {
		s.sysmonOnly = false // it is on its way
		s.rt.MsAsleep(s.asleep())
	}
	return m
}

// wakeArg is what an EvWakeM or EvStartM says beside the M.
func wakeArg(p *P, spinning bool) uint64 {
	if spinning {
		return uint64(p.ID) | record.WakeSpinning
	}
	return uint64(p.ID)
}

// kick ends the sleep of a timer M that may be gone already; its token is then
// consumed by its next sleep, which looks around and goes on.
func (s *Sched) kick(by, m *M) {
	by.Rec.Record(record.EvKick, 0, uint64(m.ID), 0)
	m.park.Store(1)
	s.machine.Kick(m)
}

// nextTimer returns when the earliest timer of any P is due, 0 if there is none. It may be called
// without a P, and then procs may change during the call, because a stop of the world does not stop
// the caller. If the number it reads is too small, it misses Ps that have just been made and have
// no timers; if too large, it looks at Ps whose timers were moved. The restart of the world wakes
// Ms.
func (s *Sched) nextTimer() int64 {
	var until int64
	for i := int32(0); i < s.procs.Load(); i++ {
		until = earlier(until, s.rt.NextTimer(&s.ps[i]))
	}
	return until
}

// earlier is the earlier of two times; 0 means none.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// timerSleep lets m, which has no P and does not spin, sleep as the timer M until the
// earliest timer is due [T2], or something that sysmon does by the clock [S5], and
// reports true when it woke: then the caller looks for a P, which it may have been
// given (nextp). It reports true at once if an M is wanted. It reports false if
// there is nothing to wait for, or another M is the timer M.
//
// Orderings. Who sets a timer first stores it, then reads s.timerM (WakeTimerM).
// The timer M claims s.timerM, then reads the timers, then stores timerMUntil,
// then sleeps.
//
//   - The setter sees no timer M: the claim comes later, and the claimer's read
//     finds the timer.
//   - It sees a timer M: it kicks it unless timerMUntil is early enough. A kick
//     is a token in m.park, so it ends the sleep even if it comes before it.
//   - A claimer that finds no timer gives the claim up, and reads once more: a
//     setter that saw the claim stored its timer before that read, and one that
//     stores it later sees no timer M and wakes an M itself.
//
// The claim is made under the scheduler lock for startM's sake: see takeWantedP; and for
// those of startM and startLockedM, which give a timer M a P under the lock.
func (s *Sched) timerSleep(m *M) bool {
	for {
		timer, periodic := s.nextTimer(), s.rt.PeriodicAt()
		until := earlier(timer, periodic)
		if until == 0 {
			return false
		}
		s.rt.Lock()
		if s.wantM || m.nlockedq.Load() != 0 {
			s.rt.Unlock()
			return true
		}
		if k := muintptr(s.timerM.Load()).ptr(); k != nil {
			s.rt.Unlock()
			if kept := s.timerMUntil.Load(); kept == 0 || kept > until {
				s.kick(m, k)
			}
			return false
		}
		s.timerM.Store(uintptr(handleM(m)))
		m.Rec.Record(record.EvTimerSleep, 0, uint64(until), 0)
		if timer == 0 {
			// No G will ever be woken by what we wait for.
			s.sysmonOnly = true
			s.checkDead()
		}
		s.rt.Unlock()

		if until = earlier(s.nextTimer(), s.rt.PeriodicAt()); until != 0 {
			s.timerMUntil.Store(until)
			m.Stats[Parks]++
			s.sysmon(m)
			s.sleep(m, &m.park, until)
		}
		s.timerMUntil.Store(0)
		s.rt.Lock()
		s.timerM.Store(0)
		m.Rec.Record(record.EvTimerWake, 0, 0, 0)
		if s.sysmonOnly {
			s.sysmonOnly = false
			s.rt.MsAsleep(s.asleep())
		}
		s.rt.Unlock()
		// Tokens up to here asked for a look around, which follows.
		m.park.Store(0)
		s.sysmon(m)
		if t := s.rt.PeriodicAt(); t != 0 && t <= s.machine.Now() {
			s.periodic.Store(1)
		}
		if until != 0 || m.nextp.Load() != 0 {
			return true
		}
	}
}

// WakeTimerM makes sure that some M looks at a timer that was set for when:
// the timer M if it would sleep past it, else a woken M. If by then all Ps are busy,
// by's own tick, which comes no later, has its G leave if the timer is its P's [T1].
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

package sched

import "sched9/record"

// findRunnable returns the next G to run on m, which owns a P; on return m may own another one. It
// sleeps until there is a G. inherit: the G continues in the current time slice. wake: an idle M
// should look for the other Gs, because this one is one of the runtime's own, or goes before one in
// the ring for which no M was woken.
//
// The order is SPEC.md's, in five phases, each of which begins again from the first if it had to let
// somebody else go on: (stop, safe point, timers); findFirst, which has Gs that do not wait for their turn; chores;
// findQueued: local, poll, global; findSpinning: steal in four tries; findLast: idle worker, global again under the
// lock, all Ps again (checkRunqsNoP), sleep. Take is the short way through the first four.
func (s *Sched) findRunnable(m *M) (g *G, inherit, wake bool) {
	asked := false // IdleWorker had none since m last slept
	for {
		p := m.P()
		quiet, timer := s.rt.Quiet(p)
		now := int64(0)
		if timer != 0 {
			now = s.machine.Now()
			quiet = quiet && now < timer
		}
		if !quiet {
			if s.rt.Stopping() {
				s.gcstopM(m)
				continue
			}
			s.safePoint(p)
			now, _ = s.rt.RunTimers(p, now)
		} else if s.Unusual(m) == 0 {
			if g, inherit := s.Take(m, p); g != nil {
				return g, inherit, false
			}
		}

		if g, wake := s.findFirst(m, p, now, quiet); g != nil {
			return g, false, wake
		}
		s.chores(m, now, quiet)
		if Hunting {
			if s.huntStall(m, p) {
				continue
			}
			if g := s.huntNext(m, p); g != nil {
				s.dequeue(g)
				return g, false, false
			}
		}
		if g, inherit, wake := s.findQueued(m, p); g != nil {
			return g, inherit, wake
		}
		g, again := s.findSpinning(m, p, now)
		if g == nil && !again {
			g, asked = s.findLast(m, p, now, asked)
		}
		if g != nil {
			return g, false, false
		}
	}
}

// findFirst returns a G that goes before those in m's ring, nil if there is none: one that is tied to m, one of the runtime's
// workers, or, every 61st time and after a slice that is used up, one of the global queue [R8, R11], or one that is wired to p [P7]. now is 0, or the time; quiet: the runtime
// has no worker. wake: as of findRunnable.
func (s *Sched) findFirst(m *M, p *P, now int64, quiet bool) (g *G, wake bool) {
	if m.nlockedq.Load() != 0 {
		if g := s.lockedqGet(m); g != nil {
			s.dequeue(g)
			return g, s.hasWork(m) // a G that has just yielded may wait behind it
		}
	}
	if !quiet {
		if g := s.rt.Worker(p, now); g != nil {
			m.Stats[Workers]++
			m.Rec.Found(record.FromWorker)
			return g, true
		}
	}
	turn := p.schedtick%globalTick == 0
	alone := false
	if m.sliceState.Load()&sliceUsed != 0 && p.runnext.Load() != 0 {
		// The Gs that went before the ring have used up a slice together, so the ring comes next. A
		// single G there could go on for 60 more slices before the global queue has its turn, so
		// that queue has a turn now ([R11], [U2]). First the runnext moves to the ring: the G from
		// the global queue begins a slice, and if that is used up too, and so on, the runnext would
		// stay where it is for ever. After a slice that was early the ring has its turn (leaveSlice).
		alone = s.expireRunnext(m, p)
		turn = turn || m.sliceState.Load()&sliceEarly == 0
	}
	if turn && s.runqsize.Load() != 0 && !(Hunting && s.hunter.On()) {
		s.rt.Lock()
		g := s.globrunqGet(m, p, 1)
		s.rt.Unlock()
		if g != nil {
			s.dequeue(g)
			return g, alone // an idle M may run the G in the ring
		}
	}
	if p.hasPassed() && p.schedtick%wiredTick == 0 {
		if g := s.wiredGet(m, p); g != nil {
			s.dequeue(g)
			return g, s.hasWork(m) // a G that has just yielded may wait behind it
		}
	}
	return nil, false
}

// chores does what is due and no G waits for. While there is always a G to run, no other code would do it [S1, S3]. m owns a P; now and quiet
// are findFirst's.
func (s *Sched) chores(m *M, now int64, quiet bool) {
	if !quiet {
		s.rt.Background()
	}
	if s.periodic.Load() == periodicDue && s.periodic.CompareAndSwap(periodicDue, periodicRuns) {
		s.rt.Periodic()
		s.periodic.Store(periodicNone)
	}
	if s.pollDue.Load() != 0 && s.pollDue.CompareAndSwap(1, 0) {
		s.sysmonRunning(m)
		if s.poll(m, 1) && s.runqsize.Load() != 0 {
			s.WakeP(m) // a G that has just yielded may wait behind them
		}
		s.runOrphans(m, now)
	}
}

// findQueued returns a G of m's ring, one that a device has made runnable, one of the global queue, or one that is wired to p; nil if there is none. inherit, wake: as of
// findRunnable.
func (s *Sched) findQueued(m *M, p *P) (g *G, inherit, wake bool) {
	// The same as runqGet, without a call for each G.
	if m.sliceState.Load()&sliceUsed != 0 {
		s.expireRunnext(m, p)
	}
	if g, from := s.runqPop(p); g != nil {
		m.Rec.Found(from)
		s.dequeue(g)
		return g, m.inherits(from), false
	}
	if s.rt.PollReady() && !s.globalTurn(m) && s.poll(m, 0) {
		if g, from := s.runqPop(p); g != nil {
			m.Rec.Found(from)
			s.dequeue(g)
			return g, false, true
		}
		wake = true // they are others' already, or on the one queue that there is
	}
	m.Rec.Record(record.EvLook, 0, uint64(record.LookGlobal), 0)
	if s.runqsize.Load() != 0 {
		s.rt.Lock()
		g := s.globrunqGet(m, p, RingSize/2)
		s.rt.Unlock()
		if g != nil {
			s.dequeue(g)
			return g, false, wake
		}
	}
	if p.hasPassed() {
		if g := s.wiredGet(m, p); g != nil {
			s.dequeue(g)
			return g, false, wake
		}
	}
	return nil, false, false
}

// findSpinning returns a G that m steals, unless half as many Ms spin already as Ps are busy: more spinners would burn CPU time
// that the running Gs could use [M7]. again: the search is to begin anew.
func (s *Sched) findSpinning(m *M, p *P, now int64) (g *G, again bool) {
	if !m.Spinning() {
		if 2*s.nmspinning.Load() >= s.procs.Load()-s.npidle.Load() {
			return nil, false
		}
		s.becomeSpinning(m)
	}
	g, again = s.stealWork(m, p, now)
	if g != nil {
		s.dequeue(g)
		return g, false
	}
	return nil, again || s.linger(m, p)
}

// findLast returns an idle worker of the runtime's, or a G that has come to the global queue meanwhile. If there is none, m gives up its P, looks
// everywhere once more, and sleeps; the search then begins anew. asked: the runtime had no idle worker since m last slept, and the new
// value of that.
func (s *Sched) findLast(m *M, p *P, now int64, asked bool) (g *G, nowAsked bool) {
	m.Rec.Record(record.EvLook, 0, uint64(record.LookIdle), 0)
	if g := s.rt.IdleWorker(p); g != nil {
		m.Stats[Workers]++
		m.Rec.Found(record.FromIdleWorker)
		return g, asked
	}
	worker := !asked // checkRunqsNoP may send us round again for one

	s.rt.Lock()
	m.Rec.Record(record.EvLook, 0, uint64(record.LookLocked), 0)
	if s.rt.Stopping() || s.rt.SafePointPending(p) {
		s.rt.Unlock()
		return nil, true
	}
	if s.runq.n != 0 {
		g := s.globrunqGet(m, p, RingSize/2)
		s.rt.Unlock()
		s.dequeue(g)
		return g, true
	}
	if !m.Spinning() && s.needspinning.Load() == 1 {
		// An M wanted a spinner and found no idle P. It may have missed ours by a moment.
		s.becomeSpinning(m)
		s.rt.Unlock()
		return nil, true
	}
	if m.nlockedq.Load() != 0 || p.hasPassed() {
		s.rt.Unlock()
		return nil, true
	}
	s.rt.ReleaseP(m, p)
	s.PutIdleP(m, p, now)
	s.rt.Unlock()

	if m.Spinning() {
		// The order matters: first stop spinning, then look everywhere. A submitter first puts a G
		// and then looks for a spinner (WakeP). If it saw us spin, its put came before our
		// decrement and we find the G now; if not, it wakes an M itself. In the opposite order a G
		// that is put between our look and our decrement would be lost.
		s.dropSpinning(m)
		if s.checkRunqsNoP(m, worker) {
			return nil, true
		}
	}
	m.looks = lingerAnew
	s.stopM(m)
	return nil, false
}

// runOrphans runs the timers of orphaned Ps, which may make Gs runnable on m's P.
func (s *Sched) runOrphans(m *M, now int64) {
	for set := s.timedPs(); set != 0; {
		var p *P
		if p, set = s.next(set); p.orphaned() {
			now, _ = s.rt.RunTimers(p, now)
		}
	}
}

// checkRunqsNoP looks at every source of work for m, which has just stopped spinning and has no P.
// If there is work and a P is idle, m takes that P and spins again, and checkRunqsNoP reports true.
// (m spins so that resetSpinning will wake another M: there may be more than one G.)
//
// With worker it looks for the runtime's idle work too. That is a hint: there may be none after
// all, so it is followed only once.
//
// If there is work and no P is idle, the owners of the Ps are running and will find it;
// getIdlePSpinning told those that are about to give theirs up.
func (s *Sched) checkRunqsNoP(m *M, worker bool) bool {
	m.Rec.Record(record.EvLook, 0, uint64(record.LookRecheck), 0)
	if !s.anyWork() && !(worker && s.rt.IdleWorkerWanted()) {
		return false
	}
	s.rt.Lock()
	p := s.getIdlePSpinning(m)
	s.rt.Unlock()
	if p == nil {
		return false
	}
	s.rt.AcquireP(m, p)
	s.becomeSpinning(m)
	return true
}

// anyWork reports whether any queue holds a G, or a device has an event. A hint: it takes no lock.
// The caller needs no P.
func (s *Sched) anyWork() bool {
	if s.runqsize.Load() != 0 || s.rt.PollReady() {
		return true
	}
	for set := s.ownedPs(); set != 0; {
		var p *P
		if p, set = s.next(set); !p.runqEmpty() {
			return true
		}
	}
	return false
}

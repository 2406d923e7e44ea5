package sched

// The audit walks all of the scheduler's data while the world is stopped, and ends the program with
// the rule's id if something is wrong. It finds damage near its cause; the asserts elsewhere may
// meet it much later.
//
// It runs on by's scheduler stack, with the scheduler lock held and the world stopped: by owns a P
// and all other Ps have stopped, so their queues do not move. Ms without a P may still be on their
// way to sleep.

// Audit checks queues, Ps and Ms, and marks every queued G with epoch, a number that no earlier
// audit used. The runtime then calls AuditG for each of its Gs.
func (s *Sched) Audit(by *M, epoch uint32) {
	procs := s.procs.Load()
	for i := int32(0); i < MaxProcs; i++ {
		p := &s.ps[i]
		if i < procs {
			s.auditP(by, p, epoch)
		} else if p.M() != nil || p.idle.Load() != 0 || !p.runqEmpty() {
			s.rt.Throw("P5: a P beyond their number is in use")
		}
	}
	s.auditGlobal(epoch)
	for i := range s.ms {
		for h := s.ms[i].lockedq.head; h != 0; h = h.ptr().link {
			s.auditQueued(h.ptr(), epoch)
		}
	}
	s.auditMs(by)
}

// auditP checks P p, which is stopped or by's own: [R1, R5, P1, P2, P6, P7].
func (s *Sched) auditP(by *M, p *P, epoch uint32) {
	if m := p.M(); m != nil && (m != by || by.P() != p) {
		s.rt.Throw("P1: in a stopped world an M has a P that is not its own")
	}
	if p.idle.Load() != 0 || p.link != 0 {
		s.rt.Throw("P2: in a stopped world a P is on the idle list")
	}
	if p.hasPassed() || p.wiredq.n != 0 {
		s.rt.Throw("P7: in a stopped world Gs that are wired to a P wait behind it")
	}
	head, tail := p.head.Load(), p.tail.Load()
	if tail-head > RingSize {
		s.rt.Throw("R1: ring longer than its size")
	}
	for i := head; i != tail; i++ {
		s.auditQueued(guintptr(p.ring[i%RingSize].Load()).ptr(), epoch)
	}
	if next := guintptr(p.runnext.Load()); next != 0 {
		s.auditQueued(next.ptr(), epoch) // [R5]: it is not in the ring too
	}
}

// auditGlobal checks the global queue: [R7].
func (s *Sched) auditGlobal(epoch uint32) {
	n := int32(0)
	last := guintptr(0)
	for h := s.runq.head; h != 0; h = h.ptr().link {
		s.auditQueued(h.ptr(), epoch)
		last = h
		n++
	}
	if n != s.runq.n || n != s.runqsize.Load() || last != s.runq.tail {
		s.rt.Throw("R7: the global queue's length or end is wrong")
	}
}

// auditQueued checks a G that is in a queue, and marks it: [G3].
func (s *Sched) auditQueued(g *G, epoch uint32) {
	switch {
	case g == nil:
		s.rt.Throw("G3: a queue holds no G where it should")
	case g.queued.Load() == auditMark(epoch):
		s.rt.Throw("G3: a G is in two queues")
	case g.queued.Load() == 0:
		s.rt.Throw("G3: a G in a queue is not marked as queued")
	case !s.rt.Runnable(g):
		s.rt.Throw("G3: a G in a queue is not runnable")
	}
	g.queued.Store(auditMark(epoch)) // nobody else does: who takes it out or puts it anywhere needs a P
}

// auditMark is G.queued of a G that the audit with number epoch has found in a queue.
func auditMark(epoch uint32) uint32 { return epoch<<1 | 1 }

// AuditG checks that a G of the runtime is in a queue if and only if it should be [G3]. The same
// audit's call of Audit came before.
func (s *Sched) AuditG(g *G, queued bool, epoch uint32) {
	switch {
	case queued && g.queued.Load() != auditMark(epoch):
		s.rt.Throw("G3: a runnable G is in no queue")
	case !queued && g.queued.Load() != 0:
		s.rt.Throw("G3: a G that is not runnable is in a queue")
	}
}

// auditMs checks the Ms' states, the idle list and the counts: [M1, M2, M7, M8, M9, M13, P6].
func (s *Sched) auditMs(by *M) {
	if by.P() == nil || by.state.Load() != mRunning {
		s.rt.Throw("M2: the M that has stopped the world has no P, or spins")
	}
	n := int32(0)
	for h := s.midle; h != 0; h = h.ptr().link {
		if h.ptr().state.Load() != mIdle {
			s.rt.Throw("M1: an M that is not idle is on the list of those")
		}
		if n++; n > s.nms {
			s.rt.Throw("M1: the list of idle Ms goes round in circles")
		}
	}
	var in [mStates]int32 // Ms in each state
	for i := range s.ms {
		m := &s.ms[i]
		state := m.state.Load()
		in[state]++
		if state != mRunning && m.P() != nil {
			s.rt.Throw("M1: an M has a P and sleeps, or is none, or spins in a stopped world")
		}
		if m.Asleep() && m.nextp.Load() != 0 {
			// The giver of a P changes the state first, under the lock.
			s.rt.Throw("M9: an M that sleeps has been given a P")
		}
		if m.ID < s.ncpu && (state == mOff || state == mForeign) {
			s.rt.Throw("M8: an M was started and is off, or foreign")
		}
		if m.lockedq.n != m.nlockedq.Load() {
			s.rt.Throw("M13: the number of Gs passed to an M is wrong")
		}
	}
	if n != s.nmidle || n != in[mIdle] || MaxProcs-in[mOff]-in[mForeign] != s.nms {
		s.rt.Throw("M1: the number of Ms, or of idle ones, is wrong")
	}
	if in[mLockedWait] != s.nmlocked {
		s.rt.Throw("M13: the number of Ms that wait for their own Gs is wrong")
	}
	if spinning := s.nmspinning.Load(); spinning < in[mSpinning] || spinning > s.nms {
		s.rt.Throw("M7: the number of spinning Ms is wrong")
	}
	if s.pidle != 0 || s.npidle.Load() != 0 || s.idlePs.Load() != 0 || s.barePs.Load() != 0 {
		s.rt.Throw("P6: in a stopped world the number of idle Ps is not 0")
	}
	if k := muintptr(s.timerM.Load()).ptr(); k != nil && k.state.Load() != mIdle {
		s.rt.Throw("M1: the timer M is not idle")
	}
}

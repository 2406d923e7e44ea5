package sched

import "sched9/record"

// WakeP makes sure that some M looks for work that the caller has just put in a queue: it makes one
// idle M spin, unless one does already. by is the calling M, with preemption off; the scheduler
// lock is not held.
//
// One spinner is enough: when it finds work it wakes the next (resetSpinning), so that the number
// of running Ms grows while there is work, and a burst of wake-ups costs one.
//
// Ordering. The caller's put (a store) comes before our load of nmspinning; an M that stops
// spinning decrements nmspinning before it looks at all queues once more (find.go). Seeing a
// spinner here therefore means that it has yet to look, and will see the G.
func (s *Sched) WakeP(by *M) {
	if !s.hasSpinner() {
		s.summon(by)
	}
}

// hasSpinner reports whether some M will look for what was just put, so that none need be woken:
// one that spins, or, if no P is idle, one that is about to give up its P and knows that it must
// spin instead. It is nearly always true, so the compiler inlines it.
func (s *Sched) hasSpinner() bool {
	return s.nmspinning.Load() != 0 || s.npidle.Load() == 0 && s.needspinning.Load() != 0
}

// summon makes an idle M spin, unless another M begins to in the meantime. As for WakeP.
func (s *Sched) summon(by *M) {
	if !s.nmspinning.CompareAndSwap(0, 1) {
		return
	}
	by.Rec.Record(record.EvSummon, 0, 1, 0)
	s.rt.Lock()
	p := s.getIdlePSpinning(by)
	if p == nil {
		s.unsummon(by)
		s.rt.Unlock()
		return
	}
	s.startM(by, p, true)
}

// unsummon takes back the count of a spinner that did not come about. Scheduler lock held.
//
// While the count stood, others may have put Gs and woken no M because of it. The lock saves those:
// the wish for a spinner (needspinning, wantM) is noted in the same locked step, and the M that
// meets the wish does so under the lock, later. So it looks at the queues after those puts.
func (s *Sched) unsummon(by *M) {
	n := s.nmspinning.Add(-1)
	if n < 0 {
		s.rt.Throw("M7: negative count of spinning Ms")
	}
	by.Rec.Record(record.EvUnsummon, 0, uint64(n), 0)
}

// StartP gives p, which has Gs and no owner, to an M. by is the calling M, with preemption off; the
// scheduler lock is not held. No stop of the world may be counting Ps during the call: if there is
// no M for p, p goes on the idle list, where a stopper that has already collected the idle Ps would
// miss it. The caller holds what the next stop needs.
//
// A program that dies requests a stop too, for good, and counts no P: a G that the caller has
// already released may panic before the caller has started the last P. The remaining Ps stay
// stopped, and the program ends with the panic.
func (s *Sched) StartP(by *M, p *P) {
	s.rt.Lock()
	if s.rt.Stopping() {
		if s.stopwait != 0 {
			s.rt.Throw("P4: a P is started while the world stops")
		}
		s.stopP(by, p)
		s.rt.Unlock()
		return
	}
	s.startM(by, p, false)
}

// StartIdle starts up to n idle Ps, for as many Gs that were just put on the global queue. by is
// the calling M, with preemption off.
func (s *Sched) StartIdle(by *M, n int32) {
	for ; n > 0; n-- {
		s.rt.Lock()
		p := s.getIdlePSpinning(by)
		if p == nil {
			s.rt.Unlock()
			return
		}
		if !s.startM(by, p, false) {
			return
		}
	}
}

// becomeSpinning makes m a spinner [M2]. m has a P with an empty queue, or is about to get one.
func (s *Sched) becomeSpinning(m *M) {
	s.becomes(m, mSpinning)
	m.Rec.Record(record.EvSpin, 0, uint64(s.nmspinning.Add(1)), 0)
	s.needspinning.Store(0)
	m.Stats[Spins]++
}

// dropSpinning ends m's spinning.
func (s *Sched) dropSpinning(m *M) {
	s.becomes(m, mRunning)
	n := s.nmspinning.Add(-1)
	if n < 0 {
		s.rt.Throw("M7: negative count of spinning Ms")
	}
	m.Rec.Record(record.EvUnspin, 0, uint64(n), 0)
}

// resetSpinning ends the spinning of m, which found work [M3], and wakes the next spinner: where
// there was one G there may be more, and WakeP did nothing for them while m spun.
func (s *Sched) resetSpinning(m *M) {
	if !m.Spinning() {
		s.rt.Throw("M3: resetSpinning of an M that does not spin")
	}
	s.dropSpinning(m)
	s.WakeP(m)
}

// handoffP gives p, which has no owner, to an M if there is work for it, and otherwise puts it on
// the idle list [M13, S1]. by is the calling M, which need not have a P, with preemption off; the
// scheduler lock is not held.
func (s *Sched) handoffP(by *M, p *P) {
	by.Rec.Record(record.EvHandoff, 0, uint64(p.ID), 0)
	by.Stats[Handoffs]++
	s.rt.Lock()
	if s.rt.Stopping() {
		s.stopP(by, p)
		s.rt.Unlock()
		return
	}
	if s.rt.SafePoint(p) {
		s.countSafe()
	}
	if quiet, _ := s.rt.Quiet(p); !quiet || !p.runqEmpty() || p.hasPassed() || s.runq.n != 0 {
		s.startM(by, p, false)
		return
	}
	s.PutIdleP(by, p, 0)
	s.rt.Unlock()
	when, _ := s.nextTimer()
	// While p had no owner and was not idle, others may have put Gs and found neither an idle P nor
	// a spinner: look once more, as a spinner does that gives up (find.go). Some M must look at p's
	// timers too.
	if s.anyWork() {
		s.WakeP(by)
	}
	if when != 0 {
		s.WakeTimerM(by, when)
	}
}

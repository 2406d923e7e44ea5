package sched

import "sched9/record"

// The steps of the short ways. In the usual case a G that yields, waits or ends is followed by the
// next one of its P's queues, and nothing else is due. Then one function of the runtime takes the M
// from one G to the other, without a call of Runtime's: it asks Unusual, adds its own conditions,
// and if none holds it does these steps. In every other case it calls Yield, Schedule or Ready,
// which do the same steps among others, in the same order. So each decision is made in one place,
// and each event recorded in one; and all that runs Yield, Schedule and Ready, such as the explorer
// and the stress tests, runs all of this.

// Unusual is not 0 if the scheduler must do something before it looks at the queues of m's P, or if
// the policy makes one of the steps' decisions. Called by m, which owns a P.
func (s *Sched) Unusual(m *M) uint32 {
	return m.state.Load() ^ mRunning | uint32(m.nlockedq.Load()) | s.periodic.Load() | s.pollDue.Load() | s.long
}

// Swap puts g, which m ran and which is runnable again, at the end of the global queue [R7]. It
// returns the next G if the global queue comes first, because it has its turn [R8] or p, m's P, has
// no other G. Otherwise it returns nil, and p's queue is next. Scheduler lock held.
func (s *Sched) Swap(m *M, p *P, g *G) *G {
	s.globrunqPut(m, g, true)
	max := int32(1)
	if p.schedtick%globalTick != 0 {
		if !p.runqEmpty() {
			return nil
		}
		max = RingSize / 2
		m.Rec.Record(record.EvLook, 0, uint64(record.LookGlobal), 0)
	}
	return s.globrunqGet(m, p, max)
}

// Swapped is the part of a yield of g that needs no lock. next is Swap's result. It returns the G
// to run in g's place, nil if other Ms have taken all. wake: other Ms may be woken. p is m's.
func (s *Sched) Swapped(m *M, p *P, g, next *G, wake bool) (to *G, inherit bool) {
	s.yielded(m, p, g, next, wake)
	if next == nil {
		if next, inherit = s.runqGet(m, p); next == nil {
			return nil, false
		}
	}
	s.dequeue(next)
	return next, inherit
}

// yielded wakes another M if that is needed and wake is set, after m has put g on the global queue
// and taken next (nil: none yet), and sometimes lets other CPUs go first. p is m's.
func (s *Sched) yielded(m *M, p *P, g, next *G, wake bool) {
	// No M is woken for g itself: m looks for work next, and takes g again unless it finds another
	// first. g is not lost: it was put before we look, and if the queues hold nothing else now, m's
	// own look at the global queue finds it, or what came later.
	if wake && next != g && !s.hasSpinner() {
		alone := next == nil && s.runqsize.Load() == 1 && p.runqEmpty() && m.nlockedq.Load() == 0
		if !alone && s.hasWork(m) {
			s.summon(m)
		}
	}
	// A G that yields again and again is probably waiting for another CPU. On a machine that is
	// emulated, or shares a core, that CPU may be waiting for this one to relax. Relaxing costs
	// more than a yield, so only some yields do it.
	if m.yields++; m.yields%politeYields == 0 {
		s.machine.OSYield()
	}
}

// politeYields is the number of yields after which an M lets other CPUs go first.
const politeYields = 16

// Take takes the next G of p, m's P, if its queue comes first, and otherwise returns nil. inherit:
// the G continues in the current time slice.
func (s *Sched) Take(m *M, p *P) (g *G, inherit bool) {
	if s.runqsize.Load() != 0 && p.schedtick%globalTick == 0 || m.sliceState.Load()&sliceUsed != 0 && p.runnext.Load() != 0 {
		return nil, false
	}
	g, from := s.runqPop(p)
	m.Rec.Found(from)
	if g != nil {
		s.dequeue(g)
	}
	return g, m.inherits(from)
}

// Begin is the scheduler's part of running g, which m has taken from a queue; the rest is the
// runtime's. now is the clock; it is not used if g inherits the current slice.
func (s *Sched) Begin(m *M, g *G, inherit bool, now int64) {
	if !inherit {
		s.newSlice(m, g, now)
	}
	m.ran(g, inherit)
}

// Submit is the first half of Ready: it puts g in the queue of p, by's P. It reports whether an M
// should be woken: then the caller calls Summon, on the scheduler's stack.
func (s *Sched) Submit(by *M, p *P, g *G, next bool) (wake bool) {
	s.runqPut(by, p, g, next)
	return !s.hasSpinner()
}

// Summon is the second half of Ready: see WakeP.
func (s *Sched) Summon(by *M) { s.summon(by) }

// Dispatch runs g, which m has taken from a queue, if there is more to ask first. It does not
// return.
func (s *Sched) Dispatch(m *M, g *G, inherit bool) {
	s.dispatch(m, g, inherit, false)
	s.Schedule(m)
}

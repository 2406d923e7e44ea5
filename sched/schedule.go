package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
)

// Ready makes g, whose status the caller has just made runnable, run soon: on the P of
// by, the calling M, as the next one if next [R11]. by owns a P and preemption is off.
// Interrupt code may not call it.
func (s *Sched) Ready(by *M, g *G, next bool) {
	p := by.P()
	if p == nil {
		s.rt.Throw("G3: a G is made runnable by an M without a P")
	}
	wake := s.Submit(by, p, g, next)
	if s.policy.Wake != nil {
		s.policy.Wake(s, by, g)
	} else if wake {
		s.Summon(by)
	}
}

// RunqPut is Ready without the wake-up, for a caller that is about to call Schedule
// or WakeP. g's status is runnable already.
func (s *Sched) RunqPut(by *M, g *G, next bool) {
	p := by.P()
	if p == nil {
		s.rt.Throw("G3: a G is made runnable by an M without a P")
	}
	if !s.rt.Runnable(g) {
		s.rt.Throw("G3: a G that is not runnable is put on a queue")
	}
	s.runqPut(by, p, g, next)
}

// hasWork reports whether by's P has another G to run. by owns a P.
func (s *Sched) hasWork(by *M) bool {
	p := by.P()
	return s.runqsize.Load() != 0 || !p.runqEmpty()
}

// RunqEmpty reports whether p has no G. Any M may call it.
func (s *Sched) RunqEmpty(p *P) bool { return p.runqEmpty() }

// Schedule runs Gs on m, which owns a P. It does not return: each time a G
// leaves the CPU the runtime comes back here, or to Yield, with a fresh stack.
func (s *Sched) Schedule(m *M) {
	for {
		p := m.P()
		if p == nil {
			s.rt.Throw("M2: schedule on an M without a P")
		}
		if m.Spinning() && !p.runqEmpty() {
			s.rt.Throw("M3: a spinning M has local work")
		}
		g, inherit, wake := s.findRunnable(m)
		if m.Spinning() {
			s.resetSpinning(m)
			wake = false // that has just asked for an M, after all puts that wake is about
		}
		s.dispatch(m, g, inherit, wake)
	}
}

// Yield puts g, which m ran and which is runnable again, at the end of the global queue
// [R7], and goes on as Schedule does. It does not return. m owns a P. wake: others may
// be woken.
//
// If nothing goes before the queues, which is usual, it does not look for anything else: short.go.
func (s *Sched) Yield(m *M, g *G, wake bool) {
	p := m.P()
	if p == nil {
		s.rt.Throw("M2: yield on an M without a P")
	}
	quiet, timer := s.rt.Quiet(p)
	if timer != 0 && quiet {
		quiet = s.machine.Now() < timer
	}
	plain := !Hunting && quiet && m.nlockedq.Load() == 0 && s.periodic.Load() == 0 && s.pollDue.Load() == 0
	if !plain {
		s.rt.Lock()
		if Hunting {
			s.huntYield(m, p, g)
		}
		s.globrunqPut(m, g, true)
		s.rt.Unlock()
		s.leaveSlice(m, p)
		s.yielded(m, p, g, nil, wake)
		s.Schedule(m)
	}
	s.rt.Lock()
	next := s.Swap(m, p, g)
	s.rt.Unlock()
	next, inherit := s.Swapped(m, p, g, next, wake)
	if next != nil {
		s.Dispatch(m, next, inherit)
	}
	s.Schedule(m)
}

// dispatch runs g, which m has found, and does not return, unless g may not run now or belongs to
// another M. wake: an M should be woken to look for other Gs.
func (s *Sched) dispatch(m *M, g *G, inherit, wake bool) {
	to, withheld := s.rt.Claim(g)
	if withheld {
		m.Rec.Record(record.EvWithhold, g.ID, uint64(m.Rec.NotRun()), 0)
		return
	}
	if wake {
		s.WakeP(m)
	}
	if to != nil && to != m {
		s.startLockedM(m, g, to)
		return
	}
	if Wiring && to == nil {
		if p := s.homeOf(g); p != nil && p != m.P() {
			s.passWired(m, g, p)
			return
		}
	}
	now := int64(0)
	if !inherit {
		now = s.machine.Now()
	}
	s.Begin(m, g, inherit, now)
	s.rt.Execute(m, g, inherit)
}

// run is the end of dispatch, for a G of m's own that begins a slice. It does not return.
func (s *Sched) run(m *M, g *G) {
	s.Begin(m, g, false, s.machine.Now())
	s.rt.Execute(m, g, false)
}

// newSlice begins a slice on m's P [S2, R8], with g, at clock now.
func (s *Sched) newSlice(m *M, g *G, now int64) {
	p := m.P()
	if s.policy.Slices != nil {
		m.slices = s.policy.Slices(m, g)
	}
	p.schedtick++
	m.sliceStart = now
	if old := m.sliceState.Load(); old != 0 {
		state := uint32(0)
		if old&sliceNext != 0 {
			state = sliceEarly
		}
		atomic.StoreRelUint32(&m.sliceState, state)
		if old&(sliceUsed|sliceLeft) != 0 {
			s.retime(m, p)
		}
	}
}

// retime makes m tick at the end of the slice that has just begun: the tick that ended the previous one has set
// another soon after it, for a G that could not leave [A3], and that G has left now [A5]. m's timers come first,
// and so do those that m looks at for others.
//
// A tick may have struck in the search, and have set another for the next search: then there is one soon, too.
// None strikes after TickOff.
func (s *Sched) retime(m *M, p *P) {
	s.machine.TickOff(m)
	at := s.firstTick(m, p)
	soon := m.sliceStart + min(retryTick, s.slice)
	if t := s.orphanTimer(p); t != 0 {
		at = min(at, max(t, soon))
	}
	if s.pollDue.Load() != 0 {
		at = min(at, soon)
	}
	s.machine.TickAt(m, at)
}

// ran counts a dispatch of g on m.
func (m *M) ran(g *G, inherit bool) {
	m.Stats[Runs]++
	if inherit {
		m.Rec.Inherit()
	}
}

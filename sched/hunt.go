package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
	"sched9/sched/hunt"
)

// While a hunter decides there is one M with one P. That P's queue and the global one are one to it: it chooses from all Gs that can
// run. All of this runs on that M, so the hunter needs no lock.

// hunter decides, if Hunting; r is where it finds the numbers of the Gs that it may choose from.
type hunter struct {
	hunt.Hunter
	r       [hunt.Most]uint64
	waiting int      // so many there are, of the queue when it had
	queued  int32    // so many, and
	newest  guintptr // this last one

	nobody atomic.Uint32 // ends a stall: always 0

	ticked bool     // a clock moment has come, and the running G is asked to leave for it
	asked  bool     // the running G leaves because it was to
	stay   guintptr // it goes on after all

	limit int64 // most nanoseconds that Gs may run; 0: no bound
	hang  int64 // most nanoseconds until the end; 0: no bound
	tail  bool  // the program has ended: at the limit only the hunter does
	begin int64 // the clock at the beginning
	idle  int64 // nanoseconds since, in which no G could run
}

// Hunter returns what decides. The image's alone.
func (s *Sched) Hunter() *hunt.Hunter { return &s.hunter.Hunter }

// HuntBegin has the seed decide from now on, with the strategy and the depth given, 0: the seed chooses them. Gs may run for limit
// nanoseconds, and the program for hang, sleep included; 0: for ever. m, the calling M, owns the only P; preemption is off.
func (s *Sched) HuntBegin(m *M, seed uint64, strategy, depth int, limit, hang int64) {
	now := s.machine.Now()
	h := &s.hunter
	*h = hunter{limit: limit, hang: hang, begin: now}
	h.Begin(seed, strategy, depth, now)
	s.machine.TickAt(m, now) // so that the next one is when the hunter wants it
}

// HuntFollow has moves decide instead (hunt.Move). It reports whether they can be followed. After HuntBegin.
func (s *Sched) HuntFollow(moves string) bool { return s.hunter.Follow(moves) }

// ran is the clock of the hunter at clock now: it stands while no G can run.
func (h *hunter) ran(now int64) int64 { return now - h.idle }

// HuntTail tells that the program has ended, and that its other Gs may run on for limit nanoseconds. Then the hunter decides no more, so that the
// calling G has its turn.
func (s *Sched) HuntTail(limit int64) {
	h := &s.hunter
	h.tail, h.limit, h.hang, h.begin, h.idle = true, limit, 0, s.machine.Now(), 0
}

// Overdue says which bound on its time a program has passed.
type Overdue int32

// The bounds: none is passed; Gs have run for too long; the program has not ended for too long, asleep or not.
const (
	InTime Overdue = iota
	RunsOn
	Hangs
)

// HuntRan returns for how many nanoseconds Gs have run since HuntBegin, or HuntTail. On the scheduler's stack.
func (s *Sched) HuntRan() int64 {
	h := &s.hunter
	return s.machine.Now() - h.begin - h.idle
}

// HuntIdle tells that the CPU has slept for ns nanoseconds, and returns what is passed now: Gs that only ever run for moments may meet no tick.
// On the scheduler's stack, without the scheduler lock.
func (s *Sched) HuntIdle(ns int64) Overdue {
	h := &s.hunter
	h.idle += ns
	switch now := s.machine.Now(); {
	case !h.On():
	case h.overrun(now):
		return RunsOn
	case h.hang != 0 && now-h.begin > h.hang:
		return Hangs
	}
	return InTime
}

// overrun reports whether Gs have run for longer than they may at clock now. If the program has ended that ends the hunter instead.
func (h *hunter) overrun(now int64) bool {
	if h.limit == 0 || now-h.begin-h.idle <= h.limit {
		return false
	}
	if h.tail {
		h.End()
	}
	return !h.tail
}

// huntYield tells that g, which m ran, leaves and is not yet on the queue. p is m's. Scheduler lock held.
func (s *Sched) huntYield(m *M, p *P, g *G) {
	h := &s.hunter
	if !h.On() {
		return
	}
	asked, over := h.asked, h.turnEnds(s.slice) <= s.machine.Now()
	h.asked = false
	if h.ticked {
		h.ticked = false
		if !asked && !h.Moment(g.ID, s.huntable(m, p)) && !over {
			h.stay = handleG(g)
			return
		}
		asked = true
	}
	h.Left(g.ID, over || !asked && m.Rec.LeaveEvent() != record.EvPreempt)
}

// turnEnds is the clock at which the turn of the running G has lasted for a slice: others go first then. The M's own slice may end later, since it begins anew with each
// dispatch, also of a G that has been asked to leave and goes on.
func (h *hunter) turnEnds(slice int64) int64 { return h.Turn() + slice + h.idle }

// huntStall has the CPU stand still until p's next timer is due, if Gs can run and the hunter wants it, and
// reports whether it did. m owns p. No lock; on the scheduler's stack.
func (s *Sched) huntStall(m *M, p *P) bool {
	h := &s.hunter
	at := s.rt.NextTimer(p)
	if !h.On() || at == 0 || h.stay != 0 || !s.hasWork(m) {
		return false
	}
	if ns := at - s.machine.Now(); ns <= 0 || !h.Stall(ns) {
		return false
	}
	s.machine.TickOff(m)
	s.machine.HaltUntil(m, &h.nobody, at)
	s.machine.TickAt(m, s.machine.Now()) // the next one is when the hunter wants it
	return true
}

// huntNext takes the G that the hunter chooses from all that can run; nil: there is none, or nothing is hunted. m owns p.
func (s *Sched) huntNext(m *M, p *P) *G {
	h := &s.hunter
	if !h.On() {
		return nil
	}
	s.rt.Lock()
	r := s.huntable(m, p)
	if len(r) == 0 {
		s.rt.Unlock()
		return nil
	}
	i := int32(-1)
	if h.stay != 0 {
		i = s.runq.index(h.stay)
	}
	if i < 0 {
		i = int32(h.Pick(r, h.ran(s.machine.Now())))
	}
	h.stay, h.ticked = 0, false
	s.huntTickAt(m)
	g := s.runq.remove(i)
	h.queued = -1 // r is another
	s.storeRunqsize()
	m.Rec.Record(record.EvGetGlobal, g.ID, uint64(p.tail.Load())|1<<record.CountShift, 0)
	m.Rec.Found(record.FromGlobal)
	s.rt.Unlock()
	m.Stats[Globals]++
	return g
}

// huntable puts all that can run on the global queue, and returns the numbers of the first ones on it, in order. m owns p. Scheduler
// lock held.
func (s *Sched) huntable(m *M, p *P) []uint64 {
	h := &s.hunter
	if !p.runqEmpty() {
		s.runqDrain(m, p)
	}
	h.waiting = 0
	for g := s.runq.head.ptr(); g != nil && h.waiting < len(h.r); g = g.link.ptr() {
		h.r[h.waiting] = g.ID
		h.waiting++
	}
	h.queued, h.newest = s.runq.n, s.runq.tail
	h.Changed()
	return h.r[:h.waiting]
}

// huntWaiting is huntable for a point, of which there are many between two changes of the queue. Only huntNext removes from it, and who is added is
// its new tail. No lock.
func (s *Sched) huntWaiting(m *M, p *P) []uint64 {
	h := &s.hunter
	if h.queued == s.runq.n && h.newest == s.runq.tail && p.runqEmpty() {
		return h.r[:h.waiting]
	}
	s.rt.Lock()
	r := s.huntable(m, p)
	s.rt.Unlock()
	return r
}

// HuntArrives reports whether the G with the number id, which runs and is about to synchronise with others, or has just done so (behind), is to ask HuntPoint. Any
// stack; m owns a P.
//
//go:nosplit
func (s *Sched) HuntArrives(id uint64, behind bool) bool {
	h := &s.hunter
	return h.On() && h.Arrive(id, behind)
}

// HuntPoint reports whether g, which m runs and which has arrived at such a point, is to leave there. m owns a P.
func (s *Sched) HuntPoint(m *M, g *G) bool {
	h := &s.hunter
	h.asked = h.Point(g.ID, s.huntWaiting(m, m.P()))
	if !h.asked && h.Nears() {
		h.Approach(h.ran(s.machine.Now()))
		s.huntTickAt(m)
	}
	return h.asked
}

// huntTickAt sets m's tick for the end of the running G's turn, or for a clock moment that the hunter has chosen, if that is earlier.
func (s *Sched) huntTickAt(m *M) {
	h := &s.hunter
	at := h.turnEnds(s.slice)
	if due := h.Due(); due != 0 {
		at = min(at, due+h.idle)
	}
	s.machine.TickAt(m, at)
}

// HuntTick is asked at the end of a tick of m, at clock now. leave and next are Tick's answers, and what it returns takes their place.
// over: Gs have run for longer than they may. Interrupt context, which may have struck in any of the above: so it decides
// nothing but when.
func (s *Sched) HuntTick(m *M, now int64, leave bool, next int64) (l bool, n int64, over bool) {
	h := &s.hunter
	if !h.On() || next == 0 {
		return leave, next, false
	}
	come, at := h.Clock(h.ran(now))
	if come {
		h.ticked = true
	}
	if at != 0 {
		next = min(next, at+h.idle)
	}
	if end := h.turnEnds(s.slice); now < end {
		next = min(next, end)
	} else if s.hasWork(m) {
		leave = true
	}
	return leave || come, next, h.overrun(now)
}

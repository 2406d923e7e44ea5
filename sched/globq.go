package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
)

// gList is a first-in, first-out list of Gs, linked through G.link. Guarded by its owner.
type gList struct {
	head, tail guintptr
	n          int32
}

// push appends g, which is on no list.
func (l *gList) push(g *G) {
	g.link = 0
	if l.tail != 0 {
		l.tail.ptr().link = handleG(g)
	} else {
		l.head = handleG(g)
	}
	l.tail = handleG(g)
	l.n++
}

// insert puts g, which is on no list, behind the Gs that it does not go before.
func (l *gList) insert(g *G, before func(g, other *G) bool) {
	if l.tail == 0 || !before(g, l.tail.ptr()) {
		l.push(g)
		return
	}
	at := &l.head
	for !before(g, at.ptr()) { // g goes before the last, so this ends
		at = &at.ptr().link
	}
	g.link = *at
	*at = handleG(g)
	l.n++
}

// append moves all of other to l's end.
func (l *gList) append(other *gList) {
	if other.head == 0 {
		return
	}
	if l.tail != 0 {
		l.tail.ptr().link = other.head
	} else {
		l.head = other.head
	}
	l.tail = other.tail
	l.n += other.n
	*other = gList{}
}

// pop takes the first G, or nil.
func (l *gList) pop() *G {
	g := l.head.ptr()
	if g == nil {
		return nil
	}
	l.head = g.link
	if l.head == 0 {
		l.tail = 0
	}
	g.link = 0
	l.n--
	return g
}

// index returns h's position on l, -1: it is not on l.
func (l *gList) index(h guintptr) int32 {
	i := int32(0)
	for g := l.head; g != 0; g = g.ptr().link {
		if g == h {
			return i
		}
		i++
	}
	return -1
}

// remove takes the G at index i, which exists.
func (l *gList) remove(i int32) *G {
	before, g := guintptr(0), l.head
	for ; i > 0; i-- {
		before, g = g, g.ptr().link
	}
	if before == 0 {
		return l.pop()
	}
	before.ptr().link = g.ptr().link
	if l.tail == g {
		l.tail = before
	}
	g.ptr().link = 0
	l.n--
	return g.ptr()
}

// GlobrunqPut puts g at the end of the global queue. Scheduler lock held [R7], by
// the calling M.
func (s *Sched) GlobrunqPut(by *M, g *G) { s.globrunqPut(by, g, false) }

// globrunqPut is GlobrunqPut; left: see Policy.Ranked.
func (s *Sched) globrunqPut(by *M, g *G, left bool) {
	s.enqueue(g)
	if s.policy.Before == nil {
		s.runq.push(g) // as rank, without a call
	} else {
		s.rank(by, g, left)
	}
	s.storeRunqsize()
	by.Rec.Record(record.EvPutGlobal, g.ID, 0, 0)
}

// rank puts g, which is on no list, on the global queue where the policy wants it; left: see Policy.Ranked. Scheduler lock held, by the
// calling M.
func (s *Sched) rank(by *M, g *G, left bool) {
	if s.policy.Before == nil {
		s.runq.push(g)
		return
	}
	if s.policy.Ranked != nil {
		s.policy.Ranked(s, by, g, left)
	}
	s.runq.insert(g, s.policy.Before)
}

// storeRunqsize publishes the length of the global queue for Ms that do not hold the scheduler lock,
// which the caller holds. Release is enough: the unlock that follows is an exchange, so an M that has
// put a G there and then looks for spinning Ms looks after the count is visible.
func (s *Sched) storeRunqsize() { atomic.StoreRelInt32(&s.runqsize, s.runq.n) }

// globrunqGet takes up to max Gs from the global queue, or a fair share of it if that is less [R9],
// returns the first and puts the others into p's ring, which must have room. The caller owns p and
// holds the scheduler lock.
func (s *Sched) globrunqGet(m *M, p *P, max int32) *G {
	n := s.runq.n
	if n == 0 {
		return nil
	}
	if share := n/s.procs.Load() + 1; n > share {
		n = share
	}
	if n > max {
		n = max
	}
	if s.policy.Shared {
		n = 1
	}
	first := s.runq.pop()
	taken := int32(1)
	tail := p.tail.Load()
	for ; taken < n; taken++ {
		if tail-p.head.Load() >= RingSize {
			break
		}
		atomic.StoreRelUintptr(&p.ring[tail%RingSize], uintptr(handleG(s.runq.pop())))
		tail++
	}
	m.Rec.Record(record.EvGetGlobal, first.ID, uint64(tail-uint32(taken-1))|uint64(taken)<<record.CountShift, 0)
	m.Rec.Found(record.FromGlobal)
	atomic.StoreRelUint32(&p.tail, tail) // publishes the slots [R4]; the unlock orders later loads
	s.storeRunqsize()
	m.Stats[Globals] += uint64(taken)
	return first
}

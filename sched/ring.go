package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
)

// The local run queue: a ring with one producer, its owner, and any number of consumers, plus the
// slot runnext.
//
// Orderings. sync/atomic is sequentially consistent, but slots are stored with release only
// (StoreRel...). The queue needs this of it:
//
//   - putRing stores the slot before it stores tail. Tail's store is sequentially consistent,
//     because putRing's caller then looks for a spinning M (wake.go). A thief that loads the new
//     tail then reads the G and not what the slot held before [R4].
//   - A consumer loads the slots before its compare-and-swap of head, and uses what it read only if
//     that succeeds. Until head moves, the owner cannot reuse those slots, because putRing sees
//     tail-head == RingSize. If head moved in between, the values may be of a later round and are
//     thrown away. A slot can be reused after head went all the way round 2^32; a thief would have
//     to sleep through 2^32 puts between load and swap.
//   - The owner loads head before it stores into a slot. An old value of head makes the ring look
//     fuller than it is, which is safe.
//   - runqEmpty must not see the moment in which runqPut has moved the old runnext to the ring: it
//     reads tail again.

// runqPut makes g runnable on p: as runnext if next [R11], whose old holder then goes to the ring,
// otherwise at the ring's end. A full ring overflows [R6]. The caller owns p; the scheduler lock is
// not held.
func (s *Sched) runqPut(m *M, p *P, g *G, next bool) {
	if s.policy.Shared {
		s.rt.Lock()
		s.GlobrunqPut(m, g)
		s.rt.Unlock()
		return
	}
	s.enqueue(g)
	h := handleG(g)
	if next {
		m.Rec.Record(record.EvPutNext, g.ID, 0, 0)
		old := guintptr(p.runnext.Swap(uintptr(h)))
		if old == 0 {
			return
		}
		h = old
	}
	s.putRing(m, p, h)
}

// putRing puts h, which is marked as queued, at the end of p's ring. The caller
// owns p.
func (s *Sched) putRing(m *M, p *P, h guintptr) {
	for {
		head := p.head.Load()
		tail := p.tail.Load()
		if tail-head < RingSize {
			m.Rec.Record(record.EvPutRing, h.ptr().ID, uint64(tail), 0)
			atomic.StoreRelUintptr(&p.ring[tail%RingSize], uintptr(h))
			p.tail.Store(tail + 1)
			return
		}
		if tail-head > RingSize {
			s.rt.Throw("R1: ring longer than its size")
		}
		if s.runqPutSlow(m, p, h.ptr(), head, tail) {
			return
		}
	}
}

// runqPutSlow moves half of p's full ring and g to the global queue in one locked step [R6]. It
// reports false if a thief has taken from the ring since the caller looked: then there is room
// again.
func (s *Sched) runqPutSlow(m *M, p *P, g *G, head, tail uint32) bool {
	const n = RingSize / 2
	if tail-head != RingSize {
		s.rt.Throw("R6: overflow of a ring that is not full")
	}
	if !p.head.CompareAndSwap(head, head+n) {
		return false
	}
	// The Gs are ours now and their links may be written. Their slots still
	// hold them: only a runqPut of p's owner, the caller, stores into slots.
	var l gList
	for i := uint32(0); i < n; i++ {
		l.push(guintptr(p.ring[(head+i)%RingSize].Load()).ptr())
	}
	l.push(g)
	s.rt.Lock()
	s.runq.append(&l)
	s.storeRunqsize()
	m.Rec.Record(record.EvOverflow, g.ID, uint64(head)|n<<record.CountShift, 0)
	s.rt.Unlock()
	m.Stats[Overflows]++
	return true
}

// runqGet takes the next G of m's P p. inherit says that it goes on in the time
// slice of the G that made it runnable [R11].
//
// When the slice is used up, runnext loses its right of way and goes to the
// ring's end. Otherwise two Gs that wake each other would share one slice for
// ever: a tick asks the running one to leave, but each blocks, and so takes the
// request away, before it gets to a place where it can leave [U2].
func (s *Sched) runqGet(m *M, p *P) (g *G, inherit bool) {
	if m.sliceState.Load()&sliceUsed != 0 {
		s.expireRunnext(m, p)
	}
	g, from := s.runqPop(p)
	m.Rec.Found(from)
	return g, m.inherits(from)
}

// inherits reports whether a G that m took from its P, at from, continues in m's slice.
func (m *M) inherits(from record.Place) bool {
	if from != record.FromNext {
		return false
	}
	if m.sliceState.Load()&sliceLeft == 0 {
		return true
	}
	atomic.StoreRelUint32(&m.sliceState, sliceLeft|sliceNext)
	return false
}

// leaveSlice ends m's used-up slice after its G was put on the global queue. What is p's runnext now
// was made ready in that slice, and goes to the ring (runqGet). What becomes runnext before the next
// slice begins, mostly by a timer, has had no part of the used-up one and keeps its right of way: it
// would wait for the whole ring otherwise, and only because its timer was due at that moment [S3].
//
// It keeps it once: if the slice that is over now was itself begun by such a G, runnext goes to the
// ring as ever. Otherwise a timer that starts a G, which starts a timer and then uses up its slice,
// and so on, would keep the ring waiting for ever [U2]. m owns p. The caller wakes another M for what
// is in the ring (yielded).
//
// A yield that goes the short way needs none of this: between its put and its take nothing runs that
// could make a G ready.
//
// A tick may strike anywhere here: it only sets sliceUsed, which is set already, and not if sliceLeft is.
func (s *Sched) leaveSlice(m *M, p *P) {
	if m.sliceState.Load()&(sliceUsed|sliceEarly) == sliceUsed {
		s.ringRunnext(m, p)
		atomic.StoreRelUint32(&m.sliceState, sliceLeft)
	}
}

// expireRunnext moves p's runnext to the ring, so that it no longer goes first: see runqGet. p's owner.
// sliceUsed stays: there may be no G here now, and one that a timer then makes ready may be woken by its
// timer again and again, each time after a wait that is shorter than the search.
//
// m takes the first G of the ring next. If that is the one moved here, no M is woken for it: it would
// only be raced for, and at boot, while the main goroutine is the only one, only the first M may run
// (the runtime says when: New's wake). Otherwise an M is woken: the G was in no queue for a moment, in
// which a spinner may have looked for the last time, and half the ring may have gone to the global
// queue. alone says that a G is the only one in the ring now and no M was woken for it.
func (s *Sched) expireRunnext(m *M, p *P) (alone bool) {
	empty := p.head.Load() == p.tail.Load()
	if !s.ringRunnext(m, p) {
		return false
	}
	if !empty {
		s.WakeP(m)
	}
	return empty
}

// ringRunnext moves p's runnext to the ring's end, and reports whether there was one. m owns p.
func (s *Sched) ringRunnext(m *M, p *P) bool {
	h := guintptr(p.runnext.Swap(0))
	if h == 0 {
		return false
	}
	m.Rec.Record(record.EvTake, h.ptr().ID, uint64(record.FromNext), uint64(p.ID))
	s.putRing(m, p, h)
	return true
}

// runqPop takes the first G of p, and returns the place where it was. The caller owns p, or holds
// the lock and p has no owner.
func (s *Sched) runqPop(p *P) (g *G, from record.Place) {
	// Only the owner sets runnext to a G, so a failing swap means that a
	// thief took it, and it stays empty.
	if next := p.runnext.Load(); next != 0 && p.runnext.CompareAndSwap(next, 0) {
		return guintptr(next).ptr(), record.FromNext
	}
	for {
		head := p.head.Load()
		if p.tail.Load() == head {
			return nil, record.FromNowhere
		}
		h := p.ring[head%RingSize].Load()
		if p.head.CompareAndSwap(head, head+1) {
			return guintptr(h).ptr(), record.FromRing.At(head)
		}
	}
}

// runqEmpty reports whether p had no G at some moment during the call. Any M may call it.
func (p *P) runqEmpty() bool {
	for {
		head := p.head.Load()
		tail := p.tail.Load()
		next := p.runnext.Load()
		// runqPut moves runnext's G to the ring after it replaced runnext. Had
		// we read an empty ring, then that move, then an empty runnext, we
		// would have missed a G; tail has moved in that case.
		if tail == p.tail.Load() {
			return head == tail && next == 0
		}
	}
}

// Len returns how many Gs p's ring and runnext hold; exact only for a stopped
// world.
func (p *P) Len() int {
	n := int(int32(p.tail.Load() - p.head.Load()))
	if n < 0 {
		n = 0
	}
	if p.runnext.Load() != 0 {
		n++
	}
	return n
}

// runqDrain moves all of p's Gs to the global queue. The scheduler lock is held, and by, the
// calling M, owns p or p has no owner.
//
// The G that the stop of the world preempted goes last: an M that takes it from the global queue
// begins a slice with it, so otherwise each stop would renew its slice (resumeSlice).
func (s *Sched) runqDrain(by *M, p *P) {
	var left *G
	for g, from := s.runqPop(p); g != nil; g, from = s.runqPop(p) {
		by.Rec.Record(record.EvTake, g.ID, uint64(from), uint64(p.ID))
		if from == record.FromNext && p.used != 0 {
			left = g
			continue
		}
		s.globrunqPush(by, g)
	}
	if left != nil {
		s.globrunqPush(by, left)
	}
	p.used = 0
	if Wiring {
		s.drainWired(by, p)
	}
}

// globrunqPush puts g, which is marked as queued, on the global queue. Scheduler lock held.
func (s *Sched) globrunqPush(by *M, g *G) {
	if s.policy.Before == nil {
		s.runq.push(g)
	} else {
		s.runq.insert(g, s.policy.Before)
	}
	s.storeRunqsize()
	by.Rec.Record(record.EvPutGlobal, g.ID, 0, 0)
}

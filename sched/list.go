package sched

// What the queues hold, for readers outside the scheduler (docs/names.md).

// Queued stores the numbers of the Gs in p's queue at ids, from the front, as many as fit. It
// returns how many it stored, and the number of the G in runnext, which is not among them; 0: it is
// empty. Any context.
//
// The result is the queue at one moment, between the loads of head and tail and the loads that find
// them unchanged. If others change the queue all the time, the last look counts; then it is only
// certain that each number is a G's. A slot's G lives for ever, so its number can be read though
// the G may have left.
func (p *P) Queued(ids []uint64) (n int, next uint64) {
	const looks = 16
	for range looks {
		head, tail, first := p.head.Load(), p.tail.Load(), p.runnext.Load()
		n, next = 0, 0
		if first != 0 {
			next = guintptr(first).ptr().ID
		}
		for at := head; at != tail && tail-head <= RingSize; at++ {
			if g := guintptr(p.ring[at%RingSize].Load()).ptr(); g != nil && n < len(ids) {
				ids[n] = g.ID
				n++
			}
		}
		if p.head.Load() == head && p.tail.Load() == tail && p.runnext.Load() == first {
			break
		}
	}
	return n, next
}

// GlobalQueued stores the numbers of the Gs on the global queue at ids, from the front, as many as
// fit, and returns how many. Scheduler stack; the scheduler lock is not held.
func (s *Sched) GlobalQueued(ids []uint64) (n int) {
	s.rt.Lock()
	for g := s.runq.head.ptr(); g != nil && n < len(ids); g = g.link.ptr() {
		ids[n] = g.ID
		n++
	}
	s.rt.Unlock()
	return n
}

// Slice returns the time slice in nanoseconds.
func (s *Sched) Slice() int64 { return s.slice }

// SetSlice sets the time slice, to at least 1,000 nanoseconds. The world is stopped during the
// call, because Ms with a P read the slice. The caller's M, by, has kept its P, and its tick was set by the old slice: it
// comes no later than the new one ends. The others set theirs when they get a P again.
func (s *Sched) SetSlice(by *M, ns int64) {
	s.slice = max(ns, 1000)
	if p := by.P(); p != nil {
		s.machine.TickAt(by, s.firstTick(by, p))
	}
}

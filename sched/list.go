package sched

// What the queues hold, for those who look at them from outside (docs/names.md).

// Queued stores the numbers of the Gs in p's queue at ids, from the front, as many as fit, and returns how many
// there are and the number of the one in runnext, which is not among them; 0: it is empty. Any context.
//
// The queue is what it was at one moment, between the loads of head and tail and the ones that find them unchanged, unless others
// change it all the time: then the last look counts, of which only the numbers are certain to be Gs'. A slot's G lives for ever, so
// its number can be read though it may have left.
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

// GlobalQueued stores the numbers of the Gs on the global queue at ids, the first first, as many as fit, and returns how many.
// Scheduler stack, without the scheduler lock.
func (s *Sched) GlobalQueued(ids []uint64) (n int) {
	s.rt.Lock()
	for g := s.runq.head.ptr(); g != nil && n < len(ids); g = g.link.ptr() {
		ids[n] = g.ID
		n++
	}
	s.rt.Unlock()
	return n
}

// Slice returns the time slice in nanoseconds, and SetSlice sets it, to 1,000 at least. The world is stopped during SetSlice: only
// Ms with a P read the slice.
func (s *Sched) Slice() int64 { return s.slice }

// SetSlice: see Slice.
func (s *Sched) SetSlice(ns int64) { s.slice = max(ns, 1000) }

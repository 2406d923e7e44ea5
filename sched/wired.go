package sched

import "sched9/record"

// Gs that are wired to a P [P7]: such a G runs on that P alone. An M that finds it with another P passes it on:
// the G waits in its P's wiredq, which no thief looks at. If its P is idle, the M takes that P in place of its own, and hands
// its own on; so no M has to be woken, and it does not matter whether there is one.
//
// While any G is wired nobody takes the short ways (short.go), so nothing of this costs anything otherwise; and each G comes by
// dispatch, the one place that asks where it belongs.
//
// The scheduler lock decides whether a P is idle. A G is put on the wiredq of a P that is not, under the lock, and a P
// goes on the idle list under the lock, when its wiredq is empty (PutIdleP asserts it). So whoever has such a P in its
// hands finds the G before it gives the P up for good:
//
//   - an owner that finds nothing else looks once more under the lock (findLast);
//   - one that hands the P on, or takes it from a system call, finds that it has work (handoffP, retakeDue);
//   - where no M can be had for the P, or the world stops, its Gs go to the global queue (runqDrain, stopP). The M that finds one
//     there takes the idle P.
//
// No G starves [U2]. One in wiredq goes first in each wiredTick-th slice of its P, and whenever the other queues are empty.
// In the slices between, others go first. So Gs that are wired, and yield to each other for ever, leave the others two slices in
// three; and a slice that is used up sends runnext to the ring before any of them [R11].
//
// A G that is tied to an M goes where that M goes: while it is, the wire does not count. Nor while there are too few Ps. A
// coroutine that is switched to runs where the one ran that switches.

// wiredTick is the period, in slices of a P, of a look at the Gs that were passed to it before its own queue.
const wiredTick = 3

// Wire wires g to the P with number p, below Procs; -1: to none. The world is stopped, and the scheduler lock held, by the calling M: g
// has left its P then, and is dispatched again.
func (s *Sched) Wire(by *M, g *G, p int32) {
	if p >= s.procs.Load() || p >= 0 && !s.policy.Wires() {
		s.rt.Throw("P7: a G is wired to a P that there is not, or under a policy whose Ps have no queues")
	}
	s.unwire(g)
	if p >= 0 {
		g.home.set(p + 1)
		s.wired++
	}
	by.Rec.Record(record.EvWire, g.ID, uint64(p+1), 0)
	s.setLong()
}

// WireEnds unwires g, which ends. The scheduler lock is held. The short ways are open again after the next stop of the world.
func (s *Sched) WireEnds(g *G) { s.unwire(g) }

// unwire forgets where g belongs. Scheduler lock held.
func (s *Sched) unwire(g *G) {
	if g.home.get() != 0 {
		g.home.set(0)
		s.wired--
	}
}

// WiredTo returns the number of the P that g is wired to, -1 for none. A hint.
func (s *Sched) WiredTo(g *G) int32 { return g.home.get() - 1 }

// Wired returns how many Gs are wired. Scheduler lock held.
func (s *Sched) Wired() int32 { return s.wired }

// homeOf returns the P that g has to run on, nil if any will do. The caller's M owns a P, or holds the scheduler lock.
func (s *Sched) homeOf(g *G) *P {
	if p := g.home.get(); p != 0 && p <= s.procs.Load() {
		return &s.ps[p-1]
	}
	return nil
}

// passWired gives g, which m found and which is wired to another P than m's, to that one. m owns a P, on return too, but perhaps this one.
func (s *Sched) passWired(m *M, g *G, to *P) {
	m.Stats[Passes]++
	s.rt.Lock()
	m.Rec.Record(record.EvPassP, g.ID, uint64(to.ID), uint64(m.Rec.NotRun()))
	s.enqueue(g)
	if s.rt.Stopping() {
		s.globrunqPush(m, g) // the P may be stopped already
		s.rt.Unlock()
		return
	}
	idle := to.idle.Load() != 0
	if idle {
		s.removeIdleP(m, to, 0)
	}
	to.wiredq.push(g)
	to.nwired.Add(1)
	s.rt.Unlock()
	if !idle {
		return
	}
	own := m.P()
	s.rt.ReleaseP(m, own)
	s.rt.AcquireP(m, to)
	s.handoffP(m, own)
}

// wiredGet takes a G that was passed to p, m's P, or returns nil.
func (s *Sched) wiredGet(m *M, p *P) *G {
	s.rt.Lock()
	g := p.wiredq.pop()
	if g != nil {
		p.nwired.Add(-1)
	}
	s.rt.Unlock()
	if g != nil && g.home.get() != p.ID+1 {
		s.rt.Throw("P7: a G was passed to a P that it is not wired to")
	}
	m.Rec.Found(record.FromPass)
	return g
}

// drainWired moves the Gs that were passed to p to the global queue. The scheduler lock is held, and by, the calling M, owns p or p
// has no owner.
func (s *Sched) drainWired(by *M, p *P) {
	for g := p.wiredq.pop(); g != nil; g = p.wiredq.pop() {
		p.nwired.Add(-1)
		s.globrunqPush(by, g)
	}
}

// hasPassed reports whether Gs that are wired to p were passed to it. Any context; exact under the scheduler lock.
func (p *P) hasPassed() bool { return Wiring && p.nwired.Load() != 0 }

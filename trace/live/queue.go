package live

import (
	"sched9/sched"
	"sched9/trace"
)

// processor is a P and its queue. The ring's head and tail only grow, and the
// events that move them tell where to: the greatest heard of is right, and one
// that was missed is made good by the next.
type processor struct {
	owner      int // M, -1: none
	idle       bool
	stopped    bool
	head, tail uint32
	next       uint64 // the G in runnext
	runs       uint64
}

// len is how many Gs the queue holds.
func (p *processor) len() int {
	n := int(int32(p.tail - p.head))
	n = min(max(n, 0), sched.RingSize)
	if p.next != 0 {
		n++
	}
	return n
}

// moveHead and moveTail move an end of the ring forward.
func (p *processor) moveHead(to uint32) {
	if int32(to-p.head) > 0 {
		p.head = to
	}
	if int32(p.tail-p.head) < 0 {
		p.tail = p.head
	}
}
func (p *processor) moveTail(to uint32) {
	if int32(to-p.tail) > 0 {
		p.tail = to
	}
	if p.tail-p.head > sched.RingSize {
		p.head = p.tail - sched.RingSize
	}
}

// clear notes that nothing is queued.
func (p *processor) clear() { p.head, p.next = p.tail, 0 }

// take notes that g left p for the place where it was found.
func (p *processor) take(g uint64, at sched.Place) {
	if p.next == g {
		p.next = 0
	}
	switch at.Kind() {
	case sched.FromNext:
		p.next = 0
	case sched.FromRing:
		p.moveHead(at.Index() + 1)
	}
}

// queue takes an event of queues and of Ps.
func (m *Model) queue(c *machine, e trace.Event) {
	var p *processor
	if e.P >= 0 {
		p = m.p(int(e.P))
	}
	switch e.Kind {
	case sched.EvIdleP, sched.EvBusyP, sched.EvStopP:
		if e.Arg < sched.MaxProcs {
			m.ownerless(c, e, m.p(int(e.Arg)))
		}
	case sched.EvProcs:
		m.nps = min(m.nps, int(min(e.Arg, sched.MaxProcs)))
	case sched.EvPutGlobal:
		m.global++
	case sched.EvRetake:
		if id := e.Arg & 0xff; id < sched.MaxProcs && e.From() < sched.MaxProcs {
			m.p(int(id)).owner, m.m(e.From()).p = -1, -1
		}
	case sched.EvTake:
		if e.Aux < sched.MaxProcs {
			m.p(int(e.Aux)).take(e.G, sched.Place(e.Arg))
		}
	}
	if p == nil {
		return
	}
	low := uint32(e.Arg)
	switch e.Kind {
	case sched.EvAcquire:
		p.owner, p.idle, p.stopped = int(e.M), false, false
		c.p, c.looked = int(e.P), false
		if c.spin {
			c.does(trace.Spinning, e.Time)
		}
	case sched.EvRelease:
		p.owner, c.p = -1, -1
	case sched.EvStart:
		p.owner, c.p = int(e.M), int(e.P)
		p.take(e.G, e.Place())
	case sched.EvWithhold:
		p.take(e.G, e.Place())
	case sched.EvPass:
		p.take(e.G, sched.Place(e.Aux))
	case sched.EvSpin:
		p.clear() // [M3]
	case sched.EvPutNext:
		p.next = e.G
	case sched.EvPutRing:
		p.moveTail(low + 1)
	case sched.EvOverflow:
		p.moveHead(low + uint32(e.Count()))
		m.global += e.Count() + 1
	case sched.EvGetGlobal:
		m.global = max(0, m.global-e.Count())
		p.moveTail(low + uint32(e.Count()) - 1)
		c.looked = false
	case sched.EvSteal:
		m.counts[steals]++
		m.steal(p, e)
	}
}

// steal moves Gs between rings. p is the thief's P, whose ring was empty.
func (m *Model) steal(p *processor, e trace.Event) {
	to := uint32(e.Arg >> sched.CountShift)
	if v := e.Victim(); v < sched.MaxProcs {
		p.moveTail(to + uint32(max(e.Count(), 1)) - 1)
		p.moveHead(to)
		victim := m.p(v)
		if e.G == 0 {
			victim.moveHead(uint32(e.Arg) + uint32(e.Count()))
		} else if victim.next == e.G {
			victim.next = 0
		}
	}
}

// ownerless takes what becomes of a P without an owner.
func (m *Model) ownerless(c *machine, e trace.Event, p *processor) {
	switch e.Kind {
	case sched.EvIdleP:
		p.owner, p.idle, p.stopped = -1, true, false
		p.clear() // [P2]
		if c.looked {
			// It was about to sleep, and gave up the P in the same locked step
			// in which it saw the global queue empty.
			m.global, c.looked = 0, false
		}
	case sched.EvBusyP:
		p.idle, p.stopped = false, false
	case sched.EvStopP:
		p.owner, p.stopped = -1, true
		c.looked = false
	}
}

package live

import (
	"sched9/record"
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
func (p *processor) take(g uint64, at record.Place) {
	if p.next == g {
		p.next = 0
	}
	switch at.Kind() {
	case record.FromNext:
		p.next = 0
	case record.FromRing:
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
	case record.EvIdleP, record.EvBusyP, record.EvStopP:
		if e.Arg < record.MaxProcs {
			m.ownerless(c, e, m.p(int(e.Arg)))
		}
	case record.EvProcs:
		m.nps = min(m.nps, int(min(e.Arg, record.MaxProcs)))
	case record.EvPutGlobal:
		m.global++
	case record.EvRetake:
		if id := e.Arg & 0xff; id < record.MaxProcs && e.From() < record.MaxProcs {
			m.p(int(id)).owner, m.m(e.From()).p = -1, -1
		}
	case record.EvTake:
		if e.Aux < record.MaxProcs {
			m.p(int(e.Aux)).take(e.G, record.Place(e.Arg))
		}
	}
	if p == nil {
		return
	}
	low := uint32(e.Arg)
	switch e.Kind {
	case record.EvAcquire:
		p.owner, p.idle, p.stopped = int(e.M), false, false
		c.p, c.looked = int(e.P), false
		if c.spin {
			c.does(trace.Spinning, e.Time)
		}
	case record.EvRelease:
		p.owner, c.p = -1, -1
	case record.EvStart:
		p.owner, c.p = int(e.M), int(e.P)
		p.take(e.G, e.Place())
	case record.EvWithhold:
		p.take(e.G, e.Place())
	case record.EvPass, record.EvPassP:
		p.take(e.G, record.Place(e.Aux))
	case record.EvSpin:
		p.clear() // [M3]
	case record.EvPutNext:
		p.next = e.G
	case record.EvPutRing:
		p.moveTail(low + 1)
	case record.EvOverflow:
		p.moveHead(low + uint32(e.Count()))
		m.global += e.Count() + 1
	case record.EvGetGlobal:
		m.global = max(0, m.global-e.Count())
		p.moveTail(low + uint32(e.Count()) - 1)
		c.looked = false
	case record.EvSteal:
		m.counts[steals]++
		m.steal(p, e)
	}
}

// steal moves Gs between rings. p is the thief's P, whose ring was empty.
func (m *Model) steal(p *processor, e trace.Event) {
	to := uint32(e.Arg >> record.CountShift)
	if v := e.Victim(); v < record.MaxProcs {
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
	case record.EvIdleP:
		p.owner, p.idle, p.stopped = -1, true, false
		p.clear() // [P2]
		if c.looked {
			// It was about to sleep, and gave up the P in the same locked step
			// in which it saw the global queue empty.
			m.global, c.looked = 0, false
		}
	case record.EvBusyP:
		p.idle, p.stopped = false, false
	case record.EvStopP:
		p.owner, p.stopped = -1, true
		c.looked = false
	}
}

package check

import (
	"sched9/sched"
)

// worldState is whether the world stands still.
type worldState struct {
	wanted  bool // somebody wants it to
	dying   bool // for good: who wants it too from now on waits for ever
	stopped bool
	begun   bool   // a G has run: before that nobody had to stop it
	phase   uint64 // of the collector
}

// worldEvent replays stops of the world: P4.
func (c *checker) worldEvent() {
	e := c.e
	w := &c.world
	switch e.Kind {
	case sched.EvStop:
		if e.Arg == sched.StopForGood {
			w.dying = true
		}
		c.must(!w.wanted && !w.stopped || w.dying, "P4", "the world is to stop, and stops already")
		w.wanted = true

	case sched.EvStopped:
		if !w.begun && !w.wanted {
			return // it has not begun to move
		}
		c.must(w.wanted, "P4", "the world stands still and nobody wanted it to")
		w.stopped = true
		for id := range c.t.SMP {
			m := &c.ms[id]
			g := c.gs[m.g]
			c.must(id == int(e.M) || g == nil || g.state != running, "P4", "the world stands still and M %d runs G %d", id, m.g)
		}

	case sched.EvGo:
		c.must(w.stopped, "P4", "the world goes on and does not stand still")
		w.wanted, w.stopped = false, false

	case sched.EvPhase:
		w.phase = e.Arg

	case sched.EvStart:
		w.begun = true
		c.must(!w.stopped, "P4", "G %d starts while the world stands still", e.G)
	}
}

// maxSlices is how many ticks may ask a G in vain to leave. Each may strike where
// it cannot: in the runtime, in assembly, with a lock held (A3). A tick is a
// millisecond of the guest's clock, in which a processor may have done next to
// nothing if the host was busy.
const (
	maxSlices      = 100
	maxSlicesLoose = 3000
)

// sliceEvent replays time slices: S2, A2.
func (c *checker) sliceEvent() {
	e := c.e
	m := &c.ms[e.M]
	switch e.Kind {
	case sched.EvTick:
		if e.P < 0 {
			return
		}
		p := &c.ps[e.P]
		switch {
		case m.g == 0 || m.g != e.G:
			// In the scheduler: the next slice may have been counted and not
			// recorded, so that the interrupt saw it begin and we do not. When
			// this one and the next began is not known.
			p.unsure = p.tick + 2
			return
		case p.unsure-p.tick-1 < 2: // it is this one or the next
			p.sliceTick = p.tick
			return
		case p.sliceTick != p.tick:
			p.sliceTick, p.sliceStart, p.sliceLow, p.lastTick = p.tick, e.Time, m.last, e.Time
			c.must(e.Arg&sched.TickSlice == 0, "S2", "a slice that has just begun is used up on P %d", e.P)
			return
		}
		// The interrupt reads the clock before it is recorded, and after the M's
		// event before: so its time lies between the two, whatever the host does.
		if e.Arg&sched.TickSlice != 0 {
			c.must(e.Time-p.sliceLow >= sched.Slice, "S2", "the slice of G %d is used up after %d us", e.G, (e.Time-p.sliceLow)/1000)
			m.slices++
			p.expired = true
			c.must(m.slices <= int(c.bound(maxSlices, maxSlicesLoose)), "A2", "G %d was asked to leave %d times and runs on", e.G, m.slices)
		} else {
			c.must(p.lastTick-p.sliceStart < sched.Slice, "S2", "G %d has run for %d us and is not asked to leave", e.G, (p.lastTick-p.sliceStart)/1000)
		}
		p.lastTick = e.Time

	case sched.EvInject:
		c.must(m.g == e.G, "A2", "G %d is preempted on M %d, which runs %s", e.G, e.M, gName(m.g))
	}
}

package check

import "sched9/record"

// worldState says whether the world stands still.
type worldState struct {
	wanted  bool // a stop is wanted
	dying   bool // for good: another M that wants a stop waits for ever
	stopped bool
	begun   bool   // a G has run: before that no stop was needed
	phase   uint64 // of the collector
}

// worldEvent replays stops of the world: [P4].
func (c *checker) worldEvent() {
	e := c.e
	w := &c.world
	switch e.Kind {
	case record.EvStop:
		if e.Arg == record.StopForGood {
			w.dying = true
		}
		c.must(!w.wanted && !w.stopped || w.dying, "P4", "the world is to stop, and stops already")
		w.wanted = true

	case record.EvStopped:
		if !w.begun && !w.wanted {
			return // it has not begun to move
		}
		c.must(w.wanted, "P4", "the world stands still and nobody wanted it to")
		w.stopped = true
		for id := range c.t.SMP {
			m := &c.ms[id]
			g := c.gs[m.g]
			// One that came back from a system call waits for a P.
			c.must(id == int(e.M) || g == nil || g.state != running || m.p < 0, "P4", "the world stands still and M %d runs G %d", id, m.g)
		}
		for id := range c.procs {
			p := &c.ps[id]
			c.must(!w.begun || p.stopped || p.m == int(e.M), "P4", "the world stands still and P %d is not stopped", id)
		}

	case record.EvGo:
		c.must(w.stopped, "P4", "the world goes on and does not stand still")
		w.wanted, w.stopped = false, false
		for id := range c.ps {
			c.ps[id].stopped = false
		}

	case record.EvPhase:
		w.phase = e.Arg

	case record.EvStart:
		w.begun = true
		c.must(!w.stopped, "P4", "G %d starts while the world stands still", e.G)
	}
}

package check

import "sched9/record"

// Gs that are wired to a P [P7]. Such a G runs on its P alone, while there are so many Ps and it is tied to no M. The M that finds it with
// another P passes it on; if its P is idle it takes that one, and hands on its own.

// wiredEvent replays wires.
func (c *checker) wiredEvent() {
	e := c.e
	m := &c.ms[e.M]
	switch e.Kind {
	case record.EvWire:
		c.must(c.world.stopped, "P7", "G %d is wired to a P while the world goes on", e.G)
		c.must(int(e.Arg) <= c.procs, "P7", "G %d is wired to P %d of %d", e.G, int(e.Arg)-1, c.procs)
		c.g().home = int(min(e.Arg, record.MaxProcs))

	case record.EvPassP:
		g := c.g()
		c.must(g.home == int(e.Arg)+1 && int(e.P) != int(e.Arg) && g.locked == 0, "P7", "G %d is passed to P %d by M %d with P %d, and is wired to %s, and tied %d times", g.id, e.Arg, e.M, e.P, name("P", g.home-1), g.locked)
		if e.Arg < record.MaxProcs {
			c.take(g, record.Place(e.Aux))
			c.to(g, inHome, int(e.Arg))
			m.moves = c.ps[e.Arg].idle
		}

	case record.EvStart:
		// A coroutine that is switched to runs where the other ran: it comes from nowhere.
		g := c.g()
		free := g.home == 0 || g.home > c.procs || g.locked > 0 || e.Place().Kind() == record.FromNowhere
		c.must(free || int(e.P) == g.home-1, "P7", "G %d is wired to P %d and runs on P %d", g.id, g.home-1, e.P)
		m.moves = false

	case record.EvAcquire, record.EvLook:
		m.moves = false
	}
}

package gotrace

import (
	"sched9/sched"
	"sched9/trace"
)

// A recording says how many records of each M were lost, and not where. So a
// gap shows only in what follows it: an event that cannot be, after what we
// told. If records of the M that would have told of what is missing were lost,
// we tell that something of the kind happened, at the moment at which we learn
// of it: a goroutine left its M and waits (why is unspecified), a P changed hands.
// Of an M of which nothing was lost nothing is put in, and so a reader still
// refuses what that M tells wrongly. What any M may have done is put in, or left
// out, if some M lost something: it made a goroutine or woke it, or ran it when
// a system call began or ended.

// lost reports whether records of M m were lost.
func (c *converter) lost(m int16) bool { return int(m) < len(c.t.Lost) && c.t.Lost[m] > 0 }

// settle tells what must have happened for e to be possible. It reports whether
// e is to be told: what it says may have come to pass by that.
func (c *converter) settle(e *trace.Event) bool {
	c.settleP(e)
	m := &c.ms[e.M]
	here := c.lost(e.M)
	switch e.Kind {
	case sched.EvCreate:
		if m.call {
			c.forget(e.M)
		}
	case sched.EvStart:
		if m.g != 0 && here {
			c.drops(e.M)
		}
		c.ready(e.M, e.G)
	case sched.EvRelease:
		// A goroutine that changes the number of Ps may run on meanwhile. But
		// without a P nobody could tell that it left.
		if here {
			c.drops(e.M)
		}
	case sched.EvUnblock:
		return c.settleUnblock(e)
	case sched.EvStop, sched.EvGo:
		return m.g != 0 && c.g(m.g).stop == (e.Kind == sched.EvGo)
	case sched.EvPhase:
		return m.g != 0 && (e.Arg == 2 || c.mark == (e.Arg == 0))
	}
	if ofRunning(e.Kind) && m.g != e.G && here {
		c.drops(e.M)
		c.ready(e.M, e.G)
		c.starts(e.M, e.G)
	}
	switch e.Kind {
	case sched.EvSyscallEnter:
		if m.call {
			c.forget(e.M)
		}
	case sched.EvSyscallExit:
		return m.call
	}
	return true
}

// settleP sees to it that the M of e has the P that e bears.
func (c *converter) settleP(e *trace.Event) {
	want := e.P
	if e.Kind == sched.EvAcquire {
		want = -1
	}
	m := &c.ms[e.M]
	if m.p != want && c.lost(e.M) {
		c.drops(e.M)
		if m.p >= 0 {
			c.gives(e.M)
		}
		if want >= 0 {
			c.free(want)
			c.takes(e.M, want)
		}
	}
	if e.Kind == sched.EvAcquire && e.P >= 0 {
		c.free(e.P)
	}
}

// free sees to it that nobody has P p.
func (c *converter) free(p int16) {
	if m := c.ps[p].m; m >= 0 && c.lost(m) {
		c.drops(m)
		c.gives(m)
	}
}

// forget ends the system call of what M m runs.
func (c *converter) forget(m int16) {
	c.returns(m)
	c.g(c.ms[m].g).call = false
}

// drops tells that what M m runs, if it runs anything, left it.
func (c *converter) drops(m int16) {
	id := c.ms[m].g
	if id == 0 {
		return
	}
	c.leaves(m, waiting, wireGoBlock, c.out.table.str(unspecified), 0)
	c.g(id).call = false
}

// ready sees to it that a goroutine is runnable, for M m to run.
func (c *converter) ready(m int16, id uint64) {
	g := c.g(id)
	switch g.status {
	case unborn:
		c.made(m, id, false)
	case running:
		if g.m == m || !c.lost(g.m) {
			return
		}
		c.drops(g.m)
		c.wakes(m, id, 0)
	case waiting:
		c.wakes(m, id, 0)
	}
}

// settleUnblock sees to it that the goroutine of an EvUnblock waits. If it is
// runnable then it ran and left in a gap, and all that is left of that is
// that it is runnable.
func (c *converter) settleUnblock(e *trace.Event) bool {
	g := c.g(e.G)
	switch g.status {
	case unborn:
		c.made(e.M, e.G, true)
	case runnable:
		return false
	case running:
		if c.lost(g.m) {
			c.drops(g.m)
		}
	}
	return true
}

package gotrace

import (
	"sched9/record"
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

// settle writes the events that must have happened for e to be possible. It reports whether e must
// still be written: they may have had its effect already.
func (c *converter) settle(e *trace.Event) bool {
	c.settleP(e)
	m := &c.ms[e.M]
	here := c.lost(e.M)
	switch e.Kind {
	case record.EvCreate:
		c.forget(e.M)
	case record.EvStart:
		if m.g != 0 && here {
			c.drops(e.M)
		}
		c.ready(e.M, e.G)
	case record.EvRelease:
		// A goroutine that changes the number of Ps may run on here. But without a P it could not
		// have recorded that it left.
		if here {
			c.drops(e.M)
		}
	case record.EvAcquire:
		// If it was in a system call it is back.
		m.call = m.call && m.g != 0
		m.back = m.call && (m.back || here && !m.made)
	case record.EvUnblock:
		return c.settleUnblock(e)
	case record.EvRetake:
		return c.settleRetake(e)
	case record.EvStop, record.EvGo:
		return m.g != 0 && c.g(m.g).stop == (e.Kind == record.EvGo)
	case record.EvPhase:
		return m.g != 0 && (e.Arg == 2 || c.mark == (e.Arg == 0))
	}
	if ofRunning(e.Kind) && m.g != e.G && here {
		c.drops(e.M)
		c.ready(e.M, e.G)
		if m.p < 0 {
			return false // back from a system call: runnable, at once or when it has a P
		}
		c.starts(e.M, e.G)
	}
	switch {
	case e.Kind == record.EvSyscallExit:
		return m.call
	case ofRunning(e.Kind) && !m.back:
		c.forget(e.M)
	}
	return true
}

// settleP makes sure that the M of e has the P of e.
func (c *converter) settleP(e *trace.Event) {
	want := e.P
	if e.Kind == record.EvAcquire {
		want = -1
	}
	m := &c.ms[e.M]
	if m.p >= 0 && m.call && e.P < 0 {
		c.stolen(e.M)
	}
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
	if e.Kind == record.EvAcquire && e.P >= 0 {
		c.free(e.P)
	}
}

// free makes sure that P p has no owner.
func (c *converter) free(p int16) {
	m := c.ps[p].m
	switch {
	case m < 0:
	case c.ms[m].call:
		c.stolen(m)
	case c.lost(m):
		c.drops(m)
		c.gives(m)
	}
}

// stolen tells that M m, which is in a system call, lost its P to one of those that may
// have taken it.
func (c *converter) stolen(m int16) {
	for by := range c.ms {
		if int16(by) != m && c.lost(int16(by)) {
			c.steals(int16(by), m)
			return
		}
	}
}

// settleRetake makes sure that the P of an EvRetake belongs to the M that it is taken from, and
// that M is in a system call. If nothing was written of that call, the M gave its P up.
func (c *converter) settleRetake(e *trace.Event) bool {
	p, from := retaken(e)
	if p < 0 || int(from) >= len(c.ms) || !c.lost(from) {
		return true
	}
	m := &c.ms[from]
	if m.p != p {
		c.drops(from)
		if m.p >= 0 {
			c.gives(from)
		}
		c.free(p)
		return false
	}
	if !m.call {
		c.drops(from)
		c.gives(from)
		return false
	}
	return true
}

// forget ends the system call of what M m runs, if it is in one.
func (c *converter) forget(m int16) {
	if c.ms[m].call {
		c.returns(m)
	}
}

// drops tells that what M m runs, if it runs anything, left it.
func (c *converter) drops(m int16) {
	s := &c.ms[m]
	switch {
	case s.g == 0:
		s.call = false
	case s.call && s.p < 0:
		c.unseats(m)
	default:
		c.forget(m)
		c.leaves(m, waiting, wireGoBlock, c.out.table.str(unspecified), 0)
	}
}

// ready makes sure that a goroutine is runnable, for M m to run.
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
		if g.status == waiting {
			c.wakes(m, id, 0)
		}
	case waiting:
		c.wakes(m, id, 0)
	}
}

// settleUnblock makes sure that the goroutine of an EvUnblock waits. If it is runnable, it ran and
// left in a gap, and only its being runnable is left of that.
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
			return g.status == waiting
		}
	}
	return true
}

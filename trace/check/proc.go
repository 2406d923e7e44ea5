package check

import (
	"fmt"

	"sched9/record"
)

// pState is a P.
type pState struct {
	m    int  // its owner, -1: none
	idle bool // on the idle list

	// The queue. nexts are the Gs in runnext, two at the moment when one replaces another. head and
	// tail are the ring's, and ring its slots.
	nexts      []uint64
	head, tail uint32
	ring       map[uint32]uint64
	ahead      []span // taken slots above head
	owed       []owed

	since  int64 // since when the ring is not empty, 0: it is
	queued int64 // when it had a G last

	stopped bool // with the world
	passed  int  // Gs that are wired to it and were passed to it [P7]
	handed  int  // index in Trace.Events: an M is about to hand it on, 0: none is

	tick                uint32 // schedtick
	sliceLow, sliceHigh int64  // the running slice began between the two
	lasts               int64  // how long it has lasted, with no two events of its owner more than a slice apart: a host may hold a processor longer
	expired             bool   // it was used up, and the queue was not looked at since
	left                int64  // used of it, at least, when the P was stopped with the world and had a runnext; not above 0: it was not
}

// empty reports whether the P has no G.
func (p *pState) empty() bool { return len(p.nexts) == 0 && len(p.ring) == 0 }

// wanted reports whether Gs wait for the P: in its queue, or wired to it and passed to it [P7]. Those run nowhere else, so they are a
// reason to take the P from a system call, and must not wait behind one either.
func (p *pState) wanted() bool { return !p.empty() || p.passed > 0 }

// empty demands that P id has no G. The thief of a G that is still there may not have recorded yet
// that it took it, so the demand is kept until an M takes the G: if that is a thief, all is well.
func (c *checker) empty(id int, rule, what string) {
	p := &c.ps[id]
	if p.empty() {
		return
	}
	owe := func(g *gState) {
		if g.gone == nil {
			g.gone = &debt{rule, c.i, fmt.Sprintf("P %d %s with G %d", id, what, g.id)}
			c.debts = append(c.debts, g)
		}
	}
	for _, gid := range p.ring {
		owe(c.gByID(gid))
	}
	for _, gid := range p.nexts {
		owe(c.gByID(gid))
	}
}

// debt is a G that must have been stolen: rule is broken otherwise.
type debt struct {
	rule  string
	event int
	what  string
}

// stolen settles the demands on g.
func (g *gState) stolen() { g.gone = nil }

// kept breaks the rule that g must have been stolen.
func (c *checker) kept(g *gState) {
	if d := g.gone; d != nil {
		g.gone = nil
		i, e := c.i, c.e
		c.i, c.e = d.event, &c.t.Events[d.event]
		c.fail(d.rule, "%s", d.what)
		c.i, c.e = i, e
	}
}

// debtsEnd reports Gs that were never stolen, unless the run ended before the thief could record
// it.
func (c *checker) debtsEnd() {
	for _, g := range c.debts {
		if g.gone != nil && c.t.Events[len(c.t.Events)-1].Time-c.t.Events[g.gone.event].Time > c.bound(1_000_000, 1_000_000_000) {
			c.kept(g)
		}
	}
}

// procEvent replays who owns which P: [P1, P2, P4, P5, M13].
func (c *checker) procEvent() {
	e := c.e
	m := &c.ms[e.M]
	switch e.Kind {
	case record.EvProcs:
		c.must(e.Arg >= 1 && e.Arg <= record.MaxProcs, "P5", "there are to be %d Ps", e.Arg)
		c.procs = int(min(e.Arg, record.MaxProcs))

	case record.EvAcquire:
		if e.P < 0 {
			c.fail("P1", "M %d takes no P", e.M)
			return
		}
		p := &c.ps[e.P]
		c.must(m.p < 0, "P1", "M %d takes P %d and has P %d", e.M, e.P, m.p)
		c.must(p.m < 0, "P1", "M %d takes P %d, which M %d owns", e.M, e.P, p.m)
		c.must(!p.idle, "P2", "M %d takes P %d, which is on the idle list", e.M, e.P)
		c.must(c.procs == 0 || int(e.P) < c.procs, "P5", "M %d takes P %d of %d", e.M, e.P, c.procs)
		c.must(!m.woken || m.nextp == int(e.P) || c.making, "M9", "M %d takes P %d and was given P %d", e.M, e.P, m.nextp)
		c.gets(m, int(e.P), m.g)
		p.m, p.handed = int(e.M), 0
		if e.Arg == 0 {
			p.tick++
		}

	case record.EvRelease:
		c.must(m.p >= 0 && m.p == int(e.P), "P1", "M %d gives up P %d and has %s", e.M, e.P, name("P", m.p))
		if m.p >= 0 {
			c.ps[m.p].m = -1
		}
		c.gets(m, -1, m.g)

	case record.EvRetake:
		c.retake(int(e.Arg&0xff), int(e.Arg>>8))

	case record.EvIdleP, record.EvBusyP, record.EvStopP, record.EvHandoff:
		if e.Arg >= record.MaxProcs {
			c.fail("P2", "there is no P %d", e.Arg)
			return
		}
		c.listed(int(e.Arg), &c.ps[e.Arg])
	}
}

// listed replays changes of P id by others than its owner.
func (c *checker) listed(id int, p *pState) {
	e := c.e
	switch e.Kind {
	case record.EvIdleP:
		c.must(p.m < 0, "P2", "P %d goes idle and M %d owns it", id, p.m)
		c.must(!p.idle, "P2", "P %d goes idle twice", id)
		c.empty(id, "P2", "goes idle")
		c.must(p.passed == 0, "P7", "P %d goes idle, and %d Gs that are wired to it wait for it", id, p.passed)
		p.idle, p.handed = true, 0
		c.npidle++

	case record.EvBusyP:
		c.must(p.idle, "P2", "P %d leaves the idle list and is not on it", id)
		p.idle = false
		c.npidle--

	case record.EvStopP:
		c.must(p.m < 0 && !p.idle, "P4", "P %d is stopped, but owned or idle", id)
		c.must(c.world.wanted, "P4", "P %d is stopped and nobody wants the world stopped", id)
		p.stopped, p.handed = true, 0

	case record.EvHandoff:
		c.must(p.m < 0 && !p.idle, "M13", "P %d is handed on, but owned or idle", id)
		p.handed = c.i
	}
}

// procEnd makes sure that every P that was to be handed on went to an M, to the idle list, or to a
// stop of the world [M13].
func (c *checker) procEnd() {
	if len(c.t.Events) == 0 {
		return
	}
	end := c.t.Events[len(c.t.Events)-1].Time
	for id := range c.ps {
		if at := c.ps[id].handed; at > 0 && end-c.t.Events[at].Time > c.bound(1_000_000, 1_000_000_000) {
			c.i, c.e = at, &c.t.Events[at]
			c.fail("M13", "P %d was to be handed on, and nobody has got it", id)
		}
	}
}

package check

import (
	"fmt"
	"slices"

	"sched9/record"
)

// state is what a G is.
type state int

const (
	unknown state = iota
	runnable
	running
	waiting
	inSyscall
	dead
)

// String is the runtime's word for it.
func (s state) String() string {
	return [...]string{"unknown", "runnable", "running", "waiting", "syscall", "dead"}[s]
}

// place is where a runnable G is [G3].
type place int

const (
	nowhere place = iota // in no queue: it is not runnable, or was taken by a mover
	inHand               // an M moves it
	inNext               // runnext of P q
	inRing               // the ring of P q, at idx
	inGlobal
	inMine   // passed to the M that it is tied to, which will find it
	inHome   // passed to P q, which it is wired to: its owner will find it
	withheld // kept back by the runtime
)

// String is for messages.
func (p place) String() string {
	return [...]string{"in no queue", "in an M's hands", "in a runnext", "in a ring", "in the global queue", "passed to its M", "passed to its P", "withheld"}[p]
}

// gState is a G.
type gState struct {
	id    uint64
	state state
	held  bool // counts as waiting while it runs (EvHold)
	m     int  // which runs it, which holds it in its hands, or to which it was passed
	at    place
	q     int    // the P, if at is inNext, inRing or inHome
	idx   uint32 // if at is inRing

	since    int64 // when it got into state
	locked   int   // how many times it is tied
	lockedTo int   // the M, if locked
	home     int   // the P that it is wired to, plus one; 0: none
	gone     *debt // it must have been stolen by now
}

// g returns the G that the event is about. One that the trace does not tell the
// creation of is unknown: a trace begins before the first G.
func (c *checker) g() *gState { return c.gByID(c.e.G) }

// gByID returns a G by its number.
func (c *checker) gByID(id uint64) *gState {
	g := c.gs[id]
	if g == nil {
		g = &gState{id: id, m: -1, q: -1}
		c.gs[id] = g
	}
	return g
}

// to moves g to another place; q is the P, if there is one.
func (c *checker) to(g *gState, at place, q int) {
	if g.at == inNext && g.q >= 0 {
		p := &c.ps[g.q]
		p.nexts = slices.DeleteFunc(p.nexts, func(id uint64) bool { return id == g.id })
	}
	if g.at == inHand && g.m >= 0 {
		m := &c.ms[g.m]
		m.hands = slices.DeleteFunc(m.hands, func(id uint64) bool { return id == g.id })
	}
	if g.at == inMine {
		c.nlockedq--
		c.ms[g.m].lockedq--
	}
	if g.at == inHome {
		c.ps[g.q].passed--
	}
	if at == inHome {
		c.ps[q].passed++
	}
	g.at, g.q = at, q
	if at == inNext && q >= 0 {
		c.ps[q].nexts = append(c.ps[q].nexts, g.id)
	}
}

// hand moves g into the hands of the event's M.
func (c *checker) hand(g *gState) {
	c.to(g, inHand, -1)
	g.m = int(c.e.M)
	m := &c.ms[g.m]
	m.hands = append(m.hands, g.id)
}

// move changes g's state along an edge that must begin at from [G1].
func (c *checker) move(g *gState, from, to state) {
	c.must(g.state == from && !(g.held && to != running), "G1", "G %d is %v, and %v needs it to be %v", g.id, g.state, c.e.Kind, from)
	g.state, g.since = to, c.e.Time
}

// goroutineEvent replays what happens to Gs: [G1, G2, G3, U3].
func (c *checker) goroutineEvent() {
	e := c.e
	m := &c.ms[e.M]
	switch e.Kind {
	case record.EvCreate:
		g := c.g()
		c.move(g, unknown, runnable)
		c.hand(g)
		if e.Arg&record.CreateParked != 0 {
			g.state = waiting
			c.to(g, nowhere, -1)
		}

	case record.EvStart:
		c.start()

	case record.EvYield, record.EvPreempt:
		g := c.leaves()
		c.move(g, running, runnable)
		c.hand(g)

	case record.EvBlock:
		g := c.leaves()
		c.move(g, running, waiting)
		c.must(c.t.Reason(*e) != "unknown" || c.t.Reasons == nil, "G4", "G %d waits without a reason", g.id)

	case record.EvExit:
		g := c.leaves()
		c.move(g, running, dead)

	case record.EvUnblock:
		g := c.g()
		c.move(g, waiting, runnable)
		c.hand(g)

	case record.EvHold:
		g := c.g()
		c.must(g.state == running && !g.held, "G1", "G %d is %v, and Hold needs it to run", g.id, g.state)
		g.held = true

	case record.EvUnhold:
		g := c.g()
		c.must(g.state == running && g.held, "G1", "G %d is not held, and Unhold needs it to be", g.id)
		g.held = false

	case record.EvSyscallEnter:
		g := c.g()
		c.must(m.g == e.G, "G2", "G %d enters a system call on M %d, which runs %s", e.G, e.M, gName(m.g))
		c.move(g, running, inSyscall)

	case record.EvSyscallExit:
		c.must(m.g == e.G, "G2", "G %d comes back from a system call on M %d, which runs %s", e.G, e.M, gName(m.g))
		c.move(c.g(), inSyscall, running)

	case record.EvStatus:
		// If another M looks at a goroutine at that moment, its way into or out of a system call is
		// recorded twice.
		const statusRunning, statusSyscall = 2, 3
		from, to := uint32(e.Arg), uint32(e.Arg>>record.StatusShift)
		call := c.g().state == inSyscall && (from == statusRunning && to == statusSyscall || from == statusSyscall && to == statusRunning)
		c.must(call, "G1", "G %d goes from status %d to %d, which is no edge", e.G, from, to)

	case record.EvWithhold:
		g := c.g()
		c.take(g, e.Place())
		c.to(g, withheld, -1)
	}
}

// start replays EvStart: an M that owns a P and runs nothing runs a runnable G
// that was where it says.
func (c *checker) start() {
	e := c.e
	g, m := c.g(), &c.ms[e.M]
	c.must(e.P >= 0 && m.p >= 0, "G2", "G %d runs on M %d, which has no P", g.id, e.M)
	c.must(m.g == 0, "G2", "G %d runs on M %d, which still runs G %d", g.id, e.M, m.g)
	c.must(!m.parked, "M1", "G %d runs on M %d, which is parked", g.id, e.M)
	c.must(!m.spinning, "M3", "G %d runs on M %d, which spins", g.id, e.M)
	c.take(g, e.Place())
	c.move(g, runnable, running)
	c.emptyHands("runs " + gName(g.id))
	g.m = int(e.M)
	c.gets(m, m.p, g.id)
}

// gets notes what an M has from here on: P p, -1 if none, and G g, 0 if none. A G
// runs if its M has a P [U3].
func (c *checker) gets(m *mState, p int, g uint64) {
	if m.p >= 0 && m.g != 0 {
		c.nrunning--
	}
	m.p, m.g = p, g
	if p >= 0 && g != 0 {
		c.nrunning++
		c.must(c.procs == 0 || c.nrunning <= c.procs, "U3", "%d Gs run on %d Ps", c.nrunning, c.procs)
	}
}

// emptyHands demands that the event's M has no G in its hands when it does
// something for good: that G would be lost [G3].
func (c *checker) emptyHands(what string) {
	for _, id := range c.ms[c.e.M].hands {
		c.fail("G3", "M %d %s with G %d in its hands, which is runnable and in no queue", c.e.M, what, id)
	}
}

// leaves ends the run of the event's G.
func (c *checker) leaves() *gState {
	e := c.e
	g, m := c.g(), &c.ms[e.M]
	c.must(m.g == e.G, "G2", "G %d leaves M %d, which runs %s", e.G, e.M, gName(m.g))
	c.gets(m, m.p, 0)
	g.m = int(e.M)
	return g
}

// gName is "G 3" or "no G".
func gName(id uint64) string {
	if id == 0 {
		return "no G"
	}
	return fmt.Sprintf("G %d", id)
}

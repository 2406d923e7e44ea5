package gotrace

import "sched9/trace"

// status is what a goroutine does, as far as we told.
type status uint8

const (
	unborn status = iota
	runnable
	running
	waiting
	dead
)

// goroutine is what we told of a G.
type goroutine struct {
	seq    uint64
	status status
	m      int16 // that runs it
	stop   bool  // it holds a range in which the world is stopped
}

// machine is what we told of an M.
type machine struct {
	p    int16 // -1: none
	g    uint64
	call bool // told of g's system call, and not of its end
	back bool // g came back from it and found its P taken: see acquires
	made bool // it has started another M, and may borrow that one's P for a moment
}

// proc is what we told of a P.
type proc struct {
	seq uint64
	m   int16 // that has it, -1: none
}

// converter tells events and keeps account of what it told.
type converter struct {
	t    *trace.Trace
	out  *encoder
	ms   []machine
	ps   [maxP]proc
	gs   map[uint64]*goroutine
	now  uint64
	gc   uint64 // last sequence number of the collector's cycles
	mark bool   // in a cycle
	stop uint64 // the goroutine that holds the latest stop of the world, 0: none

	procs uint64 // number of Ps that is to be told, 0: it was

	lossy bool // of some M records were lost
}

// tell tells an event of M m's.
func (c *converter) tell(m int16, kind byte, args ...uint64) {
	c.out.event(&c.out.threads[m], c.now, kind, args...)
}

// g is the account of a goroutine.
func (c *converter) g(id uint64) *goroutine {
	g := c.gs[id]
	if g == nil {
		g = &goroutine{}
		c.gs[id] = g
	}
	return g
}

// takes tells that M m takes a P.
func (c *converter) takes(m, p int16) {
	s := &c.ps[p]
	s.seq++
	c.tell(m, wireProcStart, uint64(p)+1, s.seq)
	s.m, c.ms[m].p = m, p
	c.counts(m)
}

// gives tells that M m gives up its P.
func (c *converter) gives(m int16) {
	c.tell(m, wireProcStop)
	if p := c.ms[m].p; p >= 0 {
		c.ps[p].m = -1
	}
	c.ms[m].p = -1
}

// creates tells that M m makes a goroutine.
func (c *converter) creates(m int16, id uint64, parked bool, entry, stack uint64) {
	if parked {
		c.tell(m, wireGoCreateBlocked, id, entry, stack)
		c.g(id).status = waiting
	} else {
		c.tell(m, wireGoCreate, id, entry, stack)
		c.g(id).status = runnable
	}
}

// acquires tells that M m takes a P. If its goroutine came back from a system call and
// had lost its P, it is only now that it runs on.
func (c *converter) acquires(m, p int16) {
	c.takes(m, p)
	if s := &c.ms[m]; s.back {
		id := s.g
		c.unseats(m)
		c.starts(m, id)
	}
}

// unseats tells that what M m runs is back from a system call in which the M lost its P,
// and runnable: it is not the M's any more.
func (c *converter) unseats(m int16) {
	s := &c.ms[m]
	c.tell(m, wireSyscallEndBlock)
	c.g(s.g).status = runnable
	s.g, s.call, s.back = 0, false, false
}

// steals tells that M m takes the P of M from, whose goroutine is in a system call.
func (c *converter) steals(m, from int16) {
	p := c.ms[from].p
	s := &c.ps[p]
	s.seq++
	c.tell(m, wireProcSteal, uint64(p)+1, s.seq, uint64(from)+1)
	s.m, c.ms[from].p = -1, -1
}

// starts tells that M m begins to run a goroutine.
func (c *converter) starts(m int16, id uint64) {
	g := c.g(id)
	g.seq++
	c.tell(m, wireGoStart, id, g.seq)
	g.status, g.m = running, m
	c.ms[m].g = id
	c.counts(m)
}

// counts tells the number of Ps, if it is to be told and M m runs a goroutine,
// without which it cannot be.
func (c *converter) counts(m int16) {
	if c.procs > 0 && c.ms[m].g != 0 && !c.ms[m].call && c.ms[m].p >= 0 {
		c.tell(m, wireProcsChange, c.procs, 0)
		c.procs = 0
	}
}

// appears tells of a goroutine whose creation we cannot tell.
func (c *converter) appears(id, state uint64) {
	c.g(id).status = runnable
	if state == goWaiting {
		c.g(id).status = waiting
	}
	c.out.event(&c.out.nobody, c.now, wireGoStatus, id, nobody, state)
}

// made tells of a goroutine that was made in a gap, by whom and of what we do
// not know. The tools take one that only appears for one that was always there,
// so it is created where that does not make what M m runs its creator.
func (c *converter) made(m int16, id uint64, parked bool) {
	switch {
	case c.ms[m].p >= 0 && c.ms[m].g == 0:
		c.creates(m, id, parked, 0, 0)
	case parked:
		c.appears(id, goWaiting)
	default:
		c.appears(id, goRunnable)
	}
}

// wakes tells that a goroutine becomes runnable, on M m.
func (c *converter) wakes(m int16, id, stack uint64) {
	g := c.g(id)
	g.seq++
	c.tell(m, wireGoUnblock, id, g.seq, stack)
	g.status = runnable
}

// enters tells that what M m runs enters a system call. It keeps its P, whose
// sequence numbers count calls too.
func (c *converter) enters(m int16, stack uint64) {
	s := &c.ms[m]
	seq := uint64(0)
	if s.p >= 0 {
		c.ps[s.p].seq++
		seq = c.ps[s.p].seq
	}
	c.tell(m, wireSyscallBegin, seq, stack)
	s.call = true
}

// returns tells that what M m runs comes back from its system call, unless the P was
// taken: then that is told when it has another one, or leaves.
func (c *converter) returns(m int16) {
	s := &c.ms[m]
	if s.call && s.p < 0 {
		s.back = true
		return
	}
	c.tell(m, wireSyscallEnd)
	s.call = false
}

// leaves tells that what M m runs leaves it, by an event with the arguments, and
// becomes to.
func (c *converter) leaves(m int16, to status, kind byte, args ...uint64) {
	s := &c.ms[m]
	c.tell(m, kind, args...)
	c.g(s.g).status = to
	s.g, s.call, s.back = 0, false, false
}

package gotrace

import (
	"errors"
	"fmt"
	"io"

	"sched9/record"
	"sched9/trace"
)

// Write writes t as a Go execution trace, in one generation. It goes over
// t.Events twice and holds no more than a few bytes of each goroutine and the
// tables of strings and stacks. t is one that package trace has read. An error says
// that w failed, or that t says something for which the format has no words; what
// was written by then is of no use.
func Write(w io.Writer, t *trace.Trace) error {
	lossy := t.TotalLost() > 0
	whole := len(t.Events) > 0 && t.Events[0].Kind == record.EvBoot && t.Events[0].M == 0
	s, err := look(t, !lossy || !whole)
	if err != nil {
		return err
	}
	c := &converter{t: t, ms: make([]machine, len(s.ms)), gs: map[uint64]*goroutine{}, lossy: lossy}
	if len(t.Events) > 0 {
		// The tools want to see the beginning before the first event.
		c.now = uint64(max(t.Events[0].Time-1, 0))
	}
	c.out = newEncoder(w, len(c.ms), c.now)
	c.begin(s)
	for i := range t.Events {
		e := &t.Events[i]
		if !told(e.Kind) {
			if m := &c.ms[e.M]; e.Kind == record.EvStartM {
				m.made = m.p < 0
			}
			continue
		}
		c.now = uint64(e.Time)
		if c.lossy && !c.settle(e) {
			continue
		}
		if err := c.agrees(e); err != nil {
			return fmt.Errorf("event %d, %v of G%d on M%d at %d ns: %w", i, e.Kind, e.G, e.M, e.Time, err)
		}
		c.event(e)
	}
	return c.out.close()
}

// begin tells what was so before the first event. What runs is bound to the
// thread that tells it.
func (c *converter) begin(s start) {
	c.procs = uint64(s.procs)
	for i := range c.ps {
		c.ps[i].m = -1
	}
	for i, m := range s.ms {
		c.ms[i] = machine{p: m.p, g: m.g, call: m.call}
		if m.p >= 0 {
			c.ps[m.p].m = int16(i)
			c.tell(int16(i), wireProcStatus, uint64(m.p)+1, pick(m.call, procSyscall, procRunning))
		}
		if m.g != 0 {
			c.gs[m.g] = &goroutine{status: running, m: int16(i)}
			c.tell(int16(i), wireGoStatus, m.g, uint64(i)+1, pick(m.call, goSyscall, goRunning))
		}
	}
	for p := range s.procs {
		if c.ps[p].m < 0 {
			c.out.event(&c.out.nobody, c.now, wireProcStatus, uint64(p)+1, procIdle)
		}
	}
	for _, g := range s.gs {
		c.appears(g.id, g.status)
	}
	if s.marking {
		c.gc, c.mark = 1, true
		c.out.event(&c.out.nobody, c.now, wireGCActive, c.gc)
	}
}

// pick is a if it is so, else b.
func pick(so bool, a, b uint64) uint64 {
	if so {
		return a
	}
	return b
}

// told reports whether there is something to tell of an event.
func told(e record.Event) bool {
	switch e {
	case record.EvCreate, record.EvStart, record.EvUnblock, record.EvAcquire, record.EvRelease,
		record.EvStop, record.EvGo, record.EvPhase, record.EvProcs, record.EvRetake:
		return true
	}
	return ofRunning(e)
}

// ofRunning reports whether an event is one of the G that its M runs.
func ofRunning(e record.Event) bool {
	switch e {
	case record.EvYield, record.EvPreempt, record.EvBlock, record.EvExit, record.EvSyscallEnter, record.EvSyscallExit:
		return true
	}
	return false
}

// agrees checks what the format cannot say, so that no reader could: which P
// and which G the M of an event has.
func (c *converter) agrees(e *trace.Event) error {
	m := &c.ms[e.M]
	switch {
	case e.Kind != record.EvAcquire && e.P != m.p:
		return fmt.Errorf("it bears P%d, but the M has taken P%d", e.P, m.p)
	case ofRunning(e.Kind) && e.G != m.g:
		return fmt.Errorf("but the M runs G%d", m.g)
	case e.G == 0 && (ofRunning(e.Kind) || e.Kind == record.EvCreate || e.Kind == record.EvStart || e.Kind == record.EvUnblock):
		return errors.New("it is of no goroutine")
	case e.Kind == record.EvSyscallExit && m.back:
		return errors.New("but it is back already")
	case e.Kind == record.EvAcquire && e.P < 0:
		return errors.New("it is of no P")
	case e.Kind == record.EvRetake:
		p, from := retaken(e)
		if p < 0 || int(from) >= len(c.ms) || c.ms[from].p != p {
			return fmt.Errorf("but P%d is not M%d's", p, from)
		}
	}
	return nil
}

// retaken are the P of an EvRetake and the M that it is taken from. If there can be no
// such P it is -1.
func retaken(e *trace.Event) (p, from int16) {
	p, from = int16(e.Arg&0xff), int16(e.Arg>>8&0xff)
	if p >= maxP || from >= record.MaxProcs {
		return -1, from
	}
	return p, from
}

// event tells an event.
func (c *converter) event(e *trace.Event) {
	stack := func() uint64 { return c.out.table.stack(c.t, e.Stack) }
	str := c.out.table.str
	switch e.Kind {
	case record.EvCreate:
		c.creates(e.M, e.G, e.Arg&record.CreateParked != 0, c.out.table.entry(c.t, e.Entry()), stack())
	case record.EvStart:
		c.starts(e.M, e.G)
		switch e.Place().Kind() {
		case record.FromWorker:
			c.tell(e.M, wireGoLabel, str(labelWorker))
		case record.FromIdleWorker:
			c.tell(e.M, wireGoLabel, str(labelIdle))
		}
	case record.EvYield:
		if c.ms[e.M].back {
			c.unseats(e.M)
			return
		}
		c.leaves(e.M, runnable, wireGoStop, str(stopGosched), stack())
	case record.EvPreempt:
		c.leaves(e.M, runnable, wireGoStop, str(stopPreempted), stack())
	case record.EvBlock:
		c.leaves(e.M, waiting, wireGoBlock, str(blockReason(c.t.Reason(*e))), stack())
	case record.EvExit:
		c.leaves(e.M, dead, wireGoDestroy)
	case record.EvUnblock:
		c.wakes(e.M, e.G, stack())
	case record.EvSyscallEnter:
		c.enters(e.M, stack())
	case record.EvSyscallExit:
		c.returns(e.M)
	case record.EvRetake:
		_, from := retaken(e)
		c.steals(e.M, from)
	case record.EvAcquire:
		c.acquires(e.M, e.P)
	case record.EvRelease:
		c.gives(e.M)
		c.ms[e.M].made = false
	case record.EvStop:
		c.stops(e)
	case record.EvGo:
		c.goes(e)
	case record.EvPhase:
		c.phase(e)
	case record.EvProcs:
		c.procs = e.Arg
		c.counts(e.M)
	}
}

// stops tells that the M's goroutine has the world stopped. A program that dies
// stops for good, and may do so where the format does not allow it: on an M
// without a P.
func (c *converter) stops(e *trace.Event) {
	if e.Arg == record.StopForGood {
		return
	}
	c.tell(e.M, wireSTWBegin, c.out.table.str(c.t.StopReason(*e)), 0)
	if c.stop = c.ms[e.M].g; c.stop != 0 {
		c.g(c.stop).stop = true
	}
}

// goes writes the end of a stop. The runtime ends a stop at its boot that never began, when there
// is no goroutine yet.
func (c *converter) goes(e *trace.Event) {
	g := c.ms[e.M].g
	if c.stop == 0 && g == 0 {
		return
	}
	c.tell(e.M, wireSTWEnd)
	c.stop = 0
	if g != 0 {
		c.g(g).stop = false
	}
}

// phase tells of the collector's cycle, which reaches from phase 1 to phase 0.
func (c *converter) phase(e *trace.Event) {
	switch e.Arg {
	case 1:
		c.gc++
		c.mark = true
		c.tell(e.M, wireGCBegin, c.gc, 0)
	case 0:
		c.gc++
		c.mark = false
		c.tell(e.M, wireGCEnd, c.gc)
	}
}

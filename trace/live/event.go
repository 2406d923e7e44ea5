package live

import (
	"sched9/record"
	"sched9/trace"
)

// created is the reason of a goroutine that waits since it was made.
const created = ^uint64(0)

// event takes an event, which M c recorded.
func (m *Model) event(c *machine, e trace.Event) {
	if e.Kind != record.EvTick {
		c.ticked = 0
	}
	switch e.Kind {
	case record.EvCreate, record.EvStart, record.EvYield, record.EvPreempt, record.EvBlock, record.EvUnblock, record.EvExit,
		record.EvSyscallEnter, record.EvSyscallExit:
		m.goroutine(c, e)
	case record.EvSpin, record.EvUnspin, record.EvPark, record.EvWakeM, record.EvStartM,
		record.EvTimerSleep, record.EvHalt, record.EvHaltEnd, record.EvTick, record.EvSendIPI, record.EvBoot, record.EvLook:
		m.machine(c, e)
	case record.EvStop:
		m.stop = stop{wanted: true, start: e.Time, reason: m.t.StopReason(e)}
	case record.EvStopped:
		if m.stop.wanted {
			m.stop.held = true
		}
	case record.EvGo:
		m.stop = stop{}
	case record.EvDrop:
		if e.Aux < uint64(record.NumDrops) {
			m.drops[e.Aux] += e.Arg
		}
	case record.EvPhase:
		m.phase, m.since = e.Arg, e.Time
		if e.Arg == phaseMark {
			m.counts[cycles]++
		}
	}
	m.turn(e)
	m.queue(c, e)
}

// phaseMark is the collector's phase in which a cycle begins.
const phaseMark = 1

// goroutine takes an event of a goroutine's life.
func (m *Model) goroutine(c *machine, e trace.Event) {
	g := m.g(e.G)
	switch e.Kind {
	case record.EvCreate:
		m.tally(g.kind).alive--
		g.kind = kind{e.Entry(), e.Stack}
		m.tally(g.kind).alive++
		if e.Arg&record.CreateParked != 0 {
			m.becomes(g, Waiting, created, e.Time)
		} else {
			m.becomes(g, Runnable, 0, e.Time)
		}
	case record.EvStart:
		m.started(c, g, e)
	case record.EvYield:
		m.left(c, g, e)
		m.becomes(g, Runnable, 0, e.Time)
	case record.EvPreempt:
		m.counts[preemptions]++
		m.left(c, g, e)
		m.becomes(g, Runnable, 0, e.Time)
	case record.EvBlock:
		m.left(c, g, e)
		m.becomes(g, Waiting, e.Arg>>record.ReasonShift, e.Time)
	case record.EvUnblock:
		m.becomes(g, Runnable, 0, e.Time)
	case record.EvExit:
		m.left(c, g, e)
		m.forget(g)
		m.tally(g.kind).alive--
		delete(m.gs, g.id)
		m.dead++
	case record.EvSyscallEnter:
		g.pc, g.stack = 0, e.Stack
		m.becomes(g, Syscall, 0, e.Time)
	case record.EvSyscallExit:
		m.becomes(g, Running, 0, e.Time)
	}
}

// turn takes what an event turns out to be after those before it.
func (m *Model) turn(e trace.Event) {
	switch e.Kind { // it has run as long as it had its P
	case record.EvRelease, record.EvSyscallExit:
		m.account(m.m(int(e.M)), e.Time)
	case record.EvRetake:
		if from := e.From(); from < record.MaxProcs {
			m.counts[retakes]++
			m.account(m.m(from), e.Time)
		}
	}
	t := m.replay.Event(e)
	c, g := m.m(t.M), m.gs[t.G]
	switch {
	case t.What == trace.Loses && c.doing != trace.Halted:
		c.does(trace.Calling, e.Time)
	case t.What == trace.Returns && g != nil:
		m.becomes(g, Runnable, 0, e.Time)
		c.does(trace.Scheduling, e.Time)
	case t.What == trace.Resumes && g != nil:
		c.from = e.Time
		m.becomes(g, Running, 0, e.Time)
		c.does(trace.Running, e.Time)
	}
	if g := m.gs[t.Untied]; g != nil {
		g.tied = -1
	}
	if t.Tied != 0 {
		m.g(t.Tied).tied = int(e.M)
	}
}

// started notes that c begins to run g. If c runs another one still, or g runs
// elsewhere, an event was lost.
func (m *Model) started(c *machine, g *goroutine, e trace.Event) {
	if c.G != 0 && c.G != g.id {
		m.account(c, e.Time)
		if old := m.gs[c.G]; old != nil && old.m == int(e.M) {
			old.m = -1
			m.becomes(old, Unknown, 0, e.Time)
		}
	}
	if g.m >= 0 && g.m != int(e.M) && m.ms[g.m].G == g.id {
		m.ms[g.m].G = 0
		m.ms[g.m].does(trace.Scheduling, e.Time)
	}
	m.becomes(g, Running, 0, e.Time)
	g.m = int(e.M)
	g.runs++
	m.tally(g.kind).runs++
	c.from = e.Time
	// Another goroutine's run is another stretch.
	c.doing, c.since = trace.Running, e.Time
	c.spin, c.looked = false, false
	m.counts[dispatches]++
	if e.P >= 0 {
		m.p(int(e.P)).runs++
	}
}

// left notes that g leaves c.
func (m *Model) left(c *machine, g *goroutine, e trace.Event) {
	if c.G == g.id {
		m.account(c, e.Time)
	}
	if g.m == int(e.M) {
		g.m = -1
	}
	g.pc, g.stack = 0, e.Stack
	c.does(trace.Scheduling, e.Time)
}

// machine takes an event of an M.
func (m *Model) machine(c *machine, e trace.Event) {
	switch e.Kind {
	case record.EvSpin:
		c.does(trace.Spinning, e.Time)
	case record.EvUnspin:
		c.spin = false
		c.does(trace.Scheduling, e.Time)
	case record.EvPark:
		m.counts[parks]++
		c.until = 0
	case record.EvTimerSleep:
		c.until = int64(e.Arg)
	case record.EvWakeM, record.EvStartM:
		m.counts[wakes]++
		if e.Arg < record.MaxProcs {
			m.m(int(e.Arg)).spin = e.Aux&record.WakeSpinning != 0
		}
	case record.EvHalt:
		c.until = int64(e.Arg)
		c.does(trace.Halted, e.Time)
	case record.EvHaltEnd, record.EvBoot:
		m.resume(c, e.Time)
	case record.EvTick:
		m.account(c, e.Time)
		m.ticked(c, e)
		if c.doing == trace.Halted {
			m.resume(c, e.Time) // the event that ended it was lost
		}
	case record.EvSendIPI:
		m.counts[ipis]++
	case record.EvLook:
		if record.Look(e.Arg) == record.LookLocked {
			c.looked = true
		}
	}
}

// ticked notes where the timer's interrupt struck c. A goroutine that is leaving
// has said so already; but if two ticks in a row find it there, and nothing tells
// that it runs, that was lost.
func (m *Model) ticked(c *machine, e trace.Event) {
	again := c.ticked == e.G
	c.ticked = e.G
	g := m.gs[e.G]
	if g == nil && e.G != 0 && again {
		g = m.g(e.G)
	}
	if g == nil {
		return
	}
	g.pc = e.Aux
	if again && c.G == 0 {
		m.becomes(g, Running, 0, e.Time)
		g.m, c.G, c.from = int(e.M), g.id, e.Time
		c.does(trace.Running, e.Time)
	}
}

// resume notes that c goes on: with the goroutine for which it waited, if one
// runs.
func (m *Model) resume(c *machine, at int64) {
	switch {
	case c.Lost:
		c.does(trace.Calling, at)
	case c.Back:
		c.does(trace.Scheduling, at)
	case c.G != 0:
		c.does(trace.Running, at)
	case c.spin && c.p >= 0:
		c.does(trace.Spinning, at)
	default:
		c.does(trace.Scheduling, at)
	}
}

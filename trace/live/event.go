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
	m.call(c, e)
	switch e.Kind {
	case record.EvCreate, record.EvStart, record.EvYield, record.EvPreempt, record.EvBlock, record.EvUnblock, record.EvExit,
		record.EvSyscallEnter, record.EvSyscallExit, record.EvLock, record.EvUnlock, record.EvNeedM:
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
	case record.EvPhase:
		m.phase, m.since = e.Arg, e.Time
		if e.Arg == phaseMark {
			m.counts[cycles]++
		}
	}
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
		if c.lost {
			m.becomes(g, Runnable, 0, e.Time)
		} else {
			m.becomes(g, Running, 0, e.Time)
		}
	case record.EvLock, record.EvNeedM:
		g.tied = int(e.M)
	case record.EvUnlock:
		if e.Arg == 0 {
			g.tied = -1
		}
	}
}

// call takes what an event tells of the P of an M whose goroutine is in a system call,
// and of coroutines that hand on a tie.
func (m *Model) call(c *machine, e trace.Event) {
	switch e.Kind {
	case record.EvSyscallEnter:
		c.inCall = true
	case record.EvRetake:
		if from := e.From(); from < record.MaxProcs {
			m.counts[retakes]++
			m.loses(m.m(from), e.Time)
		}
	case record.EvRelease:
		m.loses(c, e.Time)
	case record.EvSyscallExit:
		c.inCall = false
		// That the P was taken may be an event that was lost.
		if c.lost = e.P < 0; c.lost {
			m.account(c, e.Time)
			c.does(trace.Scheduling, e.Time)
		}
	case record.EvAcquire:
		if g := m.gs[c.g]; c.lost && !c.inCall && g != nil {
			c.lost, c.from = false, e.Time
			m.becomes(g, Running, 0, e.Time)
			c.does(trace.Running, e.Time)
		}
	case record.EvYield, record.EvPreempt, record.EvBlock, record.EvExit:
		c.gone = 0
		if g := m.gs[e.G]; g != nil && g.tied >= 0 {
			c.gone = e.G
		}
	case record.EvStart:
		// A coroutine that is switched to takes over the tie of the one before.
		if c.gone != 0 && c.gone != e.G && e.Place().Kind() == record.FromNowhere {
			if old := m.gs[c.gone]; old != nil {
				old.tied = -1
			}
			m.g(e.G).tied = int(e.M)
		}
		c.gone = 0
	case record.EvLook, record.EvPark, record.EvExitM:
		c.gone = 0
	}
}

// loses notes that c has no P any more, though its goroutine is in a system call.
func (m *Model) loses(c *machine, at int64) {
	if !c.inCall || c.lost || c.g == 0 {
		return
	}
	m.account(c, at)
	c.lost = true
	if c.doing != trace.Halted {
		c.does(trace.Calling, at)
	}
}

// started notes that c begins to run g. If c runs another one still, or g runs
// elsewhere, an event was lost.
func (m *Model) started(c *machine, g *goroutine, e trace.Event) {
	if c.g != 0 && c.g != g.id {
		m.account(c, e.Time)
		if old := m.gs[c.g]; old != nil && old.m == int(e.M) {
			old.m = -1
			m.becomes(old, Unknown, 0, e.Time)
		}
	}
	if g.m >= 0 && g.m != int(e.M) && m.ms[g.m].g == g.id {
		m.ms[g.m].g = 0
		m.ms[g.m].does(trace.Scheduling, e.Time)
	}
	m.becomes(g, Running, 0, e.Time)
	g.m = int(e.M)
	g.runs++
	m.tally(g.kind).runs++
	c.g, c.from = g.id, e.Time
	// Another goroutine's run is another stretch.
	c.doing, c.since = trace.Running, e.Time
	c.spin, c.looked, c.inCall, c.lost = false, false, false, false
	m.counts[dispatches]++
	if e.P >= 0 {
		m.p(int(e.P)).runs++
	}
}

// left notes that g leaves c.
func (m *Model) left(c *machine, g *goroutine, e trace.Event) {
	if c.g == g.id {
		m.account(c, e.Time)
		c.g, c.inCall, c.lost = 0, false, false
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
		m.counts[parks]++
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
	if again && c.g == 0 {
		m.becomes(g, Running, 0, e.Time)
		g.m, c.g, c.from = int(e.M), g.id, e.Time
		c.does(trace.Running, e.Time)
	}
}

// resume notes that c goes on: with the goroutine for which it waited, if one
// runs.
func (m *Model) resume(c *machine, at int64) {
	switch {
	case c.lost && c.inCall:
		c.does(trace.Calling, at)
	case c.lost:
		c.does(trace.Scheduling, at)
	case c.g != 0:
		c.does(trace.Running, at)
	case c.spin && c.p >= 0:
		c.does(trace.Spinning, at)
	default:
		c.does(trace.Scheduling, at)
	}
}

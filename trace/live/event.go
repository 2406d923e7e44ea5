package live

import (
	"sched9/sched"
	"sched9/trace"
)

// created is the reason of a goroutine that waits since it was made.
const created = ^uint64(0)

// event takes an event, which M c recorded.
func (m *Model) event(c *machine, e trace.Event) {
	if e.Kind != sched.EvTick {
		c.ticked = 0
	}
	m.call(c, e)
	switch e.Kind {
	case sched.EvCreate, sched.EvStart, sched.EvYield, sched.EvPreempt, sched.EvBlock, sched.EvUnblock, sched.EvExit,
		sched.EvSyscallEnter, sched.EvSyscallExit, sched.EvLock, sched.EvUnlock, sched.EvNeedM:
		m.goroutine(c, e)
	case sched.EvSpin, sched.EvUnspin, sched.EvPark, sched.EvWakeM, sched.EvStartM,
		sched.EvTimerSleep, sched.EvHalt, sched.EvHaltEnd, sched.EvTick, sched.EvSendIPI, sched.EvBoot, sched.EvLook:
		m.machine(c, e)
	case sched.EvStop:
		m.stop = stop{wanted: true, start: e.Time, reason: m.t.StopReason(e)}
	case sched.EvStopped:
		if m.stop.wanted {
			m.stop.held = true
		}
	case sched.EvGo:
		m.stop = stop{}
	case sched.EvPhase:
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
	case sched.EvCreate:
		m.tally(g.kind).alive--
		g.kind = kind{e.Entry(), e.Stack}
		m.tally(g.kind).alive++
		if e.Arg&sched.CreateParked != 0 {
			m.becomes(g, Waiting, created, e.Time)
		} else {
			m.becomes(g, Runnable, 0, e.Time)
		}
	case sched.EvStart:
		m.started(c, g, e)
	case sched.EvYield:
		m.left(c, g, e)
		m.becomes(g, Runnable, 0, e.Time)
	case sched.EvPreempt:
		m.counts[preemptions]++
		m.left(c, g, e)
		m.becomes(g, Runnable, 0, e.Time)
	case sched.EvBlock:
		m.left(c, g, e)
		m.becomes(g, Waiting, e.Arg>>sched.ReasonShift, e.Time)
	case sched.EvUnblock:
		m.becomes(g, Runnable, 0, e.Time)
	case sched.EvExit:
		m.left(c, g, e)
		m.forget(g)
		m.tally(g.kind).alive--
		delete(m.gs, g.id)
		m.dead++
	case sched.EvSyscallEnter:
		g.pc, g.stack = 0, e.Stack
		m.becomes(g, Syscall, 0, e.Time)
	case sched.EvSyscallExit:
		if c.lost {
			m.becomes(g, Runnable, 0, e.Time)
		} else {
			m.becomes(g, Running, 0, e.Time)
		}
	case sched.EvLock, sched.EvNeedM:
		g.tied = int(e.M)
	case sched.EvUnlock:
		if e.Arg == 0 {
			g.tied = -1
		}
	}
}

// call takes what an event tells of the P of an M whose goroutine is in a system call,
// and of coroutines that hand on a tie.
func (m *Model) call(c *machine, e trace.Event) {
	switch e.Kind {
	case sched.EvSyscallEnter:
		c.inCall = true
	case sched.EvRetake:
		if from := e.From(); from < sched.MaxProcs {
			m.counts[retakes]++
			m.loses(m.m(from), e.Time)
		}
	case sched.EvRelease:
		m.loses(c, e.Time)
	case sched.EvSyscallExit:
		c.inCall = false
		// That the P was taken may be an event that was lost.
		if c.lost = e.P < 0; c.lost {
			m.account(c, e.Time)
			c.does(trace.Scheduling, e.Time)
		}
	case sched.EvAcquire:
		if g := m.gs[c.g]; c.lost && !c.inCall && g != nil {
			c.lost, c.from = false, e.Time
			m.becomes(g, Running, 0, e.Time)
			c.does(trace.Running, e.Time)
		}
	case sched.EvYield, sched.EvPreempt, sched.EvBlock, sched.EvExit:
		c.gone = 0
		if g := m.gs[e.G]; g != nil && g.tied >= 0 {
			c.gone = e.G
		}
	case sched.EvStart:
		// A coroutine that is switched to takes over the tie of the one before.
		if c.gone != 0 && c.gone != e.G && e.Place().Kind() == sched.FromNowhere {
			if old := m.gs[c.gone]; old != nil {
				old.tied = -1
			}
			m.g(e.G).tied = int(e.M)
		}
		c.gone = 0
	case sched.EvLook, sched.EvPark, sched.EvExitM:
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
	case sched.EvSpin:
		c.does(trace.Spinning, e.Time)
	case sched.EvUnspin:
		c.spin = false
		c.does(trace.Scheduling, e.Time)
	case sched.EvPark:
		m.counts[parks]++
		c.until = 0
	case sched.EvTimerSleep:
		m.counts[parks]++
		c.until = int64(e.Arg)
	case sched.EvWakeM, sched.EvStartM:
		m.counts[wakes]++
		if e.Arg < sched.MaxProcs {
			m.m(int(e.Arg)).spin = e.Aux&sched.WakeSpinning != 0
		}
	case sched.EvHalt:
		c.until = int64(e.Arg)
		c.does(trace.Halted, e.Time)
	case sched.EvHaltEnd, sched.EvBoot:
		m.resume(c, e.Time)
	case sched.EvTick:
		m.account(c, e.Time)
		m.ticked(c, e)
		if c.doing == trace.Halted {
			m.resume(c, e.Time) // the event that ended it was lost
		}
	case sched.EvSendIPI:
		m.counts[ipis]++
	case sched.EvLook:
		if sched.Look(e.Arg) == sched.LookLocked {
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

package check

import (
	"fmt"

	"sched9/record"
)

// System calls: [M4, M5, S1]. From its way in to its way back a G runs no code, its M
// only takes interrupts, and the P may be taken away. Until the G is back the M's
// records may bear that P still.

// callEvent replays system calls. It comes first, and so sees the M as it was before.
func (c *checker) callEvent() {
	e := c.e
	m := &c.ms[e.M]
	c.making = e.Kind == record.EvAcquire && m.acted == record.EvStartM || e.Kind == record.EvRelease && m.makes
	switch {
	case m.inCall:
		c.must(!ofCode(e.Kind) || c.making, "M4", "M %d has %v while its G %d is in a system call", e.M, e.Kind, m.g)
	case m.back:
		c.must(withoutP(e.Kind), "M4", "M %d has %v and no P, since G %d came back from a system call", e.M, e.Kind, m.g)
	}
	switch e.Kind {
	case record.EvSyscallEnter:
		m.inCall, m.callP, m.since, m.callTicks, m.toldAt = true, m.p, e.Time, 0, 0
	case record.EvSyscallExit:
		c.must(!m.inCall || int(e.P) == m.p, "M4", "G %d comes back with %s, and M %d owns %s", e.G, name("P", int(e.P)), e.M, name("P", m.p))
		m.inCall, m.callP, m.called = false, -1, e.Time
		m.back = m.p < 0
	case record.EvAcquire, record.EvYield:
		m.back = false
	}
	m.makes = m.makes && interrupt(e.Kind) || c.making && e.Kind == record.EvAcquire
	m.relieves = m.relieves && (interrupt(e.Kind) || e.Kind == record.EvRetake)
	c.settle()
}

// ofCode reports whether an event is the doing of a G's code, or of a scheduler that
// runs for want of a G: not of an M whose G is in a system call.
func ofCode(e record.Event) bool {
	switch e {
	case record.EvCreate, record.EvStart, record.EvYield, record.EvPreempt, record.EvBlock, record.EvUnblock, record.EvExit,
		record.EvHold, record.EvUnhold, record.EvSyscallEnter, record.EvLock, record.EvUnlock, record.EvWithhold, record.EvPass, record.EvPassP,
		record.EvPutNext, record.EvPutRing, record.EvOverflow, record.EvGetGlobal, record.EvSteal, record.EvAcquire,
		record.EvSpin, record.EvPark, record.EvLook, record.EvStop, record.EvPoll:
		return true
	}
	return false
}

// withoutP reports whether an event is one of an M whose G came back and found its P
// taken: it takes another, or leaves.
func withoutP(e record.Event) bool {
	switch e {
	case record.EvBusyP, record.EvAcquire, record.EvYield, record.EvStatus:
		return true
	}
	return interrupt(e)
}

// work is the work for a P that would be taken from a system call.
type work struct {
	queues uint64 // a bit for each P that has Gs, or that Gs wired to it were passed to [P7]
	others bool   // Gs in the global queue, or no M looks for work and no P is idle
}

// workNow is what there is now.
func (c *checker) workNow() (w work) {
	for i := range c.procs {
		if c.ps[i].wanted() {
			w.queues |= 1 << i
		}
	}
	w.others = len(c.global) > 0 || c.spinning+c.npidle == 0
	return w
}

// add adds what there is later.
func (w *work) add(later work) {
	w.queues |= later.queues
	w.others = w.others || later.others
}

// wants reports whether P p is wanted for it.
func (w work) wants(p int) bool { return w.others || w.queues>>p&1 != 0 }

// How long a system call has its P in any case, in nanoseconds, and how long if nothing
// waits for the P [S1].
const (
	retakeAfter  = 20_000
	retakeAlways = 10_000_000
)

// retake replays that the event's M takes P p from M from [S1]: to stop the world, to
// have something run for every P, or in its sysmon. An M may also give its P away itself,
// at once: when it has become clear that the call lasts [M5].
func (c *checker) retake(p, from int) {
	e := c.e
	if p >= record.MaxProcs || from >= record.MaxProcs || c.ps[p].m != from {
		c.fail("S1", "P %d is taken from M %d, and is not that M's", p, from)
		return
	}
	m, by := &c.ms[from], &c.ms[e.M]
	c.must(m.inCall, "S1", "P %d is taken from M %d, which is in no system call", p, from)
	c.gets(m, -1, m.g)
	c.ps[p].m = -1
	holder := c.gs[by.g]
	switch {
	case !m.inCall || c.world.wanted || holder != nil && holder.held:
		return
	case !by.inSysmon && !by.relieves:
		c.fail("S1", "M %d takes P %d from a system call, and it is not in sysmon", e.M, p)
		return
	}
	since := e.Time - m.since
	c.must(since >= retakeAfter, "S1", "P %d is taken after %d ns of a system call, not %d", p, since, retakeAfter)
	if by.relieves {
		c.must(c.ps[p].queued >= by.looked, "S1", "running M %d takes P %d from a system call, and no G is queued there", e.M, p)
		return
	}
	if since >= retakeAlways || by.sysmonWork.wants(p) {
		return
	}
	c.awaits("S1", fmt.Sprintf("P %d is taken after %d us of a system call, and nothing waits for it", p, since/1000), func() bool { return c.workNow().wants(p) })
	if n := len(c.doubts); n > 0 && c.doubts[n-1].event == c.i {
		c.doubts[n-1].device = true
	}
}

// doubt is a rule that an event seems to break. But another M that was awake then may have been
// about to record the explanation: so the rule is broken only if the next record of none of them
// explains it. An interrupt's record does not count as an M's next one. With device it may also have been a device that had something
// to tell, which is not recorded: then the next M that asks the devices finds Gs that waited for them.
type doubt struct {
	device     bool
	rule, what string
	event      int
	asked      [record.MaxProcs]bool
	open       int // Ms of asked
	fine       func() bool
}

// awaits begins a doubt about the current event, unless all is fine.
func (c *checker) awaits(rule, what string, fine func() bool) {
	if fine() {
		return
	}
	d := doubt{rule: rule, what: what, event: c.i, fine: fine}
	for id := range c.t.SMP {
		if m := &c.ms[id]; id != int(c.e.M) && m.booted && !m.halted && !m.inCall {
			d.asked[id] = true
			d.open++
		}
	}
	c.doubts = append(c.doubts, d)
}

// settle ends doubts that the events before this one have decided.
func (c *checker) settle() {
	if len(c.doubts) == 0 {
		return
	}
	last := &c.t.Events[c.i-1]
	rest := c.doubts[:0]
	for _, d := range c.doubts {
		if d.device && last.Kind == record.EvPoll {
			if last.Arg > 0 {
				continue
			}
			d.device = false
		}
		if d.asked[last.M] && !interrupt(last.Kind) {
			d.asked[last.M] = false
			d.open--
			if d.fine() {
				continue
			}
		}
		if d.open > 0 || d.device {
			rest = append(rest, d)
			continue
		}
		i, e := c.i, c.e
		c.i, c.e = d.event, &c.t.Events[d.event]
		c.fail(d.rule, "%s", d.what)
		c.i, c.e = i, e
	}
	c.doubts = rest
}

// overdue is how long, beyond the time after which a P is always taken from a system
// call, that may last while an M sleeps that could do it.
const (
	overdue      = 5_000_000
	overdueLoose = 500_000_000
)

// Where time is the host's, a vCPU may stand still for as long as the host likes. So there a call has lasted
// too long only if the vCPUs had their turns: dueTicks ticks struck in the call after its P was due, with no
// kick of a sleeper open at any of them. A kick is open until its M records anything. That the host runs one
// vCPU and not the other ends somewhere too: after lostTicks ticks the kick counts as lost.
const (
	dueTicks  = 100
	lostTicks = 5000
)

// heldEvent demands that a P is taken from a system call that lasts [S1], if an M sleeps all the time that
// could take it.
func (c *checker) heldEvent() {
	c.behindEvent()
	c.kickEvent()
	if c.asleep == 0 {
		c.asleepSince = c.e.Time
		return
	}
	for id := range c.t.SMP {
		m := &c.ms[id]
		if !m.inCall || m.p < 0 {
			continue
		}
		since := max(m.since, m.toldAt, c.asleepSince)
		if since > m.dueSince { // another sleep, or another call
			m.dueSince, m.due, m.lost = since, 0, 0
		}
		long := c.e.Time - since
		if id == int(c.e.M) && c.e.Kind == record.EvTick && long > retakeAlways {
			if c.kickOpen() {
				m.lost++
			} else {
				m.due++
			}
		}
		if long > retakeAlways+c.bound(overdue, overdueLoose) && (c.tight || m.due >= dueTicks || m.lost >= lostTicks) {
			c.fail("S1", "G %d is in a system call for %d ms, an M sleeps, and P %d is not taken", m.g, (c.e.Time-m.since)/1e6, m.p)
			m.toldAt = c.e.Time // once in a while
		}
	}
}

// kickEvent replays kicks, and that their Ms answer them.
func (c *checker) kickEvent() {
	c.ms[c.e.M].kickOpen = false
	if c.e.Kind == record.EvKick && c.e.Arg < record.MaxProcs {
		c.ms[c.e.Arg].kickOpen = true
	}
}

// kickOpen reports whether an M that sleeps was kicked and has not recorded anything since.
func (c *checker) kickOpen() bool {
	for id := range c.t.SMP {
		if m := &c.ms[id]; m.sleeps() && m.kickOpen {
			return true
		}
	}
	return false
}

// behindTicks is how many ticks, of Ms that run Gs, find Gs queued behind a system call at most
// while no M sleeps.
const behindTicks = 20

// behindEvent demands that running Ms see to Gs that are queued behind a system call, if no M
// sleeps that could [S1].
func (c *checker) behindEvent() {
	tick := c.e.Kind == record.EvTick && c.e.Arg&record.TickCall == 0 && c.e.G != 0
	for id := range c.t.SMP {
		m := &c.ms[id]
		switch {
		case !m.inCall || m.p < 0 || m.callTicks < 2 || c.asleep > 0 || c.world.wanted || c.world.stopped || !c.ps[m.p].wanted():
			m.behindSince, m.behindTicks = c.e.Time, 0
		case tick:
			m.behindTicks++
			if long := c.e.Time - m.behindSince; m.behindTicks > behindTicks && long > c.bound(overdue, overdueLoose) {
				c.fail("S1", "Gs are queued on P %d behind a system call of G %d for %d ms, other Ms run, and it is not taken", m.p, m.g, long/1e6)
				m.behindSince, m.behindTicks = c.e.Time, 0
			}
		}
	}
}

// callEnd ends open doubts. The run may have ended before anything explained them, so little is
// certain then.
func (c *checker) callEnd() {
	if n := len(c.t.Events); n > 0 && c.tells > 0 && c.t.Events[n-1].Time-c.t.Events[c.tells].Time > c.bound(1_000_000, 1_000_000_000) {
		c.i, c.e = c.tells, &c.t.Events[c.tells]
		c.fail("wake", "M %d wakes another to look for work without a reason", c.e.M)
	}
	for _, d := range c.doubts {
		if d.device && c.t.Events[len(c.t.Events)-1].Time-c.t.Events[d.event].Time > c.bound(1_000_000, 1_000_000_000) {
			c.i, c.e = d.event, &c.t.Events[d.event]
			c.fail(d.rule, "%s", d.what)
		}
	}
}

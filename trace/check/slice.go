package check

import "sched9/sched"

// Time slices and ticks: S2, A2, A5.

// maxAsked is how many ticks may ask a G in vain to leave. Each may strike where it
// cannot: in the runtime, in assembly, with a lock held (A3). Ticks that ask come a
// tenth of a millisecond apart by the guest's clock, in which a processor may have
// done next to nothing if the host was busy.
const (
	maxAsked      = 1000
	maxAskedLoose = 30_000
)

// maxQuiet is how many ticks may follow each other within a slice that ask nobody to
// leave, when nothing else happens on the processor. Each should be the last, or come
// at the end of the slice. The timer may be a little early, which a tick more or two
// make good, and one is left over from what ran before.
const maxQuiet = 6

// maxIdled is how many halts without a time limit may end one after another for no
// reason that is recorded. A device's interrupt may be one.
const maxIdled = 50

// sliceEvent replays time slices and ticks: S2, A2, A5.
func (c *checker) sliceEvent() {
	e := c.e
	m := &c.ms[e.M]
	switch e.Kind {
	case sched.EvAcquire:
		if e.P >= 0 {
			c.slice(int(e.P), m)
		}
	case sched.EvStart:
		if e.P >= 0 && c.begins(m) {
			c.slice(int(e.P), m)
		}
		m.slices = 0
		m.askedRuns++
	case sched.EvTick:
		c.tick(m)
	case sched.EvTimer, sched.EvPoll:
		for id := range c.t.SMP {
			c.ms[id].askedAt = 0
		}
	case sched.EvInject:
		c.must(m.g == e.G, "A2", "G %d is preempted on M %d, which runs %s", e.G, e.M, gName(m.g))
	}
	if e.Kind != sched.EvTick {
		m.quiet = 0
	}
	c.haltEvent(m)
}

// begins reports whether the event, an EvStart of m, begins a slice. One that never
// left its M goes on in its own, or in that of the coroutine that switched to it;
// but if it came back from a system call it has just got the P.
func (c *checker) begins(m *mState) bool {
	return !c.e.Inherit() && (c.e.Place().Kind() != sched.FromNowhere || m.acted == sched.EvAcquire)
}

// slice notes that a slice begins on P p: after m's last act, and before now.
func (c *checker) slice(p int, m *mState) {
	c.ps[p].sliceLow, c.ps[p].sliceHigh = m.lastAct, c.e.Time
}

// tick replays EvTick. The interrupt reads the clock before it is recorded, and after
// the M's event before: so its time lies between the two, whatever the host does.
func (c *checker) tick(m *mState) {
	e := c.e
	if e.Arg&sched.TickCall != 0 {
		if m.callTicks++; m.callTicks == 2 {
			m.asked = e.Time
		}
		c.must(m.inCall, "A2", "a tick finds G %d in a system call, and it is in none", e.G)
		return
	}
	c.must(e.P >= 0, "A5", "M %d ticks without a P", e.M)
	if e.P < 0 || m.g == 0 || m.g != e.G || m.p != int(e.P) || m.inCall {
		// In the scheduler: the next slice may have begun and not be recorded, so that
		// the interrupt saw it and we do not.
		return
	}
	p := &c.ps[e.P]
	switch {
	case e.Arg&sched.TickSlice != 0:
		c.must(e.Time-p.sliceLow >= sched.Slice, "S2", "the slice of G %d is used up after %d us", e.G, (e.Time-p.sliceLow)/1000)
		m.slices++
		p.expired = true
		c.must(m.slices <= int(c.bound(maxAsked, maxAskedLoose)), "A2", "G %d was asked to leave %d times and runs on", e.G, m.slices)
	case c.waits(m, p, m.last):
		c.must(m.last-p.sliceHigh < sched.Slice, "S2", "G %d has run for %d us, others wait, and it is not asked to leave", e.G, (m.last-p.sliceHigh)/1000)
	}
	if e.Arg&sched.TickLeave != 0 {
		m.quiet = 0
		c.asks(m, e.Arg&sched.TickSlice != 0)
		return
	}
	m.askedAt = 0
	if m.quiet == 0 || e.Time-m.quietAt >= sched.Slice {
		m.quiet, m.quietAt = 0, e.Time
	}
	m.quiet++
	c.must(m.quiet <= maxQuiet, "A5", "M %d has ticked %d times in %d us without a reason", e.M, m.quiet, (e.Time-m.quietAt)/1000)
}

// unheard is how long ticks may ask for timers and devices to be looked at, while Gs
// come and go, and neither is, in nanoseconds. Ticks also ask for what language and
// audit do by the clock, and one that strikes in the scheduler is not recorded, so
// that it needs many to be sure.
const (
	unheard      = 20_000_000
	unheardLoose = 1_000_000_000
	unheardRuns  = 100
	unheardTicks = 30
)

// asks replays that a tick asks m's G to leave, and not (only) because its slice is used
// up: so that who looks for work next sees to timers and devices (S3).
func (c *checker) asks(m *mState, slice bool) {
	e := c.e
	switch {
	case slice: // perhaps nothing else
	case m.askedAt == 0:
		m.askedAt, m.askedRuns, m.askedTicks = e.Time, 0, 1
	case m.askedTicks < unheardTicks:
		m.askedTicks++
	case e.Time-m.askedAt > c.bound(unheard, unheardLoose) && m.askedRuns >= unheardRuns:
		c.fail("S3", "ticks on M %d ask for %d ms that somebody look at timers and devices, %d Gs have run since, and nobody has", e.M, (e.Time-m.askedAt)/1e6, m.askedRuns)
		m.askedAt = 0
	}
}

// waits reports whether it is certain that a G waited for P p's slice to end, in p's
// ring or the global queue, from before time at until now. A thief may have taken those
// in the ring that has not recorded it yet, if one spins; and one that was in runnext may
// be on its way to the ring. p's owner m, which is interrupted, may have recorded what it
// puts there and not yet done it: then that is its last act.
func (c *checker) waits(m *mState, p *pState, at int64) bool {
	since := func(t int64) bool { return t != 0 && t < at }
	inRing := len(p.ring)
	if m.acted == sched.EvPutRing {
		inRing--
	}
	return since(c.work.globalSince) || c.spinning == 0 && inRing > 0 && since(p.since)
}

// haltEvent replays that no timer ends the sleep of an M that waits for no time (A5).
func (c *checker) haltEvent(m *mState) {
	e := c.e
	switch e.Kind {
	case sched.EvHalt:
		m.halted, m.kicked = true, false
	case sched.EvHaltEnd:
		m.halted = false
		if m.kicked || m.haltsFor != 0 {
			m.idled = 0
			break
		}
		m.idled++
		c.must(m.idled <= maxIdled, "A5", "M %d was woken %d times, and nothing says why", e.M, m.idled)
	case sched.EvTakeIPI, sched.EvPoke:
		m.kicked = true
	default:
		m.idled = 0
	}
	if e.Kind == sched.EvHalt {
		m.haltsFor = int64(e.Arg)
	}
}

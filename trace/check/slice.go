package check

import (
	"sched9/record"
	"sched9/sched"
)

// Time slices and ticks: [S2, A2, A5].

// maxAsked is how many ticks may ask a G in vain to leave. Each may strike where it
// cannot: in the runtime, in assembly, with a lock held [A3]. Ticks that ask come a
// tenth of a millisecond apart by the guest's clock, or a slice if that is shorter, in which a processor may have
// done next to nothing if the host was busy.
const (
	maxAsked      = 1000
	maxAskedLoose = 30_000
	askedApart    = 100_000
)

// maxStays is how many system calls in a row a G may return from and go on, though a tick that struck in them has
// asked it to leave. The collector may clear such a request when it looks at the G's stack, and a G does not
// leave the CPU while it holds a lock of the runtime.
const maxStays = 20

// maxQuiet is how many ticks may follow one another within a slice that ask no G to leave, when
// nothing else happens on the processor. Each should be the last, or come at the end of the slice.
// The timer may be a little early, which costs a tick or two more, and one tick is left over from
// what ran before.
const maxQuiet = 6

// maxIdled is how many halts without a time limit may end one after another for no
// reason that is recorded: an interrupt may have come before the halt, and end it.
const maxIdled = 50

// sliceEvent replays time slices and ticks: [S2, A2, A5].
func (c *checker) sliceEvent() {
	e := c.e
	m := &c.ms[e.M]
	if e.P >= 0 {
		c.ps[e.P].lasts += min(e.Time-m.last, c.sliceTime)
	}
	switch e.Kind {
	case record.EvAcquire:
		if e.P >= 0 {
			c.resumes(&c.ps[e.P], m)
		}
	case record.EvRelease:
		// Its clock was read before this is recorded, and after the event before.
		if e.P >= 0 && len(c.ps[e.P].nexts) == 1 {
			c.ps[e.P].left = -max(0, m.lastAct-c.ps[e.P].sliceHigh) // if the world stops
		}
	case record.EvHandoff: // its M's G waits, or went into foreign code: no slice is broken off
		if e.Arg < uint64(len(c.ps)) {
			c.ps[e.Arg].left = 0
		}
	case record.EvStopP:
		if e.Arg < uint64(len(c.ps)) {
			p := &c.ps[e.Arg]
			p.left = -p.left
		}
	case record.EvTake, record.EvSteal, record.EvIdleP:
		// The slice continues with another G. A thief may not have recorded yet that it took the
		// first.
		for id := range c.t.SMP {
			if e.Kind != record.EvIdleP || e.Arg == uint64(id) {
				c.ps[id].left = 0
			}
		}
	case record.EvStart:
		if e.P >= 0 {
			if c.begins(m) {
				c.slice(int(e.P), m)
			} else {
				c.inherits(m, &c.ps[e.P])
			}
		}
		m.slices, m.leaves, m.stays = 0, false, 0
		m.askedRuns++
	case record.EvSyscallEnter:
		if m.leaves {
			m.leaves = false
			m.stays++
			c.must(m.stays <= maxStays, "A2", "G %d was asked to leave in %d system calls, one after the other, and goes on each time", e.G, m.stays)
		}
	case record.EvTick:
		c.tick(m)
	case record.EvTimer, record.EvPoll:
		for id := range c.t.SMP {
			// A tick may have been set for that timer, which an M that looked for work has run first.
			c.ms[id].askedAt, c.ms[id].quiet = 0, 0
		}
	case record.EvInject:
		c.must(m.g == e.G, "A2", "G %d is preempted on M %d, which runs %s", e.G, e.M, gName(m.g))
	}
	if e.Kind != record.EvTick {
		m.quiet = 0
	}
	if !interrupt(e.Kind) {
		m.full = e.P >= 0 && len(c.ps[e.P].ring) >= sched.RingSize
	}
	c.haltEvent(m)
}

// begins reports whether the event, an EvStart of m, begins a slice. One that never
// left its M goes on in its own, or in that of the coroutine that switched to it;
// but if it came back from a system call it has just got the P.
func (c *checker) begins(m *mState) bool {
	return !c.e.Inherit() && (c.e.Place().Kind() != record.FromNowhere || m.acted == record.EvAcquire)
}

// resumes replays that m takes p: a slice begins, or one goes on that a stop of the world broke off [R11].
func (c *checker) resumes(p *pState, m *mState) {
	used := int64(c.e.Arg)
	over := c.e.Aux == 1
	if left := p.left; left > 0 && len(p.nexts) == 1 && !c.stealing(m) {
		c.must(over || used >= left, "R11", "P %d was stopped with the world %d us into a slice, and its runnext begins another, %d us of which are used", c.e.P, left/1000, used/1000)
	}
	p.left = 0
	c.slice(int(c.e.P), m)
	p.sliceLow -= used
	p.sliceHigh -= used
	p.lasts = used
	p.expired = over
}

// stealing reports whether an M other than by looks for Gs to steal: it may have taken a runnext and not have recorded
// it yet, for as long as its CPU stands still.
func (c *checker) stealing(by *mState) bool {
	for i := range c.t.SMP {
		if m := &c.ms[i]; m != by && m.p >= 0 && m.g == 0 && m.look == record.LookSteal {
			return true
		}
	}
	return false
}

// A slice may last up to overstay slices too long: a tick that strikes in the scheduler before the end sets
// the next one a slice later, which may strike anywhere. That one sees the end, and the waiting Gs. The timer
// and the processor may be late besides, by as long as the host likes, which is time for many switches.
const (
	overstay  = 2
	late      = 1_000_000
	lateLoose = 1_000_000_000
)

// inherits replays that m runs another G in the slice of P p: the slice has not lasted too long while others
// waited, whatever Gs ran in it and wherever the ticks struck [R11].
func (c *checker) inherits(m *mState, p *pState) {
	most := (1+overstay)*c.sliceTime + c.bound(late, lateLoose)
	c.must(p.lasts <= most || !c.waits(m, p, m.last-most), "R11", "G %d goes on in a slice that has lasted for %d us, and others wait", c.e.G, p.lasts/1000)
}

// slice notes that a slice begins on P p: after m's last act, and before now.
func (c *checker) slice(p int, m *mState) {
	c.ps[p].sliceLow, c.ps[p].sliceHigh, c.ps[p].lasts, c.ps[p].expired = m.lastAct, c.e.Time, 0, false
}

// tick replays EvTick. The interrupt reads the clock before its record, and after the M's event
// before: so its time lies between the two, whatever the host does.
func (c *checker) tick(m *mState) {
	e := c.e
	call := e.Arg&record.TickCall != 0
	if call {
		m.callTicks++
		c.must(m.inCall, "A2", "a tick finds G %d in a system call, and it is in none", e.G)
	} else {
		c.must(e.P >= 0, "A5", "M %d ticks without a P", e.M)
	}
	if e.P < 0 || m.g == 0 || m.g != e.G || m.p != int(e.P) || m.inCall != call {
		// In the scheduler: the next slice may have begun and not be recorded, so that
		// the interrupt saw it and we do not.
		return
	}
	p := &c.ps[e.P]
	switch {
	case e.Arg&record.TickSlice != 0:
		c.must(e.Time-p.sliceLow >= c.sliceTime, "S2", "the slice of G %d is used up after %d us", e.G, (e.Time-p.sliceLow)/1000)
		p.expired = true
		if call {
			break // it cannot leave before it is back
		}
		m.slices++
		c.must(m.slices <= int(c.bound(maxAsked, maxAskedLoose)*max(1, askedApart/c.sliceTime)), "A2", "G %d was asked to leave %d times and runs on", e.G, m.slices)
	case c.waits(m, p, m.last):
		c.must(m.last-p.sliceHigh < c.sliceTime, "S2", "G %d has run for %d us, others wait, and it is not asked to leave", e.G, (m.last-p.sliceHigh)/1000)
	}
	if call {
		m.leaves = m.leaves || e.Arg&record.TickLeave != 0
		m.quiet, m.askedAt = 0, 0
		return
	}
	if e.Arg&record.TickLeave != 0 {
		m.quiet = 0
		c.asks(m, e.Arg&(record.TickSlice|record.TickPeriodic) != 0)
		return
	}
	m.askedAt = 0
	if m.quiet == 0 || e.Time-m.quietAt >= c.sliceTime {
		m.quiet, m.quietAt = 0, e.Time
	}
	m.quiet++
	c.must(m.quiet <= maxQuiet, "A5", "M %d has ticked %d times in %d us without a reason", e.M, m.quiet, (e.Time-m.quietAt)/1000)
}

// unheard is how long ticks may ask for a look at timers and devices in vain, while Gs come and go,
// in nanoseconds. A tick that strikes in the scheduler is not recorded, so certainty needs many of them.
const (
	unheard      = 20_000_000
	unheardLoose = 1_000_000_000
	unheardRuns  = 100
	unheardTicks = 30
)

// asks replays that a tick asks m's G to leave. If there is no other reason that the M which looks for work next
// must look at timers and devices [S3].
func (c *checker) asks(m *mState, other bool) {
	e := c.e
	switch {
	case other: // perhaps nothing else
	case m.askedAt == 0:
		m.askedAt, m.askedRuns, m.askedTicks = e.Time, 0, 1
	case m.askedTicks < unheardTicks:
		m.askedTicks++
	case e.Time-m.askedAt > c.bound(unheard, unheardLoose) && m.askedRuns >= unheardRuns:
		c.fail("S3", "ticks on M %d ask for %d ms that somebody look at timers and devices, %d Gs have run since, and nobody has", e.M, (e.Time-m.askedAt)/1e6, m.askedRuns)
		m.askedAt = 0
	}
}

// waits reports whether a G certainly waited for the end of P p's slice, in p's ring or the global queue, from before time at until
// now. A thief that spins may have taken those in the ring without having recorded it, and an M that looks for work those in the global
// queue; and one that was in runnext may be on its way to the ring. p's interrupted owner m may have recorded a put that it has not
// made yet: then that is its last act. And if the ring is full it may have half of it in its hands, on the way to the global queue,
// and wait for the lock.
func (c *checker) waits(m *mState, p *pState, at int64) bool {
	since := func(t int64) bool { return t != 0 && t < at }
	inRing := len(p.ring)
	if m.acted == record.EvPutRing {
		inRing--
	}
	if m.full {
		inRing -= sched.RingSize / 2
	}
	return since(c.work.globalSince) && !c.searching(m) || c.spinning == 0 && inRing > 0 && since(p.since)
}

// haltEvent replays that no timer ends the sleep of an M that waits for no time [A5].
func (c *checker) haltEvent(m *mState) {
	e := c.e
	switch e.Kind {
	case record.EvHalt:
		m.halted, m.kicked = true, false
	case record.EvHaltEnd:
		m.halted = false
		if m.kicked || m.haltsFor != 0 || e.Arg != 0 {
			m.idled = 0
			break
		}
		m.idled++
		c.must(m.idled <= maxIdled, "A5", "M %d was woken %d times, and nothing says why", e.M, m.idled)
	case record.EvTakeIPI, record.EvKick:
		m.kicked = true
	default:
		m.idled = 0
	}
	if e.Kind == record.EvHalt {
		m.haltsFor = int64(e.Arg)
	}
}

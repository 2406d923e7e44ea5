package check

import "sched9/record"

// Work conservation: no runnable G waits in a queue while a P is idle, longer than a wake-up takes.
// While an M spins, is about to, or is on its way to a P, the wake-up is under way; so the clock
// runs only when none is. And an M must be free: those that wait for Gs of their own or are in
// system calls are not.

// workState is what the rule needs.
type workState struct {
	idleSince     int64 // since when Gs waited, a P was idle, and no M was on its way; 0: not so
	idleAt        int   // of Trace.Events
	told          bool  // of this stretch
	strandedSince int64 // since when an M has slept though a G of its own was found; 0: none does
	globalSince   int64 // since when the global queue has not been empty; 0: it is
}

// workEvent replays work conservation, and what [R8] needs of the global queue.
func (c *checker) workEvent() {
	e := c.e
	w := &c.work
	switch {
	case len(c.global) == 0:
		w.globalSince = 0
	case w.globalSince == 0:
		w.globalSince = e.Time
	}

	for i := range c.procs {
		if p := &c.ps[i]; p.wanted() {
			p.queued = e.Time
		}
		switch p := &c.ps[i]; {
		case len(p.ring) == 0:
			p.since = 0
		case p.since == 0:
			p.since = e.Time
		}
	}
	switch m := &c.ms[e.M]; e.Kind {
	case record.EvPutNext, record.EvPutRing, record.EvPutGlobal, record.EvOverflow, record.EvUnblock:
		m.putting = 2
	case record.EvTick:
		m.putting = max(m.putting-1, 0)
	default:
		if !interrupt(e.Kind) {
			m.putting = 0
		}
	}
	c.asleep = 0
	for i := range c.t.SMP {
		m := &c.ms[i]
		if m.sleeps() {
			c.asleep++
		}
		if m.inSysmon {
			m.sysmonWork.add(c.workNow())
		}
		if m.lockedq > 0 && m.p >= 0 {
			acts := i == int(e.M) && !interrupt(e.Kind)
			m.behind = m.behind && !acts || len(c.global) > 0 || !c.ps[m.p].empty()
		}
	}
	c.heldEvent()
	c.strandedEvent()

	lonely := c.npidle > 0 && c.spinning == 0 && !c.world.wanted && !c.world.stopped && c.waiting() && !c.underWay() && c.free()
	switch {
	case !lonely:
		w.idleSince, w.told = 0, false
	case w.idleSince == 0:
		w.idleSince, w.idleAt = e.Time, c.i
	case !w.told && e.Time-w.idleSince > c.bound(200_000, 500_000_000):
		w.told = true
		c.fail("work", "Gs wait and %d Ps are idle for %d us, since event %d, and nobody is on the way", c.npidle, (e.Time-w.idleSince)/1000, w.idleAt)
	}
}

// waiting reports whether a queue holds a G.
func (c *checker) waiting() bool {
	if len(c.global) > 0 {
		return true
	}
	for i := range c.procs {
		if !c.ps[i].empty() {
			return true
		}
	}
	return false
}

// searching reports whether an M other than by has a P and runs nothing: it may have taken a G from the
// global queue and not have recorded it yet, for as long as its CPU stands still.
func (c *checker) searching(by *mState) bool {
	for i := range c.t.SMP {
		if m := &c.ms[i]; m != by && m.p >= 0 && m.g == 0 {
			return true
		}
	}
	return false
}

// underWay reports whether an M has been given a P and does not have it yet, or has a P and runs
// nothing: then it is in the scheduler and will look. Or whether one is about to hand a P on, or
// looks for one itself; or has put a G and done nothing since, so that it may be about to wake
// another: its CPU may stand still for a while, but does not take two ticks in that time.
func (c *checker) underWay() bool {
	for i := range c.t.SMP {
		m := &c.ms[i]
		if m.woken || m.started && !m.booted || m.p >= 0 && m.g == 0 || m.back || m.putting > 0 {
			return true
		}
	}
	for i := range c.procs {
		if c.ps[i].handed != 0 {
			return true
		}
	}
	return false
}

// free reports whether there is an M that could run something: one that sleeps and does
// not wait for a G of its own, or one that was never started.
func (c *checker) free() bool {
	for i := range c.t.SMP {
		m := &c.ms[i]
		if i != 0 && !m.started && !m.foreign || m.sleeps() && !m.stopped {
			return true
		}
	}
	return false
}

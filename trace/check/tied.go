package check

import "sched9/record"

// Gs that are tied to an M: [M6, M11, M12, M13]. Such a G runs on its M alone, and while
// it waits its M runs nothing else: unless all others are held up, so that it is lent
// and runs others' Gs until its own is found. An M ends with a G that ends tied.

// tiedEvent replays ties.
func (c *checker) tiedEvent() {
	e := c.e
	m := &c.ms[e.M]
	if m.tying != 0 && !interrupt(e.Kind) {
		c.must(e.Kind == record.EvStart && e.G == m.tying, "M6", "G %d was tied to M %d, which does not run it", m.tying, e.M)
		m.tying = 0
	}
	switch e.Kind {
	case record.EvLock:
		g := c.g()
		if m.g == 0 && g.state == runnable && g.locked == 0 {
			m.tying = g.id // a thread for every G
		} else {
			c.must(g.state == running && m.g == e.G, "M6", "G %d is tied to M %d, which does not run it", g.id, e.M)
		}
		c.must(int(e.Arg) == g.locked+1, "M12", "G %d is tied once more and so %d times, and was %d times", g.id, e.Arg, g.locked)
		c.tie(g, int(e.M), int(e.Arg))

	case record.EvUnlock:
		g := c.g()
		c.must(g.locked > 0 && g.lockedTo == int(e.M), "M12", "G %d is untied from M %d and is not tied to it", g.id, e.M)
		c.must(int(e.Arg) == g.locked-1, "M12", "G %d is tied once less and so %d times, and was %d times", g.id, e.Arg, g.locked)
		c.tie(g, int(e.M), int(e.Arg))

	case record.EvYield, record.EvPreempt, record.EvBlock, record.EvExit:
		c.tiedLeaves(m)

	case record.EvStart:
		c.tiedStarts(m)

	case record.EvPass:
		c.pass()

	case record.EvBusyP:
		// Instead of going to sleep it may take a P: see goesOn.
		m.alone = m.waits && c.awake(int(e.M)) < 0

	case record.EvLook, record.EvSpin:
		c.goesOn(m)

	case record.EvPark:
		if e.Arg == record.ParkLocked {
			c.must(m.waits, "M13", "M %d waits for a G of its own and has none", e.M)
		} else {
			c.goesOn(m)
		}

	case record.EvNeedM:
		c.must(m.foreign && !m.extra && m.p < 0 && m.g == 0, "M15", "M %d is borrowed, and is no foreign CPU's, or not free", e.M)
		m.extra, m.waits, m.lent, m.mostLocked = true, true, false, c.locked
		if g := c.g(); g.locked == 0 {
			c.tie(g, int(e.M), 1) // for ever, before anything could be recorded
		}

	case record.EvDropM:
		c.must(m.extra && m.p < 0 && m.g == 0, "M15", "M %d is returned, and is not borrowed, or has %s and %s", e.M, name("P", m.p), gName(m.g))
		m.extra, m.waits = false, false

	case record.EvExitM:
		c.must(m.ending && m.tied == 0, "M11", "M %d ends, but no G of its own has, or others are left: %d", e.M, m.tied)
		m.ending, m.exited = false, true
	}
	c.must(!m.exited || !ofCode(e.Kind) || c.making, "M11", "M %d has %v after its end", e.M, e.Kind)
	// A foreign CPU makes its G runnable and then borrows its M.
	c.must(!m.foreign || m.extra || e.Kind == record.EvUnblock || !ofCode(e.Kind) || c.making, "M8", "M %d has %v; nobody has started it, nor did its CPU borrow it for foreign code", e.M, e.Kind)
}

// foreigners finds the CPUs that run foreign code: those that boot and that no M has
// started. If there is one P and no M was started at all, there can be no other: the
// scheduler has been told to do with one (the lineage's N:1).
func (c *checker) foreigners() {
	var started [record.MaxProcs]bool
	c.cpus = c.t.SMP
	alone := true
	defer func() {
		if alone {
			c.cpus = 1
		}
	}()
	for _, e := range c.t.Events {
		switch {
		case e.Kind == record.EvProcs && e.Arg > 1:
			alone = false
		case e.Kind == record.EvStartM && e.Arg < record.MaxProcs:
			started[e.Arg] = true
			alone = false
		case e.Kind == record.EvBoot && e.M != 0 && !started[e.M] && !c.ms[e.M].foreign:
			c.ms[e.M].foreign = true
			c.cpus--
		}
	}
}

// tie notes that g is tied to M id so many times.
func (c *checker) tie(g *gState, id, times int) {
	if g.locked > 0 {
		c.ms[g.lockedTo].tied--
	}
	g.locked, g.lockedTo = times, id
	if times > 0 {
		c.ms[id].tied++
	}
}

// tiedLeaves replays that the event's G has left m.
func (c *checker) tiedLeaves(m *mState) {
	g := c.g()
	m.gone, m.goneLocked = g.id, g.locked
	if g.locked == 0 {
		return
	}
	m.waits, m.lent, m.alone, m.mostLocked = true, false, false, c.locked
	if c.e.Kind == record.EvExit {
		c.tie(g, int(c.e.M), 0)
		m.waits, m.ending = false, true
	}
}

// tiedStarts replays that the event's G starts on m.
func (c *checker) tiedStarts(m *mState) {
	e := c.e
	g := c.g()
	if e.Place().Kind() == record.FromNowhere && m.acted == record.EvUnblock && m.gone != g.id && m.goneLocked > 0 {
		// A switch of coroutines: it takes the tie over [M6].
		c.must(g.locked == 0, "M6", "G %d is switched to and gets a tie, and has one", g.id)
		if old := c.gs[m.gone]; old.locked > 0 {
			c.tie(old, int(e.M), 0)
		}
		c.tie(g, int(e.M), m.goneLocked)
	}
	c.must(g.locked == 0 || g.lockedTo == int(e.M), "M6", "G %d is tied to M %d and runs on M %d", g.id, g.lockedTo, e.M)
	if g.locked > 0 {
		m.waits, m.lent, m.ending = false, false, false
	} else {
		c.goesOn(m)
	}
}

// goesOn replays that m looks for work or runs some, of whatever kind. One that waits
// for a G of its own must be lent for that [M13], and one whose G has ended goes on for
// the sake of others that are tied to it [M11].
func (c *checker) goesOn(m *mState) {
	if m.ending {
		c.must(m.tied > 0, "M11", "M %d goes on, though the G that was tied to it has ended", c.e.M)
		m.ending = false
	}
	if m.waits && !m.lent {
		c.must(m.mostLocked+1 >= c.cpus || m.alone, "M13", "M %d goes on while it waits for a G of its own; of %d others %d wait likewise at most", c.e.M, c.cpus-1, m.mostLocked)
		m.lent = true
	}
}

// stops notes that the event's M waits for a G of its own.
func (c *checker) stops(m *mState) {
	c.locked++
	for id := range c.t.SMP {
		if o := &c.ms[id]; o.waits && !o.lent {
			o.mostLocked = max(o.mostLocked, c.locked)
		}
	}
}

// unstops notes that M id, which waited for a G of its own, was given a P: for such a G,
// or it is lent, because all others are held up [M13].
func (c *checker) unstops(id int, m *mState) {
	c.locked--
	m.stopped = false
	if m.lockedq > 0 && id != int(c.e.M) {
		return
	}
	m.lent = true
	other := c.awake(id)
	c.must(other < 0, "M13", "M %d, which waits for a G of its own, is given a P for others, and M %d is not held up", id, other)
}

// awake returns an M, but id, that neither waits for a G of its own nor is in a system
// call, or -1: all are held up. One that came back from its call since the event's M
// acted last was seen in it.
func (c *checker) awake(id int) int {
	for other := range c.t.SMP {
		o := &c.ms[other]
		if other != id && !o.foreign && !o.stopped && !o.inCall && o.called < c.ms[c.e.M].lastAct {
			return other
		}
	}
	return -1
}

// pass replays EvPass: a G that is tied to another M is given to that one [M13].
func (c *checker) pass() {
	e := c.e
	g := c.g()
	c.must(g.locked > 0 && uint64(g.lockedTo) == e.Arg && e.Arg != uint64(e.M), "M13", "G %d is passed to M %d by M %d, and is tied to M %d, %d times", g.id, e.Arg, e.M, g.lockedTo, g.locked)
	if e.Arg >= record.MaxProcs {
		return
	}
	c.take(g, record.Place(e.Aux))
	c.to(g, inMine, -1)
	g.m = int(e.Arg)
	c.nlockedq++
	c.ms[e.Arg].lockedq++
}

// strandedEvent demands that an M is woken for a G of its own that was found [M13].
func (c *checker) strandedEvent() {
	w := &c.work
	stranded := false
	if c.nlockedq > 0 {
		for id := range c.t.SMP {
			m := &c.ms[id]
			stranded = stranded || m.lockedq > 0 && m.sleeps()
		}
	}
	switch {
	case !stranded:
		w.strandedSince = 0
	case w.strandedSince == 0:
		w.strandedSince = c.e.Time
	case c.e.Time-w.strandedSince > c.bound(200_000, 500_000_000):
		c.fail("M13", "an M sleeps for %d us, though a G was found that is tied to it", (c.e.Time-w.strandedSince)/1000)
		w.strandedSince = c.e.Time
	}
}

package check

import (
	"fmt"

	"sched9/record"
)

// findEvent replays the search for work: findRunnable's order, [R8, R11], the bound on entering the
// spin [M7], and that no M is woken without a reason.
func (c *checker) findEvent() {
	e := c.e
	m := &c.ms[e.M]
	switch e.Kind {
	case record.EvYield, record.EvPreempt, record.EvBlock, record.EvExit, record.EvWithhold, record.EvPass, record.EvPassP, record.EvAcquire:
		m.began, m.polled = e.Time, 0
	}
	switch e.Kind {
	case record.EvUnblock:
		m.polled++
	case record.EvGetGlobal:
		m.ahead = 0
	}
	switch e.Kind {
	case record.EvLook:
		c.looks(m)

	case record.EvStart:
		c.found1(m)
		m.look, m.pass, m.gaveUp, m.stole, m.told, m.untimed = 0, 0, false, false, false, false
		if e.Place().Kind() == record.FromWorker {
			m.reason = true // an idle M should look for the others
		}

	case record.EvPass, record.EvPassP, record.EvWithhold:
		m.look, m.pass, m.gaveUp, m.stole = 0, 0, false, false

	case record.EvPoll:
		// Where the search looks at devices; or where it begins, be it anew, if a tick saw that
		// it is time [S3].
		due := e.Aux != 0
		c.must((due || m.look == record.LookDevices) && m.g == 0 && e.P >= 0, "find", "M %d asks the devices after step %d of its search", e.M, m.look)
		c.must(m.polled == e.Arg || m.polled > e.Arg && due, "N1", "%d Gs wait no longer for devices, and M %d made %d runnable", e.Arg, e.M, m.polled)
		c.tells = 0
		m.told = e.Arg > 0

	case record.EvRelease:
		// It hands its P on with a G that it found for another M, or in exchange for the P of one, or when its own has
		// left it, has ended, or is in a system call that lasts; or it stops with the
		// world.
		hands := m.acted == record.EvPass || m.moves || m.waits && !m.lent || m.exited || m.inCall
		c.must(m.look == record.LookLocked || hands || c.making || c.world.wanted || c.world.stopped, "find", "M %d gives up P %d without having looked everywhere", e.M, e.P)
		m.gaveUp, m.spun = true, false

	case record.EvStopP:
		m.look, m.pass, m.gaveUp = 0, 0, false

	case record.EvPark:
		m.reason = false
		if m.gaveUp && m.look != 0 {
			// An M that stopped spinning looks everywhere once more: for Gs put while it was
			// counted no M was woken.
			c.must(m.look == record.LookRecheck || m.look == record.LookLocked && !m.spun, "find", "M %d sleeps after step %d of its search", e.M, m.look)
		}

	case record.EvAcquire:
		m.look, m.pass, m.gaveUp = 0, 0, false

	case record.EvUnspin:
		m.spun = m.gaveUp

	case record.EvSpin:
		if m.look == record.LookGlobal {
			n := min(m.fewest, int(e.Arg)-1)
			c.must(2*n < m.busy+1, "M7", "M %d enters the spin while %d Ms of %d busy Ps spin", e.M, n, m.busy)
		}

	case record.EvSummon:
		c.summons(m)
	}
	switch e.Kind {
	case record.EvUnblock, record.EvPutNext, record.EvPutRing, record.EvPutGlobal, record.EvOverflow, record.EvUnspin, record.EvGo, record.EvSetTimer, record.EvTimer, record.EvTake,
		record.EvHandoff:
		m.reason = true
	case record.EvKick:
		c.kicked = true
	}
	switch e.Kind {
	case record.EvSpin, record.EvUnspin, record.EvSummon, record.EvUnsummon, record.EvIdleP, record.EvBusyP, record.EvProcs:
		c.surplus()
	}
}

// looks replays a step of a search: it begins anew with the devices or with the global queue, or
// goes on with the next step.
func (c *checker) looks(m *mState) {
	e := c.e
	step, pass := record.Look(e.Arg&(1<<record.TryShift-1)), e.Arg>>record.TryShift
	ok := false
	switch step {
	case record.LookDevices:
		// Never behind the global queue, nor before a search has ended [N4].
		ok = !m.gaveUp && (m.look == 0 || m.look == record.LookLocked || m.look == record.LookSteal && m.pass == stealTries-1)
		m.polled = 0
		c.devicesFirst(m)
	case record.LookGlobal:
		ok = !m.gaveUp
		if e.P >= 0 {
			c.ps[e.P].expired = false // its own queue was looked at, and was empty
		}
		m.fewest, m.busy = c.spinning, c.procs-c.npidle
	case record.LookSteal:
		// A pass follows the one before; the first follows the global queue.
		ok = m.look == record.LookGlobal && pass == 0 || m.look == record.LookSteal && pass == m.pass+1
		c.must(m.spinning, "M2", "M %d looks for Gs to steal and does not spin", e.M)
	case record.LookIdle:
		ok = m.look == record.LookGlobal && !m.spinning || m.look == record.LookSteal && m.pass == stealTries-1
	case record.LookLocked:
		ok = m.look == record.LookIdle
	case record.LookRecheck:
		ok = m.look == record.LookLocked && m.gaveUp && !m.spinning
	}
	c.must(ok, "find", "M %d: step %d (pass %d) of the search follows step %d (pass %d)", e.M, step, pass, m.look, m.pass)
	m.look, m.pass = step, pass
}

// devicesFirst replays that m asks the devices before it looks at the global queue: not for longer than a slice, while Gs wait there and m takes none
// [N4]. Only a look is judged during whose search the queue was never empty. The scheduler has read the clock for the first of such looks before that was
// recorded, and for this one after the search began.
func (c *checker) devicesFirst(m *mState) {
	if c.work.globalSince == 0 || c.work.globalSince >= m.began || c.searching(m) {
		return
	}
	if m.ahead == 0 {
		m.ahead = c.e.Time
	}
	c.must(m.began-m.ahead < c.sliceTime, "N4", "M %d has asked the devices first for %d us, and the global queue holds %d", c.e.M, (m.began-m.ahead)/1000, len(c.global))
}

// summons replays EvSummon: there is a reason to wake an M to look for work. While it
// marks, the collector itself asks for Ms as it finds work. An M that sleeps does so
// for work that a tick saw, and was kicked then, unless it was about to sleep; or for a
// device that has something to tell, and then the M that it wakes asks for that. One
// that leaves others behind for a G of its own does so for them; one that is given a P
// while nobody sleeps for the timers, for those.
func (c *checker) summons(m *mState) {
	switch {
	case m.reason || c.world.phase != 0:
	case m.told:
		m.told = false
	case m.untimed && m.p >= 0:
		m.untimed = false
	case m.p < 0 && m.g == 0 && (c.kicked || c.waiting()):
		c.kicked = false
	case m.p >= 0 && (m.lockedq > 0 || c.ps[m.p].passed > 0):
		// It is about to run a G that was passed to it or its P, before those.
		p := &c.ps[m.p]
		if !m.behind {
			c.awaits("wake", fmt.Sprintf("M %d wakes another and is about to run a G of its own, which goes before none", c.e.M), func() bool { return len(c.global) > 0 || !p.empty() })
		}
	case m.p < 0 && m.g == 0:
		if c.tells == 0 { // another may have seen it before, and found no P or no M to wake
			c.tells = c.i
		}
	default:
		c.fail("wake", "M %d wakes another to look for work without a reason", c.e.M)
	}
	m.reason = false
}

// surplus notes, for every M that has looked at the global queue and may enter
// the spin next, the numbers that make that look best: the entry check read
// them at moments in between. A P leaves the idle list a moment before that is
// recorded, so one more may have been busy.
func (c *checker) surplus() {
	for i := range c.t.SMP {
		if m := &c.ms[i]; m.look == record.LookGlobal {
			m.fewest, m.busy = min(m.fewest, c.spinning), max(m.busy, c.procs-c.npidle)
		}
	}
}

// found1 replays what EvStart says of where the G was found.
func (c *checker) found1(m *mState) {
	e := c.e
	from := e.Place().Kind()
	if e.Inherit() {
		c.must(from == record.FromNext || from == record.FromNowhere, "R11", "G %d inherits a time slice but comes from %s", e.G, fromName(e.Place()))
	}
	if e.P < 0 {
		return
	}
	p := &c.ps[e.P]
	c.must(!e.Inherit() || from != record.FromNext || !p.expired, "R11", "G %d inherits a time slice that is used up", e.G)
	p.expired = false
	if c.begins(m) {
		ahead := from == record.FromGlobal || from == record.FromWorker || from == record.FromPass || from == record.FromNowhere
		if p.tick%globalTick == 0 && !ahead {
			// Every globalTick-th dispatch looks at the global queue first. If the queue has not been
			// empty since the search began, and no other M takes from it, the dispatch saw Gs there.
			c.must(c.work.globalSince == 0 || c.work.globalSince >= m.began || c.searching(m), "R8", "dispatch %d of P %d is from %s, and the global queue holds %d", p.tick, e.P, fromName(e.Place()), len(c.global))
		}
		p.tick++
	}
}

// globalTick: every so many dispatches of a P, one takes from the global queue first.
const globalTick = 61

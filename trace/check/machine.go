package check

import (
	"fmt"

	"sched9/record"
)

// mState is an M.
type mState struct {
	p          int      // the P it owns, -1: none
	g          uint64   // the G it runs, or that is in a system call on it
	hands      []uint64 // the Gs that it moves
	spinning   bool
	parked     bool // sleeps: on the list of idle Ms or, if stopped, until a G of its own is found
	stopped    bool // see parked
	woken      bool // was given a P, which it does not have yet
	nextp      int  // that P
	wokenAt    int64
	wokenBy    int // of Trace.Events
	started    bool
	booted     bool
	foreign    bool  // its CPU runs foreign code, and
	extra      bool  // has called back: it is an M for a while [M15]
	exited     bool  // has ended, and its CPU has not come back [M11]
	timerM     bool  // idle, it sleeps until the next timer
	inSysmon   bool  // asleep, it does what sysmon would do
	relieves   bool  // it runs, and does so for Gs queued behind a call
	looked     int64 // not before then
	putting    int   // it has put a G, and done nothing since; ticks that may come until it has waited too long
	sysmonWork work  // the work there was since that began

	// System calls: see call.go.
	inCall    bool  // its G is in one
	callTicks int   // ticks that struck in it
	since     int64 // since when
	toldAt    int64 // when it was last told that it lasts too long, 0: not yet
	due       int   // ticks that struck in it after its P was to be taken from it, and
	lost      int   // those among them for which a kick was open: see heldEvent
	dueSince  int64 // since when these are counted
	callP     int   // the P that it had when it went in
	back      bool  // its G came back from one and has found no P yet
	called    int64 // when it came back from the last
	// Gs are queued behind it, and no M sleeps: since when, and ticks of others meanwhile.
	behindSince int64
	behindTicks int
	makes       bool // it has borrowed the P of an M that it starts

	// Gs that are tied to it: see tied.go.
	tied       int    // their number
	lockedq    int    // those that were passed to it and that it has not run
	gone       uint64 // the G that left it last
	goneLocked int    // how many times that was tied
	waits      bool   // for one of them, and runs no other
	lent       bool   // but this once it does
	mostLocked int    // most Ms that waited so, since it waits
	alone      bool   // when it took a P, all others were held up
	ending     bool   // a G that was tied to it has ended
	tying      uint64 // a G that was tied to it before it runs

	// Where it is in its search for work.
	began  int64 // when it left its last G, or got its P
	look   record.Look
	pass   uint64
	gaveUp bool // released its P since it looked last
	spun   bool // and stopped spinning then
	stole  bool // since it ran something
	moves  bool // it found a G that is wired to an idle P, and takes that in place of its own
	fewest int  // spinning Ms since it looked at the global queue
	busy   int  // most busy Ps since then

	last    int64        // time of its last event, without those that a tick records before its own
	acted   record.Event // its last event that was no interrupt's doing
	lastAct int64        // time of that
	reason  bool         // something happened on it that is a reason to wake another
	told    bool         // a device made Gs ready: a further reason
	untimed bool         // nobody slept for the timers when it was given its P: a further reason, until it runs a G
	behind  bool         // since it acted last others have waited that a G of its own goes before
	slices  int          // ticks that asked the running G to leave
	leaves  bool         // a tick has asked it to, in a system call
	stays   int          // such calls in a row after which it went on
	full    bool         // after its last act its ring was full: what comes next may overflow
	quiet   int          // ticks in a row that asked no G to leave, without other events between them
	quietAt int64        // the first of them

	askedAt    int64 // since when ticks ask for a look at timers and devices, 0: they do not
	askedRuns  int   // Gs that have run since
	askedTicks int   // how many did

	kickOpen bool // it was kicked, and has recorded nothing since
	halted   bool
	haltsFor int64 // until when at the latest, 0: for ever
	kicked   bool  // it was interrupted since for a reason that is recorded
	idled    int   // halts in a row that ended without one

	polled uint64 // Gs that became runnable on it since it looked at devices
	ahead  int64  // since when it has looked at devices first, while Gs were in the global queue and it took none; 0: it has not

	sent [record.IPINMI + 1]int // interrupts that others sent to it and that it has not taken
}

// bound returns loose, or tight if the guest's clock counts its own instructions. Otherwise the
// clock is the host's: a vCPU stands still while another process runs, and the bound must be wider
// than that. Nanoseconds.
func (c *checker) bound(tight, loose int64) int64 {
	if c.tight {
		return tight
	}
	return loose
}

// machineEvent replays what Ms do: [M1, M2, M3, M8, M9, M11, N2, T1].
func (c *checker) machineEvent() {
	e := c.e
	m := &c.ms[e.M]
	switch e.Kind {
	case record.EvBoot:
		c.must(!m.booted || m.exited, "M8", "M %d starts twice", e.M)
		c.must(m.p < 0 || !m.exited, "M11", "M %d begins again with P %d", e.M, m.p)
		m.booted, m.exited = true, false

	case record.EvStartM, record.EvWakeM:
		c.wakes()

	case record.EvPark:
		c.must(m.p < 0 && m.g == 0 && !m.spinning, "M1", "M %d parks with %s, %s, spinning: %v", e.M, name("P", m.p), gName(m.g), m.spinning)
		c.must(!m.parked, "M1", "M %d parks twice", e.M)
		c.emptyHands("parks")
		m.parked, m.woken, m.inSysmon = true, false, false
		if m.stopped = e.Arg == record.ParkLocked; m.stopped {
			c.stops(m)
		} else {
			c.parked++
		}

	case record.EvUnpark:
		c.must(m.parked && m.woken, "M9", "M %d wakes up and nobody has woken it", e.M)
		c.must(m.p == m.nextp, "M9", "M %d wakes up with %s and was given %s", e.M, name("P", m.p), name("P", m.nextp))
		m.parked, m.stopped, m.woken, m.inSysmon = false, false, false, false

	case record.EvSpin:
		c.must(m.p >= 0, "M2", "M %d spins without a P", e.M)
		c.must(!m.spinning, "M2", "M %d begins to spin and spins already", e.M)
		c.must(m.g == 0, "M2", "M %d spins and runs G %d", e.M, m.g)
		if m.p >= 0 {
			c.empty(m.p, "M3", fmt.Sprintf("is M %d's, which spins,", e.M))
		}
		m.spinning = true
		c.spins(1)

	case record.EvUnspin:
		c.must(m.spinning, "M2", "M %d stops spinning and does not spin", e.M)
		m.spinning = false
		c.spins(-1)

	case record.EvSummon:
		c.spins(1)

	case record.EvUnsummon:
		c.spins(-1)

	case record.EvTimerSleep:
		c.must(m.sleeps() && !m.stopped, "M1", "M %d sleeps until the next timer, and is not idle", e.M)
		// Its beginning and its end, which is a WakeM otherwise, are recorded under the lock.
		other := c.timerM()
		c.must(other < 0 || m.timerM, "N2", "M %d sleeps until the next timer, and so does M %d", e.M, other)
		m.timerM, m.inSysmon = true, false

	case record.EvTimerWake:
		c.must(m.timerM && m.sleeps(), "M9", "M %d ends a sleep that it did not begin", e.M)
		m.timerM, m.inSysmon = false, false

	case record.EvSysmon:
		if e.Arg == record.SysmonBehind {
			c.must(m.p >= 0 && m.g == 0, "S1", "M %d does a sleeper's sysmon work with %s and %s", e.M, name("P", m.p), gName(m.g))
			m.relieves, m.looked = true, m.lastAct
			break
		}
		// It may have been woken, and counted as a spinner, and not know it yet.
		c.must(m.p < 0 && m.g == 0 && (!m.spinning || m.woken), "M1", "M %d does sysmon's work with %s, %s, spinning: %v", e.M, name("P", m.p), gName(m.g), m.spinning)
		m.inSysmon, m.sysmonWork = true, c.workNow()

	case record.EvTimer:
		c.must(int64(e.Arg) >= 0, "T1", "a timer fires %d ns early", -int64(e.Arg))
	}
	if m.spinning && m.p < 0 && e.Kind != record.EvRelease && e.Kind != record.EvIdleP && e.Kind != record.EvLook && !interrupt(e.Kind) {
		// Between giving up its P and not spinning any more an M does
		// nothing else.
		c.must(m.parked || m.woken || e.Kind == record.EvBoot, "M2", "M %d spins without a P", e.M)
	}
}

// timerM is the M that sleeps until the next timer, -1: none does.
func (c *checker) timerM() int {
	for id := range c.ms {
		if c.ms[id].timerM {
			return id
		}
	}
	return -1
}

// wakes replays that an M is given a P: an idle one if there is any [M8], which leaves the list in
// the same locked step [M9]. It may be the giver itself, if that sleeps and does sysmon's work or its
// timer is due, or an M that waits for a tied G, if that G was found [M13].
func (c *checker) wakes() {
	e := c.e
	if e.Arg >= record.MaxProcs || e.Aux&0xff >= record.MaxProcs {
		c.fail("M9", "there is no M %d or no P %d", e.Arg, e.Aux&0xff)
		return
	}
	to, p := &c.ms[e.Arg], int(e.Aux&0xff)
	c.must(c.ps[p].m < 0 && !c.ps[p].idle, "M9", "M %d is given P %d, which is owned or idle", e.Arg, p)
	if e.Kind == record.EvStartM {
		c.must(!to.started && e.Arg != 0 && !to.foreign, "M8", "M %d is started twice", e.Arg)
		c.must(c.parked == 0, "M8", "M %d is started and %d Ms are parked", e.Arg, c.parked)
		to.started = true
	} else {
		c.must(to.sleeps(), "M9", "M %d is woken and is not parked", e.Arg)
		switch {
		case to.stopped:
			c.unstops(int(e.Arg), to)
		case to.parked:
			c.parked--
			to.timerM = false
			to.untimed = c.timerM() < 0
		}
		to.woken, to.nextp, to.wokenAt, to.wokenBy = true, p, e.Time, c.i
	}
	c.ps[p].handed = 0
	if e.Aux&record.WakeSpinning != 0 {
		c.empty(p, "M3", fmt.Sprintf("is for M %d to spin", e.Arg))
		to.spinning = true
	}
}

// spins replays a change of the number of spinning Ms.
func (c *checker) spins(d int) {
	c.spinning += d
	n := int(c.e.Arg)
	c.must(c.spinning >= 0 && n >= 0 && n <= c.t.SMP, "M7", "%d Ms spin on %d vCPUs, %d by the events", n, c.t.SMP, c.spinning)
}

// machineEnd makes sure that every wake-up has arrived [M9], except those that are under way when
// the run ends.
func (c *checker) machineEnd() {
	if len(c.t.Events) == 0 {
		return
	}
	end := c.t.Events[len(c.t.Events)-1].Time
	for id := range c.ms {
		m := &c.ms[id]
		if m.woken && end-m.wokenAt > c.bound(1_000_000, 1_000_000_000) {
			c.i = m.wokenBy
			c.e = &c.t.Events[c.i]
			c.fail("M9", "M %d was woken and has not woken up after %d ms", id, (end-m.wokenAt)/1e6)
		}
	}
}

// interrupt reports whether an event may come between any two others of an M.
func interrupt(e record.Event) bool {
	switch e {
	case record.EvTick, record.EvTakeIPI, record.EvInject, record.EvSendIPI, record.EvHalt, record.EvHaltEnd, record.EvEnd, record.EvFault, record.EvKick:
		return true
	}
	return false
}

// sleeps reports whether an M sleeps without a P and was not given one.
func (m *mState) sleeps() bool { return m.parked && !m.woken }

// interruptEvent replays interrupts between processors: none is taken that was
// not sent, but several of one kind may be taken as one.
func (c *checker) interruptEvent() {
	e := c.e
	switch e.Kind {
	case record.EvSendIPI:
		if e.Arg < record.MaxProcs && e.Aux <= uint64(record.IPINMI) {
			c.ms[e.Arg].sent[e.Aux]++
		}
	case record.EvTakeIPI:
		if what := record.IPI(e.Aux); what < record.IPINMI { // an NMI may come from outside
			c.must(c.ms[e.M].sent[what] > 0, "A4", "M %d takes an interrupt that nobody has sent", e.M)
			c.ms[e.M].sent[what]--
		}
	}
}

package check

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"sched9/record"
	"sched9/sched"
)

// good are traces that keep all rules: the ways that a scheduler goes.
var good = map[string]func(s *script){
	"an idle CPU that gets a disk's interrupts": func(s *script) {
		s.asleep().on(1, -1)
		for range maxIdled + 1 {
			s.do(record.EvHalt, 0, 0, 0).after(10_000_000).do(record.EvHaltEnd, 0, 1, 0)
		}
	},
	"nothing": func(s *script) {},
	"yield": func(s *script) {
		s.do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0).look(record.LookGlobal)
		s.do(record.EvGetGlobal, 1, 0|1<<record.CountShift, 0).start(1, record.FromGlobal)
	},
	"wait and wake": func(s *script) {
		s.create(2).do(record.EvPutNext, 2, 0, 0).block(1).start(2, record.FromNext)
		s.do(record.EvUnblock, 1, 0, 0).do(record.EvPutNext, 1, 0, 0).do(record.EvExit, 2, 0, 0).start(1, record.FromNext)
	},
	"called-off wait": func(s *script) {
		s.block(1).do(record.EvUnblock, 1, 0, 0).start(1, record.FromNowhere)
	},
	"runnext kicked to the ring": func(s *script) {
		s.create(2).do(record.EvPutNext, 2, 0, 0).create(3).do(record.EvPutNext, 3, 0, 0).do(record.EvPutRing, 2, 0, 0)
		s.block(1).start(3, record.FromNext).do(record.EvExit, 3, 0, 0).start(2, record.FromRing)
	},
	"steal": func(s *script) {
		s.fill(2, 0, 4).wake().passes(1)
		s.do(record.EvSteal, 0, 0|0<<record.CountShift, 0|2<<8).do(record.EvUnspin, 0, 0, 0)
		s.start(3, record.FromSteal|1<<record.IndexShift).do(record.EvExit, 3, 0, 0).start(2, record.FromRing)
	},
	"a put that is said and not done": func(s *script) { // when the tick strikes, thieves have taken all before it
		s.fill(2, 0, 1).wake().on(0, 0).after(11_000_000).fill(3, 1, 1).on(1, 1).passes(1)
		s.do(record.EvSteal, 0, 0|0<<record.CountShift, 0|1<<8).do(record.EvUnspin, 0, 0, 0)
		s.start(2, record.FromSteal|0<<record.IndexShift).on(0, 0).after(1_000_000).do(record.EvTick, 1, 0, 0)
	},
	"an overflow that waits for the lock": func(s *script) { // when the ticks strike, thieves have taken the other half
		s.overflows(sched.RingSize)
	},
	"steal of runnext": func(s *script) {
		s.create(2).do(record.EvPutNext, 2, 0, 0).wake().passes(4)
		s.do(record.EvSteal, 2, 0, 0|1<<8).do(record.EvUnspin, 0, 0, 0).start(2, record.FromSteal)
	},
	"sleep and wake up": func(s *script) {
		s.create(2).do(record.EvPutNext, 2, 0, 0).wake().passes(4).do(record.EvSteal, 2, 0, 0|1<<8).do(record.EvUnspin, 0, 0, 0).start(2, record.FromSteal)
		s.do(record.EvExit, 2, 0, 0).look(record.LookGlobal).do(record.EvSpin, 0, 1, 0).sleep(true)
		s.on(0, 0).create(3).do(record.EvPutNext, 3, 0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvBusyP, 0, 1, 0)
		s.do(record.EvWakeM, 0, 1, 1|record.WakeSpinning).do(record.EvSendIPI, 0, 1, uint64(record.IPIKick))
		s.on(1, -1).do(record.EvTakeIPI, 0, 0, uint64(record.IPIKick)).on(1, 1).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0)
		s.look(record.LookGlobal).passes(4).do(record.EvSteal, 3, 0, 0|1<<8).do(record.EvUnspin, 0, 0, 0).start(3, record.FromSteal)
	},
	"one timer M after the other": func(s *script) {
		s.wake().keep(true).due(1).on(0, 0).block(1).look(record.LookGlobal).keep(false)
	},
	"a timer M that is woken to spin": func(s *script) {
		s.wake().keep(true).on(0, 0).create(2).do(record.EvPutNext, 2, 0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvBusyP, 0, 1, 0)
		s.do(record.EvWakeM, 0, 1, 1|record.WakeSpinning).on(1, 1).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0)
		s.look(record.LookGlobal).passes(4).do(record.EvSteal, 2, 0, 0|1<<8).do(record.EvUnspin, 0, 0, 0).start(2, record.FromSteal)
	},
	"a device that tells something, for which nobody is to be had at first": func(s *script) {
		s.asleep().on(1, -1).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0)
		s.on(0, 0).block(1).look(record.LookDevices).do(record.EvPoll, 0, 0, 0).look(record.LookGlobal).after(2_000_000_000).look(record.LookIdle)
	},
	"a thief that is slow to record": func(s *script) {
		s.fill(2, 0, 1).wake().passes(1)
		// M 0 finds its ring empty before M 1 has said that it emptied it.
		s.on(0, 0).block(1).look(record.LookGlobal).sleep(false)
		s.on(1, 1).do(record.EvSteal, 0, 0, 0|1<<8).do(record.EvUnspin, 0, 0, 0).start(2, record.FromSteal)
	},
	"a G that leaves for audits": func(s *script) { s.leaves(record.TickLeave | record.TickPeriodic) },
	"overflow": func(s *script) {
		s.fill(2, 0, sched.RingSize).create(1000).do(record.EvOverflow, 1000, 0|sched.RingSize/2<<record.CountShift, 0)
		s.fill(2000, sched.RingSize, sched.RingSize/2)
	},
	"stop of the world": func(s *script) {
		s.create(2).do(record.EvPutNext, 2, 0, 0).wake().passes(4).do(record.EvSteal, 2, 0, 0|1<<8).do(record.EvUnspin, 0, 0, 0).start(2, record.FromSteal)
		s.on(0, 0).do(record.EvStop, 1, 0, 0).do(record.EvHold, 1, 1<<record.ReasonShift, 0)
		s.on(1, 1).do(record.EvPreempt, 2, 0, 0).do(record.EvPutNext, 2, 0, 0).do(record.EvRelease, 0, 0, 0).on(1, -1).do(record.EvStopP, 0, 1, 0).do(record.EvPark, 0, 0, 0)
		s.on(0, 0).do(record.EvStopped, 0, 0, 0).do(record.EvUnhold, 1, 0, 0).do(record.EvGo, 0, 0, 0).do(record.EvWakeM, 0, 1, 1)
		s.on(1, 1).do(record.EvAcquire, 0, 5000, 0).do(record.EvUnpark, 0, 0, 0).start(2, record.FromNext)
	},
	"a thief that takes what a stop of the world made to leave": func(s *script) {
		s.create(2).do(record.EvPutNext, 2, 0, 0).wake().passes(4).do(record.EvSteal, 2, 0, 0|1<<8).do(record.EvUnspin, 0, 0, 0).start(2, record.FromSteal)
		s.on(0, 0).do(record.EvStop, 1, 0, 0).do(record.EvHold, 1, 1<<record.ReasonShift, 0)
		s.on(1, 1).do(record.EvPreempt, 2, 0, 0).do(record.EvPutNext, 2, 0, 0).do(record.EvRelease, 0, 0, 0).on(1, -1).do(record.EvStopP, 0, 1, 0).do(record.EvPark, 0, 0, 0)
		s.on(0, 0).do(record.EvStopped, 0, 0, 0).do(record.EvUnhold, 1, 0, 0).do(record.EvGo, 0, 0, 0).do(record.EvWakeM, 0, 1, 1)
		s.block(1).look(record.LookGlobal).do(record.EvSpin, 0, 1, 0).passes(4)
		// It has taken G 2 before M 1 has its P again, and says so afterwards.
		s.on(1, 1).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).look(record.LookGlobal)
		s.on(0, 0).do(record.EvSteal, 2, 0, 1|1<<8).do(record.EvUnspin, 0, 0, 0).start(2, record.FromSteal)
	},
	"a death, and a collection that begins": func(s *script) {
		s.do(record.EvStop, 0, record.StopForGood, 0).do(record.EvStop, 0, 1, 0)
	},
	"slice": func(s *script) {
		s.after(4_000_000).do(record.EvTick, 1, 0, 0).create(2).do(record.EvPutRing, 2, 0, 0)
		s.after(6_000_000).do(record.EvTick, 1, record.TickLeave|record.TickSlice, 0).do(record.EvInject, 1, 0, 0)
		s.do(record.EvPreempt, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0)
	},
	"a pair that goes on in a slice as long as ticks may be late": func(s *script) {
		s.t.ICount, s.t.SMP = true, 1
		s.volleys(3)
	},
	"a pair whose processor the host holds for long in between": func(s *script) {
		s.t.SMP = 1
		s.volleys(1).after(5_000_000_000).block(1).do(record.EvUnblock, 1, 0, 0).do(record.EvPutNext, 1, 0, 0).start(1, record.FromNext)
	},
	"a pair that nobody waits for": func(s *script) {
		for range 110 {
			s.after(10_000_000).block(1).do(record.EvUnblock, 1, 0, 0).do(record.EvPutNext, 1, 0, 0).start(1, record.FromNext)
		}
	},
	"a slice that nobody else wants": func(s *script) {
		for range 5 {
			s.after(9_999_000).do(record.EvTick, 1, 0, 0)
		}
	},
	"ticks for timers that another M runs first": func(s *script) {
		s.asleep()
		for range 20 {
			s.on(1, -1).do(record.EvTimer, 0, 10, 0).on(0, 0).after(150_000).do(record.EvTick, 1, 0, 0)
		}
	},
	"a short slice": func(s *script) {
		s.t.Slice = 100_000
		s.create(2).do(record.EvPutGlobal, 2, 0, 0).after(100_000).do(record.EvTick, 1, record.TickLeave|record.TickSlice, 0)
	},
	"an M that wakes another for the timers, after one for other work": func(s *script) { s.untimed().summoned(1) },
	"a tick that kicks somebody before it is told": func(s *script) {
		s.asleep().do(record.EvTick, 1, 0, 0).create(2).do(record.EvPutRing, 2, 0, 0)
		// It read the clock before.
		s.after(11_000_000).do(record.EvKick, 0, 1, 0).do(record.EvTick, 1, record.TickLeave|record.TickSlice, 0)
	},
}

// wrongTrace is a trace that breaks a rule.
type wrongTrace struct {
	rule string
	do   func(s *script)
}

// broken are traces that break a rule each. A rule may have several.
var broken = []wrongTrace{
	{"U3", func(s *script) {
		s.do(record.EvProcs, 0, 1, 0)
		s.create(2).do(record.EvPutNext, 2, 0, 0).wake().passes(4).do(record.EvSteal, 2, 0, 0|1<<8).do(record.EvUnspin, 0, 0, 0).start(2, record.FromSteal)
	}},
	{"G1", func(s *script) { s.do(record.EvUnblock, 1, 0, 0) }},
	{"G1", func(s *script) { s.create(1) }},
	{"G1", func(s *script) {
		s.do(record.EvExit, 1, 0, 0).do(record.EvUnblock, 1, 0, 0)
	}},
	{"G1", func(s *script) { s.do(record.EvStatus, 1, 2|6<<record.StatusShift, 0) }},
	{"G1", func(s *script) { s.do(record.EvUnhold, 1, 0, 0) }},
	{"G1", func(s *script) { s.do(record.EvHold, 1, 0, 0).do(record.EvHold, 1, 0, 0) }},
	{"G2", func(s *script) { s.create(2).do(record.EvPutNext, 2, 0, 0).start(2, record.FromNext) }},
	{"G2", func(s *script) { s.on(1, -1).do(record.EvExit, 1, 0, 0) }},
	{"G2", func(s *script) { s.create(2).do(record.EvPutNext, 2, 0, 0).on(2, -1).start(2, record.FromNext) }},
	{"G3", func(s *script) { s.block(1).create(2).start(2, record.FromNext) }},
	{"G3", func(s *script) {
		s.create(2).do(record.EvPutNext, 2, 0, 0).do(record.EvPutGlobal, 2, 0, 0)
	}},
	{"G3", func(s *script) { // a lost G
		s.create(2).create(3).do(record.EvPutNext, 3, 0, 0).block(1).start(3, record.FromNext)
	}},
	{"G3", func(s *script) { s.do(record.EvPutGlobal, 1, 0, 0) }},
	{"G4", func(s *script) { s.do(record.EvBlock, 1, 0, 0) }},
	{"M1", func(s *script) { s.do(record.EvPark, 0, 0, 0) }},
	{"M1", func(s *script) { s.do(record.EvTimerSleep, 0, 1, 0) }},
	{"N2", func(s *script) { s.wake().keep(true).on(0, 0).block(1).look(record.LookGlobal).keep(false) }},
	{"M2", func(s *script) { s.on(2, -1).do(record.EvSpin, 0, 1, 0) }},
	{"M2", func(s *script) { s.do(record.EvUnspin, 0, 0, 0) }},
	{"M2", func(s *script) { // a thief that is not counted
		s.fill(2, 0, 2).block(1).look(record.LookGlobal).passes(1)
	}},
	{"M3", func(s *script) {
		s.fill(2, 0, 1).block(1).look(record.LookGlobal).do(record.EvSpin, 0, 1, 0).do(record.EvUnspin, 0, 0, 0).start(2, record.FromRing)
	}},
	{"M7", func(s *script) { // a fourth, while three of four busy Ps' Ms spin
		s.do(record.EvProcs, 0, 4, 0).create(2).do(record.EvPutNext, 2, 0, 0).wake()
		s.on(0, 0).do(record.EvSummon, 0, 2, 0).do(record.EvSummon, 0, 3, 0)
		s.block(1).start(2, record.FromNext).do(record.EvExit, 2, 0, 0).look(record.LookGlobal).do(record.EvSpin, 0, 4, 0)
	}},
	{"M7", func(s *script) { s.do(record.EvSummon, 0, 9, 0) }},
	{"M7", func(s *script) { s.do(record.EvUnsummon, 0, 0, 0) }},
	{"M8", func(s *script) { s.wake().on(0, 0).do(record.EvStartM, 0, 1, 1) }},
	{"M8", func(s *script) { s.on(2, -1).do(record.EvBoot, 0, 0, 0).do(record.EvPark, 0, 0, 0) }},
	{"M8", func(s *script) { // one is parked
		s.create(2).do(record.EvPutNext, 2, 0, 0).wake().sleep(true)
		s.on(0, 0).do(record.EvBusyP, 0, 1, 0).do(record.EvStartM, 0, 2, 1)
	}},
	{"M9", func(s *script) {
		s.wake().sleep(true).on(1, 1).do(record.EvUnpark, 0, 0, 0)
	}},
	{"M9", func(s *script) { s.do(record.EvWakeM, 0, 1, 1) }},
	{"M9", func(s *script) {
		s.wake().keep(true).due(1).on(0, 0).do(record.EvBusyP, 0, 1, 0).do(record.EvWakeM, 0, 1, 1)
	}},
	{"M9", func(s *script) { // a lost wake-up
		s.create(2).do(record.EvPutNext, 2, 0, 0).wake().sleep(true)
		s.on(0, 0).do(record.EvBusyP, 0, 1, 0).do(record.EvWakeM, 0, 1, 1).after(2_000_000_000).do(record.EvTick, 1, 0, 0)
	}},
	{"M9", func(s *script) { s.do(record.EvTimerWake, 0, 0, 0) }},
	{"P1", func(s *script) { s.on(1, 0).do(record.EvAcquire, 0, 0, 0) }},
	{"P1", func(s *script) { s.do(record.EvBusyP, 0, 1, 0).on(0, 1).do(record.EvAcquire, 0, 0, 0) }},
	{"P1", func(s *script) { s.on(1, 1).do(record.EvRelease, 0, 0, 0) }},
	{"P2", func(s *script) { s.on(1, 1).do(record.EvAcquire, 0, 0, 0) }},
	{"P2", func(s *script) { s.do(record.EvIdleP, 0, 1, 0) }},
	{"P2", func(s *script) { s.do(record.EvBusyP, 0, 0, 0) }},
	{"P2", func(s *script) { // with a G that is not stolen but found there
		s.fill(2, 0, 1).block(1).look(record.LookGlobal).sleep(false)
		s.on(2, -1).do(record.EvBusyP, 0, 0, 0).on(0, -1)
		s.do(record.EvWakeM, 0, 0, 0).on(0, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).start(2, record.FromRing)
	}},
	{"P4", func(s *script) {
		s.do(record.EvStop, 0, 0, 0).do(record.EvStopped, 0, 0, 0).create(2).do(record.EvPutNext, 2, 0, 0).block(1).start(2, record.FromNext)
	}},
	{"P4", func(s *script) { s.do(record.EvStopped, 0, 0, 0) }},
	{"P4", func(s *script) { s.do(record.EvStop, 0, 1, 0).do(record.EvStop, 0, 1, 0) }},
	{"P4", func(s *script) { s.do(record.EvStop, 0, 0, 0).on(1, -1).do(record.EvStopped, 0, 0, 0) }},
	{"P4", func(s *script) { s.do(record.EvStopP, 0, 0, 0) }},
	{"P4", func(s *script) { s.do(record.EvGo, 0, 0, 0) }},
	{"P5", func(s *script) { s.on(1, 2).do(record.EvAcquire, 0, 0, 0) }},
	{"R1", func(s *script) { s.fill(2, 0, sched.RingSize+1) }},
	{"R2", func(s *script) { s.create(2).do(record.EvPutRing, 2, 1, 0) }},
	{"R2", func(s *script) { s.create(2).on(0, -1).do(record.EvPutRing, 2, 0, 0) }},
	{"R3", func(s *script) { // the second before the first, which is then taken again
		s.fill(2, 0, 2).block(1).start(2, record.FromRing).do(record.EvExit, 2, 0, 0).start(3, record.FromRing)
	}},
	{"R5", func(s *script) {
		s.create(2).do(record.EvPutRing, 2, 0, 0).wake().passes(4).do(record.EvSteal, 2, 0, 0|1<<8)
	}},
	{"R5", func(s *script) { s.create(2).on(0, -1).do(record.EvPutNext, 2, 0, 0) }},
	{"R6", func(s *script) {
		s.fill(2, 0, 200).create(1000).do(record.EvOverflow, 1000, 0|128<<record.CountShift, 0)
	}},
	{"R6", func(s *script) {
		s.fill(2, 0, sched.RingSize).create(1000).do(record.EvOverflow, 1000, 0|127<<record.CountShift, 0)
	}},
	{"R7", func(s *script) {
		s.create(2).do(record.EvPutGlobal, 2, 0, 0).create(3).do(record.EvPutGlobal, 3, 0, 0).block(1)
		s.look(record.LookGlobal).do(record.EvGetGlobal, 3, 0|1<<record.CountShift, 0)
	}},
	{"R7", func(s *script) {
		s.block(1).look(record.LookGlobal).do(record.EvGetGlobal, 3, 0|1<<record.CountShift, 0)
	}},
	{"R8", func(s *script) {
		s.create(500).do(record.EvPutGlobal, 500, 0, 0)
		for i := range uint64(2 * globalTick) {
			s.fill(1000+i, i, 1).do(record.EvYield, s.running(), 0, 0).do(record.EvPutGlobal, s.running(), 0, 0).start(1000+i, record.FromRing|record.Place(i)<<record.IndexShift)
		}
	}},
	{"R9", func(s *script) {
		for g := uint64(2); g < 6; g++ {
			s.create(g).do(record.EvPutGlobal, g, 0, 0)
		}
		s.block(1).look(record.LookGlobal).do(record.EvGetGlobal, 2, 0|4<<record.CountShift, 0)
	}},
	{"R10", func(s *script) { // three of four
		s.fill(2, 0, 4).wake().passes(1).do(record.EvSteal, 0, 0, 0|3<<8)
	}},
	{"R10", func(s *script) { // a runnext at once
		s.create(2).do(record.EvPutNext, 2, 0, 0).wake().passes(1).do(record.EvSteal, 2, 0, 0|1<<8)
	}},
	{"R10", func(s *script) { // from itself
		s.fill(2, 0, 4).wake().passes(1).do(record.EvSteal, 0, 0, 1|1<<8)
	}},
	{"R11", func(s *script) {
		s.fill(2, 0, 1).block(1).do(record.EvStart, 2, uint64(record.FromRing)|record.StartInherit, 0)
	}},
	{"R11", func(s *script) { // a pair that keeps a ring waiting
		s.fill(2, 0, 1).create(3).do(record.EvPutNext, 3, 0, 0).do(record.EvTick, 1, 0, 0).after(10_000_000)
		s.do(record.EvTick, 1, record.TickLeave|record.TickSlice, 0).block(1).start(3, record.FromNext)
	}},
	{"R11", func(s *script) { // Gs that keep one slice for ever, because all ticks strike between them
		s.t.ICount, s.t.SMP = true, 1
		s.volleys(4)
	}},
	{"R11", func(s *script) { // where the host's clock counts
		s.volleys(110)
	}},
	{"R11", func(s *script) { // and the one that waits is in the global queue
		s.create(5).do(record.EvPutGlobal, 5, 0, 0)
		for range 110 {
			s.after(10_000_000).block(1).do(record.EvUnblock, 1, 0, 0).start(1, record.FromNowhere)
		}
	}},
	{"R11", func(s *script) { // a stop of the world that renews a slice
		s.after(4_000_000).on(1, -1).do(record.EvStop, 0, 1, 0).on(0, 0).do(record.EvPreempt, 1, 0, 0).do(record.EvPutNext, 1, 0, 0)
		s.do(record.EvRelease, 0, 0, 0).on(0, -1).do(record.EvStopP, 0, 0, 0)
		s.on(1, -1).do(record.EvStopped, 0, 0, 0).do(record.EvGo, 0, 0, 0).on(0, 0).do(record.EvAcquire, 0, 1000, 0)
	}},
	{"S2", func(s *script) { // never asked
		s.fill(2, 0, 2).do(record.EvTick, 1, 0, 0).after(11_000_000).do(record.EvTick, 1, 0, 0).do(record.EvTick, 1, 0, 0)
	}},
	{"S2", func(s *script) { s.overflows(sched.RingSize - 1) }}, // which is none, if the ring was not full
	{"S2", func(s *script) { // nor for one that waits in the global queue
		s.create(2).do(record.EvPutGlobal, 2, 0, 0).do(record.EvTick, 1, 0, 0).after(11_000_000).do(record.EvTick, 1, 0, 0).do(record.EvTick, 1, 0, 0)
	}},
	{"A5", func(s *script) { // a tick a millisecond
		for range 9 {
			s.after(1_000_000).do(record.EvTick, 1, 0, 0)
		}
	}},
	{"A5", func(s *script) { s.on(2, -1).do(record.EvTick, 1, 0, 0) }},
	{"A5", func(s *script) { // a tick that an idle CPU has
		s.asleep().on(1, -1)
		for range maxIdled + 1 {
			s.do(record.EvHalt, 0, 0, 0).after(10_000_000).do(record.EvHaltEnd, 0, 0, 0)
		}
	}},
	{"S3", func(s *script) { s.leaves(record.TickLeave) }}, // a G that yields, and a device that is never asked
	{"A2", func(s *script) { s.do(record.EvTick, 1, record.TickCall, 0) }},
	{"S2", func(s *script) { // asked too early
		s.t.ICount, s.t.SMP = true, 1
		s.after(1_000_000).do(record.EvTick, 1, 0, 0).after(5_000_000).do(record.EvTick, 1, record.TickLeave|record.TickSlice, 0)
	}},
	{"S2", func(s *script) { s.after(1_000_000).do(record.EvTick, 1, record.TickLeave|record.TickSlice, 0) }},
	{"S2", func(s *script) { // a slice of another length
		s.t.Slice = 1_000_000
		s.create(2).do(record.EvPutGlobal, 2, 0, 0).do(record.EvTick, 1, 0, 0).after(1_100_000).do(record.EvTick, 1, 0, 0).do(record.EvTick, 1, 0, 0)
	}},
	{"A2", func(s *script) {
		s.do(record.EvTick, 1, 0, 0).after(9_000_000)
		for range maxAskedLoose + 1 {
			s.after(1_000_000).do(record.EvTick, 1, record.TickLeave|record.TickSlice, 0)
		}
	}},
	{"A2", func(s *script) { s.do(record.EvInject, 7, 0, 0) }},
	{"A4", func(s *script) { s.do(record.EvTakeIPI, 0, 0, uint64(record.IPIPreempt)) }},
	{"T1", func(s *script) { s.do(record.EvTimer, 0, ^uint64(0), 0) }},
	{"V3", func(s *script) { s.t.Lost = []uint64{0, 3} }},
	{"find", func(s *script) { s.block(1).look(record.LookGlobal).look(record.LookLocked) }},
	{"find", func(s *script) { // three passes
		s.wake().passes(3).look(record.LookIdle)
	}},
	{"find", func(s *script) { // a P is given up without a look
		s.block(1).do(record.EvRelease, 0, 0, 0)
	}},
	{"find", func(s *script) { // sleeps without a last look
		s.create(2).do(record.EvPutNext, 2, 0, 0).wake().passes(4).look(record.LookIdle).look(record.LookLocked)
		s.do(record.EvRelease, 0, 0, 0).on(1, -1).do(record.EvIdleP, 0, 1, 0).do(record.EvUnspin, 0, 0, 0).do(record.EvPark, 0, 0, 0)
	}},
	{"find", func(s *script) { // the last look before the P is given up
		s.wake().passes(4).look(record.LookIdle).look(record.LookLocked).look(record.LookRecheck)
	}},
	{"wake", func(s *script) { s.untimed().summoned(2) }},
	{"wake", func(s *script) {
		s.create(2).do(record.EvPutNext, 2, 0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0).do(record.EvSummon, 0, 1, 0)
	}},
	{"work", func(s *script) { // no M is woken for G 2
		s.create(2).do(record.EvPutNext, 2, 0, 0).do(record.EvTick, 1, 0, 0).do(record.EvTick, 1, 0, 0).after(2_000_000_000).do(record.EvTick, 1, 0, 0)
	}},
}

// untimed has M 1, which sleeps without a deadline as all do, give itself P 1 and ask for another M on its way.
func (s *script) untimed() *script {
	s.asleep().on(1, -1).do(record.EvBusyP, 0, 1, 0).do(record.EvWakeM, 0, 1, 1).summoned(1)
	return s.on(1, 1).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0)
}

// summoned has the M ask for another n times, in vain.
func (s *script) summoned(n int) *script {
	for range n {
		s.do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0)
	}
	return s
}

// volleys has G 1 wait n times, 10 ms after it began to run, and go on in the slice, while another waits in the ring.
func (s *script) volleys(n int) *script {
	s.fill(2, 0, 1)
	for range n {
		s.after(10_000_000).block(1).do(record.EvUnblock, 1, 0, 0).do(record.EvPutNext, 1, 0, 0).start(1, record.FromNext)
	}
	return s
}

// running is the G that was started last.
func (s *script) running() uint64 {
	for i := len(s.t.Events) - 1; i >= 0; i-- {
		if s.t.Events[i].Kind == record.EvStart {
			return s.t.Events[i].G
		}
	}
	return 0
}

// all are the good and the broken traces of all files.
func all() (fine map[string]func(*script), wrong []wrongTrace) {
	fine = maps.Clone(good)
	maps.Copy(fine, goodCalls)
	maps.Copy(fine, goodTies)
	maps.Copy(fine, goodWires)
	return fine, slices.Concat(broken, brokenCalls, brokenTies, brokenWires)
}

func TestGoodTraces(t *testing.T) {
	fine, _ := all()
	for name, do := range fine {
		t.Run(name, func(t *testing.T) {
			s := newScript()
			do(s)
			s.expect(t, "")
		})
	}
}

func TestBrokenTraces(t *testing.T) {
	_, wrong := all()
	for _, b := range wrong {
		t.Run(b.rule, func(t *testing.T) {
			s := newScript()
			b.do(s)
			s.expect(t, b.rule)
		})
	}
}

// Whatever a trace says, it is judged.
func TestAnyTrace(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		s := newScript()
		args := []uint64{0, 0, 1, 2, 3, 0x100, 0x101, 0x201, 0xffff, 1 << record.CountShift, 1 << 63, ^uint64(0)}
		for range 400 {
			s.on(rnd.IntN(4), rnd.IntN(5)-1).after(rnd.Int64N(2) * rnd.Int64N(20_000_000))
			s.do(1+record.Event(rnd.IntN(int(record.NumEvents))), rnd.Uint64N(5), args[rnd.IntN(len(args))], args[rnd.IntN(len(args))])
		}
		if len(Check(s.t)) == 0 {
			t.Errorf("seed %d: nothing is wrong with what makes no sense", seed)
		}
	}
}

// Every rule has a trace that breaks it, and no other rules are reported.
func TestEveryRuleHasABrokenTrace(t *testing.T) {
	_, wrong := all()
	for _, r := range Rules {
		if !slices.ContainsFunc(wrong, func(b wrongTrace) bool { return b.rule == r.ID }) {
			t.Errorf("rule %s has no trace that breaks it", r.ID)
		}
	}
	for _, b := range wrong {
		s := newScript()
		b.do(s)
		for _, v := range Check(s.t) {
			if !slices.ContainsFunc(Rules, func(r Rule) bool { return r.ID == v.Rule }) {
				t.Errorf("%v is of no rule in Rules", v)
			}
		}
	}
}

package check

import "sched9/sched"

// two has M 1 run G 2 with P 1 and goes on with M 0.
func (s *script) two() *script {
	s.create(2).do(sched.EvPutNext, 2, 0, 0).wake().passes(4).do(sched.EvSteal, 2, 0, 0|1<<8).do(sched.EvUnspin, 0, 0, 0)
	return s.start(2, sched.FromSteal).on(0, 0)
}

// three has M 1 run G 2, M 2 sleep, and P 2 idle, and goes on with M 0.
func (s *script) three() *script {
	s.do(sched.EvProcs, 0, 3, 0).do(sched.EvIdleP, 0, 2, 0).two()
	s.on(1, 1).do(sched.EvSummon, 0, 1, 0).do(sched.EvBusyP, 0, 2, 0).do(sched.EvStartM, 0, 2, 2|sched.WakeSpinning)
	s.on(2, -1).do(sched.EvBoot, 0, 0, 0).on(2, 2).do(sched.EvAcquire, 0, 0, 0).look(sched.LookGlobal).sleep(true)
	return s.on(0, 0)
}

// call has M 0's G 1 enter a system call, which lasts.
func (s *script) call(ns int64) *script { return s.do(sched.EvSyscallEnter, 1, 0, 0).after(ns) }

// back has it come back without a P.
func (s *script) back() *script { return s.on(0, -1).do(sched.EvSyscallExit, 1, 0, 0) }

// sysmon has M m, asleep, do sysmon's work, and take P 0 from M 0.
func (s *script) sysmon(m int) *script {
	return s.on(m, -1).do(sched.EvSysmon, 0, 0, 0).do(sched.EvRetake, 0, 0|0<<8, 0).do(sched.EvHandoff, 0, 0, 0)
}

// relief has the M at hand, which runs no G, take P 0 from M 0 for what is queued there.
func (s *script) relief() *script {
	return s.do(sched.EvSysmon, 0, sched.SysmonBehind, 0).do(sched.EvRetake, 0, 0|0<<8, 0).do(sched.EvHandoff, 0, 0, 0)
}

// goodCalls are traces of system calls, and of what sleeping Ms do, that keep all rules.
var goodCalls = map[string]func(s *script){
	"a system call": func(s *script) {
		s.call(1_000_000).do(sched.EvTick, 1, sched.TickCall, 0).do(sched.EvSyscallExit, 1, 0, 0).block(1)
	},
	"a slice that ends in one, and the G leaves when it is back": func(s *script) {
		s.create(2).do(sched.EvPutGlobal, 2, 0, 0).call(11_000_000).do(sched.EvTick, 1, sched.TickCall|sched.TickLeave|sched.TickSlice, 0)
		s.do(sched.EvSyscallExit, 1, 0, 0).do(sched.EvPreempt, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0)
	},
	"a P that is lost after its slice is used up: the next owner begins one": func(s *script) {
		s.asleep().create(2).do(sched.EvPutNext, 2, 0, 0).call(11_000_000).do(sched.EvTick, 1, sched.TickCall|sched.TickLeave|sched.TickSlice, 0)
		s.sysmon(1).do(sched.EvWakeM, 0, 1, 0).on(1, 0).do(sched.EvAcquire, 0, 0, 0).do(sched.EvUnpark, 0, 0, 0).start(2, sched.FromNext)
	},
	"one that somebody looks at on its way": func(s *script) {
		s.call(0).do(sched.EvStatus, 1, 2|3<<sched.StatusShift, 0).do(sched.EvStatus, 1, 3|2<<sched.StatusShift, 0).do(sched.EvSyscallExit, 1, 0, 0)
	},
	"a P that is taken for work, by an M that does it": func(s *script) {
		s.asleep().create(2).do(sched.EvPutRing, 2, 0, 0).call(20_000)
		s.do(sched.EvTick, 1, sched.TickCall, 0).do(sched.EvKick, 0, 1, 0).sysmon(1).do(sched.EvWakeM, 0, 1, 0)
		s.on(1, 0).do(sched.EvAcquire, 0, 0, 0).do(sched.EvUnpark, 0, 0, 0).start(2, sched.FromRing)
		s.on(0, 0).do(sched.EvTick, 1, sched.TickCall, 0) // bears the P that it had
		s.back().do(sched.EvBusyP, 0, 1, 0).on(0, 1).do(sched.EvAcquire, 0, 0, 0).block(1)
	},
	"one that is taken after long, and there is none when the G comes back": func(s *script) {
		s.asleep().call(10_000_000).sysmon(1).do(sched.EvIdleP, 0, 0, 0).do(sched.EvBusyP, 0, 0, 0).do(sched.EvBusyP, 0, 1, 0)
		s.back().do(sched.EvYield, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0).do(sched.EvPark, 0, 0, 0)
	},
	"the same, but there is one a moment later": func(s *script) {
		s.asleep().call(10_000_000).sysmon(1).do(sched.EvIdleP, 0, 0, 0)
		s.back().do(sched.EvYield, 1, 0, 0).do(sched.EvBusyP, 0, 0, 0).on(0, 0).do(sched.EvAcquire, 0, 0, 0).start(1, sched.FromNowhere)
	},
	"one that is taken for work that another is about to record": func(s *script) {
		s.three().call(25_000).on(1, 1).create(3).sysmon(2).on(1, 1).do(sched.EvTick, 2, 0, 0).do(sched.EvPutGlobal, 3, 0, 0)
	},
	"one that is taken by an M that has just been given another, and which borrows it to start a third": func(s *script) {
		s.three().create(3).do(sched.EvPutRing, 3, 0, 0).call(25_000).on(2, -1).do(sched.EvSysmon, 0, 0, 0).do(sched.EvRetake, 0, 0|0<<8, 0)
		s.on(1, 1).create(4).do(sched.EvPutRing, 4, 0, 0).do(sched.EvSummon, 0, 1, 0).do(sched.EvBusyP, 0, 2, 0).do(sched.EvWakeM, 0, 2, 2|sched.WakeSpinning)
		s.on(2, -1).do(sched.EvHandoff, 0, 0, 0).do(sched.EvStartM, 0, 3, 0).on(2, 0).do(sched.EvAcquire, 0, 0, 0).do(sched.EvRelease, 0, 0, 0)
		s.on(3, -1).do(sched.EvBoot, 0, 0, 0).on(3, 0).do(sched.EvAcquire, 0, 0, 0).start(3, sched.FromRing)
		s.on(2, 2).do(sched.EvAcquire, 0, 0, 0).do(sched.EvUnpark, 0, 0, 0).look(sched.LookGlobal)
	},
	"one that is taken by an M that runs, because a G is queued there": func(s *script) {
		s.two().create(3).do(sched.EvPutRing, 3, 0, 0).call(30_000).do(sched.EvTick, 1, sched.TickCall, 0)
		s.on(1, 1).do(sched.EvTick, 2, sched.TickLeave, 0).do(sched.EvYield, 2, 0, 0).do(sched.EvPutGlobal, 2, 0, 0).relief()
		s.do(sched.EvTake, 3, uint64(sched.FromRing), 0).do(sched.EvPutGlobal, 3, 0, 0).do(sched.EvIdleP, 0, 0, 0)
		s.do(sched.EvGetGlobal, 2, 0|2<<sched.CountShift, 0).start(2, sched.FromGlobal)
	},
	"one that is taken to stop the world": func(s *script) {
		s.two().call(0).on(1, 1).do(sched.EvStop, 2, 0, 0).do(sched.EvHold, 2, 1<<sched.ReasonShift, 0).do(sched.EvRetake, 0, 0|0<<8, 0).do(sched.EvStopP, 0, 0, 0)
		s.do(sched.EvStopped, 0, 0, 0).do(sched.EvUnhold, 2, 0, 0)
		s.back().do(sched.EvYield, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0).do(sched.EvPark, 0, 0, 0).on(1, 1).do(sched.EvGo, 0, 0, 0)
	},
	"one that is taken because every P has something to run": func(s *script) {
		s.two().call(0).on(1, 1).do(sched.EvHold, 2, 1<<sched.ReasonShift, 0).do(sched.EvRetake, 0, 0|0<<8, 0).do(sched.EvHandoff, 0, 0, 0).do(sched.EvIdleP, 0, 0, 0)
	},
	"a call that gives its P away": func(s *script) {
		s.call(0).do(sched.EvRelease, 0, 0, 0).on(0, -1).do(sched.EvHandoff, 0, 0, 0).do(sched.EvIdleP, 0, 0, 0).back().do(sched.EvBusyP, 0, 0, 0)
		s.on(0, 0).do(sched.EvAcquire, 0, 0, 0).block(1)
	},
	"one that gives it to an M that it starts, and borrows it for that": func(s *script) {
		s.call(0).do(sched.EvRelease, 0, 0, 0).on(0, -1).do(sched.EvHandoff, 0, 0, 0).do(sched.EvStartM, 0, 1, 0)
		s.on(0, 0).do(sched.EvAcquire, 0, 0, 0).do(sched.EvTakeIPI, 0, 0, uint64(sched.IPINMI)).do(sched.EvRelease, 0, 0, 0)
		s.on(1, -1).do(sched.EvBoot, 0, 0, 0).on(1, 0).do(sched.EvAcquire, 0, 0, 0).look(sched.LookGlobal)
	},
	"a device": func(s *script) {
		s.create(2).do(sched.EvPutRing, 2, 0, 0).block(1).start(2, sched.FromRing).do(sched.EvExit, 2, 0, 0)
		s.look(sched.LookGlobal).do(sched.EvUnblock, 1, 0, 0).do(sched.EvPutRing, 1, 1, 0).do(sched.EvPoll, 0, 1, 0)
		s.do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0).do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0)
		s.start(1, sched.FromRing|1<<sched.IndexShift)
	},
	"a device that a tick asks for": func(s *script) {
		s.do(sched.EvTick, 1, sched.TickLeave, 0).do(sched.EvYield, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0).do(sched.EvPoll, 0, 0, 1).look(sched.LookGlobal)
	},
	"one that is due where a search begins anew": func(s *script) {
		s.wake().passes(4).do(sched.EvPoll, 0, 0, 1).look(sched.LookGlobal).do(sched.EvPoll, 0, 0, 0).passes(4)
	},
	"a sleeper that does sysmon's work and has been woken": func(s *script) {
		s.asleep().create(2).do(sched.EvPutRing, 2, 0, 0).do(sched.EvSummon, 0, 1, 0).do(sched.EvBusyP, 0, 1, 0).do(sched.EvWakeM, 0, 1, 1|sched.WakeSpinning)
		s.on(1, -1).do(sched.EvSysmon, 0, 0, 0)
	},
	"a CPU that stands still in a call": func(s *script) {
		s.asleep().call(20_000).do(sched.EvTick, 1, sched.TickCall, 0).after(2_000_000_000).do(sched.EvTick, 1, sched.TickCall, 0)
		s.do(sched.EvKick, 0, 1, 0).sysmon(1).do(sched.EvIdleP, 0, 0, 0)
	},
	"a CPU that stands still between a put and the wake-up": func(s *script) {
		s.asleep().create(2).do(sched.EvPutNext, 2, 0, 0).after(2_000_000_000).do(sched.EvTick, 1, 0, 0)
		s.do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0)
	},
	"a sleeper that sees to what a tick saw": func(s *script) {
		s.asleep().on(1, -1).do(sched.EvSysmon, 0, sched.SysmonRescue, 0).do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0)
	},
	"a sleeper that is kicked": func(s *script) {
		s.asleep().do(sched.EvKick, 0, 1, 0).on(1, -1).do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0)
	},
	"a sleeper that sees a device, and whom it wakes asks that": func(s *script) {
		s.asleep().on(1, -1).do(sched.EvSummon, 0, 1, 0).do(sched.EvBusyP, 0, 1, 0).do(sched.EvWakeM, 0, 1, 1|sched.WakeSpinning)
		s.on(1, 1).do(sched.EvAcquire, 0, 0, 0).do(sched.EvUnpark, 0, 0, 0).look(sched.LookGlobal).do(sched.EvPoll, 0, 0, 0)
		s.after(2_000_000_000).do(sched.EvUnspin, 0, 0, 0)
	},
}

// brokenCalls are traces of them that break a rule each.
var brokenCalls = []wrongTrace{
	{"G1", func(s *script) { s.do(sched.EvStatus, 1, 3|2<<sched.StatusShift, 0) }},
	{"G2", func(s *script) { s.call(0).on(1, -1).do(sched.EvSyscallExit, 1, 0, 0) }},
	{"M1", func(s *script) { s.do(sched.EvSysmon, 0, 0, 0) }},
	{"M4", func(s *script) { s.call(0).create(2) }},
	{"M4", func(s *script) { s.call(0).block(1) }},
	{"M4", func(s *script) { // runs on without the P that was taken
		s.asleep().call(10_000_000).sysmon(1).do(sched.EvIdleP, 0, 0, 0).back().create(2)
	}},
	{"M4", func(s *script) { // as if it had not been
		s.asleep().call(10_000_000).sysmon(1).do(sched.EvIdleP, 0, 0, 0).on(0, 0).do(sched.EvSyscallExit, 1, 0, 0)
	}},
	{"P1", func(s *script) { // uses it
		s.asleep().call(10_000_000).sysmon(1).do(sched.EvIdleP, 0, 0, 0).back().on(0, 0).do(sched.EvPutNext, 1, 0, 0)
	}},
	{"N1", func(s *script) { // one is not told
		s.block(1).look(sched.LookGlobal).do(sched.EvUnblock, 1, 0, 0).do(sched.EvPutRing, 1, 0, 0).do(sched.EvPoll, 0, 0, 0)
	}},
	{"find", func(s *script) { // devices behind others' Ps
		s.wake().passes(1).do(sched.EvPoll, 0, 0, 0)
	}},
	{"S1", func(s *script) { // too early
		s.asleep().create(2).do(sched.EvPutRing, 2, 0, 0).call(15_000).sysmon(1)
	}},
	{"S1", func(s *script) { // for nothing
		s.three().call(25_000).sysmon(2).on(1, 1).create(3).do(sched.EvPutGlobal, 3, 0, 0)
	}},
	{"S1", func(s *script) { // by somebody who has nothing to do with it
		s.two().call(30_000).on(1, 1).do(sched.EvRetake, 0, 0|0<<8, 0)
	}},
	{"S1", func(s *script) { s.asleep().sysmon(1) }},
	{"S1", func(s *script) { // by an M that runs, and nothing is queued there
		s.two().call(30_000).on(1, 1).do(sched.EvYield, 2, 0, 0).do(sched.EvPutGlobal, 2, 0, 0).relief()
	}},
	{"S1", func(s *script) { // likewise, too early
		s.two().create(3).do(sched.EvPutRing, 3, 0, 0).call(15_000).on(1, 1).do(sched.EvYield, 2, 0, 0).do(sched.EvPutGlobal, 2, 0, 0).relief()
	}},
	{"S1", func(s *script) { // it runs on meanwhile
		s.two().create(3).do(sched.EvPutRing, 3, 0, 0).call(30_000).on(1, 1).relief()
	}},
	{"S1", func(s *script) { // nobody does, though Gs are queued
		s.two().create(3).do(sched.EvPutRing, 3, 0, 0).call(30_000).do(sched.EvTick, 1, sched.TickCall, 0).do(sched.EvTick, 1, sched.TickCall, 0).on(1, 1)
		for range 25 {
			s.after(40_000_000).do(sched.EvTick, 2, 0, 0)
		}
	}},
	{"S1", func(s *script) { s.call(0).do(sched.EvRetake, 0, 0|0<<8, 0) }}, // from itself
	{"M4", func(s *script) { s.call(0).do(sched.EvRelease, 0, 0, 0).do(sched.EvAcquire, 0, 0, 0) }},
	{"S1", func(s *script) { s.on(1, -1).do(sched.EvRetake, 0, 1|0<<8, 0) }},
	{"S1", func(s *script) { // never, though an M sleeps
		s.asleep().call(20_000_000).do(sched.EvTick, 1, sched.TickCall, 0).do(sched.EvTick, 1, sched.TickCall, 0).after(600_000_000).do(sched.EvTick, 1, sched.TickCall, 0)
	}},
	{"S2", func(s *script) { // a slice ends in a call, and nobody sees it
		s.create(2).do(sched.EvPutGlobal, 2, 0, 0).call(0).do(sched.EvTick, 1, sched.TickCall, 0)
		s.after(11_000_000).do(sched.EvTick, 1, sched.TickCall, 0).do(sched.EvTick, 1, sched.TickCall, 0)
	}},
	{"S2", func(s *script) { // the same over many calls
		s.create(2).do(sched.EvPutGlobal, 2, 0, 0)
		for range 1100 {
			s.call(8000).do(sched.EvTick, 1, sched.TickCall, 0).do(sched.EvSyscallExit, 1, 0, 0)
		}
	}},
	{"S2", func(s *script) { // it is not over
		s.call(1_000_000).do(sched.EvTick, 1, sched.TickCall|sched.TickLeave|sched.TickSlice, 0)
	}},
	{"A2", func(s *script) { // asked in each call, and it goes on
		s.create(2).do(sched.EvPutGlobal, 2, 0, 0).after(10_000_000)
		for range 30 {
			s.call(20_000).do(sched.EvTick, 1, sched.TickCall|sched.TickLeave|sched.TickSlice, 0).do(sched.EvSyscallExit, 1, 0, 0)
		}
	}},
	{"M13", func(s *script) { // taken, and nobody gets it
		s.asleep().call(10_000_000).sysmon(1).after(2_000_000_000).do(sched.EvHalt, 0, 0, 0)
	}},
	{"wake", func(s *script) { // nobody kicked it, and it sees nothing
		s.asleep().on(1, -1).do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0).after(2_000_000_000).do(sched.EvHalt, 0, 0, 0)
	}},
	{"U3", func(s *script) { // both keep the P
		s.do(sched.EvProcs, 0, 1, 0).create(2).do(sched.EvPutRing, 2, 0, 0).call(0)
		s.on(1, -1).do(sched.EvBoot, 0, 0, 0).on(1, 0).do(sched.EvAcquire, 0, 0, 0).start(2, sched.FromRing)
	}},
}

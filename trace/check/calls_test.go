package check

import "sched9/record"

// two has M 1 run G 2 with P 1 and goes on with M 0.
func (s *script) two() *script {
	s.create(2).do(record.EvPutNext, 2, 0, 0).wake().passes(4).do(record.EvSteal, 2, 0, 0|1<<8).do(record.EvUnspin, 0, 0, 0)
	return s.start(2, record.FromSteal).on(0, 0)
}

// three has M 1 run G 2, M 2 sleep, and P 2 idle, and goes on with M 0.
func (s *script) three() *script {
	s.do(record.EvProcs, 0, 3, 0).do(record.EvIdleP, 0, 2, 0).two()
	s.on(1, 1).do(record.EvSummon, 0, 1, 0).do(record.EvBusyP, 0, 2, 0).do(record.EvStartM, 0, 2, 2|record.WakeSpinning)
	s.on(2, -1).do(record.EvBoot, 0, 0, 0).on(2, 2).do(record.EvAcquire, 0, 0, 0).look(record.LookGlobal).sleep(true)
	return s.on(0, 0)
}

// call has M 0's G 1 enter a system call, which lasts.
func (s *script) call(ns int64) *script { return s.do(record.EvSyscallEnter, 1, 0, 0).after(ns) }

// back has it come back without a P.
func (s *script) back() *script { return s.on(0, -1).do(record.EvSyscallExit, 1, 0, 0) }

// sysmon has M m, asleep, do sysmon's work, and take P 0 from M 0.
func (s *script) sysmon(m int) *script {
	return s.on(m, -1).do(record.EvSysmon, 0, 0, 0).do(record.EvRetake, 0, 0|0<<8, 0).do(record.EvHandoff, 0, 0, 0)
}

// relief makes the current M, which runs no G, take P 0 from M 0 for the Gs queued there.
func (s *script) relief() *script {
	return s.do(record.EvSysmon, 0, record.SysmonBehind, 0).do(record.EvRetake, 0, 0|0<<8, 0).do(record.EvHandoff, 0, 0, 0)
}

// halts has M 1, which sleeps, wake up for a kick and halt again, and goes on with M 0.
func (s *script) halts() *script {
	return s.on(1, -1).do(record.EvHaltEnd, 0, 0, 0).do(record.EvHalt, 0, 0, 0).on(0, 0)
}

// held has n ticks strike in M 0's call, a millisecond apart; each kicks M 1 if kicks is set.
func (s *script) held(n int, kicks bool, then func()) *script {
	for range n {
		s.after(1_000_000).do(record.EvTick, 1, record.TickCall, 0)
		if kicks {
			s.do(record.EvKick, 0, 1, 0)
		}
		then()
	}
	return s
}

// goodCalls are traces of system calls, and of the work of sleeping Ms, that keep all rules.
var goodCalls = map[string]func(s *script){
	"a system call": func(s *script) {
		s.call(1_000_000).do(record.EvTick, 1, record.TickCall, 0).do(record.EvSyscallExit, 1, 0, 0).block(1)
	},
	"a slice that ends in one, and the G leaves when it is back": func(s *script) {
		s.create(2).do(record.EvPutGlobal, 2, 0, 0).call(11_000_000).do(record.EvTick, 1, record.TickCall|record.TickLeave|record.TickSlice, 0)
		s.do(record.EvSyscallExit, 1, 0, 0).do(record.EvPreempt, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0)
	},
	"a P that is lost after its slice is used up: the next owner begins one": func(s *script) {
		s.asleep().create(2).do(record.EvPutNext, 2, 0, 0).call(11_000_000).do(record.EvTick, 1, record.TickCall|record.TickLeave|record.TickSlice, 0)
		s.sysmon(1).do(record.EvWakeM, 0, 1, 0).on(1, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).start(2, record.FromNext)
	},
	"one that somebody looks at on its way": func(s *script) {
		s.call(0).do(record.EvStatus, 1, 2|3<<record.StatusShift, 0).do(record.EvStatus, 1, 3|2<<record.StatusShift, 0).do(record.EvSyscallExit, 1, 0, 0)
	},
	"a P that is taken for work, by an M that does it": func(s *script) {
		s.asleep().create(2).do(record.EvPutRing, 2, 0, 0).call(20_000)
		s.do(record.EvTick, 1, record.TickCall, 0).do(record.EvKick, 0, 1, 0).sysmon(1).do(record.EvWakeM, 0, 1, 0)
		s.on(1, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).start(2, record.FromRing)
		s.on(0, 0).do(record.EvTick, 1, record.TickCall, 0) // bears the P that it had
		s.back().do(record.EvBusyP, 0, 1, 0).on(0, 1).do(record.EvAcquire, 0, 0, 0).block(1)
	},
	"one that is taken after long, and there is none when the G comes back": func(s *script) {
		s.asleep().call(10_000_000).sysmon(1).do(record.EvIdleP, 0, 0, 0).do(record.EvBusyP, 0, 0, 0).do(record.EvBusyP, 0, 1, 0)
		s.back().do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0).do(record.EvPark, 0, 0, 0)
	},
	"the same, but there is one a moment later": func(s *script) {
		s.asleep().call(10_000_000).sysmon(1).do(record.EvIdleP, 0, 0, 0)
		s.back().do(record.EvYield, 1, 0, 0).do(record.EvBusyP, 0, 0, 0).on(0, 0).do(record.EvAcquire, 0, 0, 0).start(1, record.FromNowhere)
	},
	"one that is taken for work that another is about to record": func(s *script) {
		s.three().call(25_000).on(1, 1).create(3).sysmon(2).on(1, 1).do(record.EvTick, 2, 0, 0).do(record.EvPutGlobal, 3, 0, 0)
	},
	"one that is taken by an M that has just been given another, and which borrows it to start a third": func(s *script) {
		s.three().create(3).do(record.EvPutRing, 3, 0, 0).call(25_000).on(2, -1).do(record.EvSysmon, 0, 0, 0).do(record.EvRetake, 0, 0|0<<8, 0)
		s.on(1, 1).create(4).do(record.EvPutRing, 4, 0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvBusyP, 0, 2, 0).do(record.EvWakeM, 0, 2, 2|record.WakeSpinning)
		s.on(2, -1).do(record.EvHandoff, 0, 0, 0).do(record.EvStartM, 0, 3, 0).on(2, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvRelease, 0, 0, 0)
		s.on(3, -1).do(record.EvBoot, 0, 0, 0).on(3, 0).do(record.EvAcquire, 0, 0, 0).start(3, record.FromRing)
		s.on(2, 2).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).look(record.LookGlobal)
	},
	"one that is taken by an M that runs, because a G is queued there": func(s *script) {
		s.two().create(3).do(record.EvPutRing, 3, 0, 0).call(30_000).do(record.EvTick, 1, record.TickCall, 0)
		s.on(1, 1).do(record.EvTick, 2, record.TickLeave, 0).do(record.EvYield, 2, 0, 0).do(record.EvPutGlobal, 2, 0, 0).relief()
		s.do(record.EvTake, 3, uint64(record.FromRing), 0).do(record.EvPutGlobal, 3, 0, 0).do(record.EvIdleP, 0, 0, 0)
		s.do(record.EvGetGlobal, 2, 0|2<<record.CountShift, 0).start(2, record.FromGlobal)
	},
	"one that is taken to stop the world": func(s *script) {
		s.two().call(0).on(1, 1).do(record.EvStop, 2, 0, 0).do(record.EvHold, 2, 1<<record.ReasonShift, 0).do(record.EvRetake, 0, 0|0<<8, 0).do(record.EvStopP, 0, 0, 0)
		s.do(record.EvStopped, 0, 0, 0).do(record.EvUnhold, 2, 0, 0)
		s.back().do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0).do(record.EvPark, 0, 0, 0).on(1, 1).do(record.EvGo, 0, 0, 0)
	},
	"one that is taken because every P has something to run": func(s *script) {
		s.two().call(0).on(1, 1).do(record.EvHold, 2, 1<<record.ReasonShift, 0).do(record.EvRetake, 0, 0|0<<8, 0).do(record.EvHandoff, 0, 0, 0).do(record.EvIdleP, 0, 0, 0)
	},
	"a call that gives its P away": func(s *script) {
		s.call(0).do(record.EvRelease, 0, 0, 0).on(0, -1).do(record.EvHandoff, 0, 0, 0).do(record.EvIdleP, 0, 0, 0).back().do(record.EvBusyP, 0, 0, 0)
		s.on(0, 0).do(record.EvAcquire, 0, 0, 0).block(1)
	},
	"one that gives it to an M that it starts, and borrows it for that": func(s *script) {
		s.call(0).do(record.EvRelease, 0, 0, 0).on(0, -1).do(record.EvHandoff, 0, 0, 0).do(record.EvStartM, 0, 1, 0)
		s.on(0, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvTakeIPI, 0, 0, uint64(record.IPINMI)).do(record.EvRelease, 0, 0, 0)
		s.on(1, -1).do(record.EvBoot, 0, 0, 0).on(1, 0).do(record.EvAcquire, 0, 0, 0).look(record.LookGlobal)
	},
	"a device": func(s *script) {
		s.create(2).do(record.EvPutRing, 2, 0, 0).block(1).start(2, record.FromRing).do(record.EvExit, 2, 0, 0)
		s.look(record.LookDevices).do(record.EvUnblock, 1, 0, 0).do(record.EvPutRing, 1, 1, 0).do(record.EvPoll, 0, 1, 0)
		s.do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0)
		s.start(1, record.FromRing|1<<record.IndexShift)
	},
	"devices first for a slice, then the global queue": func(s *script) {
		s.devices(9_990_000).block(1).look(record.LookGlobal).do(record.EvGetGlobal, 2, 0|1<<record.CountShift, 0).start(2, record.FromGlobal)
	},
	"devices first for longer, and nobody waits": func(s *script) {
		s.poll().after(20_000_000).poll()
	},
	"a device that a tick asks for": func(s *script) {
		s.do(record.EvTick, 1, record.TickLeave, 0).do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0).do(record.EvPoll, 0, 0, 1).look(record.LookGlobal)
	},
	"one that is due where a search begins anew": func(s *script) {
		s.wake().passes(4).do(record.EvPoll, 0, 0, 1).look(record.LookDevices).do(record.EvPoll, 0, 0, 0).look(record.LookGlobal).passes(4)
	},
	"a sleeper that does sysmon's work and has been woken": func(s *script) {
		s.asleep().create(2).do(record.EvPutRing, 2, 0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvBusyP, 0, 1, 0).do(record.EvWakeM, 0, 1, 1|record.WakeSpinning)
		s.on(1, -1).do(record.EvSysmon, 0, 0, 0)
	},
	"a CPU that stands still in a call": func(s *script) {
		s.asleep().call(20_000).do(record.EvTick, 1, record.TickCall, 0).after(2_000_000_000).do(record.EvTick, 1, record.TickCall, 0)
		s.do(record.EvKick, 0, 1, 0).sysmon(1).do(record.EvIdleP, 0, 0, 0)
	},
	"all CPUs stand still after a sleeper was kicked, which is the first to go on": func(s *script) {
		s.asleep().on(1, -1).do(record.EvHalt, 0, 0, 0).on(0, 0).call(20_000).held(12, true, func() { s.halts() })
		s.held(1, true, func() {}).after(622_000_000).on(1, -1).do(record.EvHaltEnd, 0, 0, 0).after(50_000)
		s.sysmon(1).do(record.EvIdleP, 0, 0, 0)
	},
	"a sleeper's CPU stands still": func(s *script) {
		s.asleep().on(1, -1).do(record.EvHalt, 0, 0, 0).on(0, 0).call(20_000).held(2000, true, func() {})
		s.on(1, -1).do(record.EvHaltEnd, 0, 0, 0).sysmon(1).do(record.EvIdleP, 0, 0, 0)
	},
	"a CPU that stands still between a put and the wake-up": func(s *script) {
		s.asleep().create(2).do(record.EvPutNext, 2, 0, 0).after(2_000_000_000).do(record.EvTick, 1, 0, 0)
		s.do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0)
	},
	"a sleeper that is kicked": func(s *script) {
		s.asleep().do(record.EvKick, 0, 1, 0).on(1, -1).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0)
	},
	"a call's P is taken for a device that has something to tell": func(s *script) {
		s.three().call(25_000).sysmon(2).do(record.EvIdleP, 0, 0, 0).on(1, 1).block(2).look(record.LookDevices)
		s.do(record.EvUnblock, 2, 0, 0).do(record.EvPutRing, 2, 0, 0).do(record.EvPoll, 0, 1, 0).start(2, record.FromRing)
	},
	"a sleeper that sees a device, and whom it wakes asks that": func(s *script) {
		s.asleep().on(1, -1).do(record.EvSummon, 0, 1, 0).do(record.EvBusyP, 0, 1, 0).do(record.EvWakeM, 0, 1, 1|record.WakeSpinning)
		s.on(1, 1).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).look(record.LookDevices).do(record.EvPoll, 0, 0, 0)
		s.after(2_000_000_000).do(record.EvUnspin, 0, 0, 0)
	},
}

// poll has M 0's G wait for a device, which has told already.
func (s *script) poll() *script {
	s.block(1).look(record.LookDevices).do(record.EvUnblock, 1, 0, 0).do(record.EvPutRing, 1, s.slot, 0).do(record.EvPoll, 0, 1, 0)
	s.slot++
	return s.start(1, record.FromRing|record.Place(s.slot-1)<<record.IndexShift)
}

// devices has M 0's G wait for devices twice, which have told already, and use that time in between, while another is in the global queue.
func (s *script) devices(ns int64) *script {
	if s.slot == 0 {
		s.create(2).do(record.EvPutGlobal, 2, 0, 0)
	}
	return s.poll().after(ns).poll()
}

// brokenCalls are traces of them that break a rule each.
var brokenCalls = []wrongTrace{
	{"G1", func(s *script) { s.do(record.EvStatus, 1, 3|2<<record.StatusShift, 0) }},
	{"G2", func(s *script) { s.call(0).on(1, -1).do(record.EvSyscallExit, 1, 0, 0) }},
	{"M1", func(s *script) { s.do(record.EvSysmon, 0, 0, 0) }},
	{"M4", func(s *script) { s.call(0).create(2) }},
	{"M4", func(s *script) { s.call(0).block(1) }},
	{"M4", func(s *script) { // runs on without the P that was taken
		s.asleep().call(10_000_000).sysmon(1).do(record.EvIdleP, 0, 0, 0).back().create(2)
	}},
	{"M4", func(s *script) { // as if it had not been
		s.asleep().call(10_000_000).sysmon(1).do(record.EvIdleP, 0, 0, 0).on(0, 0).do(record.EvSyscallExit, 1, 0, 0)
	}},
	{"P1", func(s *script) { // uses it
		s.asleep().call(10_000_000).sysmon(1).do(record.EvIdleP, 0, 0, 0).back().on(0, 0).do(record.EvPutNext, 1, 0, 0)
	}},
	{"N1", func(s *script) { // one is not told
		s.block(1).look(record.LookDevices).do(record.EvUnblock, 1, 0, 0).do(record.EvPutRing, 1, 0, 0).do(record.EvPoll, 0, 0, 0)
	}},
	{"find", func(s *script) { // devices before others' Ps, and no look at them
		s.wake().passes(1).do(record.EvPoll, 0, 0, 0)
	}},
	{"find", func(s *script) { // devices behind the global queue
		s.block(1).look(record.LookGlobal).look(record.LookDevices).do(record.EvPoll, 0, 0, 0)
	}},
	{"find", func(s *script) { // devices where others' Ps have not all been looked at
		s.wake().passes(2).look(record.LookDevices).do(record.EvPoll, 0, 0, 0)
	}},
	{"N4", func(s *script) { s.devices(9_999_000).devices(1) }},
	{"S1", func(s *script) { // too early
		s.asleep().create(2).do(record.EvPutRing, 2, 0, 0).call(15_000).sysmon(1)
	}},
	{"S1", func(s *script) { // for nothing
		s.three().call(25_000).sysmon(2).on(1, 1).create(3).do(record.EvPutGlobal, 3, 0, 0).after(2_000_000_000).do(record.EvTick, 2, 0, 0)
	}},
	{"S1", func(s *script) { // and no device has anything to tell
		s.three().call(25_000).sysmon(2).do(record.EvIdleP, 0, 0, 0).on(1, 1).block(2).look(record.LookDevices).do(record.EvPoll, 0, 0, 0).look(record.LookGlobal)
	}},
	{"S1", func(s *script) { // by an M that has nothing to do with it
		s.two().call(30_000).on(1, 1).do(record.EvRetake, 0, 0|0<<8, 0)
	}},
	{"S1", func(s *script) { s.asleep().sysmon(1) }},
	{"S1", func(s *script) { // by an M that runs, and nothing is queued there
		s.two().call(30_000).on(1, 1).do(record.EvYield, 2, 0, 0).do(record.EvPutGlobal, 2, 0, 0).relief()
	}},
	{"S1", func(s *script) { // the same, too early
		s.two().create(3).do(record.EvPutRing, 3, 0, 0).call(15_000).on(1, 1).do(record.EvYield, 2, 0, 0).do(record.EvPutGlobal, 2, 0, 0).relief()
	}},
	{"S1", func(s *script) { // its G runs on
		s.two().create(3).do(record.EvPutRing, 3, 0, 0).call(30_000).on(1, 1).relief()
	}},
	{"S1", func(s *script) { // it is not taken, though Gs are queued
		s.two().create(3).do(record.EvPutRing, 3, 0, 0).call(30_000).do(record.EvTick, 1, record.TickCall, 0).do(record.EvTick, 1, record.TickCall, 0).on(1, 1)
		for range 25 {
			s.after(40_000_000).do(record.EvTick, 2, 0, 0)
		}
	}},
	{"S1", func(s *script) { s.call(0).do(record.EvRetake, 0, 0|0<<8, 0) }}, // from itself
	{"M4", func(s *script) { s.call(0).do(record.EvRelease, 0, 0, 0).do(record.EvAcquire, 0, 0, 0) }},
	{"S1", func(s *script) { s.on(1, -1).do(record.EvRetake, 0, 1|0<<8, 0) }},
	{"S1", func(s *script) { // never, though an M sleeps, which is not kicked
		s.asleep().call(0).held(550, false, func() {})
	}},
	{"S1", func(s *script) { // it is kicked, and wakes up each time
		s.asleep().on(1, -1).do(record.EvHalt, 0, 0, 0).on(0, 0).call(0).held(550, true, func() { s.halts() })
	}},
	{"S1", func(s *script) { // its kicks are lost
		s.asleep().call(0).held(5100, true, func() {})
	}},
	{"S2", func(s *script) { // a slice ends in a call, and no tick sees it
		s.create(2).do(record.EvPutGlobal, 2, 0, 0).call(0).do(record.EvTick, 1, record.TickCall, 0)
		s.after(11_000_000).do(record.EvTick, 1, record.TickCall, 0).do(record.EvTick, 1, record.TickCall, 0)
	}},
	{"S2", func(s *script) { // the same over many calls
		s.create(2).do(record.EvPutGlobal, 2, 0, 0)
		for range 1100 {
			s.call(8000).do(record.EvTick, 1, record.TickCall, 0).do(record.EvSyscallExit, 1, 0, 0)
		}
	}},
	{"S2", func(s *script) { // it is not over
		s.call(1_000_000).do(record.EvTick, 1, record.TickCall|record.TickLeave|record.TickSlice, 0)
	}},
	{"A2", func(s *script) { // asked in each call, and it goes on
		s.create(2).do(record.EvPutGlobal, 2, 0, 0).after(10_000_000)
		for range 30 {
			s.call(20_000).do(record.EvTick, 1, record.TickCall|record.TickLeave|record.TickSlice, 0).do(record.EvSyscallExit, 1, 0, 0)
		}
	}},
	{"M13", func(s *script) { // taken, and no M gets it
		s.asleep().call(10_000_000).sysmon(1).after(2_000_000_000).do(record.EvHalt, 0, 0, 0)
	}},
	{"wake", func(s *script) { // it was not kicked, and it sees nothing
		s.asleep().on(1, -1).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0).after(2_000_000_000).do(record.EvHalt, 0, 0, 0)
	}},
	{"U3", func(s *script) { // both keep the P
		s.do(record.EvProcs, 0, 1, 0).create(2).do(record.EvPutRing, 2, 0, 0).call(0)
		s.on(1, -1).do(record.EvBoot, 0, 0, 0).on(1, 0).do(record.EvAcquire, 0, 0, 0).start(2, record.FromRing)
	}},
}

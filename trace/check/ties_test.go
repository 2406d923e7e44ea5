package check

import "sched9/sched"

// tie ties the G that runs.
func (s *script) tie(g uint64) *script { return s.do(sched.EvLock, g, 1, 0) }

// goodTies are traces of Gs that are tied to their Ms that keep all rules.
var goodTies = map[string]func(s *script){
	"ties that nest": func(s *script) {
		s.tie(1).do(sched.EvLock, 1, 2, 0).do(sched.EvUnlock, 1, 1, 0).do(sched.EvUnlock, 1, 0, 0)
	},
	"one waits, and another finds it": func(s *script) {
		s.create(2).do(sched.EvPutRing, 2, 0, 0).tie(1).block(1).hands().start(2, sched.FromRing)
		s.do(sched.EvUnblock, 1, 0, 0).do(sched.EvPutNext, 1, 0, 0).block(2).do(sched.EvPass, 1, 0, uint64(sched.FromNext))
		s.do(sched.EvBusyP, 0, 1, 0).do(sched.EvWakeM, 0, 0, 1).look(sched.LookGlobal)
		s.on(0, 1).do(sched.EvAcquire, 0, 0, 0).do(sched.EvUnpark, 0, 0, 0).start(1, sched.FromPass)
	},
	"the same, and no P is idle: it gives its own": func(s *script) {
		s.do(sched.EvProcs, 0, 1, 0).do(sched.EvBusyP, 0, 1, 0).create(2).do(sched.EvPutRing, 2, 0, 0).tie(1).block(1).hands().start(2, sched.FromRing)
		s.do(sched.EvUnblock, 1, 0, 0).do(sched.EvPutNext, 1, 0, 0).block(2).do(sched.EvPass, 1, 0, uint64(sched.FromNext))
		s.do(sched.EvRelease, 0, 0, 0).on(1, -1).do(sched.EvHandoff, 0, 0, 0).do(sched.EvWakeM, 0, 0, 0).do(sched.EvPark, 0, 0, 0)
		s.on(0, 0).do(sched.EvAcquire, 0, 0, 0).do(sched.EvUnpark, 0, 0, 0).start(1, sched.FromPass)
	},
	"one is passed to its M, which is awake": func(s *script) {
		s.two().tie(1).do(sched.EvYield, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).block(2).look(sched.LookGlobal).do(sched.EvGetGlobal, 1, 0|1<<sched.CountShift, 0).do(sched.EvPass, 1, 0, uint64(sched.FromGlobal)).look(sched.LookGlobal)
		s.on(0, 0).start(1, sched.FromPass)
	},
	"it wakes another for those that it goes before": func(s *script) {
		s.two().tie(1).do(sched.EvYield, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).create(3).do(sched.EvPutRing, 3, 0, 0).block(2).look(sched.LookGlobal).do(sched.EvGetGlobal, 1, 0|1<<sched.CountShift, 0).do(sched.EvPass, 1, 0, uint64(sched.FromGlobal))
		s.create(4).do(sched.EvPutGlobal, 4, 0, 0)
		s.on(0, 0).do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0).do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0).start(1, sched.FromPass)
	},
	"the same, and they are taken before it says so": func(s *script) {
		s.two().tie(1).do(sched.EvYield, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).create(3).do(sched.EvPutGlobal, 3, 0, 0).block(2).look(sched.LookGlobal).do(sched.EvGetGlobal, 1, 0|1<<sched.CountShift, 0).do(sched.EvPass, 1, 0, uint64(sched.FromGlobal))
		s.on(0, 0).do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0)
		s.on(1, 1).look(sched.LookGlobal).do(sched.EvGetGlobal, 3, 0|1<<sched.CountShift, 0)
		s.on(0, 0).do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0).on(1, 1).start(3, sched.FromGlobal)
		s.on(0, 0).start(1, sched.FromPass)
	},
	"and back to the global queue, for want of a P": func(s *script) {
		s.two().tie(1).do(sched.EvYield, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0).do(sched.EvRelease, 0, 0, 0).on(0, -1).do(sched.EvHandoff, 0, 0, 0)
		s.on(1, 1).block(2).look(sched.LookGlobal).do(sched.EvGetGlobal, 1, 0|1<<sched.CountShift, 0).do(sched.EvPass, 1, 0, uint64(sched.FromGlobal))
		s.on(0, -1).do(sched.EvStartM, 0, 2, 0).do(sched.EvPutGlobal, 1, 0, 0).do(sched.EvPark, 0, sched.ParkLocked, 0)
	},
	"it waits for nothing": func(s *script) {
		s.tie(1).block(1).do(sched.EvUnblock, 1, 0, 0).start(1, sched.FromNowhere).do(sched.EvUnlock, 1, 0, 0)
	},
	"an M that is lent because there is no other": func(s *script) {
		s.t.SMP = 1
		s.create(2).do(sched.EvPutRing, 2, 0, 0).tie(1).block(1).start(2, sched.FromRing)
		s.do(sched.EvUnblock, 1, 0, 0).do(sched.EvPutNext, 1, 0, 0).block(2).start(1, sched.FromNext)
	},
	"one that lends itself, because the other is in a system call": func(s *script) {
		s.t.SMP = 2
		s.create(2).do(sched.EvPutRing, 2, 0, 0).create(3).do(sched.EvPutRing, 3, 1, 0).tie(1).block(1).hands().start(2, sched.FromRing)
		s.do(sched.EvSyscallEnter, 2, 0, 0).after(30_000).on(0, -1).do(sched.EvSysmon, 0, 0, 0).do(sched.EvRetake, 0, 0|1<<8, 0).do(sched.EvHandoff, 0, 0, 0)
		s.do(sched.EvWakeM, 0, 0, 0).on(0, 0).do(sched.EvAcquire, 0, 0, 0).do(sched.EvUnpark, 0, 0, 0).start(3, sched.FromRing|1<<sched.IndexShift)
	},
	"one that is lent by the other, which is about to hold a system call": func(s *script) {
		s.t.SMP = 2
		s.create(2).do(sched.EvPutRing, 2, 0, 0).create(3).do(sched.EvPutRing, 3, 1, 0).tie(1).block(1).hands().start(2, sched.FromRing)
		s.do(sched.EvSyscallEnter, 2, 0, 0).do(sched.EvRelease, 0, 0, 0).on(1, -1).do(sched.EvHandoff, 0, 0, 0).do(sched.EvWakeM, 0, 0, 0)
		s.on(0, 0).do(sched.EvAcquire, 0, 0, 0).do(sched.EvUnpark, 0, 0, 0).start(3, sched.FromRing|1<<sched.IndexShift)
	},
	"one that does not stop, because the other is in a system call": func(s *script) {
		s.t.SMP = 2
		s.two().on(1, 1).do(sched.EvSyscallEnter, 2, 0, 0).on(0, 0).tie(1).block(1).do(sched.EvRelease, 0, 0, 0).on(0, -1).do(sched.EvHandoff, 0, 0, 0).do(sched.EvIdleP, 0, 0, 0)
		s.do(sched.EvBusyP, 0, 0, 0).on(0, 0).do(sched.EvAcquire, 0, 0, 0).do(sched.EvSpin, 0, 1, 0).look(sched.LookGlobal)
	},
	"a timer M that is given a P for its own": func(s *script) {
		s.t.SMP = 1
		s.create(2).do(sched.EvPutRing, 2, 0, 0).tie(1).block(1).start(2, sched.FromRing).do(sched.EvExit, 2, 0, 0).look(sched.LookGlobal).look(sched.LookIdle).look(sched.LookLocked)
		s.do(sched.EvRelease, 0, 0, 0).on(0, -1).do(sched.EvIdleP, 0, 0, 0).do(sched.EvTimerSleep, 0, 9_000_000, 0)
		s.on(1, -1).do(sched.EvUnblock, 1, 0, 0).do(sched.EvPass, 1, 0, 0).do(sched.EvBusyP, 0, 0, 0).do(sched.EvWakeM, 0, 0, 0)
		s.on(0, -1).do(sched.EvTimerWake, 0, 0, 0).on(0, 0).do(sched.EvAcquire, 0, 0, 0).do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0).start(1, sched.FromPass)
	},
	"coroutines hand the tie on": func(s *script) {
		s.do(sched.EvCreate, 2, 0x1000|sched.CreateParked, 0).tie(1).block(1).do(sched.EvUnblock, 2, 0, 0).start(2, sched.FromNowhere)
		s.do(sched.EvLock, 2, 2, 0).do(sched.EvUnlock, 2, 1, 0).do(sched.EvExit, 2, 0, 0).do(sched.EvUnblock, 1, 0, 0).start(1, sched.FromNowhere).do(sched.EvUnlock, 1, 0, 0)
	},
	"an M ends with its G": func(s *script) {
		s.tie(1).do(sched.EvExit, 1, 0, 0).do(sched.EvExitM, 0, 0, 0).do(sched.EvRelease, 0, 0, 0).on(0, -1).do(sched.EvHandoff, 0, 0, 0).do(sched.EvIdleP, 0, 0, 0)
		s.do(sched.EvBoot, 0, 0, 0).do(sched.EvPark, 0, 0, 0)
	},
	"an M goes on for another that is tied to it": func(s *script) {
		s.t.SMP = 1
		s.create(2).do(sched.EvPutRing, 2, 0, 0).tie(1).block(1).start(2, sched.FromRing).tie(2).do(sched.EvExit, 2, 0, 0).look(sched.LookGlobal)
	},
	"a thread for every G": func(s *script) {
		s.create(2).do(sched.EvPutRing, 2, 0, 0).block(1).tie(2).start(2, sched.FromRing).do(sched.EvExit, 2, 0, 0).do(sched.EvExitM, 0, 0, 0).do(sched.EvRelease, 0, 0, 0)
	},
	"foreign code borrows an M": func(s *script) {
		s.do(sched.EvCreate, 2, 0x1000|sched.CreateParked, 0).on(3, -1).do(sched.EvBoot, 0, 0, 0)
		s.do(sched.EvUnblock, 2, 0, 0).do(sched.EvNeedM, 2, 0, 0).do(sched.EvBusyP, 0, 1, 0).on(3, 1).do(sched.EvAcquire, 0, 0, 0).start(2, sched.FromNowhere).block(2)
		s.do(sched.EvRelease, 0, 0, 0).on(3, -1).do(sched.EvDropM, 0, 0, 0).do(sched.EvHandoff, 0, 1, 0).do(sched.EvIdleP, 0, 1, 0)
	},
	"and waits for a P": func(s *script) {
		s.do(sched.EvCreate, 2, 0x1000|sched.CreateParked, 0).do(sched.EvBusyP, 0, 1, 0).on(3, -1).do(sched.EvBoot, 0, 0, 0)
		s.do(sched.EvUnblock, 2, 0, 0).do(sched.EvNeedM, 2, 0, 0).do(sched.EvPutGlobal, 2, 0, 0).do(sched.EvPark, 0, sched.ParkLocked, 0)
	},
}

// brokenTies are traces of them that break a rule each.
var brokenTies = []wrongTrace{
	{"M6", func(s *script) { // stolen, and run elsewhere
		s.tie(1).do(sched.EvYield, 1, 0, 0).do(sched.EvPutNext, 1, 0, 0).wake().passes(4)
		s.do(sched.EvSteal, 1, 0, 0|1<<8).do(sched.EvUnspin, 0, 0, 0).start(1, sched.FromSteal)
	}},
	{"M6", func(s *script) { s.on(1, -1).tie(1) }},
	{"M6", func(s *script) { // tied by another that does not run it then
		s.create(2).do(sched.EvPutRing, 2, 0, 0).block(1).tie(2).look(sched.LookGlobal)
	}},
	{"M6", func(s *script) { // the coroutine that was left is no more tied
		s.do(sched.EvCreate, 2, 0x1000|sched.CreateParked, 0).tie(1).block(1).do(sched.EvUnblock, 2, 0, 0).start(2, sched.FromNowhere)
		s.do(sched.EvYield, 2, 0, 0).do(sched.EvPutNext, 2, 0, 0).wake().passes(4).do(sched.EvSteal, 2, 0, 0|1<<8).do(sched.EvUnspin, 0, 0, 0).start(2, sched.FromSteal)
	}},
	{"M11", func(s *script) { s.tie(1).do(sched.EvExit, 1, 0, 0).look(sched.LookGlobal) }},
	{"M11", func(s *script) { s.do(sched.EvExit, 1, 0, 0).do(sched.EvExitM, 0, 0, 0) }},
	{"M11", func(s *script) { // another is tied to it
		s.t.SMP = 1
		s.create(2).do(sched.EvPutRing, 2, 0, 0).tie(1).block(1).start(2, sched.FromRing).tie(2).do(sched.EvExit, 2, 0, 0).do(sched.EvExitM, 0, 0, 0)
	}},
	{"M11", func(s *script) { s.tie(1).do(sched.EvExit, 1, 0, 0).do(sched.EvExitM, 0, 0, 0).look(sched.LookGlobal) }},
	{"M11", func(s *script) {
		s.tie(1).do(sched.EvExit, 1, 0, 0).do(sched.EvExitM, 0, 0, 0).do(sched.EvBoot, 0, 0, 0)
	}},
	{"M12", func(s *script) { s.tie(1).do(sched.EvUnlock, 1, 0, 0).do(sched.EvUnlock, 1, 0, 0) }},
	{"M12", func(s *script) { s.tie(1).do(sched.EvLock, 1, 3, 0) }},
	{"M12", func(s *script) { s.tie(1).do(sched.EvUnlock, 1, 1, 0) }},
	{"M13", func(s *script) { s.do(sched.EvHandoff, 0, 0, 0) }},
	{"M13", func(s *script) { // runs another, though there are other Ms
		s.create(2).do(sched.EvPutRing, 2, 0, 0).tie(1).block(1).start(2, sched.FromRing)
	}},
	{"M13", func(s *script) { s.tie(1).block(1).look(sched.LookGlobal) }},
	{"M13", func(s *script) { // parks as one that may be given any
		s.tie(1).block(1).do(sched.EvRelease, 0, 0, 0).on(0, -1).do(sched.EvHandoff, 0, 0, 0).do(sched.EvIdleP, 0, 0, 0).do(sched.EvPark, 0, 0, 0)
	}},
	{"M13", func(s *script) { // waits for what it has not
		s.block(1).do(sched.EvRelease, 0, 0, 0).on(0, -1).do(sched.EvPark, 0, sched.ParkLocked, 0)
	}},
	{"M13", func(s *script) { // is given a P for others
		s.tie(1).block(1).hands().do(sched.EvBusyP, 0, 1, 0).do(sched.EvWakeM, 0, 0, 1)
	}},
	{"M13", func(s *script) { // lends itself, and the other just runs
		s.t.SMP = 2
		s.create(2).do(sched.EvPutRing, 2, 0, 0).tie(1).block(1).hands().start(2, sched.FromRing)
		s.on(0, -1).do(sched.EvSysmon, 0, 0, 0).do(sched.EvBusyP, 0, 1, 0).do(sched.EvWakeM, 0, 0, 1)
	}},
	{"M13", func(s *script) { // does not stop, and the other just runs
		s.t.SMP = 2
		s.two().tie(1).block(1).do(sched.EvRelease, 0, 0, 0).on(0, -1).do(sched.EvHandoff, 0, 0, 0).do(sched.EvIdleP, 0, 0, 0)
		s.do(sched.EvBusyP, 0, 0, 0).on(0, 0).do(sched.EvAcquire, 0, 0, 0).do(sched.EvSpin, 0, 1, 0)
	}},
	{"M13", func(s *script) { // passed to a wrong M
		s.two().tie(1).do(sched.EvYield, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).block(2).look(sched.LookGlobal).do(sched.EvGetGlobal, 1, 0|1<<sched.CountShift, 0).do(sched.EvPass, 1, 2, uint64(sched.FromGlobal))
	}},
	{"M13", func(s *script) { // one that is not tied
		s.two().do(sched.EvYield, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).block(2).look(sched.LookGlobal).do(sched.EvGetGlobal, 1, 0|1<<sched.CountShift, 0).do(sched.EvPass, 1, 0, uint64(sched.FromGlobal))
	}},
	{"M13", func(s *script) { // its M is not woken
		s.create(2).do(sched.EvPutRing, 2, 0, 0).tie(1).block(1).hands().start(2, sched.FromRing)
		s.do(sched.EvUnblock, 1, 0, 0).do(sched.EvPutNext, 1, 0, 0).block(2).do(sched.EvPass, 1, 0, uint64(sched.FromNext))
		s.after(1_000_000).look(sched.LookGlobal).after(600_000_000).look(sched.LookIdle)
	}},
	{"G3", func(s *script) { // found where it was not passed to
		s.two().tie(1).do(sched.EvYield, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0).start(1, sched.FromPass)
	}},
	{"M9", func(s *script) { // it takes another P than the one it was given
		s.asleep().do(sched.EvBusyP, 0, 1, 0).do(sched.EvWakeM, 0, 1, 1).do(sched.EvProcs, 0, 3, 0).on(1, 2).do(sched.EvAcquire, 0, 0, 0)
	}},
	{"wake", func(s *script) { // it goes before nobody
		s.two().tie(1).do(sched.EvYield, 1, 0, 0).do(sched.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).block(2).look(sched.LookGlobal).do(sched.EvGetGlobal, 1, 0|1<<sched.CountShift, 0).do(sched.EvPass, 1, 0, uint64(sched.FromGlobal))
		s.on(0, 0).do(sched.EvSummon, 0, 1, 0).do(sched.EvUnsummon, 0, 0, 0).do(sched.EvSummon, 0, 1, 0).on(1, 1).look(sched.LookGlobal).look(sched.LookIdle)
	}},
	{"M15", func(s *script) { s.do(sched.EvNeedM, 1, 0, 0) }},
	{"M15", func(s *script) { s.on(3, -1).do(sched.EvBoot, 0, 0, 0).do(sched.EvDropM, 0, 0, 0) }},
	{"P4", func(s *script) { // a P that was not stopped
		s.two().do(sched.EvStop, 1, 0, 0).do(sched.EvHold, 1, 1<<sched.ReasonShift, 0).on(1, 1).do(sched.EvPreempt, 2, 0, 0).do(sched.EvPutRing, 2, 0, 0)
		s.on(0, 0).do(sched.EvStopped, 0, 0, 0)
	}},
}

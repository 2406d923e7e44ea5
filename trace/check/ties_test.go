package check

import "sched9/record"

// tie ties the G that runs.
func (s *script) tie(g uint64) *script { return s.do(record.EvLock, g, 1, 0) }

// goodTies are traces of Gs that are tied to their Ms that keep all rules.
var goodTies = map[string]func(s *script){
	"ties that nest": func(s *script) {
		s.tie(1).do(record.EvLock, 1, 2, 0).do(record.EvUnlock, 1, 1, 0).do(record.EvUnlock, 1, 0, 0)
	},
	"one waits, and another finds it": func(s *script) {
		s.create(2).do(record.EvPutRing, 2, 0, 0).tie(1).block(1).hands().start(2, record.FromRing)
		s.do(record.EvUnblock, 1, 0, 0).do(record.EvPutNext, 1, 0, 0).block(2).do(record.EvPass, 1, 0, uint64(record.FromNext))
		s.do(record.EvBusyP, 0, 1, 0).do(record.EvWakeM, 0, 0, 1).look(record.LookGlobal)
		s.on(0, 1).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).start(1, record.FromPass)
	},
	"the same, and no P is idle: it gives its own": func(s *script) {
		s.do(record.EvProcs, 0, 1, 0).do(record.EvBusyP, 0, 1, 0).create(2).do(record.EvPutRing, 2, 0, 0).tie(1).block(1).hands().start(2, record.FromRing)
		s.do(record.EvUnblock, 1, 0, 0).do(record.EvPutNext, 1, 0, 0).block(2).do(record.EvPass, 1, 0, uint64(record.FromNext))
		s.do(record.EvRelease, 0, 0, 0).on(1, -1).do(record.EvHandoff, 0, 0, 0).do(record.EvWakeM, 0, 0, 0).do(record.EvPark, 0, 0, 0)
		s.on(0, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).start(1, record.FromPass)
	},
	"one is passed to its M, which is awake": func(s *script) {
		s.two().tie(1).do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).block(2).look(record.LookGlobal).do(record.EvGetGlobal, 1, 0|1<<record.CountShift, 0).do(record.EvPass, 1, 0, uint64(record.FromGlobal)).look(record.LookGlobal)
		s.on(0, 0).start(1, record.FromPass)
	},
	"it wakes another for those that it goes before": func(s *script) {
		s.two().tie(1).do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).create(3).do(record.EvPutRing, 3, 0, 0).block(2).look(record.LookGlobal).do(record.EvGetGlobal, 1, 0|1<<record.CountShift, 0).do(record.EvPass, 1, 0, uint64(record.FromGlobal))
		s.create(4).do(record.EvPutGlobal, 4, 0, 0)
		s.on(0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0).start(1, record.FromPass)
	},
	"the same, and they are taken before it says so": func(s *script) {
		s.two().tie(1).do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).create(3).do(record.EvPutGlobal, 3, 0, 0).block(2).look(record.LookGlobal).do(record.EvGetGlobal, 1, 0|1<<record.CountShift, 0).do(record.EvPass, 1, 0, uint64(record.FromGlobal))
		s.on(0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0)
		s.on(1, 1).look(record.LookGlobal).do(record.EvGetGlobal, 3, 0|1<<record.CountShift, 0)
		s.on(0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0).on(1, 1).start(3, record.FromGlobal)
		s.on(0, 0).start(1, record.FromPass)
	},
	"and back to the global queue, for want of a P": func(s *script) {
		s.two().tie(1).do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0).do(record.EvRelease, 0, 0, 0).on(0, -1).do(record.EvHandoff, 0, 0, 0)
		s.on(1, 1).block(2).look(record.LookGlobal).do(record.EvGetGlobal, 1, 0|1<<record.CountShift, 0).do(record.EvPass, 1, 0, uint64(record.FromGlobal))
		s.on(0, -1).do(record.EvStartM, 0, 2, 0).do(record.EvPutGlobal, 1, 0, 0).do(record.EvPark, 0, record.ParkLocked, 0)
	},
	"it waits for nothing": func(s *script) {
		s.tie(1).block(1).do(record.EvUnblock, 1, 0, 0).start(1, record.FromNowhere).do(record.EvUnlock, 1, 0, 0)
	},
	"an M that is lent because there is no other": func(s *script) {
		s.t.SMP = 1
		s.create(2).do(record.EvPutRing, 2, 0, 0).tie(1).block(1).start(2, record.FromRing)
		s.do(record.EvUnblock, 1, 0, 0).do(record.EvPutNext, 1, 0, 0).block(2).start(1, record.FromNext)
	},
	"one that lends itself, because the other is in a system call": func(s *script) {
		s.t.SMP = 2
		s.create(2).do(record.EvPutRing, 2, 0, 0).create(3).do(record.EvPutRing, 3, 1, 0).tie(1).block(1).hands().start(2, record.FromRing)
		s.do(record.EvSyscallEnter, 2, 0, 0).after(30_000).on(0, -1).do(record.EvSysmon, 0, 0, 0).do(record.EvRetake, 0, 0|1<<8, 0).do(record.EvHandoff, 0, 0, 0)
		s.do(record.EvWakeM, 0, 0, 0).on(0, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).start(3, record.FromRing|1<<record.IndexShift)
	},
	"one that is lent by the other, which is about to hold a system call": func(s *script) {
		s.t.SMP = 2
		s.create(2).do(record.EvPutRing, 2, 0, 0).create(3).do(record.EvPutRing, 3, 1, 0).tie(1).block(1).hands().start(2, record.FromRing)
		s.do(record.EvSyscallEnter, 2, 0, 0).do(record.EvRelease, 0, 0, 0).on(1, -1).do(record.EvHandoff, 0, 0, 0).do(record.EvWakeM, 0, 0, 0)
		s.on(0, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).start(3, record.FromRing|1<<record.IndexShift)
	},
	"one that does not stop, because the other is in a system call": func(s *script) {
		s.t.SMP = 2
		s.two().on(1, 1).do(record.EvSyscallEnter, 2, 0, 0).on(0, 0).tie(1).block(1).do(record.EvRelease, 0, 0, 0).on(0, -1).do(record.EvHandoff, 0, 0, 0).do(record.EvIdleP, 0, 0, 0)
		s.do(record.EvBusyP, 0, 0, 0).on(0, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvSpin, 0, 1, 0).look(record.LookGlobal)
	},
	"a timer M that is given a P for its own": func(s *script) {
		s.t.SMP = 1
		s.create(2).do(record.EvPutRing, 2, 0, 0).tie(1).block(1).start(2, record.FromRing).do(record.EvExit, 2, 0, 0).look(record.LookGlobal).look(record.LookIdle).look(record.LookLocked)
		s.do(record.EvRelease, 0, 0, 0).on(0, -1).do(record.EvIdleP, 0, 0, 0).do(record.EvPark, 0, 0, 0).do(record.EvTimerSleep, 0, 9_000_000, 0)
		s.on(1, -1).do(record.EvUnblock, 1, 0, 0).do(record.EvPass, 1, 0, 0).do(record.EvBusyP, 0, 0, 0).do(record.EvWakeM, 0, 0, 0)
		s.on(0, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvUnpark, 0, 0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0).start(1, record.FromPass)
	},
	"coroutines hand the tie on": func(s *script) {
		s.do(record.EvCreate, 2, 0x1000|record.CreateParked, 0).tie(1).block(1).do(record.EvUnblock, 2, 0, 0).start(2, record.FromNowhere)
		s.do(record.EvLock, 2, 2, 0).do(record.EvUnlock, 2, 1, 0).do(record.EvExit, 2, 0, 0).do(record.EvUnblock, 1, 0, 0).start(1, record.FromNowhere).do(record.EvUnlock, 1, 0, 0)
	},
	"an M ends with its G": func(s *script) {
		s.tie(1).do(record.EvExit, 1, 0, 0).do(record.EvExitM, 0, 0, 0).do(record.EvRelease, 0, 0, 0).on(0, -1).do(record.EvHandoff, 0, 0, 0).do(record.EvIdleP, 0, 0, 0)
		s.do(record.EvBoot, 0, 0, 0).do(record.EvPark, 0, 0, 0)
	},
	"an M goes on for another that is tied to it": func(s *script) {
		s.t.SMP = 1
		s.create(2).do(record.EvPutRing, 2, 0, 0).tie(1).block(1).start(2, record.FromRing).tie(2).do(record.EvExit, 2, 0, 0).look(record.LookGlobal)
	},
	"a thread for every G": func(s *script) {
		s.create(2).do(record.EvPutRing, 2, 0, 0).block(1).tie(2).start(2, record.FromRing).do(record.EvExit, 2, 0, 0).do(record.EvExitM, 0, 0, 0).do(record.EvRelease, 0, 0, 0)
	},
	"foreign code borrows an M": func(s *script) {
		s.do(record.EvCreate, 2, 0x1000|record.CreateParked, 0).on(3, -1).do(record.EvBoot, 0, 0, 0)
		s.do(record.EvUnblock, 2, 0, 0).do(record.EvNeedM, 2, 0, 0).do(record.EvBusyP, 0, 1, 0).on(3, 1).do(record.EvAcquire, 0, 0, 0).start(2, record.FromNowhere).block(2)
		s.do(record.EvRelease, 0, 0, 0).on(3, -1).do(record.EvDropM, 0, 0, 0).do(record.EvHandoff, 0, 1, 0).do(record.EvIdleP, 0, 1, 0)
	},
	"and waits for a P": func(s *script) {
		s.do(record.EvCreate, 2, 0x1000|record.CreateParked, 0).do(record.EvBusyP, 0, 1, 0).on(3, -1).do(record.EvBoot, 0, 0, 0)
		s.do(record.EvUnblock, 2, 0, 0).do(record.EvNeedM, 2, 0, 0).do(record.EvPutGlobal, 2, 0, 0).do(record.EvPark, 0, record.ParkLocked, 0)
	},
}

// brokenTies are traces of them that break a rule each.
var brokenTies = []wrongTrace{
	{"M6", func(s *script) { // stolen, and run elsewhere
		s.tie(1).do(record.EvYield, 1, 0, 0).do(record.EvPutNext, 1, 0, 0).wake().passes(4)
		s.do(record.EvSteal, 1, 0, 0|1<<8).do(record.EvUnspin, 0, 0, 0).start(1, record.FromSteal)
	}},
	{"M6", func(s *script) { s.on(1, -1).tie(1) }},
	{"M6", func(s *script) { // tied by another that does not run it then
		s.create(2).do(record.EvPutRing, 2, 0, 0).block(1).tie(2).look(record.LookGlobal)
	}},
	{"M6", func(s *script) { // the coroutine that was left is no more tied
		s.do(record.EvCreate, 2, 0x1000|record.CreateParked, 0).tie(1).block(1).do(record.EvUnblock, 2, 0, 0).start(2, record.FromNowhere)
		s.do(record.EvYield, 2, 0, 0).do(record.EvPutNext, 2, 0, 0).wake().passes(4).do(record.EvSteal, 2, 0, 0|1<<8).do(record.EvUnspin, 0, 0, 0).start(2, record.FromSteal)
	}},
	{"M11", func(s *script) { s.tie(1).do(record.EvExit, 1, 0, 0).look(record.LookGlobal) }},
	{"M11", func(s *script) { s.do(record.EvExit, 1, 0, 0).do(record.EvExitM, 0, 0, 0) }},
	{"M11", func(s *script) { // another is tied to it
		s.t.SMP = 1
		s.create(2).do(record.EvPutRing, 2, 0, 0).tie(1).block(1).start(2, record.FromRing).tie(2).do(record.EvExit, 2, 0, 0).do(record.EvExitM, 0, 0, 0)
	}},
	{"M11", func(s *script) {
		s.tie(1).do(record.EvExit, 1, 0, 0).do(record.EvExitM, 0, 0, 0).look(record.LookGlobal)
	}},
	{"M11", func(s *script) {
		s.tie(1).do(record.EvExit, 1, 0, 0).do(record.EvExitM, 0, 0, 0).do(record.EvBoot, 0, 0, 0)
	}},
	{"M12", func(s *script) { s.tie(1).do(record.EvUnlock, 1, 0, 0).do(record.EvUnlock, 1, 0, 0) }},
	{"M12", func(s *script) { s.tie(1).do(record.EvLock, 1, 3, 0) }},
	{"M12", func(s *script) { s.tie(1).do(record.EvUnlock, 1, 1, 0) }},
	{"M13", func(s *script) { s.do(record.EvHandoff, 0, 0, 0) }},
	{"M13", func(s *script) { // runs another, though there are other Ms
		s.create(2).do(record.EvPutRing, 2, 0, 0).tie(1).block(1).start(2, record.FromRing)
	}},
	{"M13", func(s *script) { s.tie(1).block(1).look(record.LookGlobal) }},
	{"M13", func(s *script) { // parks like one that may be given any G
		s.tie(1).block(1).do(record.EvRelease, 0, 0, 0).on(0, -1).do(record.EvHandoff, 0, 0, 0).do(record.EvIdleP, 0, 0, 0).do(record.EvPark, 0, 0, 0)
	}},
	{"M13", func(s *script) { // waits for a G that it does not have
		s.block(1).do(record.EvRelease, 0, 0, 0).on(0, -1).do(record.EvPark, 0, record.ParkLocked, 0)
	}},
	{"M13", func(s *script) { // is given a P for others
		s.tie(1).block(1).hands().do(record.EvBusyP, 0, 1, 0).do(record.EvWakeM, 0, 0, 1)
	}},
	{"M13", func(s *script) { // lends itself, and the other just runs
		s.t.SMP = 2
		s.create(2).do(record.EvPutRing, 2, 0, 0).tie(1).block(1).hands().start(2, record.FromRing)
		s.on(0, -1).do(record.EvSysmon, 0, 0, 0).do(record.EvBusyP, 0, 1, 0).do(record.EvWakeM, 0, 0, 1)
	}},
	{"M13", func(s *script) { // does not stop, and the other just runs
		s.t.SMP = 2
		s.two().tie(1).block(1).do(record.EvRelease, 0, 0, 0).on(0, -1).do(record.EvHandoff, 0, 0, 0).do(record.EvIdleP, 0, 0, 0)
		s.do(record.EvBusyP, 0, 0, 0).on(0, 0).do(record.EvAcquire, 0, 0, 0).do(record.EvSpin, 0, 1, 0)
	}},
	{"M13", func(s *script) { // passed to a wrong M
		s.two().tie(1).do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).block(2).look(record.LookGlobal).do(record.EvGetGlobal, 1, 0|1<<record.CountShift, 0).do(record.EvPass, 1, 2, uint64(record.FromGlobal))
	}},
	{"M13", func(s *script) { // one that is not tied
		s.two().do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).block(2).look(record.LookGlobal).do(record.EvGetGlobal, 1, 0|1<<record.CountShift, 0).do(record.EvPass, 1, 0, uint64(record.FromGlobal))
	}},
	{"M13", func(s *script) { // its M is not woken
		s.create(2).do(record.EvPutRing, 2, 0, 0).tie(1).block(1).hands().start(2, record.FromRing)
		s.do(record.EvUnblock, 1, 0, 0).do(record.EvPutNext, 1, 0, 0).block(2).do(record.EvPass, 1, 0, uint64(record.FromNext))
		s.after(1_000_000).look(record.LookGlobal).after(600_000_000).look(record.LookIdle)
	}},
	{"G3", func(s *script) { // found where it was not passed to
		s.two().tie(1).do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0).start(1, record.FromPass)
	}},
	{"M9", func(s *script) { // it takes another P than the one it was given
		s.asleep().do(record.EvBusyP, 0, 1, 0).do(record.EvWakeM, 0, 1, 1).do(record.EvProcs, 0, 3, 0).on(1, 2).do(record.EvAcquire, 0, 0, 0)
	}},
	{"wake", func(s *script) { // it goes before none
		s.two().tie(1).do(record.EvYield, 1, 0, 0).do(record.EvPutGlobal, 1, 0, 0)
		s.on(1, 1).block(2).look(record.LookGlobal).do(record.EvGetGlobal, 1, 0|1<<record.CountShift, 0).do(record.EvPass, 1, 0, uint64(record.FromGlobal))
		s.on(0, 0).do(record.EvSummon, 0, 1, 0).do(record.EvUnsummon, 0, 0, 0).do(record.EvSummon, 0, 1, 0).on(1, 1).look(record.LookGlobal).look(record.LookIdle)
	}},
	{"M15", func(s *script) { s.do(record.EvNeedM, 1, 0, 0) }},
	{"M15", func(s *script) { s.on(3, -1).do(record.EvBoot, 0, 0, 0).do(record.EvDropM, 0, 0, 0) }},
	{"P4", func(s *script) { // a P that was not stopped
		s.two().do(record.EvStop, 1, 0, 0).do(record.EvHold, 1, 1<<record.ReasonShift, 0).on(1, 1).do(record.EvPreempt, 2, 0, 0).do(record.EvPutRing, 2, 0, 0)
		s.on(0, 0).do(record.EvStopped, 0, 0, 0)
	}},
}

package main

// wakes break the search, the sleep and the wake-up.
var wakes = []mutation{
	{
		name: "no-recheck", rule: "M3", in: "Sched.findLast",
		breaks: "a spinner sleeps without a last look",
		old:    "if s.checkRunqsNoP(m, worker) {",
		new:    "if s.MaxMs() < 0 && s.checkRunqsNoP(m, worker) {",
	},
	{
		name: "recheck-first", rule: "M3", in: "Sched.findLast",
		breaks: "the last look comes before the spinning ends",
		old: `		s.dropSpinning(m)
		if s.checkRunqsNoP(m, worker) {`,
		new: `		again := s.anyWork()
		s.dropSpinning(m)
		if again && s.checkRunqsNoP(m, worker) {`,
	},
	{
		name: "spinner-twice", rule: "M3", in: "Sched.Schedule",
		breaks: "a spinner that finds a G and leaves another behind wakes two Ms, if the first does not come",
		old:    "wake = false",
		new:    "",
	},
	{
		name: "need-ignored", rule: "M7", in: "Sched.findLast",
		breaks: "the wish for a spinner is not met",
		old:    "if !m.Spinning() && s.needspinning.Load() == 1 {",
		new:    "if !m.Spinning() && s.needspinning.Load() == 2 {",
	},
	{
		name: "take-61", rule: "R8", in: "Sched.Take",
		breaks: "the short way never takes from the global queue first",
		old:    "s.runqsize.Load() != 0 && p.schedtick%globalTick == 0 || m.sliceState",
		new:    "m.sliceState",
	},
	{
		name: "swap-61", rule: "R8", in: "Sched.Swap",
		breaks: "a yield never takes from the global queue first",
		old:    "if p.schedtick%globalTick != 0 {",
		new:    "if true {",
	},
	{
		name: "take-expired", rule: "R11", in: "Sched.Take",
		breaks: "the short way takes a runnext whose slice is used up",
		old:    " || m.sliceState.Load()&sliceUsed != 0 && p.runnext.Load() != 0 {",
		new:    " {",
	},
	{
		name: "tick-61", rule: "R8", in: "Sched.findFirst",
		breaks: "the global queue has no turn of its own",
		old:    "turn := p.schedtick%globalTick == 0\n\talone",
		new:    "turn := p.schedtick%globalTick == globalTick\n\talone",
	},
	{
		name: "periodic-twice", rule: "S5", in: "Sched.chores",
		breaks: "what is due by the clock may be done by a second M before the first has done it",
		old:    "s.periodic.CompareAndSwap(periodicDue, periodicRuns) {",
		new:    "s.periodic.CompareAndSwap(periodicDue, periodicNone) {",
	},
	{
		name: "expired-global", rule: "U2", in: "Sched.findFirst",
		breaks: "the global queue has no turn when a slice is used up",
		old:    "		turn = turn || m.sliceState.Load()&sliceEarly == 0\n",
		new:    "",
	},
	{
		name: "expired-stays-next", rule: "U2", in: "Sched.findFirst",
		breaks: "a runnext whose slice is used up stays behind the global queue's turn",
		old:    "		alone = s.expireRunnext(m, p)\n		turn = turn || m.sliceState.Load()&sliceEarly == 0\n",
		new:    "		turn = true\n",
	},
	{
		name: "idle-stopping", rule: "P4", in: "Sched.findLast",
		breaks: "a P goes on the idle list while the world stops",
		old:    "if s.rt.Stopping() || s.rt.SafePointPending(p) {",
		new:    "if s.rt.SafePointPending(p) {",
	},
	{
		name: "idle-visited", rule: "P4", in: "Sched.findLast",
		breaks: "a P goes on the idle list with its safe point to run",
		old:    "if s.rt.Stopping() || s.rt.SafePointPending(p) {",
		new:    "if s.rt.Stopping() {",
	},
	{
		name: "global-locked", rule: "R7", in: "Sched.findLast",
		breaks: "the look at the global queue under the lock is left out",
		old: `	if s.runq.n != 0 {
`,
		new: `	if s.runq.n > 1000 {
`,
	},
	{
		name: "steal-last", rule: "R10", in: "Sched.stealWork",
		breaks: "no pass is the last: nobody steals runnexts and timers",
		old:    "last := pass == stealTries-1",
		new:    "last := pass == stealTries",
	},
	{
		name: "steal-idle", rule: "R10", in: "Sched.stealWork",
		breaks: "Ps that are not idle are not stolen from",
		old:    "if victim.idle.Load() == 0 && !s.policy",
		new:    "if victim.idle.Load() != 0 && !s.policy",
	},
	{
		name: "sets-idle", rule: "P6", in: "Sched.markOwned",
		breaks: "a P that leaves the idle list stays among those that have no Gs",
		old: `	s.idlePs.Store(s.idlePs.Load() &^ uint64(p.one()))
`,
		new: "",
	},
	{
		name: "sets-bare", rule: "T2", in: "Sched.markOwned",
		breaks: "a P that leaves the idle list stays among those that have no timers",
		old: `	s.barePs.Store(s.barePs.Load() &^ uint64(p.one()))
`,
		new: "",
	},
	{
		name: "sets-unasked", rule: "T2", in: "Sched.markIdle",
		breaks: "an idle P's timers are passed over",
		old:    "if s.rt.NextTimer(p) == 0 {",
		new:    "if s.rt.NextTimer(p) >= 0 {",
	},
	{
		name: "reset-wake", rule: "M3", in: "Sched.resetSpinning",
		breaks: "who found work wakes nobody for the rest",
		old: `	s.dropSpinning(m)
	s.WakeP(m)
`,
		new: `	s.dropSpinning(m)
`,
	},
	{
		name: "wake-twice", rule: "M7", in: "Sched.summon",
		breaks: "two Ms are woken where one is to be",
		old:    "if !s.nmspinning.CompareAndSwap(0, 1) {",
		new:    "if s.nmspinning.Add(1) == 0 {",
	},
	{
		name: "wake-unsummon", rule: "M7", in: "Sched.summon",
		breaks: "a spinner that there will not be stays counted",
		old: `		s.unsummon(by)
		s.rt.Unlock()
		return
	}
	s.startM(by, p, true)`,
		new: `		s.rt.Unlock()
		return
	}
	s.startM(by, p, true)`,
	},
	{
		name: "put-no-wake", rule: "U2", in: "Sched.Ready",
		breaks: "nobody is woken for a G that is made runnable",
		old: `	} else if wake {
		s.Summon(by)
	}
`,
		new: `	}
	_ = wake
`,
	},
	{
		name: "park-before-p", rule: "M9", in: "Sched.wakeM",
		breaks: "an M that sleeps gets its token before its P",
		old: `	m.nextp.Store(uintptr(handleP(p)))
	s.rt.Unlock()
	m.park.Store(1)
	if m != by {`,
		new: `	s.rt.Unlock()
	m.park.Store(1)
	m.nextp.Store(uintptr(handleP(p)))
	if m != by {`,
	},
	{
		name: "park-before-state", rule: "M9", in: "Sched.wakeM",
		breaks: "an M that sleeps gets its P before it is awake to others",
		old: `	s.becomes(m, awake(spinning))
	s.rt.MsAsleep(s.asleep())
	by.Rec.Record(record.EvWakeM, 0, uint64(m.ID), wakeArg(p, spinning))
	m.nextp.Store(uintptr(handleP(p)))
`,
		new: `	s.rt.MsAsleep(s.asleep())
	by.Rec.Record(record.EvWakeM, 0, uint64(m.ID), wakeArg(p, spinning))
	m.nextp.Store(uintptr(handleP(p)))
	s.becomes(m, awake(spinning))
`,
	},
	{
		name: "no-kick", rule: "M9", in: "Sched.wakeM",
		breaks: "an M that sleeps gets a P and no interrupt",
		old: `	if m != by {
		s.machine.Kick(m)
	}
	by.Stats[Wakes]++`,
		new: "	by.Stats[Wakes]++",
	},
	{
		name: "no-want", rule: "M8", in: "Sched.startM",
		breaks: "nobody is told that an M was wanted",
		old: `	s.wantM = true
	s.rt.Unlock()
`,
		new: `	s.rt.Unlock()
`,
	},
	{
		name: "no-gain", rule: "M8", in: "Sched.takeWantedP",
		breaks: "an M that goes to sleep does not ask whether it is wanted",
		old: `	if !s.wantM {
		return nil
	}
	s.wantM = false
`,
		new: `	if s.nms >= 0 {
		return nil
	}
	s.wantM = false
`,
	},
	{
		name: "token-unread", rule: "M9", in: "M.nextpArrived",
		breaks: "a P is looked for whether there is a token or not",
		old: `	if m.park.Swap(0) == 0 {
		return nil
	}
`,
		new: `	m.park.Store(0)
`,
	},
	{
		name: "timerm-stays", rule: "T2", in: "Sched.removeIdleM",
		breaks: "a timer M that is given a P keeps its place",
		old: `	if s.isTimerM(m) {
		s.timerM.Store(0)
	}
}`,
		new: `}`,
	},
	{
		name: "timerm-busy", rule: "T2", in: "Sched.timerSleep",
		breaks: "a timer M whose time has come while no P is idle keeps its place",
		old: `		if s.isTimerM(m) {
			s.endTimerSleep(m)
		}
`,
		new: "",
	},
	{
		name: "timerm-next", rule: "T2", in: "Sched.awaitP",
		breaks: "a timer M that is given a P has nobody sleep for the timers",
		old: `	case m.untimed && !m.Spinning() && s.npidle.Load() != 0:
		s.WakeP(m)
`,
		new: `	case m.untimed && !m.Spinning() && s.npidle.Load() != 0:
`,
	},
	{
		name: "timerm-due", rule: "T2", in: "Sched.timerSleep",
		breaks: "a timer M whose time has come takes no P",
		old:    "	case until > now:",
		new:    "	case until > 0:",
	},
	{
		name: "timerm-old", rule: "T2", in: "Sched.timerSleep",
		breaks: "while the timer M looks at the timers again, others see how long it slept before",
		old: `	s.timerMUntil.Store(0)
	s.timerM`,
		new: `	s.timerM`,
	},
	{
		name: "timerm-first", rule: "T2", in: "Sched.timerSleep",
		breaks: "a timer M looks at the timers before it shows itself",
		old: `	s.timerMUntil.Store(0)
	s.timerM.Store(uintptr(handleM(m)))
	periodic := s.rt.PeriodicAt()
	timer, p := s.nextTimer()
	until = earlier(timer, periodic)
`,
		new: `	s.timerMUntil.Store(0)
	periodic := s.rt.PeriodicAt()
	timer, p := s.nextTimer()
	until = earlier(timer, periodic)
	s.timerM.Store(uintptr(handleM(m)))
`,
	},
	{
		name: "yield-behind-poll", rule: "U2", in: "Sched.chores",
		breaks: "a G that has just yielded waits behind one of a device, and no M is woken for it",
		old:    "		if s.poll(m, 1) && s.runqsize.Load() != 0 {\n\t\t\ts.WakeP(m)",
		new:    "		if s.poll(m, 1) && s.runqsize.Load() != 0 {",
	},
	{
		name: "poll-behind", rule: "N4", in: "Sched.findQueued",
		breaks: "the devices are asked behind the global queue, while that holds Gs",
		old:    "if s.rt.PollReady() && !s.globalTurn(m) && s.poll(m, 0) {",
		new:    "if s.rt.PollReady() && s.runqsize.Load() == 0 && s.poll(m, 0) {",
	},
	{
		name: "poll-starves", rule: "N4", in: "Sched.findQueued",
		breaks: "the devices go before the global queue for ever",
		old:    "if s.rt.PollReady() && !s.globalTurn(m) && s.poll(m, 0) {",
		new:    "if s.rt.PollReady() && s.poll(m, 0) {",
	},
	{
		name: "poll-once", rule: "N4", in: "Sched.globalTurn",
		breaks: "once the global queue has had its turn the devices never go first again",
		old:    "m.ahead == 0 || m.aheadOf != got {",
		new:    "m.ahead == 0 {",
	},
	{
		name: "poll-anew", rule: "N4", in: "Sched.globalTurn",
		breaks: "each look at devices begins their slice anew",
		old:    "if got := m.Stats[Globals]; m.ahead == 0 || m.aheadOf != got {",
		new:    "if got := m.Stats[Globals]; true {",
	},
	{
		name: "look-deaf", rule: "N1", in: "Sched.anyWork",
		breaks: "the last look before an M sleeps forgets the devices",
		old:    "s.runqsize.Load() != 0 || s.rt.PollReady() {",
		new:    "s.runqsize.Load() != 0 {",
	},
	{
		name: "timerm-given", rule: "T2", in: "Sched.wakeM",
		breaks: "an M that is given a P before it is the timer M has nobody become it",
		old: `		s.removeIdleM(m)
		m.untimed = s.timerM.Load() == 0
`,
		new: `		m.untimed = s.isTimerM(m)
		s.removeIdleM(m)
`},
	{
		name: "timerm-twice", rule: "N2", in: "Sched.timerSleep",
		breaks: "two Ms are the timer M",
		old:    "m.state.Load() != mIdle || s.timerM.Load() != 0 && !s.isTimerM(m) {",
		new:    "m.state.Load() != mIdle {",
	},
	{
		name: "timerm-unkicked", rule: "T2", in: "Sched.WakeTimerM",
		breaks: "a timer M that does not know yet how long it will sleep is not told of a timer",
		old: `		if until == 0 || until > when {
`,
		new: `		if until > when {
`,
	},
	{
		name: "idle-count", rule: "P6", in: "Sched.PutIdleP",
		breaks: "an idle P is counted twice",
		old: `	s.npidle.Add(1)
`,
		new: `	s.npidle.Add(2)
`,
	},
	{
		name: "dead-early", rule: "U6", in: "Sched.checkDead",
		breaks: "the program is taken for dead while an M is awake",
		old:    "if n == s.nms && s.nforeignUsed",
		new:    "if n >= s.nms-1 && s.nforeignUsed",
	},
	{
		name: "dead-never", rule: "U6", in: "Sched.stopM",
		breaks: "the last M parks and nobody is told",
		old: `	s.checkDead()
	s.rt.Unlock()
	m.Stats[Parks]++
	s.awaitP(m)
}`,
		new: `	s.rt.Unlock()
	m.Stats[Parks]++
	s.awaitP(m)
}`,
	},
	{
		name: "kick-unsent", rule: "T2", in: "Sched.kick",
		breaks: "a timer M gets a token and no interrupt",
		old: `	m.park.Store(1)
	s.machine.Kick(m)
}`,
		new: `	m.park.Store(1)
}`,
	},
}

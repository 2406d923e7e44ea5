package main

// holds break stops of the world, system calls, ties and ticks.
var holds = []mutation{
	{
		name: "stop-once", rule: "P4", in: "Sched.await",
		breaks: "a stopper looks at system calls once",
		old: `		if again != nil {
			again(s, by)
		}
`,
		new: "",
	},
	{
		name: "stop-idle", rule: "P4", in: "Sched.StopTheWorld",
		breaks: "idle Ps are not stopped",
		old: `p != nil; p = s.GetIdleP(by, 0) {
		s.stopP(by, p)
	}`,
		new: `p != nil; p = s.GetIdleP(by, 0) {
	}`,
	},
	{
		name: "stop-spinning", rule: "M7", in: "Sched.gcstopM",
		breaks: "a spinner stops with the world and stays counted",
		old: `		s.dropSpinning(m)
	}
	s.stopOwn(m)`,
		new: `		m.state.Store(mRunning)
	}
	s.stopOwn(m)`,
	},
	{
		name: "stop-note", rule: "P4", in: "Sched.countStopped",
		breaks: "the stopper is told before the last P has stopped",
		old:    "if s.stopwait--; s.stopwait == 0 {",
		new:    "if s.stopwait--; s.stopwait <= 1 {",
	},
	{
		name: "handoff-look", rule: "S1", in: "Sched.handoffP",
		breaks: "nobody looks again after a P was nobody's",
		old: `	if s.anyWork() {
		s.WakeP(by)
	}
	if when`,
		new: "	if when",
	},
	{
		name: "handoff-stop", rule: "P4", in: "Sched.handoffP",
		breaks: "a P that is handed off does not stop with the world",
		old: `	if s.rt.Stopping() {
		s.stopP(by, p)
		s.rt.Unlock()
		return
	}
	if s.rt.SafePoint(p) {`,
		new: "	if s.rt.SafePoint(p) {",
	},
	{
		name: "handoff-timer", rule: "T2", in: "Sched.handoffP",
		breaks: "the timers of a P that goes idle are nobody's",
		old: `	if when != 0 {
		s.WakeTimerM(by, when)
	}
`,
		new: `	_ = when
`,
	},
	{
		name: "take-busy", rule: "P2", in: "Sched.ExitSyscallTryGetP",
		breaks: "who comes back from a call takes his old P though it is not idle",
		old: `	if p == nil || p.idle.Load() == 0 {
`,
		new: `	if p == nil {
`,
	},
	{
		name: "requeue-lost", rule: "G3", in: "Sched.ExitSyscallNoP",
		breaks: "who comes back and finds no P is in no queue",
		old: `		s.GlobrunqPut(m, g)
	}
	s.rt.Unlock()
	if p != nil {`,
		new: `	}
	s.rt.Unlock()
	if p != nil {`,
	},
	{
		name: "hold-noticed", rule: "S1", in: "Sched.SyscallBlocks",
		breaks: "a call that a tick has noticed starts no CPU",
		old: `	if m.P() == nil {
		return
	}
	now :=`,
		new: `	if m.P() == nil || m.callSince.Load() != 0 {
		return
	}
	now :=`,
	},
	{
		name: "retake-never", rule: "S1", in: "Sched.callTick",
		breaks: "a call is never long enough",
		old: `	case s.retakeDue(m, p, now):
		s.sysmonDue.Store(1)
`,
		new: `	case s.retakeDue(m, p, now):
`,
	},
	{
		name: "call-unseen", rule: "S2", in: "Sched.Tick",
		breaks: "a tick that strikes in a call sees to the call alone",
		old: `	flags := uint64(0)
	if t`,
		new: `	if call {
		return false, s.callTick(m, p, now)
	}
	flags := uint64(0)
	if t`,
	},
	{
		name: "take-first", rule: "U2", in: "Sched.ExitSyscallTryGetP",
		breaks: "who comes back from a call takes an idle P before those that wait for one",
		old:    "s.npidle.Load() == 0 || s.runqsize.Load() != 0 ||",
		new:    "s.npidle.Load() == 0 ||",
	},
	{
		name: "requeue-first", rule: "U2", in: "Sched.ExitSyscallNoP",
		breaks: "who comes back from a call and finds a P later runs before those that wait",
		old:    "runs := p != nil && (s.runq.n == 0 || locked)",
		new:    "runs := p != nil",
	},
	{
		name: "pass-idle", rule: "M13", in: "Sched.startLockedM",
		breaks: "an idle M is not woken for its own G",
		old:    "if !to.Asleep() {",
		new:    "if to.state.Load() != mLockedWait {",
	},
	{
		name: "mine-unseen", rule: "M13", in: "Sched.stopLockedM",
		breaks: "an M stops over a G of its own",
		old: `	if p := s.idlePForLockedq(m); p != nil {
		s.rt.Unlock()
		s.rt.AcquireP(m, p)
		return true
	}`,
		new: "",
	},
	{
		name: "lend-early", rule: "M13", in: "Sched.lastM",
		breaks: "an M is lent while others could run",
		old: `if o := &s.ms[i]; o != m && o.state.Load() != mLockedWait {
			return false`,
		new: `if o := &s.ms[i]; o != m && o.state.Load() != mLockedWait && i < 0 {
			return false`,
	},
	{
		name: "exit-keeps", rule: "M11", in: "Sched.ExitM",
		breaks: "an M ends and its P is nobody's",
		old: `	s.becomes(m, mExited)
	s.handoffP(m, p)
`,
		new: `	s.becomes(m, mExited)
`,
	},
	{
		name: "slice-inherits", rule: "R11", in: "Sched.Tick",
		breaks: "a slice that is used up goes on",
		old: `		m.sliceState.Store(state | sliceUsed)
`,
		new: "",
	},
	{
		name: "slice-alone", rule: "U5", in: "Sched.Tick",
		breaks: "what waits in the global queue ends no slice",
		old:    "waits := !p.runqEmpty() || s.runqsize.Load() != 0",
		new:    "waits := !p.runqEmpty()",
	},
	{
		name: "kick-none", rule: "S1", in: "Sched.KickSleeper",
		breaks: "an idle M is not kicked",
		old: `		case mIdle:
			s.kick(by, m)`,
		new: "		case mIdle:",
	},
	{
		name: "behind-unseen", rule: "U2", in: "Sched.Tick",
		breaks: "a tick does not see what is queued behind a call",
		old:    " || s.sysmonDue.Load() != 0 && s.behind(p, now) {",
		new:    " {",
	},
	{
		name: "behind-left", rule: "U2", in: "Sched.chores",
		breaks: "who was made to leave for what is queued behind a call leaves it there",
		old: `		s.sysmonRunning(m)
`,
		new: "",
	},
	{
		name: "sysmon-drops", rule: "G3", in: "Sched.sysmonRunning",
		breaks: "a running M takes the P of a call and nobody gets it",
		old: `			if s.retake(m, p, now, false) {
				s.handoffP(m, p)
			}
`,
		new: `			s.retake(m, p, now, false)
`,
	},
	{
		name: "behind-timer", rule: "T1", in: "P.orphaned",
		breaks: "the timers of a P that stays with a call are nobody's",
		old:    "return m != nil && m.callSince.Load() != 0",
		new:    "return m != nil && m.callSince.Load() < 0",
	},
}

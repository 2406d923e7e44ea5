package main

// wired is what breaks the ways of Gs that are wired to Ps.
var wired = []mutation{
	{
		name: "wired-anywhere", rule: "P7", in: "Sched.dispatch",
		breaks: "a G that is wired to a P runs on any",
		old:    "p != nil && p != m.P()",
		new:    "p != nil && p == m.P() && p != m.P()",
	},
	{
		name: "wired-left", rule: "P7", in: "Sched.findLast",
		breaks: "an M gives up its P and does not look whether a G was passed to it meanwhile",
		old:    "m.nlockedq.Load() != 0 || p.hasPassed()",
		new:    "m.nlockedq.Load() != 0",
	},
	{
		name: "wired-idle", rule: "P7", in: "Sched.passWired",
		breaks: "a G is passed to an idle P, and nobody takes that",
		old:    "idle := to.idle.Load() != 0",
		new:    "idle := to.idle.Load() > 1",
	},
	{
		name: "wired-stop", rule: "P7", in: "Sched.passWired",
		breaks: "a G is passed to a P that is stopped already",
		old:    "if s.rt.Stopping() {",
		new:    "if m.ID < 0 {",
	},
	{
		name: "wired-stopped", rule: "P7", in: "Sched.stopP",
		breaks: "a P is stopped, and what was passed to it stays there",
		old:    "	if Wiring {",
		new:    "	if !Wiring {",
	},
	{
		name: "wired-stopper", rule: "P7", in: "Sched.StopTheWorld",
		breaks: "the same of the P of the M that stops the world",
		old:    "	if Wiring {\n		s.drainWired(by, own)",
		new:    "	if !Wiring {\n		s.drainWired(by, own)",
	},
	{
		name: "wired-drain", rule: "P7", in: "Sched.runqDrain",
		breaks: "no M can be had for a P, and what was passed to it stays there",
		old:    "	if Wiring {",
		new:    "	if !Wiring {",
	},
	{
		name: "wired-turns", rule: "U2", in: "Sched.findFirst",
		breaks: "a G that was passed to a P waits until its queue is empty",
		old:    "p.hasPassed() && p.schedtick%wiredTick == 0",
		new:    "p.hasPassed() && p.schedtick%wiredTick == wiredTick",
	},
	{
		name: "wired-first", rule: "U2", in: "Sched.findFirst",
		breaks: "what was passed to a P always goes before its queue",
		old:    "p.hasPassed() && p.schedtick%wiredTick == 0",
		new:    "p.hasPassed()",
	},
	{
		name: "wired-slice", rule: "S2", in: "Sched.Tick",
		breaks: "a G that was passed to a P ends no slice there",
		old:    "s.runqsize.Load() != 0 || p.hasPassed()",
		new:    "s.runqsize.Load() != 0",
	},
	{
		name: "wired-call", rule: "S1", in: "Sched.retakeDue",
		breaks: "a G that was passed to a P is no reason to take that from a call",
		old:    "!p.runqEmpty() || p.hasPassed()",
		new:    "!p.runqEmpty()",
	},
	{
		name: "wired-back", rule: "P7", in: "Sched.ExitSyscallNoP",
		breaks: "a G that comes back from a call runs on the P that its M gets",
		old:    "home != nil && home != p",
		new:    "home != nil && home == p && p == nil",
	},
	{
		name: "wired-try", rule: "P7", in: "Sched.ExitSyscallTryGetP",
		breaks: "the same at its first try",
		old:    " || Wiring && g.home.get() != 0",
		new:    "",
	},
	{
		name: "wired-long", rule: "U2", in: "Sched.setLong",
		breaks: "the short ways stay open while a G is wired",
		old:    "Wiring && s.wired != 0 || Hunting",
		new:    "Hunting",
	},
	{
		name: "wired-ends", rule: "P7", in: "Sched.unwire",
		breaks: "a G that is wired no more still counts, and the short ways stay closed",
		old:    "s.wired--",
		new:    "s.wired += 0",
	},
	{
		name: "wired-gone", rule: "P5", in: "Sched.homeOf",
		breaks: "a G is passed to a P beyond their number",
		old:    "p != 0 && p <= s.procs.Load()",
		new:    "p != 0",
	},
}

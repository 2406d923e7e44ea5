package main

// seams break the order of steps where the scheduler meets interrupts and the runtime: the effect
// of an interrupt that strikes between two of them.
var seams = []mutation{
	{
		name: "tick-early", rule: "U5", in: "Sched.WireP",
		breaks: "the tick is set before the P is the M's",
		old: `	m.p.Store(uintptr(handleP(p)))
	p.m.Store(uintptr(handleM(m)))
	// After the store: see halt.go.
	s.machine.TickAt(m, s.firstTick(m, p))
`,
		new: `	s.machine.TickAt(m, s.firstTick(m, p))
	m.p.Store(uintptr(handleP(p)))
	p.m.Store(uintptr(handleM(m)))
`,
	},
	{
		name: "tick-timers", rule: "T1", in: "Sched.WireP",
		breaks: "who takes a P does not tick for its timers",
		old:    "s.machine.TickAt(m, s.firstTick(m, p))",
		new:    "s.machine.TickAt(m, m.sliceStart+s.slice)",
	},
	{
		name: "tick-scheduler", rule: "R11", in: "Sched.Tick",
		breaks: "a tick that strikes in the scheduler does not see that the slice is used up",
		old:    "atomic.StoreRelUint32(&m.sliceState, state|sliceUsed)",
		new:    "atomic.StoreRelUint32(&m.sliceState, state)",
	},
	{
		name: "tick-twice", rule: "A5", in: "Sched.newSlice",
		breaks: "the tick that comes again for a G which cannot leave strikes in the next slice",
		old: `		s.retime(m, p)
`,
		new: "",
	},
	{
		name: "left-always", rule: "U5", in: "Sched.Left",
		breaks: "a G that leaves within its slice takes the tick away from the next one",
		old:    " || m.sliceState.Load()&sliceUsed == 0 {",
		new:    " {",
	},
	{
		name: "tick-search", rule: "S3", in: "Sched.retime",
		breaks: "what a tick in the search has seen waits for the end of the next slice",
		old:    "if s.pollDue.Load() != 0 {\n\t\tat = min(at, soon)\n\t}\n",
		new:    "",
	},
	{
		name: "stop-renews", rule: "R11", in: "Sched.resumeSlice",
		breaks: "each stop of the world renews the slice of the G that it makes to leave",
		old: `		p.schedtick--
		m.sliceStart -= u
`,
		new: "",
	},
	{
		name: "stop-first", rule: "R11", in: "Sched.runqDrain",
		breaks: "who was made to leave for a stop goes first in a slice of its own",
		old:    "if from == record.FromNext && p.used != 0 {",
		new:    "if from == record.FromNext && p.used < 0 {",
	},
	{
		name: "hold-unsafe", rule: "P4", in: "Sched.handoffSyscall",
		breaks: "a P that is given away from a call does not run its safe point",
		old: `			if s.rt.SafePoint(p) {
				s.countSafe()
			}
			s.startM(m, p, false)
`,
		new: `			s.startM(m, p, false)
`,
	},
	{
		name: "search-unseen", rule: "S3", in: "Sched.Tick",
		breaks: "a tick that strikes in the scheduler has no search look at devices",
		old: `			s.pollDue.Store(1)
			next = now
`,
		new: `			next = now
`,
	},
	{
		name: "wait-forgets", rule: "T1", in: "Sched.await",
		breaks: "who waits for the other Ps ticks after a whole slice",
		old:    "s.machine.TickAt(by, tick)",
		new:    "s.machine.TickAt(by, max(tick, s.machine.Now()+s.slice))",
	},
}

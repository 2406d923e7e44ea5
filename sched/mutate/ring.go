package main

// queues break rings, runnext, and the global queue.
var queues = []mutation{
	{
		name: "overflow-half", rule: "R6", in: "Sched.runqPutSlow",
		breaks: "less than half of the ring goes to the global queue",
		old: `const n = RingSize / 2
`,
		new: `const n = RingSize/2 - 1
`,
	},
	{
		name: "put-order", rule: "R4", in: "Sched.putRing",
		breaks: "a ring's tail is moved before the slot is filled",
		old: `			atomic.StoreRelUintptr(&p.ring[tail%RingSize], uintptr(h))
			p.tail.Store(tail + 1)
`,
		new: `			p.tail.Store(tail + 1)
			atomic.StoreRelUintptr(&p.ring[tail%RingSize], uintptr(h))
`,
	},
	{
		name: "grab-late", rule: "R3", in: "Sched.runqGrab",
		breaks: "a thief reads the slots after it has moved the head",
		old: `		for i := uint32(0); i < n; i++ {
			atomic.StoreRelUintptr(&dst.ring[(to+i)%RingSize], victim.ring[(head+i)%RingSize].Load())
		}
		if victim.head.CompareAndSwap(head, head+n) {
`,
		new: `		if victim.head.CompareAndSwap(head, head+n) {
			for i := uint32(0); i < n; i++ {
				atomic.StoreRelUintptr(&dst.ring[(to+i)%RingSize], victim.ring[(head+i)%RingSize].Load())
			}
`,
	},
	{
		name: "grab-head", rule: "R3", in: "Sched.runqGrab",
		breaks: "a thief moves the head whatever it is by now",
		old: `		if victim.head.CompareAndSwap(head, head+n) {
`,
		new: `		if victim.head.Store(head + n); true {
`,
	},
	{
		name: "grab-round", rule: "R10", in: "Sched.runqGrab",
		breaks: "half of one G is none",
		old: `n -= n / 2
`,
		new: `n = n / 2
`,
	},
	{
		name: "grab-runnext", rule: "R5", in: "Sched.runqGrab",
		breaks: "a thief takes a runnext that is not the one it looked at",
		old:    "if !victim.runnext.CompareAndSwap(next, 0) {",
		new:    "if victim.runnext.Swap(0) == 0 {",
	},
	{
		name: "grab-grace", rule: "R5", in: "Sched.runqGrab",
		breaks: "a thief takes the runnext at once",
		old:    "s.machine.BusyWait(runnextGrace)",
		new:    "s.machine.BusyWait(0)",
	},
	{
		name: "get-runnext", rule: "R5", in: "Sched.runqPop",
		breaks: "the owner takes the runnext though a thief has taken it",
		old: `if next := p.runnext.Load(); next != 0 && p.runnext.CompareAndSwap(next, 0) {
`,
		new: `if next := p.runnext.Load(); next != 0 {
		p.runnext.Store(0)
`,
	},
	{
		name: "get-head", rule: "R3", in: "Sched.runqPop",
		breaks: "the owner moves the head whatever it is by now",
		old: `		if p.head.CompareAndSwap(head, head+1) {
`,
		new: `		if p.head.Store(head + 1); true {
`,
	},
	{
		name: "empty-once", rule: "R5", in: "P.runqEmpty",
		breaks: "empty looks at the tail once, while runnext moves to the ring",
		old:    "if tail == p.tail.Load() {",
		new:    "if p.tail.Load() != tail+RingSize {",
	},
	{
		name: "put-kicked", rule: "R11", in: "Sched.runqPut",
		breaks: "the G that was runnext before is dropped",
		old: `		if old == 0 {
			return
		}
`,
		new: `		if old != 1 {
			return
		}
`,
	},
	{
		name: "expired-stays", rule: "R11", in: "Sched.newSlice",
		breaks: "a slice that was used up stays so",
		old:    "state := uint32(0)",
		new:    "state := uint32(sliceUsed)",
	},
	{
		name: "late-timer", rule: "S3", in: "Sched.leaveSlice",
		breaks: "a timer that is due at the end of a slice has its G wait for the whole ring",
		old:    "atomic.StoreRelUint32(&m.sliceState, sliceLeft)",
		new:    "",
	},
	{
		name: "early-again", rule: "U2", in: "Sched.leaveSlice",
		breaks: "Gs that timers make ready at the end of each slice keep the ring waiting",
		old:    "m.sliceState.Load()&(sliceUsed|sliceEarly) == sliceUsed",
		new:    "m.sliceState.Load()&sliceUsed == sliceUsed",
	},
	{
		name: "early-next", rule: "U2", in: "Sched.leaveSlice",
		breaks: "a G that was readied in a used-up slice goes before the ring",
		old:    "s.ringRunnext(m, p)",
		new:    "",
	},
	{
		name: "steal-publish", rule: "R4", in: "Sched.runqSteal",
		breaks: "one of the stolen Gs is not published",
		old:    "p.tail.Store(tail + n) // publishes",
		new:    "p.tail.Store(tail + n - n/2) // publishes",
	},
	{
		name: "drain-count", rule: "R7", in: "Sched.globrunqPush",
		breaks: "Gs that are drained are not counted",
		old: `		s.runq.insert(g, s.policy.Before)
	}
	s.storeRunqsize()
`,
		new: `		s.runq.insert(g, s.policy.Before)
	}
`,
	},
	{
		name: "global-share", rule: "R9", in: "Sched.globrunqGet",
		breaks: "an M takes twice its share",
		old:    "share := n/s.procs.Load() + 1",
		new:    "share := 2*(n/s.procs.Load()) + 1",
	},
	{
		name: "global-room", rule: "R1", in: "Sched.globrunqGet",
		breaks: "the global queue's Gs are put into a ring that is full",
		old:    "if tail-p.head.Load() >= RingSize {",
		new:    "if tail-p.head.Load() > RingSize {",
	},
	{
		name: "global-count", rule: "R7", in: "Sched.globrunqGet",
		breaks: "those that are taken stay counted",
		old: `	s.storeRunqsize()
	m.Stats`,
		new: `	m.Stats`,
	},
}

//go:build explore

package sched

// A use is a small use of the scheduler, all of whose interleavings are tried.
type use struct {
	name  string
	rules string // what it is about (SPEC.md)
	ncpu  int
	procs int32
	time  bool // the clock may jump while Ms could go on: slices end, calls are noticed
	traps bool // with time: also between any two steps of the seam (seam.Words), on whichever M
	bound int  // preemptions that go test allows; make model allows one more
	build func(w *walk)
	raw   bool                 // the Ms run no Gs, and end
	end   func(w *walk) string // a further check of a run's end; nil: none
}

// begins seats M i, with a P of its own and a task in its ring for each body.
func (w *walk) begins(i int32, bodies ...[]op) (ts []*task) {
	s := w.mdl.s
	w.mdl.started(max(s.ncpu, i+1))
	w.mdl.running(i)
	for _, b := range bodies {
		ts = append(ts, w.put(i, b))
	}
	w.seatAt(w.mdl.cpus[i], w.mdl.cpus[i].run)
	return ts
}

// put makes a task for M i's ring.
func (w *walk) put(i int32, body []op) *task {
	t := w.mdl.newTask(steps(body...))
	w.mdl.s.RunqPut(w.mdl.s.M(i), &t.G, false)
	return t
}

// global puts n tasks that end at once on the global queue.
func (w *walk) global(n int) {
	for _, t := range w.mdl.gs(n) {
		w.mdl.s.GlobrunqPut(w.mdl.s.M(0), &t.G)
	}
}

// parks seats M i, which is parked.
func (w *walk) parks(i int32) {
	m := w.mdl.sleeping(i)
	w.mdl.nparked = w.mdl.s.asleep()
	c := w.mdl.cpus[i]
	c.then = func() {
		w.mdl.s.awaitP(m)
		w.mdl.s.Schedule(m)
	}
	w.seatAt(c, c.run)
}

// do is a task's body.
func do(body ...op) []op { return body }

// uses are the models of use. Where an M must notice something, a task computes until what it waits
// for has begun: so chance never makes up for a lost wake-up.
var uses = []*use{
	{
		name: "ring", rules: "R1 R2 R3 R4 R6 R7 R9 R10 G3", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// G1's children fill the ring, which overflows, while M 1 steals.
			w.begins(0, do(makes(5)), do())
			w.begins(1)
		},
	},
	{
		name: "wrap", rules: "R1 R3 R6 R9", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// The same where the ring's indices pass 2^32, with Gs in the global queue.
			setRing(w.mdl.s.P(0), 1<<32-2)
			setRing(w.mdl.s.P(1), 1<<32-1)
			w.global(3)
			w.begins(0, do(makes(4)))
			w.begins(1)
		},
	},
	{
		name: "runnext", rules: "R5 R11 G3", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// Each child displaces the one before as runnext, and M 1 is after it.
			w.begins(0, do(next, next, opYield, next))
			w.begins(1)
		},
	},
	{
		name: "grabnext", rules: "R5 G3", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// M 1 looks at a runnext, and there is another one by the time it takes it.
			w.begins(0)
			w.mdl.s.RunqPut(w.mdl.s.M(0), &w.mdl.newTask(steps(next)).G, true)
			w.begins(1)
		},
	},
	{
		name: "thieves", rules: "R3 R5 R10 M7", ncpu: 3, procs: 3, bound: 1,
		build: func(w *walk) {
			// Two thieves are after one P, and then after each other.
			w.begins(0, do(makes(3), next))
			w.begins(1)
			w.begins(2)
		},
	},
	{
		name: "park", rules: "G3 G4 R11", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// G1 waits twice, and is woken twice from another P, by its name and by its
			// place as the next one.
			a := w.begins(0, do(wait, wait))[0]
			w.begins(1, do(wakes(a, true), wakes(a, false)))
		},
	},
	{
		name: "pingpong", rules: "R5 R11 M7", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			ts := w.begins(0, do(), do())
			a, b := ts[0], ts[1]
			a.body = steps(wakes(b, true), wait, wakes(b, true))
			b.body = steps(wait, wakes(a, true), wait)
			w.begins(1)
		},
	},
	{
		name: "submit", rules: "M2 M3 M7 M9 U2", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// M 1 finds nothing and goes to sleep, while G1 needs another G to run.
			w.begins(0, do(needs(true), needs(false)))
			w.begins(1)
		},
	},
	{
		name: "submit3", rules: "M2 M3 M7 M8 M9 U2 P6", ncpu: 3, procs: 3, bound: 1,
		build: func(w *walk) {
			// The same with two Ms that go to sleep, and two tasks that need an M.
			w.begins(0, do(needs(true)))
			w.begins(1, do(needs(false)))
			w.begins(2)
		},
	},
	{
		name: "idle", rules: "M1 M9 P2 P6", ncpu: 3, procs: 2, bound: 1,
		build: func(w *walk) {
			// There are more Ms than Ps: which M sleeps last, and which is woken, changes.
			w.begins(0, do(needs(false), opYield, needs(true)))
			w.begins(1)
			w.parks(2)
		},
	},
	{
		name: "four", rules: "G3 R3 R5 R7 R11 M3 M7", ncpu: 3, procs: 3, bound: 1,
		build: func(w *walk) {
			// Three Ps and four Gs that wait, wake, give way and make more.
			a := w.begins(0, do(wait, opYield), do(opYield))[0]
			w.begins(1, do(wakes(a, true), next))
			w.begins(2, do(opYield))
		},
	},
	{
		name: "inject", rules: "R7 R9 M9", ncpu: 3, procs: 3, bound: 1,
		build: func(w *walk) {
			// Gs come by way of the global queue, and Ps are started for them.
			w.begins(0, do(injects(2)))
			w.begins(1)
			w.parks(2)
		},
	},
	{
		name: "yield", rules: "U4 R7 R8", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			w.begins(0, do(opYield, opYield), do(opYield))
			w.begins(1)
		},
	},
	{
		name: "levels", rules: "G3 U2 A4", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// Under a policy with an order of its own Gs give way, wait and wake each other.
			w.mdl.s.setPolicy(&MLFQ)
			w.begins(0, do(opYield, makes(1)), do(opYield))
			w.begins(1, do(opYield))
		},
	},
	{
		name: "bypass", rules: "R8 U2", ncpu: 2, procs: 1, bound: 2,
		build: func(w *walk) {
			// The ring is never empty, and the 61st tick is near.
			w.mdl.s.P(0).schedtick = globalTick - 4
			w.global(1)
			w.begins(0, do(chain(10)))
			w.parks(1)
		},
		end: func(w *walk) string {
			if w.mdl.tasks[0].runs != 1 {
				return "R8: the G in the global queue did not run"
			}
			return ""
		},
	},
	{
		name: "start", rules: "M8", ncpu: 3, procs: 3, bound: 1,
		build: func(w *walk) {
			// CPUs that were never started.
			w.begins(0, do(needs(true), needs(false)))
		},
	},
	{
		name: "retake", rules: "S1 P3 M4 G6", ncpu: 2, procs: 2, time: true, traps: true, bound: 1,
		build: func(w *walk) {
			// The P of a long call is taken for G2, or the call comes back before.
			w.begins(0, do(makes(2), calls(3*RetakeAfter, true), calls(0, false)))
			w.parks(1)
		},
	},
	{
		name: "hold", rules: "S1 M8", ncpu: 2, procs: 1, time: true, bound: 2,
		build: func(w *walk) {
			// The call lasts until G2 has begun, and the other CPU was never started.
			ts := w.begins(0, do(), do())
			ts[0].body = steps(callsUntil(ts[1]))
		},
	},
	{
		name: "behind", rules: "S1 U2", ncpu: 2, procs: 2, time: true, bound: 1,
		build: func(w *walk) {
			// G2 is queued behind a call that lasts until it has begun, and the only other M runs
			// G3, which never waits.
			ts := w.begins(0, do(), do())
			ts[0].body = steps(callsUntil(ts[1]))
			w.begins(1, do(untilEnd(ts[0])))
		},
	},
	{
		name: "behindtimer", rules: "S1 T1", ncpu: 2, procs: 2, time: true, traps: true, bound: 1,
		build: func(w *walk) {
			// The same where G1 waits for a timer of the P that stays with the call.
			a := w.begins(0, do(nap(500)))[0]
			b := w.put(0, do(callsUntilEnd(a)))
			w.begins(1, do(untilEnd(b)))
		},
	},
	{
		name: "return", rules: "S1 P3 M4 G6 U2", ncpu: 2, procs: 1, time: true, traps: true, bound: 1,
		build: func(w *walk) {
			// There is one P: a task that comes back finds it taken.
			w.begins(0, do(calls(3*RetakeAfter, true)), do(opYield))
			w.parks(1)
		},
	},
	{
		name: "foreign", rules: "M5 S1", ncpu: 2, procs: 1, bound: 2,
		build: func(w *walk) {
			// Foreign code gives its P away at once.
			w.begins(0, do(leaves), do(opYield))
			w.parks(1)
		},
	},
	{
		name: "handoff", rules: "S1 M5 U2", ncpu: 3, procs: 2, bound: 1,
		build: func(w *walk) {
			// G2 makes work while P 0 has no owner, because G1 calls foreign code.
			ts := w.begins(0, do())
			b := w.begins(1, do(needs(true)))[0]
			ts[0].body = steps(leavesUntil(ended(b)))
			w.parks(2)
		},
	},
	{
		name: "handstop", rules: "P4 M5", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// The same while the world stops.
			w.begins(0, do(stops(2)))
			w.begins(1, do(leavesUntil(onceStopped)))
		},
	},
	{
		name: "handtimer", rules: "T2 M5", ncpu: 2, procs: 1, bound: 2,
		build: func(w *walk) {
			// The P that is given away has a timer, for which G1 waits.
			a := w.begins(0, do(nap(500)))[0]
			w.put(0, do(leavesUntil(ended(a))))
			w.parks(1)
		},
	},
	{
		name: "tied", rules: "M6 M12 M13", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// M 0 stops for G1; an M that finds G1 passes it on, with a P.
			a := w.begins(0, do(opTie, wait, opUntie))[0]
			w.begins(1, do(wakes(a, true)))
		},
	},
	{
		name: "tied3", rules: "M6 M9 M13", ncpu: 3, procs: 2, bound: 1,
		build: func(w *walk) {
			// The same with a third M that takes over, and work that waits.
			a := w.begins(0, do(wakeUp, opTie, wait), do(opYield))[0]
			w.begins(1, do(wakes(a, false)))
			w.parks(2)
		},
	},
	{
		name: "lent", rules: "M13", ncpu: 1, procs: 1, bound: 2,
		build: func(w *walk) {
			// The only M is lent while its own G waits.
			a := w.begins(0, do(opTie, wait, opYield))[0]
			w.put(0, do(opYield, wakes(a, true), opYield))
		},
	},
	{
		name: "wired", rules: "P7 G3", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// M 0 finds G1, which is wired to P 1, while M 1 runs others and falls asleep.
			a := w.begins(0, do(opYield))[0]
			w.mdl.s.Wire(w.mdl.s.M(0), &a.G, 1)
			w.begins(1, do(opYield))
		},
	},
	{
		name: "wired3", rules: "P7 M9 G3", ncpu: 3, procs: 2, bound: 1,
		build: func(w *walk) {
			// P 1 is idle: M 0 takes it for G1, and hands P 0 on, which has work.
			ts := w.begins(0, do(opYield), do(opYield))
			w.mdl.s.Wire(w.mdl.s.M(0), &ts[0].G, 1)
			w.parks(1)
			w.parks(2)
		},
	},
	{
		name: "wiredalone", rules: "P7 G3 U2", ncpu: 1, procs: 2, bound: 2,
		build: func(w *walk) {
			// There is one M for two Ps, and a G for each.
			ts := w.begins(0, do(opYield, opYield), do(opYield, opYield))
			w.mdl.s.Wire(w.mdl.s.M(0), &ts[0].G, 1)
			w.mdl.s.Wire(w.mdl.s.M(0), &ts[1].G, 0)
		},
	},
	{
		name: "wiredcall", rules: "P7 S1 U2", ncpu: 2, procs: 2, time: true, bound: 1,
		build: func(w *walk) {
			// G2 is wired to P 0, whose M is in a call that lasts until G2 has begun; G1 comes back, and is wired
			// to P 0 too.
			ts := w.begins(0, do())
			b := w.begins(1, do(opYield))[0]
			ts[0].body = steps(callsUntil(b))
			w.mdl.s.Wire(w.mdl.s.M(0), &ts[0].G, 0)
			w.mdl.s.Wire(w.mdl.s.M(0), &b.G, 0)
		},
	},
	{
		name: "wiredstop", rules: "P7 P4 G3", ncpu: 2, procs: 2, bound: 1,
		build: func(w *walk) {
			// G1 is wired to P 1 and back while it yields there.
			a := w.put(0, do(opYield, opYield))
			w.mdl.s.Wire(w.mdl.s.M(0), &a.G, 1)
			w.begins(0, do(wires(a, 0)))
			w.begins(1, do(wires(a, -1)))
		},
	},
	{
		name: "wiredshrink", rules: "P7 P5", ncpu: 2, procs: 2, bound: 1,
		build: func(w *walk) {
			// P 1 goes, and comes back, while G2 is wired to it.
			w.begins(0, do(stops(1), opYield, stops(2)))
			b := w.put(0, do(opYield))
			w.mdl.s.Wire(w.mdl.s.M(0), &b.G, 1)
			w.begins(1, do())
		},
	},
	{
		name: "exit", rules: "M11 P2", ncpu: 2, procs: 1, bound: 2,
		build: func(w *walk) {
			// G1 ends and is still tied.
			w.begins(0, do(opTie), do(opYield))
			w.parks(1)
		},
	},
	{
		name: "stop", rules: "P4 A4 G3", ncpu: 3, procs: 3, bound: 1,
		build: func(w *walk) {
			// The world is stopped while one M runs Gs and another one falls asleep.
			w.begins(0, do(stops(3)))
			w.begins(1, do(next), do(opYield))
			w.begins(2)
		},
	},
	{
		name: "stopcall", rules: "P4 S1 G6", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// The world is stopped while a G goes into a call and comes back.
			w.begins(0, do(stops(2)))
			w.begins(1, do(calls(0, false)))
		},
	},
	{
		name: "stoplong", rules: "P4 S1", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// The call may begin after the stopper has looked, and lasts until the world stands still.
			w.begins(0, do(stops(2)))
			w.begins(1, do(callsUntilStop))
		},
	},
	{
		name: "shrink", rules: "P5 U7", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// P 1 goes while it has Gs, and comes back.
			w.begins(0, do(stops(1), opYield, stops(2)))
			w.begins(1, do(next), do())
		},
	},
	{
		name: "visit", rules: "P4 S1", ncpu: 3, procs: 3, bound: 1,
		build: func(w *walk) {
			w.begins(0, do(visits))
			w.begins(1, do(calls(0, false)))
			w.begins(2)
		},
	},
	{
		name: "timer", rules: "T1 T2 M9", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// G1 sleeps, while the other M goes to sleep: one of them keeps.
			w.begins(0, do(nap(500)))
			w.begins(1)
		},
	},
	{
		name: "timers", rules: "T1 T2 R10", ncpu: 2, procs: 2, time: true, bound: 1,
		build: func(w *walk) {
			// Timers come due on a P while its M computes, and another M steals.
			w.begins(0, do(nap(500)), do(opYield, nap(300)))
			w.begins(1, do(nap(200)))
		},
	},
	{
		name: "device", rules: "N1 N2 S3", ncpu: 2, procs: 2, time: true, bound: 1,
		build: func(w *walk) {
			// A device interrupts while its waiter's P goes idle.
			w.begins(0, do(reads, opYield))
			w.begins(1)
		},
	},
	{
		name: "turn", rules: "N4 N1 U2", ncpu: 2, procs: 2, time: true, bound: 1,
		build: func(w *walk) {
			// A device interrupts where the global queue has its turn, and the other M has taken what was there.
			for i := range int32(2) {
				w.mdl.s.M(i).ahead = -w.mdl.s.slice
			}
			w.global(1)
			w.begins(0, do(reads))
			w.begins(1)
		},
	},
	{
		name: "slice", rules: "S2 U5 A3 S4", ncpu: 2, procs: 1, time: true, traps: true, bound: 2,
		build: func(w *walk) {
			// G1 computes until G2 has run, which only a tick can bring about.
			ts := w.begins(0, do(), do())
			ts[0].body = steps(until(ts[1]))
			w.parks(1)
		},
	},
	{
		name: "calls", rules: "S2 U2", ncpu: 1, procs: 1, time: true, bound: 2,
		build: func(w *walk) {
			// G1 makes one call after the other until G2 has run: each tick strikes in a call.
			w.mdl.s.slice = 2 * RetakeAfter
			ts := w.begins(0, do(), do())
			ts[0].body = steps(callsTill(RetakeAfter, func() bool { return ts[1].seen.Load() != 0 }))
		},
	},
	{
		name: "callstimer", rules: "S3 T1", ncpu: 1, procs: 1, time: true, traps: true, bound: 2,
		build: func(w *walk) {
			// G1 sleeps, while G2 makes calls until it has woken up. With a second CPU that makes calls, a run in
			// which that one alone has time would not end.
			w.mdl.s.slice = 4 * RetakeAfter
			ts := w.begins(0, do(nap(500)), do())
			ts[1].body = steps(callsTill(3*RetakeAfter, ts[0].over.Load))
		},
	},
	{
		name: "ticks", rules: "S2 U5 S1 P3", ncpu: 2, procs: 1, time: true, traps: true, bound: 1,
		build: func(w *walk) {
			// G1 comes back from a call that has lost its P, while the tick that looks at the
			// call is due; then it computes until G2 has begun, which only a tick can bring about.
			w.begins(0, do(calls(3*RetakeAfter, true), spawnUntil))
			w.parks(1)
		},
	},
	{
		name: "halttimer", rules: "P4 T1 T2", ncpu: 2, procs: 2, time: true, traps: true, bound: 1,
		build: func(w *walk) {
			// G2 waits for the world to stop, and then for every P, while a timer of its P comes.
			w.begins(0, do(nap(500)), do(stops(2), visits))
			w.begins(1, do(opYield))
		},
	},
	{
		name: "shrinktick", rules: "P5 S2 U5", ncpu: 2, procs: 2, time: true, traps: true, bound: 1,
		build: func(w *walk) {
			// G2 takes its own P away with the world stopped, gets the other one, and computes until a G has
			// begun, which only a tick can bring about.
			w.begins(0, do())
			w.begins(1, do(stops(1), spawnUntil))
		},
	},
	{
		name: "visittick", rules: "P4 S1 S2", ncpu: 2, procs: 2, time: true, traps: true, bound: 1,
		build: func(w *walk) {
			// G1 visits every P while G2 goes into a call and comes back, and then computes until a G has begun.
			w.begins(0, do(visits))
			w.begins(1, do(calls(3*RetakeAfter, true), spawnUntil))
		},
	},
	{
		name: "deadlock", rules: "U6", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			w.begins(0, do(ever))
			w.begins(1, do(opYield, ever))
		},
	},
	{
		name: "alive", rules: "U6 T2", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// One waits for ever, the other for a timer: no deadlock before that has come.
			w.begins(0, do(ever))
			w.begins(1, do(nap(500)))
		},
	},
}

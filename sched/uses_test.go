//go:build explore

package sched

// A use is a small use of the scheduler, all of whose interleavings are tried.
type use struct {
	name  string
	rules string // what it is about (SPEC.md)
	ncpu  int
	procs int32
	time  bool // the clock may jump while Ms could go on: slices end, calls are noticed
	bound int  // preemptions that go test allows; make model allows one more
	build func(w *walk)
	end   func(w *walk) string // a further check of a run's end; nil: none
}

// begins seats M i, with a P of its own and a task in its ring for each body.
func (w *walk) begins(i int32, bodies ...[]op) {
	s := w.mdl.s
	s.nms, s.ncpu = max(s.nms, i+1), max(s.ncpu, i+1)
	m := w.mdl.running(i)
	for _, b := range bodies {
		s.Put(m, &w.mdl.newTask(steps(b...)).G, false)
	}
	w.seatAt(w.mdl.cpus[i], w.mdl.cpus[i].run)
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

// uses are the models of use.
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
		name: "runnext", rules: "R5 R11 G3", ncpu: 2, procs: 2, bound: 2,
		build: func(w *walk) {
			// Each child displaces the one before as runnext, and M 1 is after it.
			w.begins(0, do(next, next, opYield, next))
			w.begins(1)
		},
	},
}

// makes puts n tasks that end at once into the ring, and wakes who is to run them.
func makes(n int) op {
	return func(c *cpu, t *task) verdict {
		for range n {
			c.mdl.s.Put(c.m, &c.mdl.newTask(leaf).G, false)
		}
		c.mdl.s.Wake(c.m)
		return goOn
	}
}

// next makes one that goes before all others.
func next(c *cpu, t *task) verdict {
	c.mdl.s.Ready(c.m, &c.mdl.newTask(leaf).G, true)
	return goOn
}

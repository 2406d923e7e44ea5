package sched

// What the random program does with all that holds up an M or wakes one: system calls,
// ties, devices, safe points. Every op leaves the program able to end, whatever the
// schedule.

// callOps are system calls and what takes Ps from them; tieOps are ties, on top of
// calls; allOps are everything but wires, which M:N alone has, and wireOps all.
var (
	callOps = append([]op{opSpawn, opCall, opCall, opLongCall, opLongCall, opVeryLongCall, opNeedInCall, opLook, opVisit, opErrand, opErrand}, oldOps...)
	tieOps  = append([]op{opSpawn, opSpawn, opTie, opTie, opTie, opTie, opUntie, opUntie, opErrand, opErrand, opLeave}, callOps...)
	allOps  = append([]op{opSpawn, opRead, opRead, opRead, opNeedErrand, opVisit}, tieOps...)
	wireOps = append([]op{opSpawn, opWire, opWire, opWire}, allOps...)
)

// opCall, opLongCall and opVeryLongCall are system calls that are not noticed, that are
// retaken if there is work, and that are retaken in any case [S1]. Some are known to
// hold the CPU, others are found by the tick.
func opCall(c *cpu, t *task) verdict {
	return c.call(t, t.random(4) == 0, c.last(int64(t.random(RetakeAfter))))
}

func opLongCall(c *cpu, t *task) verdict {
	return c.call(t, t.random(4) != 0, c.last(RetakeAfter+int64(t.random(2_000_000))))
}

func opVeryLongCall(c *cpu, t *task) verdict {
	return c.call(t, t.random(2) != 0, c.last(RetakeAlways+int64(t.random(RetakeAlways))))
}

// opNeedInCall is a call that lasts until another task has begun, which was on t's own
// queue: the P must be taken away for it.
func opNeedInCall(c *cpu, t *task) verdict {
	n := c.child(leaf)
	if n == nil {
		return goOn
	}
	c.mdl.s.Ready(c.m, &n.G, t.random(2) != 0)
	return c.call(t, t.random(2) != 0 || c.mdl.unstarted(), func() {
		c.mdl.host.spin(c, t, true, func() bool { return n.seen.Load() != 0 })
	})
}

// unstarted reports whether there are CPUs that were never started. The task that starts one has to
// know that it is needed before the call: the tick cannot.
func (mdl *model) unstarted() bool {
	mdl.Lock()
	defer mdl.Unlock()
	return mdl.s.ncpu < mdl.s.MaxMs()
}

// opLook looks at a task in a call.
func opLook(c *cpu, t *task) verdict {
	for _, o := range c.mdl.cpus[:c.mdl.ncpu] {
		if other := o.cur.Load(); other != nil && other != t {
			c.mdl.look(other)
		}
	}
	return goOn
}

func opVisit(c *cpu, t *task) verdict {
	c.visit(t)
	return goOn
}

// opTie ties, also what is tied already [M12]; opUntie unties once.
func opTie(c *cpu, t *task) verdict {
	if t.ties < 3 {
		c.tie(t)
	}
	return goOn
}

func opUntie(c *cpu, t *task) verdict {
	if t.ties > 0 {
		c.untie(t)
	}
	return goOn
}

// opWire wires t, or a task that waits or runs elsewhere, to a P, or to none [P7].
func opWire(c *cpu, t *task) verdict {
	mdl, s := c.mdl, c.mdl.s
	if !c.stopWorld(t, 1+int32(t.random(uint32(s.MaxMs()))), func() {
		s.Wire(c.m, &t.G, int32(t.random(uint32(s.Procs())+1))-1)
		for _, o := range mdl.cpus[:mdl.ncpu] {
			if other := o.cur.Load(); other != nil && other != t && other.status.Load()&^scan == syscall {
				s.Wire(c.m, &other.G, int32(t.random(uint32(s.Procs()))))
			}
		}
	}) {
		return goOn
	}
	return yield // from here on it runs there
}

// opLeave ends the task, tied or not [M11].
func opLeave(c *cpu, t *task) verdict {
	if t.random(3) != 0 {
		return goOn
	}
	return exit
}

// opRead waits for a device [N1].
func opRead(c *cpu, t *task) verdict { return c.await(t, int64(t.random(50*stepTime))) }

// opErrand sends a task on an errand: it does something once, tied or not, and ends.
func opErrand(c *cpu, t *task) verdict {
	if n := c.errand(t); n != nil {
		c.mdl.s.Ready(c.m, &n.G, t.random(2) != 0)
	}
	return goOn
}

// opNeedErrand computes until such a task has ended.
func opNeedErrand(c *cpu, t *task) verdict {
	n := c.errand(t)
	if n == nil {
		return goOn
	}
	c.mdl.s.Ready(c.m, &n.G, t.random(2) != 0)
	if !c.mdl.host.spin(c, t, false, n.over.Load) {
		return yield
	}
	return goOn
}

// opDoom sends one that waits for ever afterwards: in the end the program is dead [U6].
func opDoom(c *cpu, t *task) verdict {
	if n := c.errand(t); n != nil {
		n.body = func(c *cpu, t *task) verdict {
			if v := runErrand(c, t); v != exit || t.phase == 1 {
				return v
			}
			return c.waitForEver(t)
		}
		c.mdl.s.Ready(c.m, &n.G, t.random(2) != 0)
	}
	return goOn
}

// errands are what such a task does.
var errands = []op{opNap, opSleep, opRead, opYield, opCall, opLongCall, opVisit}

// errand makes a task with an errand for t, or returns nil.
func (c *cpu) errand(t *task) *task {
	n := c.child(runErrand)
	if n != nil {
		n.errand = errands[t.random(uint32(len(errands)))]
		n.rounds = int(t.random(3)) // ties
		n.left = int(t.random(2))   // unties before the end
	}
	return n
}

func runErrand(c *cpu, t *task) verdict {
	switch t.phase++; {
	case t.phase == 1:
		for range t.rounds {
			c.tie(t)
		}
		return t.errand(c, t)
	case t.left > 0:
		for range t.rounds {
			c.untie(t)
		}
	}
	return exit
}

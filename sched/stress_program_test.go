package sched

// The random program of the stress tests: a tree of tasks that does all that a
// program can do to a scheduler. It always ends, whatever the schedule.

// root starts the program on M 0's P, with a number of roots, and lets it grow by n more tasks, of
// at most steps steps each.
func (mdl *model) root(roots, n, steps int) {
	mdl.budget.Store(int32(n))
	for ; roots > 0; roots-- {
		t := mdl.newTask(program)
		t.left = steps
		mdl.s.RunqPut(mdl.s.M(0), &t.G, false)
	}
}

// child makes a task, or returns nil if there were enough.
func (c *cpu) child(body func(*cpu, *task) verdict) *task {
	if c.mdl.budget.Add(-1) < 0 {
		return nil
	}
	return c.mdl.newTask(body)
}

// leaf ends at once; waker wakes its friend first.
func leaf(c *cpu, t *task) verdict { return exit }

func waker(c *cpu, t *task) verdict {
	c.wake(t.friend, true)
	return exit
}

// partner waits for its friend and wakes it, rounds times.
func partner(c *cpu, t *task) verdict {
	if t.phase++; t.phase%2 == 1 {
		if t.rounds == 0 {
			return exit
		}
		t.rounds--
		return c.wait(t)
	}
	c.wake(t.friend, t.random(4) != 0)
	return goOn
}

// program does what the model's ops say, drawn by lot.
func program(c *cpu, t *task) verdict {
	switch {
	case t.burn > 0:
		t.burn--
		return goOn
	case t.rounds > 0:
		t.rounds--
		c.wake(t.friend, t.random(4) != 0)
		return c.wait(t)
	case t.left == 0:
		return exit
	}
	t.left--
	return c.mdl.ops[t.random(uint32(len(c.mdl.ops)))](c, t)
}

// op is one thing that a task does.
type op func(*cpu, *task) verdict

// oldOps are what needs nothing but queues, timers and the stop of the world.
var oldOps = []op{
	opSpawn, opSpawn, opSpawn, opNeed, opNeed, opYield, opYield, opWaker, opPartner,
	opNap, opNap, opSleep, opHasten, opInject, opBurn, opStop,
}

func opSpawn(c *cpu, t *task) verdict {
	if n := c.child(program); n != nil {
		n.left = t.left
		c.mdl.s.Ready(c.m, &n.G, t.random(4) != 0)
	}
	return goOn
}

// opNeed: a task that computes and waits for another one holds its P. It ends soon
// only if an idle P takes the other: this is what finds work that is left lying.
func opNeed(c *cpu, t *task) verdict {
	if n := c.child(leaf); n != nil {
		c.mdl.s.Ready(c.m, &n.G, t.random(2) != 0)
		if !c.mdl.host.spin(c, t, false, func() bool { return n.seen.Load() != 0 }) {
			return yield
		}
	}
	return goOn
}

func opYield(c *cpu, t *task) verdict { return yield }

func opWaker(c *cpu, t *task) verdict {
	if n := c.child(waker); n != nil {
		n.friend = t
		c.mdl.s.Ready(c.m, &n.G, true)
		return c.wait(t)
	}
	return goOn
}

func opPartner(c *cpu, t *task) verdict {
	if n := c.child(partner); n != nil {
		t.friend, n.friend = n, t
		t.rounds = int(1 + t.random(8))
		n.rounds = t.rounds
		c.mdl.s.Ready(c.m, &n.G, true)
	}
	return goOn
}

func opNap(c *cpu, t *task) verdict   { return c.sleep(t, int64(t.random(8*stepTime))) }
func opSleep(c *cpu, t *task) verdict { return c.sleep(t, int64(t.random(1000*stepTime))) }

func opHasten(c *cpu, t *task) verdict {
	s := c.mdl.s
	c.hasten(s.P(int32(t.random(uint32(s.Procs())))), int64(t.random(stepTime)))
	return goOn
}

func opInject(c *cpu, t *task) verdict {
	var ts []*task
	for i := t.random(5); i > 0; i-- {
		if n := c.child(program); n != nil {
			n.left = t.left / 2
			ts = append(ts, n)
		}
	}
	c.inject(ts)
	return goOn
}

func opBurn(c *cpu, t *task) verdict {
	t.burn = int(t.random(200))
	return goOn
}

func opStop(c *cpu, t *task) verdict {
	if t.random(4) == 0 {
		c.stopWorld(t, int32(1+t.random(uint32(c.mdl.ncpu))))
	}
	return goOn
}

package sched

// The random program of the stress tests: a tree of tasks that does all that a
// program can do to a scheduler. It always ends, whatever the schedule.

// root starts the program on M 0's P, with a number of roots, and lets it grow
// by n more tasks, of at most so many steps each.
func (mdl *model) root(roots, n, steps int) {
	mdl.budget.Store(int32(n))
	for ; roots > 0; roots-- {
		t := mdl.newTask(program)
		t.left = steps
		mdl.s.Put(mdl.s.M(0), &t.G, false)
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
		return t.wait(c.mdl)
	}
	c.wake(t.friend, t.random(4) != 0)
	return goOn
}

func program(c *cpu, t *task) verdict {
	mdl := c.mdl
	switch {
	case t.burn > 0:
		t.burn--
		return goOn
	case t.rounds > 0:
		t.rounds--
		c.wake(t.friend, t.random(4) != 0)
		return t.wait(mdl)
	case t.left == 0:
		return exit
	}
	t.left--
	switch t.random(16) {
	case 0, 1, 2:
		if n := c.child(program); n != nil {
			n.left = t.left
			mdl.s.Ready(c.m, &n.G, t.random(4) != 0)
		}
	case 3, 4:
		// A task that computes and waits for another one holds its P. It
		// ends soon only if an idle P takes the other: this is what finds
		// work that is left lying.
		if n := c.child(leaf); n != nil {
			mdl.s.Ready(c.m, &n.G, t.random(2) != 0)
			if !mdl.host.spin(c, func() bool { return n.seen.Load() != 0 }) {
				return yield
			}
		}
	case 5, 6:
		return yield
	case 7:
		if n := c.child(waker); n != nil {
			n.friend = t
			mdl.s.Ready(c.m, &n.G, true)
			return t.wait(mdl)
		}
	case 8:
		if n := c.child(partner); n != nil {
			t.friend, n.friend = n, t
			t.rounds = int(1 + t.random(8))
			n.rounds = t.rounds
			mdl.s.Ready(c.m, &n.G, true)
		}
	case 9, 10:
		return c.sleep(t, int64(t.random(8*stepTime)))
	case 11:
		return c.sleep(t, int64(t.random(1000*stepTime)))
	case 12:
		c.hasten(mdl.s.P(int32(t.random(uint32(mdl.s.Procs())))), int64(t.random(stepTime)))
	case 13:
		var ts []*task
		for i := t.random(5); i > 0; i-- {
			if n := c.child(program); n != nil {
				n.left = t.left / 2
				ts = append(ts, n)
			}
		}
		c.inject(ts)
	case 14:
		t.burn = int(t.random(200))
	case 15:
		if t.random(4) == 0 {
			c.stopWorld(int32(1 + t.random(uint32(mdl.ncpu))))
		}
	}
	return goOn
}

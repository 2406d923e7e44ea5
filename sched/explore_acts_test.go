//go:build explore

package sched

// What tasks do in the uses that are explored.

// wait waits for a wake.
func wait(c *cpu, t *task) verdict { return c.wait(t) }

// wakes wakes a, which goes before all others if next.
func wakes(a *task, next bool) op {
	return func(c *cpu, t *task) verdict {
		c.wake(a, next)
		return goOn
	}
}

// ever waits for ever.
func ever(c *cpu, t *task) verdict { return c.waitForEver(t) }

// makes puts n tasks that end at once into the ring, and wakes an M for them.
func makes(n int) op {
	return func(c *cpu, t *task) verdict {
		for range n {
			c.mdl.s.RunqPut(c.m, &c.mdl.newTask(leaf).G, false)
		}
		c.mdl.s.WakeP(c.m)
		return goOn
	}
}

// next makes one that goes before all others.
func next(c *cpu, t *task) verdict {
	c.mdl.s.Ready(c.m, &c.mdl.newTask(leaf).G, true)
	return goOn
}

// needs makes a task and computes until it has begun, which takes another M.
func needs(next bool) op {
	return func(c *cpu, t *task) verdict {
		n := c.mdl.newTask(leaf)
		c.mdl.s.Ready(c.m, &n.G, next)
		if !c.mdl.host.spin(c, t, false, func() bool { return n.seen.Load() != 0 }) {
			c.mdl.note("a G waits, and an M and a P are free\n" + c.mdl.dump())
		}
		return goOn
	}
}

// until computes until n has begun.
func until(n *task) op {
	return func(c *cpu, t *task) verdict {
		if n.seen.Load() != 0 || c.mdl.host.spin(c, t, false, func() bool { return n.seen.Load() != 0 }) {
			return goOn
		}
		t.phase--
		return yield
	}
}

// spawnUntil makes a task and computes until it has begun.
func spawnUntil(c *cpu, t *task) verdict {
	if t.friend == nil {
		t.friend = c.mdl.newTask(leaf)
		c.mdl.s.Ready(c.m, &t.friend.G, false)
	}
	return until(t.friend)(c, t)
}

// untilEnd computes until n has ended, and gives way when it is asked to.
func untilEnd(n *task) op {
	return func(c *cpu, t *task) verdict {
		if n.over.Load() || c.mdl.host.spin(c, t, false, n.over.Load) {
			return goOn
		}
		t.phase--
		return yield
	}
}

// chain makes a task that makes one less, and so on: the ring is never empty.
func chain(n int) op {
	return func(c *cpu, t *task) verdict {
		if n > 0 {
			c.mdl.s.Ready(c.m, &c.mdl.newTask(steps(chain(n-1))).G, false)
		}
		return goOn
	}
}

// injects makes n tasks runnable by way of the global queue.
func injects(n int) op {
	return func(c *cpu, t *task) verdict {
		c.inject(c.mdl.gs(n))
		return goOn
	}
}

// wakeUp wakes an M for what was put before.
func wakeUp(c *cpu, t *task) verdict {
	c.mdl.s.WakeP(c.m)
	return goOn
}

// calls is a system call of ns nanoseconds. hold: it is known to hold the CPU.
func calls(ns int64, hold bool) op {
	return func(c *cpu, t *task) verdict {
		return c.call(t, hold, func() {
			if ns == 0 {
				c.mdl.host.point("call")
				return
			}
			end := c.mdl.Now() + ns
			c.deadline = end
			c.mdl.host.spin(c, t, true, func() bool { return c.mdl.Now() >= end })
			c.deadline = 0
		})
	}
}

// callsTill makes calls of ns nanoseconds, one after the other, until done, in one step after the
// other: a tick strikes in calls alone.
func callsTill(ns int64, done func() bool) op {
	return func(c *cpu, t *task) verdict {
		if done() {
			return goOn
		}
		t.phase--
		return calls(ns, false)(c, t)
	}
}

// callsUntil is one that lasts until n has begun, callsUntilEnd until it has ended; both are
// known to last.
func callsUntil(n *task) op    { return callsWhile(func() bool { return n.seen.Load() == 0 }) }
func callsUntilEnd(n *task) op { return callsWhile(func() bool { return !n.over.Load() }) }

// callsWhile is one that lasts as long as on.
func callsWhile(on func() bool) op {
	return func(c *cpu, t *task) verdict {
		return c.call(t, true, func() {
			if !c.mdl.host.spin(c, t, true, func() bool { return !on() }) {
				c.mdl.note("S1: a call holds a P for ever\n" + c.mdl.dump())
			}
		})
	}
}

// callsUntilStop is one that lasts until the world has been stopped once.
func callsUntilStop(c *cpu, t *task) verdict {
	mdl := c.mdl
	return c.call(t, false, func() {
		if !mdl.host.spin(c, t, true, func() bool { return mdl.stops > 0 }) {
			mdl.note("P4: a call keeps the world from stopping\n" + mdl.dump())
		}
	})
}

// leaves calls foreign code.
func leaves(c *cpu, t *task) verdict {
	return c.call(t, false, func() { c.mdl.s.HandoffSyscall(c.m) })
}

// leavesUntil calls foreign code that lasts until over.
func leavesUntil(over func(mdl *model) bool) op {
	return func(c *cpu, t *task) verdict {
		return c.call(t, false, func() {
			c.mdl.s.HandoffSyscall(c.m)
			if !c.mdl.host.spin(c, t, true, func() bool { return over(c.mdl) }) {
				c.mdl.note("M5: foreign code waits for ever\n" + c.mdl.dump())
			}
		})
	}
}

// ended and onceStopped are when it does: when n has ended, and when the world has stood still.
func ended(n *task) func(*model) bool { return func(*model) bool { return n.over.Load() } }

// onceStopped: see ended.
func onceStopped(mdl *model) bool { return mdl.stops > 0 }

// stops stops the world and restarts it with n Ps.
func stops(n int32) op {
	return func(c *cpu, t *task) verdict {
		c.stopWorld(t, n)
		return goOn
	}
}

// wires stops the world, wires n to P p, -1: to none, and restarts the world with the same Ps.
func wires(n *task, p int32) op {
	return func(c *cpu, t *task) verdict {
		c.stopWorld(t, c.mdl.s.Procs(), func() { c.mdl.s.Wire(c.m, &n.G, p) })
		return goOn
	}
}

// visits makes every P run its safe point.
func visits(c *cpu, t *task) verdict {
	c.visit(t)
	return goOn
}

// reads waits for the device.
func reads(c *cpu, t *task) verdict { return c.await(t, 100) }

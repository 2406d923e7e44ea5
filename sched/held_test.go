package sched

import "testing"

// Programs in which Ms are held up: by tasks that are tied to them and wait, and by system
// calls. Each is small enough to say what must happen; all run in turns, from many seeds.

// must plays a program that first starts in turns, under many schedules.
func must(t *testing.T, ncpu int, procs int32, first op) {
	t.Helper()
	for seed := range seeds(12, 2) {
		mdl, tn := newTurns(ncpu, procs, seed+1)
		mdl.budget.Store(100)
		mdl.s.RunqPut(mdl.s.M(0), &mdl.newTask(first).G, false)
		tn.start(mdl.cpus[0])
		if msg := tn.play(100_000); msg != "" {
			t.Fatalf("%d CPUs, %d Ps, seed %d, step %d: %s", ncpu, procs, seed+1, tn.steps, msg)
		}
		if mdl.checkEnd(t); t.Failed() {
			t.Fatalf("%d CPUs, %d Ps, seed %d", ncpu, procs, seed+1)
		}
	}
}

// steps makes a body of single steps, one after the other; the last one's verdict is exit.
func steps(body ...op) op {
	return func(c *cpu, t *task) verdict {
		if t.phase++; t.phase > len(body) {
			return exit
		}
		return body[t.phase-1](c, t)
	}
}

// spawn makes a task that does body, and is run soon.
func spawn(body ...op) op {
	return func(c *cpu, t *task) verdict {
		c.mdl.s.Ready(c.m, &c.mdl.newTask(steps(body...)).G, false)
		return goOn
	}
}

// nap and read wait for the clock and for a device.
func nap(d int64) op  { return func(c *cpu, t *task) verdict { return c.sleep(t, d) } }
func read(d int64) op { return func(c *cpu, t *task) verdict { return c.await(t, d) } }

// A tied task waits for a device, or sleeps, and nothing else is there: no other CPU was
// ever started.
func TestTiedAlone(t *testing.T) {
	for _, wait := range []op{read(500_000), nap(500_000), opYield} {
		for _, n := range []int{1, 2, 4} {
			must(t, n, 1, steps(opTie, wait, wait))
			must(t, n, int32(n), steps(opTie, wait, wait))
		}
	}
}

// Two tied tasks do so, and CPUs are left that were never started.
func TestTiedPairAlone(t *testing.T) {
	for _, wait := range []op{read(500_000), nap(500_000)} {
		must(t, 4, 4, steps(spawn(opTie, wait, opYield, wait), opTie, wait, opYield, wait))
	}
}

// over is whether task i, by the order of their making, has ended.
func over(mdl *model, i int) bool {
	mdl.mu.Lock()
	defer mdl.mu.Unlock()
	return i < len(mdl.tasks) && mdl.tasks[i].over.Load()
}

// compute and hold go on until task i has ended: on the CPU, and in a system call.
func compute(i int) op {
	return func(c *cpu, t *task) verdict {
		if over(c.mdl, i) || c.mdl.host.spin(c, t, false, func() bool { return over(c.mdl, i) }) {
			return goOn
		}
		t.phase-- // it was made to leave
		return yield
	}
}

func hold(i int) op {
	return func(c *cpu, t *task) verdict {
		return c.call(t, true, func() {
			if !c.mdl.host.spin(c, t, true, func() bool { return over(c.mdl, i) }) {
				c.mdl.note("S1: what a system call waits for is never done\n" + c.mdl.dump())
			}
		})
	}
}

// Beside a task that computes and never leaves the CPU by itself, what another waits for
// comes, whether that is tied or not, and whether an M is free or not.
func TestBesideALoop(t *testing.T) {
	for _, tie := range []op{opTie, opYield} {
		for _, wait := range []op{nap(3_000_000), read(3_000_000), opYield, opLongCall} {
			for _, n := range []int{1, 2, 3} {
				for procs := int32(1); procs <= int32(n); procs++ {
					must(t, n, procs, steps(spawn(tie, wait, wait), compute(1)))
				}
			}
		}
	}
}

// Beside two of them on one P devices are asked too.
func TestBesideTwoLoops(t *testing.T) {
	for _, tie := range []op{opTie, opYield} {
		must(t, 2, 1, steps(spawn(tie, read(3_000_000)), spawn(compute(1)), compute(1)))
		must(t, 1, 1, steps(spawn(tie, read(3_000_000)), spawn(compute(1)), compute(1)))
	}
}

// Beside a task in a system call that lasts until another has done its work: as long as
// there is another CPU, and though that waits for a task of its own.
func TestBesideACall(t *testing.T) {
	for _, tie := range []op{opTie, opYield} {
		for _, wait := range []op{nap(3_000_000), read(3_000_000), opYield} {
			for _, n := range []int{2, 3} {
				for procs := int32(1); procs <= int32(n); procs++ {
					must(t, n, procs, steps(spawn(tie, wait, wait), hold(1)))
					must(t, n, procs, steps(spawn(tie, wait, wait), opYield, hold(1)))
				}
			}
		}
	}
}

// A call lasts until another task has done its work, while all other CPUs run tasks that never
// wait, tied ones too: a task queued behind the call, or waiting for a timer of the P, has its turn
// among them.
func TestBehindACall(t *testing.T) {
	for _, tie := range []op{opTie, opYield} {
		for _, wait := range []op{nap(3_000_000), read(3_000_000), opYield} {
			for _, n := range []int{2, 3} {
				for procs := int32(1); procs <= int32(n); procs++ {
					body := []op{}
					for range n - 1 {
						body = append(body, spawn(tie, compute(0)))
					}
					body = append(body, nap(500_000), spawn(wait, wait), hold(n))
					must(t, n, procs, steps(body...))
				}
			}
		}
	}
}

// The same with foreign code, which gives its P away at once, though no M can take it.
func TestBehindForeignCode(t *testing.T) {
	for _, wait := range []op{nap(3_000_000), read(3_000_000), opYield} {
		foreign := func(c *cpu, t *task) verdict {
			return c.call(t, false, func() {
				c.mdl.s.HandoffSyscall(c.m)
				if !c.mdl.host.spin(c, t, true, func() bool { return over(c.mdl, 2) }) {
					c.mdl.note("M5: what foreign code waits for is never done\n" + c.mdl.dump())
				}
			})
		}
		must(t, 2, 2, steps(spawn(compute(0)), nap(500_000), spawn(wait, wait), foreign))
		must(t, 2, 2, steps(spawn(opTie, compute(0)), nap(500_000), spawn(wait, wait), foreign))
	}
}

// Behind a tied task that waits, which hands its P on.
func TestBehindATie(t *testing.T) {
	for _, wait := range []op{nap(3_000_000), read(3_000_000), opYield} {
		must(t, 2, 2, steps(spawn(compute(0)), opTie, nap(500_000), spawn(wait, wait), nap(500_000_000)))
		must(t, 3, 2, steps(spawn(opTie, compute(0)), opTie, nap(500_000), spawn(wait, wait), nap(500_000_000)))
	}
}

// On two CPUs one waits for a task of its own, which sleeps for long, the other is in a
// call until a third task is done: the first is lent.
func TestLentBesideACall(t *testing.T) {
	for _, wait := range []op{nap(3_000_000), read(3_000_000), opYield} {
		for procs := int32(1); procs <= 2; procs++ {
			must(t, 2, procs, steps(spawn(wait, wait), spawn(opTie, nap(500_000_000)), opYield, nap(1_000_000), hold(1)))
		}
	}
}

// The same with foreign code, which gives its P away at once [M5].
func TestLentBesideForeignCode(t *testing.T) {
	foreign := func(c *cpu, t *task) verdict {
		return c.call(t, false, func() {
			c.mdl.s.HandoffSyscall(c.m)
			if c.m.P() != nil {
				c.mdl.fail("M5: foreign code keeps a P")
			}
			if !c.mdl.host.spin(c, t, true, func() bool { return over(c.mdl, 1) }) {
				c.mdl.note("M5: what foreign code waits for is never done\n" + c.mdl.dump())
			}
		})
	}
	for _, wait := range []op{nap(3_000_000), read(3_000_000), opYield} {
		must(t, 2, 2, steps(spawn(wait, wait), nap(1_000_000), foreign))
		must(t, 2, 1, steps(spawn(wait, wait), foreign))
		must(t, 2, 2, steps(spawn(wait, wait), spawn(opTie, nap(500_000_000)), opYield, nap(1_000_000), foreign))
	}
}

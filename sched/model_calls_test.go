package sched

import "sched9/record"

// System calls of tasks, as the runtime makes them: entersyscall and exitsyscall of
// Go 1.26, and the scan bit that keeps a G in its call.

// call puts t, which c runs, into a system call, has during pass the time there, and
// brings it back. hold: the call is known to hold the CPU. It is the last that a step
// does: the task may have left the CPU by then.
func (c *cpu) call(t *task, hold bool, during func()) verdict {
	old := c.entersyscall(t)
	c.mdl.host.point("call")
	if hold {
		c.mdl.s.SyscallBlocks(c.m)
	}
	during()
	c.mdl.host.point("return")
	return c.exitsyscall(t, old)
}

// entersyscall puts t, which c runs, into a system call, and returns the P that it had.
func (c *cpu) entersyscall(t *task) (old *P) {
	mdl := c.mdl
	c.m.Rec.Record(record.EvSyscallEnter, t.ID, 0, 0)
	old = c.m.P()
	if mdl.SafePointPending(old) {
		mdl.s.RunSafePoint(c.m)
	}
	mdl.host.point("enter")
	t.become(mdl, running, syscall) // from here on the P may go
	return old
}

// exitsyscall brings t back from its system call, for which it had P old.
func (c *cpu) exitsyscall(t *task, old *P) verdict {
	mdl, s := c.mdl, c.mdl.s
	t.become(mdl, syscall, running) // from here on the P may not go
	s.ExitSyscall(c.m)
	c.m.Rec.Record(record.EvSyscallExit, t.ID, 0, 0)
	if c.m.P() == nil {
		if p := s.ExitSyscallTryGetP(c.m, &t.G, old); p != nil {
			mdl.AcquireP(c.m, p)
		}
	}
	if p := c.m.P(); p != nil {
		if p.M() != c.m {
			mdl.fail("P1: M %d comes back from a call with a P of another M", c.m.ID)
		}
		if t.preempt.Load() {
			return yield // a tick struck in the call: it gives way where it comes back
		}
		return goOn
	}
	t.become(mdl, running, runnable)
	tied := c.lockedg != nil
	c.lockedg = nil
	c.waits = tied && mdl.watch
	mdl.Lock()
	c.drop(t) // under the lock, for an audit
	c.then = func() { s.ExitSyscallNoP(c.m, &t.G, tied) }
	return gone
}

// last makes a call last for ns nanoseconds.
func (c *cpu) last(ns int64) func() {
	return func() {
		mdl := c.mdl
		for end := mdl.Now() + ns; mdl.Now() < end; {
			mdl.clock.Add(max(1, min(max(ns/16, 5_000), end-mdl.Now()+1))) // others move it too
			mdl.beats.Add(1)
			mdl.host.point("call")
			c.interrupts()
		}
	}
}

// BlockSyscallExit: t's status has the scan bit until ResumeSyscall, so it cannot come back. t, M
// and P may have parted before that, so the owner is checked again then.
func (mdl *model) BlockSyscallExit(p *P) *M {
	m := p.M()
	if m == nil {
		return nil
	}
	c := mdl.cpus[m.ID]
	t := c.cur.Load()
	if t == nil || t.status.Load() != syscall {
		return nil
	}
	mdl.host.point("hold")
	if !t.status.CompareAndSwap(syscall, syscall|scan) {
		return nil
	}
	if t.on.Load() != c || m.P() != p || p.M() != m {
		t.status.Store(syscall)
		return nil
	}
	mdl.host.point("held")
	return m
}

func (mdl *model) TakeSyscallP(m *M, p *P) {
	if t := mdl.cpus[m.ID].cur.Load(); t == nil || t.status.Load() != syscall|scan {
		mdl.fail("G6: a P is taken from a task that is not held in its call")
	}
	if m.P() != nil || p.M() != nil {
		mdl.fail("S1: a P is taken and still owned")
	}
	mdl.host.point("take")
}

func (mdl *model) ResumeSyscall(m *M) {
	t := mdl.cpus[m.ID].cur.Load()
	if t == nil || t.status.Load() != syscall|scan {
		mdl.fail("G6: a task that was held is not in its call")
	}
	mdl.host.point("resume")
	t.status.Store(syscall)
}

// look holds some task in its call for a moment, as the collector does to scan it.
func (mdl *model) look(t *task) {
	if t.status.CompareAndSwap(syscall, syscall|scan) {
		mdl.host.point("look")
		t.status.Store(syscall)
	}
}

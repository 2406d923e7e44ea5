package sched

import (
	"testing"

	"sched9/record"
)

// Foreign code on CPUs of its own [M15], as the model has it: the CPU belongs to no M until the
// code calls back. Then it borrows its M, for which a task is ready that does the call.

// opForeign calls foreign code, which gives the P away at once [M5].
func opForeign(c *cpu, t *task) verdict {
	ns := int64(t.random(2_000_000))
	return c.call(t, false, func() {
		c.mdl.s.HandoffSyscall(c.m)
		c.last(ns)()
	})
}

// opTakeCPU starts a CPU with foreign code, if there is one left.
func opTakeCPU(c *cpu, t *task) verdict {
	mdl := c.mdl
	n := c.child(callback)
	if n == nil {
		return goOn
	}
	m := mdl.s.TakeForeignCPU()
	if m == nil {
		n.body = leaf // it was made in vain
		mdl.s.Ready(c.m, &n.G, false)
		return goOn
	}
	mdl.doomed.Add(1)
	n.status.Store(waiting)
	n.lockedm, n.ties = m, 1
	m.LockedGs = 1
	f := mdl.cpus[m.ID]
	f.calls = int(1 + t.random(6))
	f.then = func() { f.foreign(n) }
	mdl.host.start(f)
	return goOn
}

// foreign is the code: it calls back for n some times.
func (c *cpu) foreign(n *task) {
	for {
		for range n.random(20) {
			c.mdl.host.point("foreign")
		}
		if c.calls == 0 {
			panic(quit{}) // the CPU idles
		}
		if c.m.P() != nil || c.cur.Load() != nil {
			c.mdl.fail("M15: a CPU that runs foreign code has a P, or a task")
		}
		c.calls--
		n.become(c.mdl, waiting, runnable)
		c.mdl.Lock()
		c.mdl.s.NeedM(c.m, &n.G)
	}
}

// callbackEnd makes n, which has done a call, wait for the next one.
func (c *cpu) callbackEnd(n *task) {
	c.m.Rec.Record(record.EvBlock, n.ID, 0, 0)
	n.become(c.mdl, running, waiting)
	c.lockedg = nil
	c.drop(n)
	c.then = c.goBack
}

// goBack is where the M goes on when the call is done.
func (c *cpu) goBack() {
	n := c.served
	c.mdl.s.DropM(c.m)
	if c.m.P() != nil {
		c.mdl.fail("M15: foreign code keeps a P")
	}
	c.waits, c.lendable = false, false
	c.foreign(n)
}

// callback is the task: in each call it does some things that a task does.
func callback(c *cpu, t *task) verdict {
	c.served = t
	if c.m.ID < c.mdl.s.MaxMs() {
		c.mdl.fail("M15: a call of foreign code is on M %d", c.m.ID)
	}
	if t.left == 0 {
		t.left = int(1 + t.random(5))
	}
	if t.left--; t.left == 0 {
		return back
	}
	return callbackOps[t.random(uint32(len(callbackOps)))](c, t)
}

var callbackOps = []op{opCall, opLongCall, opNap, opYield, opRead, opErrand, opVisit, opForeign}

// [M15]: CPUs that are kept for foreign code, and others that were never started, are taken
// one by one; the scheduler's own are never.
func TestM15TakeCPU(t *testing.T) {
	for _, c := range []struct{ cpus, reserve, started, want int32 }{
		{4, 0, 1, 3}, {4, 2, 1, 3}, {4, 9, 1, 3}, {4, -1, 1, 3}, {4, 1, 3, 1}, {4, 0, 4, 0}, {1, 1, 1, 0},
	} {
		mdl := newModelOf(int(c.cpus), 1, Config{Foreign: c.reserve})
		s := mdl.s
		mdl.started(c.started)
		seen := map[*M]bool{}
		for m := s.TakeForeignCPU(); m != nil; m = s.TakeForeignCPU() {
			if seen[m] || m.ID < c.started {
				t.Errorf("%+v: M %d is taken, or the scheduler's", c, m.ID)
			}
			seen[m] = true
		}
		if int32(len(seen)) != c.want || s.MaxMs() != c.cpus-max(c.want, min(max(c.reserve, 0), c.cpus-1)) {
			t.Errorf("%+v: %d taken, %d Ms are left", c, len(seen), s.MaxMs())
		}
	}
}

// [M15]: a borrowed M counts while it is one, runs its G with a P that is idle, or waits for
// it; and gives the P away when it is returned.
func TestM15BorrowAndReturn(t *testing.T) {
	for _, idle := range []bool{true, false} {
		mdl := newModel(3, map[bool]int32{true: 2, false: 1}[idle])
		s := mdl.s
		mdl.sleeping(1)
		m := s.TakeForeignCPU()
		g := mdl.tied(m, 1)[0]
		d, _ := mdl.ends(t, m, func() { s.Lock(); s.NeedM(m, &g.G) })
		if s.nms != 3 || s.nextra != 1 || s.Started() != 2 || (d.t == g) != idle || (m.state.Load() != mLockedWait) != idle {
			t.Fatalf("%+v\n%s", d, mdl.dump())
		}
		if !idle {
			continue
		}
		p := m.P()
		mdl.putAll(s.P(0), nil)
		s.DropM(m)
		if s.nms != 2 || s.nextra != 0 || m.P() != nil || !p.Idle() || s.nmidle != 1 {
			t.Errorf("returned\n%s", mdl.dump())
		}
	}
}

// [M15]: a CPU that is an M already borrows none.
func TestM15Throws(t *testing.T) {
	mdl := newModel(3, 2)
	s := mdl.s
	mdl.sleeping(1)
	m := s.TakeForeignCPU()
	g := mdl.tied(m, 1)[0]
	borrow := func(m *M) func() {
		return func() { s.Lock(); s.NeedM(m, &g.G) }
	}
	mdl.thrown(t, "M15", borrow(s.M(0)))
	mdl.thrown(t, "M15", borrow(s.M(1)))
	s.nextra = s.nforeignUsed
	mdl.thrown(t, "M15", borrow(m))
}

// [U6]: while foreign code runs there is no deadlock.
func TestM15NobodyIsDead(t *testing.T) {
	mdl := newModel(2, 1)
	s := mdl.s
	mdl.onDead = func() { t.Errorf("asked for a deadlock while foreign code may call") }
	if s.TakeForeignCPU() == nil {
		t.Fatal("no CPU")
	}
	if d, _ := mdl.schedule(t, s.M(0)); d.t != nil || s.Asleep() != 1 {
		t.Errorf("%+v", d)
	}
}

// [M5]: a call of foreign code gives the P away at once, to an M that sleeps if there is
// work; without a P, or outside of a call, there is nothing to give.
func TestM5HandoffSyscall(t *testing.T) {
	mdl := newModel(2, 2)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	other := mdl.sleeping(1)
	task := mdl.inCall(m, 0)
	mdl.putAll(p, mdl.gs(1))
	task.status.Store(running)
	s.HandoffSyscall(m)
	if m.P() != p {
		t.Errorf("a G that runs loses its P")
	}
	task.status.Store(syscall)
	s.HandoffSyscall(m)
	if m.P() != nil || puintptr(other.nextp.Load()).ptr() != p || task.status.Load() != syscall {
		t.Errorf("not given away\n%s", mdl.dump())
	}
	s.HandoffSyscall(m)
	if m.P() != nil || p.Idle() {
		t.Errorf("given away twice")
	}
}

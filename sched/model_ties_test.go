package sched

import "sched9/record"

// Tasks that are tied to an M [M6, M12]: what the runtime keeps of it.

// tie ties t, which runs on c, to c's M, once more.
func (c *cpu) tie(t *task) {
	if t.ties == 0 {
		t.lockedm = c.m
		c.lockedg = t
		c.m.LockedGs++
	}
	t.ties++
	c.m.Rec.Record(record.EvLock, t.ID, uint64(t.ties), 0)
}

// untie takes that back once.
func (c *cpu) untie(t *task) {
	if t.ties--; t.ties == 0 {
		t.lockedm = nil
		c.lockedg = nil
		c.m.LockedGs--
	}
	c.m.Rec.Record(record.EvUnlock, t.ID, uint64(t.ties), 0)
}

// begin checks that t may run on c: a wired task on its own P alone [P7], a tied one on its own M [M6], and on an M
// that waits for a task of its own no other, unless that M is lent, which it is only
// when all others could run nothing (locked.go).
func (c *cpu) begin(t *task) {
	mdl := c.mdl
	if t.lockedm == nil {
		if mdl.s.Policy().Threads {
			c.tie(t)
		}
		if c.waits && !c.lendable {
			mdl.fail("M13: M %d runs task %d while it waits for its own, and others could\n%s", c.m.ID, t.id, mdl.dump())
		}
		if home := mdl.s.homeOf(&t.G); home != nil && home != c.m.P() {
			mdl.fail("P7: task %d is wired to P %d and runs on P %d", t.id, home.ID, c.m.P().ID)
		}
		return
	}
	if t.lockedm != c.m {
		mdl.fail("M6: task %d of M %d runs on M %d", t.id, t.lockedm.ID, c.m.ID)
	}
	if c.lockedg != nil {
		mdl.fail("M6: M %d runs two tasks of its own", c.m.ID)
	}
	c.lockedg = t
	c.waits, c.lendable = false, false
}

// schedule is where c's M goes on when its task has left: to its next one, or, if the task is tied to it, to
// wait for that.
func (c *cpu) schedule() {
	t := c.lockedg
	if t != nil {
		if t.lockedm != c.m {
			c.mdl.fail("M6: the task of M %d is tied to another", c.m.ID)
		}
		c.lockedg = nil
		c.waits = c.mdl.watch
		c.then = func() { c.mdl.s.ScheduleLocked(c.m) }
		return
	}
	c.then = func() { c.mdl.s.Schedule(c.m) }
}

// exitM is where an M goes on whose task ended while it was tied to it [M11]. One to
// which others are tied as well stays what it is.
func (c *cpu) exitM() {
	if c.m.LockedGs--; c.m.LockedGs != 0 {
		c.mdl.s.Schedule(c.m)
	}
	c.mdl.s.ExitM(c.m)
	if c.m.P() != nil {
		c.mdl.fail("M11: M %d ends with a P", c.m.ID)
	}
	c.tickAt.Store(0)
	c.lives++
	c.waits, c.lendable = false, false
	c.mdl.host.point("restart")
	c.mdl.s.Restart(c.m)
}

// idleAside reports whether every CPU but c, and those that run foreign code, waits for a task of its own or is in a
// system call: only then may c be lent. c is one of the model's; all stand still.
func (mdl *model) idleAside(c *cpu) bool {
	for _, o := range mdl.cpus[:mdl.s.MaxMs()] {
		if o != c && o.m.state.Load() != mLockedWait && o.m.callSince.Load() == 0 {
			return false
		}
	}
	return true
}

package sched

import "runtime/debug"

// The model's Runtime. What it does with system calls, ties, devices and stops of
// the world stands beside the tasks' part of each.

func (mdl *model) Lock() {
	mdl.host.point("lock")
	mdl.host.lock()
}

func (mdl *model) Unlock() {
	mdl.host.unlock()
	mdl.host.point("unlock")
}

func (mdl *model) AcquireP(m *M, p *P) {
	mdl.host.point("acquire")
	mdl.s.WireP(m, p)
}

func (mdl *model) ReleaseP(m *M, p *P) {
	mdl.host.point("release")
	mdl.s.UnwireP(m, p)
}

func (mdl *model) Idle(p *P, now int64) { mdl.host.point("idle") }
func (mdl *model) Busy(p *P, now int64) { mdl.host.point("busy") }
func (mdl *model) MsAsleep(n int32) {
	mdl.nparked = n
	if n+mdl.s.nsysmon < 0 || n > mdl.s.nms {
		mdl.fail("M1: %d of %d Ms sleep\n%s", n, mdl.s.nms, mdl.dump())
	}
}

func (mdl *model) IdleWorkerWanted() bool {
	mdl.host.point("wanted")
	return mdl.onIdleWanted != nil && mdl.onIdleWanted()
}

func (mdl *model) Runnable(g *G) bool { return taskOf(g).status.Load()&^scan == runnable }
func (mdl *model) Throw(rule string)  { mdl.fail("throw: %s\n%s\n%s", rule, mdl.dump(), debug.Stack()) }

// Preempt asks the running task, as long as it runs: a task that leaves the CPU is asked no more,
// and the next one on it was not meant.
func (mdl *model) Preempt(m *M) {
	if mdl.onPreempt != nil {
		mdl.onPreempt(m)
	}
	if t := mdl.cpus[m.ID].cur.Load(); t != nil {
		t.preempt.Store(true)
	}
}

func (mdl *model) Claim(g *G) (to *M, withheld bool) {
	if mdl.onWithhold != nil && mdl.onWithhold(g) {
		return nil, true
	}
	return taskOf(g).lockedm, false
}

func (mdl *model) Execute(m *M, g *G, inherit bool) {
	c := mdl.cpus[m.ID]
	mdl.host.execute(c, taskOf(g), inherit)
	c.depth++
	c.goOn()
}

func (mdl *model) Worker(p *P, now int64) *G {
	if mdl.onWorker != nil {
		return mdl.onWorker(p)
	}
	return nil
}

func (mdl *model) IdleWorker(p *P) *G {
	mdl.host.point("idleworker")
	if mdl.onIdleWorker != nil {
		return mdl.onIdleWorker(p)
	}
	return nil
}

// Quiet is a promise about what the hooks stand for, so without them only.
func (mdl *model) Quiet(p *P) (quiet bool, timer int64) {
	works := mdl.onWorker != nil || mdl.onBackground != nil || mdl.onUnquiet != nil && mdl.onUnquiet(p)
	return !works && !mdl.Stopping() && !mdl.SafePointPending(p), mdl.NextTimer(p)
}

func (mdl *model) Background() {
	if mdl.onBackground != nil {
		mdl.onBackground()
	}
}

func (mdl *model) PeriodicAt() int64 { return mdl.periodicAt.Load() }

// Periodic does what is due. It must be alone at that, as the runtime's tasks must.
func (mdl *model) Periodic() {
	if mdl.inPeriodic.Add(1) != 1 {
		mdl.fail("S5: two Ms do what is due by the clock")
	}
	defer mdl.inPeriodic.Add(-1)
	mdl.host.point("periodic")
	if mdl.onPeriodic != nil {
		mdl.onPeriodic()
	}
	at := mdl.periodicAt.Load()
	if at == 0 || at > mdl.Now() {
		return
	}
	next := int64(0)
	if mdl.periods.Load() > 1 {
		next = mdl.Now() + mdl.period
	}
	mdl.periodicAt.Store(next)
	mdl.periods.Add(-1)
}

// every makes Periodic due n times, every ns nanoseconds.
func (mdl *model) every(ns int64, n int32) {
	mdl.period = ns
	mdl.periods.Store(n)
	mdl.periodicAt.Store(mdl.Now() + ns)
}

// CheckDead is right only if nothing can run: then all counters are at rest, and
// only tasks that wait for ever are left. A device may still wake a task.
func (mdl *model) CheckDead() {
	s := mdl.s
	if mdl.onDead != nil {
		mdl.deads++
		mdl.onDead()
		return
	}
	if mdl.nparked != s.nms {
		mdl.fail("U6: asked for a deadlock while %d of %d Ms sleep\n%s", mdl.nparked, s.nms, mdl.dump())
	}
	if mdl.dev.waiters.Load() != 0 {
		return
	}
	mdl.deads++
	// What waits for a P counts as running. An M that does sysmon's work may count as
	// spinning.
	mdl.mu.Lock()
	tasks := mdl.tasks
	mdl.mu.Unlock()
	lives := false
	for _, t := range tasks {
		status := t.status.Load()
		lives = lives || status != waiting && status != dead
	}
	if lives || s.runqsize.Load() != 0 || s.runq.n != 0 || s.hasTimer() || mdl.stopping.Load() || mdl.live.Load() != mdl.doomed.Load() {
		mdl.fail("CheckDead of a program that lives\n%s", mdl.dump())
	}
}

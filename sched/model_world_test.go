package sched

import "fmt"

// Stopping the world and visiting every P: what the runtime does of it.

func (mdl *model) Stopping() bool { return mdl.stopping.Load() }

func (mdl *model) WantStop() {
	if mdl.stopping.Swap(true) {
		mdl.fail("P4: the world is stopped twice")
	}
}

func (mdl *model) StopP(p *P) {
	if m := p.M(); m != nil && m != mdl.host.self().m {
		mdl.fail("P4: an owned P is stopped")
	}
	if mdl.stopped[p.ID] {
		mdl.fail("P4: a P is stopped twice")
	}
	mdl.stopped[p.ID] = true
}

// stopWorld stops the world, checks it, does what it is given, sets the number of Ps and restarts it, as the runtime does,
// for task t, which counts as waiting in that time. It reports false if another task does so
// already.
func (c *cpu) stopWorld(t *task, procs int32, do ...func()) bool {
	mdl := c.mdl
	if !mdl.world.CompareAndSwap(false, true) {
		return false
	}
	c.stopTheWorld(t)
	mdl.auditStopped(c)
	if len(mdl.policies) > 0 {
		mdl.Lock()
		s := mdl.s
		s.SetPolicy(c.m, mdl.policies[mdl.stops%len(mdl.policies)])
		s.SetSlice(c.m, int64(1+mdl.stops%3)*Slice/2)
		mdl.Unlock()
		mdl.auditStopped(c)
	}
	for _, do := range do {
		mdl.Lock()
		do()
		mdl.Unlock()
		mdl.auditStopped(c)
	}
	c.startTheWorld(procs)
	mdl.world.Store(false)
	return true
}

// stopTheWorld stops it for t, which c runs.
func (c *cpu) stopTheWorld(t *task) {
	mdl, s := c.mdl, c.mdl.s
	t.become(mdl, running, waiting)
	s.StopTheWorld(c.m)
	for i := range s.Procs() {
		if !mdl.stopped[i] {
			mdl.fail("P4: P %d is not stopped in a stopped world\n%s", i, mdl.dump())
		}
		mdl.stopped[i] = false
	}
	t.become(mdl, waiting, running)
}

// startTheWorld restarts it with procs Ps.
func (c *cpu) startTheWorld(procs int32) {
	mdl, s := c.mdl, c.mdl.s
	mdl.Lock()
	procs = min(procs, s.MaxMs())
	old := s.Procs()
	own := c.m.P()
	gone := own.ID >= procs
	if gone {
		s.UnwireP(c.m, own)
	}
	s.SetProcs(procs)
	if gone {
		own = s.P(0)
		s.WireP(c.m, own)
	}
	for i := procs; i < old; i++ {
		s.RunqDrain(c.m, s.P(i))
		mdl.timers[own.ID].take(&mdl.timers[i])
	}
	var busy []*P
	for i := procs - 1; i >= 0; i-- {
		switch p := s.P(i); {
		case p == own:
		case s.RunqEmpty(p):
			s.PutIdleP(c.m, p, 0)
		default:
			busy = append(busy, p)
		}
	}
	mdl.stopping.Store(false)
	mdl.stops++
	mdl.Unlock()
	for _, p := range busy {
		s.StartP(c.m, p)
	}
	s.WakeP(c.m)
}

// auditStopped audits a stopped world.
func (mdl *model) auditStopped(c *cpu) {
	mdl.Lock()
	defer mdl.Unlock()
	mdl.epoch++
	mdl.s.Audit(c.m, mdl.epoch)
	mdl.mu.Lock()
	tasks := mdl.tasks
	mdl.mu.Unlock()
	for _, t := range tasks {
		status := t.status.Load() &^ scan
		on := t.on.Load()
		if status == runnable && on != nil && on.m.P() == nil {
			continue // back from a system call, and about to be put on a queue
		}
		if m := t.lockedm; status == runnable && m != nil && m.ID >= mdl.s.MaxMs() && m.P() == nil {
			continue // foreign code calls back, and waits for the lock (NeedM)
		}
		if status == running && on != c && on.m.P() != nil {
			mdl.fail("P4: a task runs in a stopped world")
		}
		mdl.s.AuditG(&t.G, status == runnable, mdl.epoch)
	}
}

// visit makes a safe point run for every P, by task t, which counts as waiting in that time. It
// reports false if another task does so already, or stops the world.
func (c *cpu) visit(t *task) bool {
	mdl, s := c.mdl, c.mdl.s
	if !mdl.world.CompareAndSwap(false, true) {
		return false
	}
	t.become(mdl, running, waiting)
	for i := range mdl.visited {
		mdl.visited[i].Store(0)
	}
	own := c.m.P()
	mdl.visited[own.ID].Add(1)
	s.ForEachP(c.m)
	t.become(mdl, waiting, running)
	if c.m.P() != own {
		mdl.fail("P1: who visits every P loses its own")
	}
	for i := range s.Procs() {
		if n := mdl.visited[i].Load(); n != 1 || mdl.marks[i].Load() != 0 {
			mdl.fail("P4: the safe point of P %d ran %d times\n%s", i, n, mdl.dump())
		}
	}
	mdl.visits.Add(1)
	mdl.world.Store(false)
	return true
}

func (mdl *model) MarkSafePoints() {
	own := mdl.host.self().m.P()
	for i := range mdl.s.Procs() {
		if mdl.s.P(i) != own {
			mdl.marks[i].Store(1)
		}
	}
}

func (mdl *model) SafePointPending(p *P) bool {
	return mdl.onPending != nil && mdl.onPending(p) || mdl.marks[p.ID].Load() != 0
}

// SafePoint checks that no other M uses p.
func (mdl *model) SafePoint(p *P) bool {
	if !mdl.marks[p.ID].CompareAndSwap(1, 0) {
		return false
	}
	if m := p.M(); m != nil {
		if c := mdl.cpus[m.ID]; c != mdl.host.self() {
			mdl.fail("P4: a safe point is run for P %d, which M %d owns\n%s", p.ID, m.ID, mdl.dump())
		}
	}
	mdl.visited[p.ID].Add(1)
	if mdl.onSafePoint != nil {
		mdl.onSafePoint(p)
	}
	mdl.host.point("safepoint")
	return true
}

// free reports whether some M sleeps, or was never started, and could run a G if it had a P. The Ms
// stand still.
func (mdl *model) free() bool {
	s := mdl.s
	for i := range int32(mdl.ncpu) {
		if m := s.M(i); m.state.Load() == mIdle {
			return true
		}
	}
	return s.ncpu < s.MaxMs()
}

// lendable reports whether some M that waits for a task of its own should be lent: all others are
// in system calls, and have been for long, or wait for tasks of their own. The Ms stand still.
func (mdl *model) lendable() bool {
	for _, c := range mdl.cpus[:mdl.ncpu] {
		if c.m.state.Load() == mLockedWait && mdl.idleAside(c) {
			return true
		}
	}
	return false
}

// work reports whether a G waits in a queue for an M, or a device has made one ready. A G tied to
// an M that is awake waits only for that M. The Ms stand still.
func (mdl *model) work() bool {
	s := mdl.s
	waits := mdl.dev.told.Load() != 0
	look := func(h uintptr) {
		if g := guintptr(h).ptr(); g != nil {
			m := taskOf(g).lockedm
			waits = waits || m == nil || m.Asleep()
		}
	}
	for h := s.runq.head; h != 0; h = h.ptr().link {
		look(uintptr(h))
	}
	for i := range s.Procs() {
		p := s.P(i)
		for at := p.head.Load(); at != p.tail.Load(); at++ {
			look(p.ring[at%RingSize].Load())
		}
		look(p.runnext.Load())
	}
	return waits
}

// unfair returns an error while every M sleeps or computes and none is about to do anything else:
// work that an idle P should run, or a timer of an idle P for which no M sleeps. Ticks handle the
// timers of other Ps, and those of idle ones while no M is free.
func (mdl *model) unfair() string {
	s := mdl.s
	for i := range int32(mdl.ncpu) {
		m := s.M(i)
		if m.nextp.Load() != 0 {
			return fmt.Sprintf("M9: M %d leaves a P lying that it was given", i)
		}
		if m.nlockedq.Load() != 0 && m.Asleep() {
			return fmt.Sprintf("M13: M %d sleeps over Gs of its own", i)
		}
	}
	if mdl.idle.Load() == 0 || mdl.stopping.Load() || !mdl.free() {
		return ""
	}
	for i := range s.Procs() {
		p := s.P(i)
		t := mdl.timers[i].next.Load()
		if until := s.timerMUntil.Load(); p.Idle() && t != 0 && (s.timerM.Load() == 0 || until == 0 || until > t) {
			return fmt.Sprintf("T2: a timer of idle P %d is nobody's", i)
		}
	}
	if mdl.work() {
		return "a G waits while a P is idle and an M is free"
	}
	return ""
}

// starved returns an error when nothing but ticks has happened for a long time: work waits and an M
// is free, or some M computes, whatever the Ps are doing; or a timer is overdue, or a device has an
// event, and some M that computes ignores it. computes says whether one computes outside of system
// calls.
func (mdl *model) starved(computes bool) string {
	s := mdl.s
	if mdl.stopping.Load() {
		return "P4: the world does not stop"
	}
	overdue := false
	for i := range s.Procs() {
		t := mdl.timers[i].next.Load()
		overdue = overdue || t != 0 && t+2*Slice < mdl.Now()
	}
	switch free := mdl.free() || mdl.lendable(); {
	case (free || computes) && overdue:
		return "T1: a timer is due, and nobody looks"
	case computes && mdl.dev.told.Load() != 0:
		return "N1: a device has told something, and nobody looks"
	case free && mdl.work():
		return "S1: a G waits, and an M is free"
	case computes && mdl.work():
		return "U2: a G waits, and one that computes is not made to leave for it"
	}
	return ""
}

package sched

import "testing"

// inCall makes a task that m runs and that is in a system call since clock since, 0:
// nobody has noticed.
func (mdl *model) inCall(m *M, since int64) *task {
	t := mdl.gs(1)[0]
	t.status.Store(syscall)
	t.on.Store(mdl.cpus[m.ID])
	mdl.cpus[m.ID].cur.Store(t)
	m.callSince.Store(since)
	return t
}

// sleeping parks M i, which is thereby started.
func (mdl *model) sleeping(i int32) *M {
	s := mdl.s
	mdl.started(max(s.ncpu, i+1))
	s.putIdleM(s.M(i))
	return s.M(i)
}

// [S1]: a call that is known to last is looked at after RetakeAfter.
func TestS1Hold(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.s.M(0)
	mdl.sleeping(1)
	mdl.inCall(m, 0)
	ticks := []int64{}
	mdl.onTickAt = func(when int64) { ticks = append(ticks, when) }
	mdl.clock.Store(500)
	s.SyscallBlocks(m)
	mdl.clock.Store(600)
	s.SyscallBlocks(m) // it is known
	if m.callSince.Load() != 500 || len(ticks) != 1 || ticks[0] != 500+RetakeAfter || m.P() == nil {
		t.Errorf("since %d, ticks at %v", m.callSince.Load(), ticks)
	}
	s.ExitSyscall(m)
	if m.callSince.Load() != 0 {
		t.Errorf("the call does not end")
	}
	s.UnwireP(m, s.P(0))
	s.SyscallBlocks(m)
	if m.callSince.Load() != 0 || len(ticks) != 1 {
		t.Errorf("held a CPU that has no P to lose")
	}
}

// [S1]: if no M sleeps that could take the P, and a CPU was never started, it gets it at
// once: the tick cannot start one.
func TestS1HoldStartsCPU(t *testing.T) {
	for _, procs := range []int32{1, 2} {
		mdl := newModel(2, procs)
		s, m := mdl.s, mdl.s.M(0)
		p := m.P()
		call := mdl.inCall(m, 0)
		s.SyscallBlocks(m)
		if s.Started() != 2 || mdl.cpus[1].first == nil || call.status.Load() != syscall {
			t.Fatalf("%d Ps: %d CPUs started, status %d", procs, s.Started(), call.status.Load())
		}
		if got := mdl.cpus[1].first; procs == 1 && (got != p || m.P() != nil) {
			t.Errorf("M 1 gets P %d, M 0 keeps %v", got.ID, m.P())
		}
	}
}

// [S1]: the same if a tick has struck in the call before, and noticed it.
func TestS1HoldAfterTick(t *testing.T) {
	mdl := newModel(2, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	mdl.inCall(m, 0)
	mdl.putAll(p, mdl.gs(1))
	if leave, next := s.Tick(m, 500, true, 1, 0); leave || next != 500+RetakeAfter {
		t.Fatalf("leave %v, next %d", leave, next)
	}
	s.SyscallBlocks(m)
	if s.Started() != 2 || mdl.cpus[1].first != p || m.P() != nil {
		t.Errorf("%d CPUs started, and the P is held up by a call", s.Started())
	}
}

// [S1]: the same while the world stops: the P stops with it.
func TestS1HoldWhileStopping(t *testing.T) {
	mdl := newModel(2, 1)
	s, m := mdl.s, mdl.s.M(0)
	mdl.inCall(m, 0)
	mdl.stopping.Store(true)
	s.stopwait = 2
	s.SyscallBlocks(m)
	if p := s.P(0); m.P() == nil && (s.stopwait != 1 || !mdl.stopped[0] || p.Idle() || s.Started() != 1) {
		t.Errorf("stopwait %d, %d CPUs started", s.stopwait, s.Started())
	}
}

// [S1]: the ticks of an M whose G is in a call: they notice it, wait until it is time, and
// then ask a sleeping M again and again, as long as there is a P to take.
func TestS1CallTick(t *testing.T) {
	mdl := newModel(2, 2)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	sleeper := mdl.sleeping(1)
	mdl.inCall(m, 0)
	mdl.putAll(p, mdl.gs(1))
	for _, c := range []struct {
		at, next int64
		asks     bool
	}{
		{1000, 1000 + RetakeAfter, false},
		{1500, 1000 + RetakeAfter, false},
		{1000 + RetakeAfter - 1, 1000 + RetakeAfter, false},
		{1000 + RetakeAfter, 1000 + RetakeAfter + callAgain, true},
		{1000 + RetakeAfter + callAgain, 1000 + RetakeAfter + 2*callAgain, true},
	} {
		leave, next := s.Tick(m, c.at, true, 1, 0)
		asked := s.sysmonDue.Swap(0) != 0
		woken := sleeper.park.Swap(0) != 0
		if leave || next != c.next || asked != c.asks || woken != c.asks {
			t.Errorf("at %d: leave %v, next %d, asked %v, woken %v; want %d and %v", c.at, leave, next, asked, woken, c.next, c.asks)
		}
	}
	s.UnwireP(m, p)
	if leave, next := s.Tick(m, 1<<40, true, 1, 0); leave || next != 0 {
		t.Errorf("without a P: leave %v, next %d", leave, next)
	}
}

// [S2, S3]: a tick that strikes in a call sees what it would see outside of one, and the G is to leave;
// the call itself is looked at as always.
func TestS2CallTick(t *testing.T) {
	for _, c := range []struct {
		what   string
		before func(*model)
		at     int64
		leave  bool
		next   int64 // after at
	}{
		{"nothing", func(*model) {}, 1000, false, RetakeAfter},
		{"a slice that is used up alone", func(*model) {}, Slice + 1, false, RetakeAfter},
		{"one that is not", func(mdl *model) { mdl.putAll(mdl.s.P(0), mdl.gs(1)) }, Slice - 1000, false, 1001},
		{"one that is", func(mdl *model) { mdl.putAll(mdl.s.P(0), mdl.gs(1)) }, Slice + 1, true, RetakeAfter},
		{"a timer of later", func(mdl *model) { mdl.timers[0].add(timer{when: 1500}) }, 1000, false, 500},
		{"a timer", func(mdl *model) { mdl.timers[0].add(timer{when: 1500}) }, 1500, true, RetakeAfter},
		{"a device", func(mdl *model) { mdl.dev.told.Store(1) }, 1000, true, RetakeAfter},
		{"what is done by the clock", func(mdl *model) { mdl.every(500, 1) }, 1000, true, RetakeAfter},
	} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.s.M(0)
		mdl.inCall(m, 0)
		m.sliceStart = 1
		c.before(mdl)
		leave, next := s.Tick(m, c.at, true, 1, 0)
		if leave != c.leave || next != c.at+c.next {
			t.Errorf("%s: leave %v, next tick in %d", c.what, leave, next-c.at)
		}
		if used := c.what == "one that is"; (m.expired.Load() != 0) != used {
			t.Errorf("%s: expired %d", c.what, m.expired.Load())
		}
	}
}

// [S1]: when a P is taken from a call: what is due, by time and by who waits.
func TestS1RetakeDue(t *testing.T) {
	for _, c := range []struct {
		since, now          int64
		local, global, busy bool // Gs wait in P's ring, in the global queue; nobody looks for work
		due                 bool
	}{
		{0, 1 << 40, true, true, true, false}, // nobody has noticed
		{100, 100 + RetakeAfter - 1, true, true, true, false},
		{100, 100 + RetakeAfter, false, false, false, false},
		{100, 100 + RetakeAfter, true, false, false, true},
		{100, 100 + RetakeAfter, false, true, false, true},
		{100, 100 + RetakeAfter, false, false, true, true},
		{100, 100 + RetakeAlways - 1, false, false, false, false},
		{100, 100 + RetakeAlways, false, false, false, true},
	} {
		mdl := newModel(2, 2)
		s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
		mdl.inCall(m, c.since)
		if c.local {
			mdl.putAll(p, mdl.gs(1))
		}
		if c.global {
			s.GlobrunqPut(m, &mdl.gs(1)[0].G)
		}
		if c.busy {
			s.GetIdleP(m, 0)
		}
		if due := s.retakeDue(m, p, c.now); due != c.due {
			t.Errorf("%+v: %v", c, due)
		}
		taken := s.retake(s.M(1), p, c.now, false)
		if taken != c.due || taken != (m.P() == nil) || taken != (p.M() == nil) || s.M(1).Stats[Retakes] != map[bool]uint64{true: 1}[taken] {
			t.Errorf("%+v: taken %v", c, taken)
		}
		if st := mdl.cpus[0].cur.Load().status.Load(); st != syscall {
			t.Errorf("%+v: the task has status %d", c, st)
		}
	}
}

// [S1, G6]: who is not in a call, or is looked at by another, keeps its P; and nobody's P is
// not taken.
func TestS1RetakeNeedsTheCall(t *testing.T) {
	mdl := newModel(2, 2)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	task := mdl.inCall(m, 1)
	for _, status := range []int32{running, runnable, waiting, syscall | scan} {
		task.status.Store(status)
		if s.retake(s.M(1), p, 1<<40, true) || m.P() != p || task.status.Load() != status {
			t.Errorf("status %d: taken", status)
		}
	}
	task.status.Store(syscall)
	if s.retake(s.M(1), s.P(1), 1<<40, true) {
		t.Errorf("took a P that nobody owns")
	}
	mdl.cpus[0].cur.Store(nil)
	if s.retake(s.M(1), p, 1<<40, true) {
		t.Errorf("took the P of an M without a G")
	}
}

// [S1, P1]: the G came back, and into a call again with another P, between the look at it
// and the hold.
func TestS1RetakeLooksTwice(t *testing.T) {
	mdl := newModel(2, 3)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	mdl.inCall(m, 1)
	mdl.onPoint = func(what string) {
		if what == "hold" {
			s.UnwireP(m, p)
			s.WireP(m, s.GetIdleP(m, 0))
		}
	}
	if s.retake(s.M(1), p, 1<<40, true) || m.P() != s.P(1) || mdl.cpus[0].cur.Load().status.Load() != syscall {
		t.Errorf("took a P that had gone elsewhere")
	}
}

// handing gives up M 0's P, for handoffP.
func handing(ncpu int, procs int32) (*model, *P) {
	mdl := newModel(ncpu, procs)
	mdl.s.UnwireP(mdl.s.M(0), mdl.s.P(0))
	return mdl, mdl.s.P(0)
}

// [M13]: a P is handed to an M if it has work, or anybody has, and goes idle if not.
func TestM13HandOff(t *testing.T) {
	for _, c := range []struct {
		what string
		work func(*model, *P)
		runs bool
	}{
		{"nothing", func(*model, *P) {}, false},
		{"a ring", func(mdl *model, p *P) { mdl.putAll(p, mdl.gs(2)) }, true},
		{"a runnext", func(mdl *model, p *P) { mdl.s.runqPut(mdl.s.M(0), p, &mdl.gs(1)[0].G, true) }, true},
		{"the global queue", func(mdl *model, p *P) { mdl.s.GlobrunqPut(mdl.s.M(0), &mdl.gs(1)[0].G) }, true},
		{"a worker", func(mdl *model, p *P) { mdl.onUnquiet = func(q *P) bool { return q == p } }, true},
	} {
		mdl, p := handing(2, 1)
		m1 := mdl.sleeping(1)
		c.work(mdl, p)
		mdl.s.handoffP(mdl.s.M(0), p)
		given := puintptr(m1.nextp.Load()).ptr() == p
		if given != c.runs || p.Idle() == c.runs || m1.Spinning() || mdl.spinning.Load() != 0 || mdl.s.M(0).Stats[Handoffs] != 1 {
			t.Errorf("%s: given %v, idle %v\n%s", c.what, given, p.Idle(), mdl.dump())
		}
	}
}

// [P4]: a P that is handed off while the world stops, stops.
func TestP4HandOffStops(t *testing.T) {
	mdl, p := handing(2, 2)
	s := mdl.s
	mdl.sleeping(1)
	mdl.putAll(p, mdl.gs(1))
	mdl.stopping.Store(true)
	s.stopwait = 1
	s.stopper = handleM(s.M(1))
	s.handoffP(s.M(0), p)
	if s.stopwait != 0 || s.stopNote.Load() != 1 || !mdl.stopped[0] || p.Idle() || len(mdl.host.(*desk).kicks) != 1 {
		t.Errorf("stopwait %d, kicks %v", s.stopwait, mdl.host.(*desk).kicks)
	}
}

// A marked P has its safe point run when it is handed off, and it counts.
func TestHandOffSafePoint(t *testing.T) {
	mdl, p := handing(2, 2)
	s := mdl.s
	mdl.marks[0].Store(1)
	s.safewait = 2
	s.handoffP(s.M(0), p)
	if s.safewait != 1 || mdl.visited[0].Load() != 1 || s.safeNote.Load() != 0 {
		t.Errorf("safewait %d, %d visits", s.safewait, mdl.visited[0].Load())
	}
}

// Work that came while the P was nobody's, and that its submitter could wake nobody for,
// is seen to; so is the P's timer.
func TestHandOffLooksAgain(t *testing.T) {
	for _, c := range []struct {
		what string
		come func(*model)
	}{
		{"a global G", func(mdl *model) { mdl.s.GlobrunqPut(mdl.s.M(0), &mdl.gs(1)[0].G) }},
		{"another P's G", func(mdl *model) { mdl.s.runqPut(mdl.s.M(0), mdl.s.P(1), &mdl.gs(1)[0].G, false) }},
		{"a device", func(mdl *model) { mdl.dev.told.Store(1) }},
		{"a timer", func(mdl *model) { mdl.timers[0].add(timer{when: 1 << 40}) }},
	} {
		mdl, p := handing(3, 2)
		s := mdl.s
		mdl.sleeping(1)
		s.WireP(s.M(2), s.GetIdleP(s.M(0), 0)) // P 1
		mdl.onPoint = func(what string) {
			if what == "idle" {
				mdl.onPoint = nil
				c.come(mdl)
			}
		}
		if c.what == "a timer" {
			mdl.onPoint = nil
			c.come(mdl)
		}
		s.handoffP(s.M(0), p)
		if p.Idle() || !s.M(1).Spinning() || mdl.spinning.Load() != 1 {
			t.Errorf("%s: nobody was woken\n%s", c.what, mdl.dump())
		}
	}
}

// A G that comes back takes its old P if that is idle, else another; without one it does
// not even take the lock.
func TestS1TakeP(t *testing.T) {
	mdl := newModel(3, 3)
	s, m := mdl.s, mdl.s.M(1)
	old := s.P(2)
	if p := s.ExitSyscallTryGetP(m, old); p != old || p.Idle() {
		t.Errorf("got P %v, not the old one", p)
	}
	if p := s.ExitSyscallTryGetP(m, old); p != s.P(1) || p.Idle() {
		t.Errorf("got P %v, not the other one", p)
	}
	locks := mdl.host.(*desk).locks
	if p := s.ExitSyscallTryGetP(m, nil); p != nil || mdl.host.(*desk).locks != locks {
		t.Errorf("got P %v of none", p)
	}
	s.PutIdleP(s.M(0), old, 0)
	if p := s.ExitSyscallTryGetP(m, nil); p != old {
		t.Errorf("without an old P got %v", p)
	}
	s.GlobrunqPut(s.M(0), &mdl.gs(1)[0].G)
	if p := s.ExitSyscallTryGetP(m, old); p != nil {
		t.Errorf("got P %v before a G that waits for one", p)
	}
	s.dequeue(s.globrunqGet(s.M(0), s.P(0), 1))
	mdl.onPoint = func(what string) {
		if what == "lock" {
			mdl.onPoint = nil
			s.GetIdleP(m, 0) // another was faster
		}
	}
	s.PutIdleP(s.M(0), old, 0)
	if p := s.ExitSyscallTryGetP(m, old); p != nil {
		t.Errorf("got P %v, which another has taken", p)
	}
}

// A G that comes back to an M without a P goes on at once if there is a P by then.
func TestS1RequeueFindsP(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.s.M(1)
	mdl.started(2)
	g := mdl.gs(1)[0]
	d, _ := mdl.ends(t, m, func() { s.Lock(); s.ExitSyscallNoP(m, &g.G, false) })
	if d.t != g || d.inherit || m.P() != s.P(1) || g.queued.Load() != 0 {
		t.Errorf("%+v on P %v", d, m.P())
	}
}

// [U2]: it waits behind those that waited before it came back, but for one that is tied: its M runs
// no other.
func TestU2RequeueBehind(t *testing.T) {
	for _, tied := range []bool{false, true} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.s.M(1)
		mdl.started(2)
		gs := mdl.gs(2)
		s.GlobrunqPut(s.M(0), &gs[0].G)
		want := gs[0]
		if tied {
			gs[1].lockedm, want = m, gs[1]
		}
		d, _ := mdl.ends(t, m, func() { s.Lock(); s.ExitSyscallNoP(m, &gs[1].G, tied) })
		if d.t != want || m.P() == nil {
			t.Errorf("tied %v: %+v runs", tied, d)
		}
	}
}

// If not, it goes to the global queue, and its M sleeps, or waits for it if it is tied.
func TestS1RequeueSleeps(t *testing.T) {
	for _, tied := range []bool{false, true} {
		mdl := newModel(3, 1)
		s, m := mdl.s, mdl.s.M(1)
		mdl.started(3)
		g := mdl.gs(1)[0]
		if tied {
			g.lockedm = m
		}
		d, deadline := mdl.ends(t, m, func() { s.Lock(); s.ExitSyscallNoP(m, &g.G, tied) })
		if d.t != nil || deadline != 0 || s.GlobrunqLen() != 1 || (m.state.Load() == mLockedWait) != tied || (m.state.Load() == mIdle) == tied {
			t.Errorf("tied %v: %+v\n%s", tied, d, mdl.dump())
		}
	}
}

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
		{"a timer", func(mdl *model) { mdl.addTimer(0, timer{when: 1 << 40}) }},
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
	if p := s.ExitSyscallTryGetP(m, &G{}, old); p != old || p.Idle() {
		t.Errorf("got P %v, not the old one", p)
	}
	if p := s.ExitSyscallTryGetP(m, &G{}, old); p != s.P(1) || p.Idle() {
		t.Errorf("got P %v, not the other one", p)
	}
	locks := mdl.host.(*desk).locks
	if p := s.ExitSyscallTryGetP(m, &G{}, nil); p != nil || mdl.host.(*desk).locks != locks {
		t.Errorf("got P %v of none", p)
	}
	s.PutIdleP(s.M(0), old, 0)
	if p := s.ExitSyscallTryGetP(m, &G{}, nil); p != old {
		t.Errorf("without an old P got %v", p)
	}
	s.PutIdleP(s.M(0), old, 0)
	s.GlobrunqPut(s.M(0), &mdl.gs(1)[0].G)
	if p := s.ExitSyscallTryGetP(m, &G{}, old); p != nil {
		t.Errorf("got P %v before a G that waits for one", p)
	}
	s.dequeue(s.globrunqGet(s.M(0), s.P(0), 1))
	mdl.onPoint = func(what string) {
		if what == "lock" {
			mdl.onPoint = nil
			s.GetIdleP(m, 0) // another was faster
		}
	}
	if p := s.ExitSyscallTryGetP(m, &G{}, old); p != nil {
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

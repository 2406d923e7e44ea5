package sched

import (
	"slices"
	"testing"
)

// tied makes n runnable tasks that are tied to m.
func (mdl *model) tied(m *M, n int) []*task {
	ts := mdl.gs(n)
	for _, t := range ts {
		t.lockedm, t.ties = m, 1
		m.LockedGs++
	}
	return ts
}

// passed passes a task that is tied to m to it, by hand.
func (mdl *model) passed(m *M) *task {
	t := mdl.tied(m, 1)[0]
	mdl.s.enqueue(&t.G)
	m.lockedq.push(&t.G)
	m.nlockedq.Add(1)
	return t
}

// [M13]: an M whose own G has left hands its P on and stops, and counts as asleep.
func TestM13StopsForItsOwn(t *testing.T) {
	mdl := newModel(3, 2)
	s, m := mdl.s, mdl.s.M(0)
	mdl.sleeping(1)
	mdl.putAll(s.P(0), mdl.gs(2))
	d, deadline := mdl.ends(t, m, func() { s.ScheduleLocked(m) })
	if d.t != nil || deadline != 0 || m.P() != nil || m.state.Load() != mLockedWait || s.nmlocked != 1 || !m.Asleep() {
		t.Errorf("M 0 does not stop\n%s", mdl.dump())
	}
	if puintptr(s.M(1).nextp.Load()).ptr() != s.P(0) || s.P(0).Len() != 2 || mdl.nparked != 1 {
		t.Errorf("the P was not handed on: told of %d\n%s", mdl.nparked, mdl.dump())
	}
}

// [M13]: its own G, passed to it before it could stop, runs at once, on its own P or an
// idle one.
func TestM13OwnComesFirst(t *testing.T) {
	for _, c := range []string{"with its P", "while it hands the P on", "without a P"} {
		mdl := newModel(3, 2)
		s, m := mdl.s, mdl.s.M(0)
		mdl.sleeping(1)
		mdl.putAll(s.P(0), mdl.gs(2))
		var own *task
		switch c {
		case "with its P":
			own = mdl.passed(m)
		case "without a P":
			s.RunqDrain(m, s.P(0))
			s.UnwireP(m, s.P(0))
			s.PutIdleP(m, s.P(0), 0)
			own = mdl.passed(m)
		default:
			mdl.onPoint = func(what string) {
				if what == "release" {
					mdl.onPoint = nil
					own = mdl.passed(m)
				}
			}
		}
		d, _ := mdl.ends(t, m, func() { s.ScheduleLocked(m) })
		if d.t == nil || d.t != own || d.inherit || m.P() == nil || m.nlockedq.Load() != 0 || m.lockedq.n != 0 || own.queued.Load() != 0 || s.nmlocked != 0 {
			t.Errorf("%s: %+v\n%s", c, d, mdl.dump())
		}
	}
}

// [M13]: without a P for them its Gs go back to the global queue, in their order, and it
// stops: who finds them there brings a P.
func TestM13NoPForItsOwn(t *testing.T) {
	mdl := newModel(3, 1)
	s, m := mdl.s, mdl.s.M(1)
	mdl.started(3)
	a, b := mdl.passed(m), mdl.passed(m)
	d, _ := mdl.ends(t, m, func() { s.ScheduleLocked(m) })
	if d.t != nil || m.state.Load() != mLockedWait || m.lockedq.n != 0 || m.nlockedq.Load() != 0 || a.queued.Load() != 1 {
		t.Errorf("%+v\n%s", d, mdl.dump())
	}
	if s.GlobrunqLen() != 2 || !slices.Equal(mdl.globalIDs(), ids([]*task{a, b})) {
		t.Errorf("the global queue does not hold them")
	}
}

// [M13]: the last CPU that could run anything is lent, with the P it has or as a parked one.
func TestM13LastIsLent(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.s.M(0)
	mdl.started(2)
	mdl.lockedWait(s.M(1))
	ts := mdl.gs(1)
	mdl.putAll(s.P(0), ts)
	if d, _ := mdl.ends(t, m, func() { s.ScheduleLocked(m) }); d.t != ts[0] || m.state.Load() == mLockedWait || m.P() != s.P(0) {
		t.Errorf("%+v\n%s", d, mdl.dump())
	}
	s.UnwireP(m, s.P(0))
	mdl.onDead = func() {}
	if d, _ := mdl.ends(t, m, func() { s.ScheduleLocked(m) }); d.t != nil || m.state.Load() == mLockedWait || m.state.Load() != mIdle || s.nmlocked != 1 {
		t.Errorf("without a P: %+v\n%s", d, mdl.dump())
	}
}

// On one CPU an M never stops for its own G, but that comes before all others.
func TestM13OneCPU(t *testing.T) {
	mdl := newModel(1, 1)
	s, m := mdl.s, mdl.s.M(0)
	ts := mdl.gs(2)
	mdl.putAll(s.P(0), ts)
	if d, _ := mdl.ends(t, m, func() { s.ScheduleLocked(m) }); d.t != ts[0] {
		t.Errorf("%+v is not the first", d)
	}
	own := mdl.passed(m)
	if d, _ := mdl.schedule(t, m); d.t != own {
		t.Errorf("%+v is not its own", d)
	}
	if d, _ := mdl.schedule(t, m); d.t != ts[1] {
		t.Errorf("%+v is not the last", d)
	}
}

// [M13]: its P comes when its own G does not: the world was restarted, or stops again. It
// hands the P on, or gives it to the stop, and waits on.
func TestM13WakesForNothing(t *testing.T) {
	for _, stopping := range []bool{false, true} {
		mdl, tn := newTurns(3, 2, 1)
		s := mdl.s
		mdl.started(2)
		m0, m := mdl.running(0), s.M(1)
		waiter := tn.act(m, func() { s.ScheduleLocked(m) })
		tn.until(t, waiter, "halt")
		if stopping {
			mdl.stopping.Store(true)
			s.stopwait = 2
		}
		s.Lock()
		p := s.GetIdleP(m0, 0)
		s.wakeM(m0, m, p, false)
		tn.until(t, waiter, "halt")
		if m.P() != nil || m.state.Load() != mLockedWait || s.nmlocked != 1 || p.Idle() == stopping || stopping && s.stopwait != 1 {
			t.Errorf("stopping %v\n%s", stopping, mdl.dump())
		}
		tn.close()
	}
}

// [M13]: who finds a G that is tied passes it to its M, in whatever state that is, with an
// idle P or its own.
func TestM13Pass(t *testing.T) {
	for _, idle := range []bool{true, false} {
		for _, state := range []string{"runs", "has a P on its way", "is parked", "waits", "is the timer M"} {
			procs := int32(2)
			if idle {
				procs = 3
			}
			mdl := newModel(4, procs)
			s, m, to := mdl.s, mdl.s.M(0), mdl.s.M(1)
			mdl.started(4)
			s.WireP(s.M(2), s.GetIdleP(m, 0))
			preempted := (*M)(nil)
			mdl.onPreempt = func(m *M) { preempted = m }
			switch state {
			case "has a P on its way":
				to.nextp.Store(uintptr(handleP(s.P(1))))
			case "is parked":
				s.putIdleM(to)
			case "waits":
				mdl.lockedWait(to)
			case "is the timer M":
				s.putIdleM(to)
				s.timerM.Store(uintptr(handleM(to)))
			}
			g := mdl.tied(to, 1)[0]
			other := mdl.gs(1)[0]
			mdl.putAll(s.P(0), []*task{g, other})
			mdl.onDead = func() {}
			d, _ := mdl.schedule(t, m)
			awake := state == "runs" || state == "has a P on its way"
			given := puintptr(to.nextp.Load()).ptr()
			switch {
			case to.lockedq.n != 1 || to.nlockedq.Load() != 1 || g.queued.Load() != 1 || m.Stats[Passes] != 1:
				t.Errorf("idle %v, M 1 %s: the G was not passed", idle, state)
			case awake && (preempted != to || d.t != other || to.park.Load() != 0):
				t.Errorf("idle %v, M 1 %s: it is not asked to leave its G, or disturbed", idle, state)
			case awake:
			case given == nil || given.M() != nil || given.Idle() || to.park.Load() != 1 || to.Asleep() || s.nmlocked != 0:
				t.Errorf("idle %v, M 1 %s: it does not get a P", idle, state)
			case idle && (given != s.P(2) || d.t != other || m.P() != s.P(0)):
				t.Errorf("an idle P was there, M 1 %s: M 0 ends in %+v", state, d)
			case !idle && (given != s.P(0) || d.t != nil || m.P() != nil || given.Len() != 1):
				t.Errorf("no P was idle, M 1 %s: M 0 ends in %+v", state, d)
			}
		}
	}
}

// [M6]: a G that is tied to who found it just runs.
func TestM6OwnIsNotPassed(t *testing.T) {
	mdl := newModel(2, 2)
	g := mdl.tied(mdl.s.M(0), 1)[0]
	mdl.putAll(mdl.s.P(0), []*task{g})
	if d, _ := mdl.schedule(t, mdl.s.M(0)); d.t != g || mdl.s.M(0).Stats[Passes] != 0 {
		t.Errorf("%+v", d)
	}
}

// [M11]: the M hands its P on, and is parked when its CPU is like new.
func TestM11ExitAndRestart(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.s.M(0)
	mdl.sleeping(1)
	mdl.putAll(s.P(0), mdl.gs(1))
	s.ExitM(m)
	if m.P() != nil || puintptr(s.M(1).nextp.Load()).ptr() != s.P(0) || m.Stats[Exits] != 1 || m.Asleep() {
		t.Errorf("the P was not handed on\n%s", mdl.dump())
	}
	if d, _ := mdl.ends(t, m, func() { s.Restart(m) }); d.t != nil || m.state.Load() != mIdle {
		t.Errorf("not parked\n%s", mdl.dump())
	}
}

// [M13]: an M that waits for its own G is lent if work comes and all others are held up, and
// not if one of them is just busy.
func TestM13HeldUp(t *testing.T) {
	for _, c := range []struct {
		what string
		set  func(*model, *M)
		held bool
	}{
		{"waits too", func(mdl *model, m *M) { mdl.lockedWait(m) }, true},
		{"is in a call", func(mdl *model, m *M) { mdl.inCall(m, 5) }, true},
		{"is busy", func(*model, *M) {}, false},
	} {
		mdl := newModel(2, 2)
		s, by, other := mdl.s, mdl.s.M(0), mdl.s.M(1)
		mdl.started(2)
		s.UnwireP(by, s.P(0))
		s.PutIdleP(by, s.P(0), 0)
		mdl.lockedWait(by)
		c.set(mdl, other)
		if s.othersBlocked(by) != c.held {
			t.Errorf("the other %s: held up %v", c.what, !c.held)
		}
		s.Lock()
		p := s.GetIdleP(by, 0)
		started := s.startM(by, p, false)
		given := puintptr(by.nextp.Load()).ptr() == p
		if started != c.held || given != c.held || by.lent != c.held || p.Idle() == c.held || s.wantM == c.held || (by.state.Load() != mLockedWait) != c.held {
			t.Errorf("the other %s: started %v\n%s", c.what, started, mdl.dump())
		}
	}
}

// [U2, U4]: a tied G that yields goes behind all that waits on its P, because that is given away.
func TestU4TiedYield(t *testing.T) {
	mdl := newModel(2, 1)
	s, m := mdl.s, mdl.s.M(0)
	ts := mdl.gs(4)
	s.GlobrunqPut(m, &ts[0].G)
	s.RunqPut(m, &ts[1].G, false)
	s.RunqPut(m, &ts[2].G, false)
	s.YieldLocked(m, &ts[3].G)
	if got := mdl.globalIDs(); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("global queue %v", got)
	}
}

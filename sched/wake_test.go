package sched

import (
	"testing"

	"sched9/record"
)

// [M7, M8]: a wake-up makes one M spin; while one does, further ones do nothing.
func TestM7OneSpinnerIsEnough(t *testing.T) {
	mdl := newModel(4, 4)
	s, m := mdl.s, mdl.s.M(0)
	for i := 1; i <= 3; i++ {
		s.Ready(m, &mdl.gs(1)[0].G, false)
		if mdl.spinning.Load() != 1 || mdl.idle.Load() != 2 || s.Started() != 2 || m.Stats[Wakes] != 1 {
			t.Errorf("after %d puts: %d spin, %d Ps idle, %d started", i, mdl.spinning.Load(), mdl.idle.Load(), s.Started())
		}
	}
	if !s.M(1).Spinning() || s.P(1).Idle() {
		t.Errorf("M 1 is not the spinner")
	}
}

// [M8]: a parked M goes before one that was never started. [M9]: at the kick its P
// and its token are in place.
func TestM8ReuseFirst(t *testing.T) {
	mdl := newModel(4, 4)
	s := mdl.s
	mdl.started(2)
	s.putIdleM(s.M(1))
	kicked := false
	mdl.onPoint = func(what string) {
		if what == "kick" {
			kicked = true
			if s.M(1).park.Load() != 1 || !s.M(1).Spinning() {
				t.Errorf("M9: kicked before it is told why")
			}
		}
	}
	s.WakeP(s.M(0))
	if !kicked || s.Started() != 2 || s.Asleep() != 0 {
		t.Errorf("kicked %v, started %d, parked %d", kicked, s.Started(), s.Asleep())
	}
	if p := s.M(1).nextpArrived(); p != s.P(1) || p.Idle() {
		t.Errorf("the woken M gets %v", p)
	}
	if s.M(1).nextpArrived() != nil {
		t.Errorf("a token serves twice")
	}
}

// Without an idle P the wish is noted, nobody is counted, and the next wake-up
// does not even take the lock.
func TestM7NoIdleP(t *testing.T) {
	mdl := newModel(4, 1)
	s := mdl.s
	s.WakeP(s.M(0))
	if s.needspinning.Load() != 1 || mdl.spinning.Load() != 0 || s.Started() != 1 {
		t.Errorf("needspinning %d, spinning %d", s.needspinning.Load(), mdl.spinning.Load())
	}
	locks := mdl.host.(*desk).locks
	s.WakeP(s.M(0))
	if mdl.host.(*desk).locks != locks {
		t.Errorf("a second wish takes the lock")
	}
	s.becomeSpinning(s.M(0))
	if s.needspinning.Load() != 0 {
		t.Errorf("a spinner does not answer the wish")
	}
}

// Work for which no M can be had is left to the next one that would sleep.
func TestWantM(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	mdl.started(2) // M 1 is on its way to sleep, and on no list
	g := mdl.gs(1)[0]
	s.Ready(s.M(0), &g.G, false)
	if !s.wantM || mdl.spinning.Load() != 0 || mdl.idle.Load() != 1 {
		t.Errorf("wantM %v, spinning %d, idle %d", s.wantM, mdl.spinning.Load(), mdl.idle.Load())
	}
	s.stopM(s.M(1)) // would panic if it slept
	if s.wantM || s.M(1).P() != s.P(1) || !s.M(1).Spinning() || mdl.spinning.Load() != 1 {
		t.Errorf("M 1 did not stay\n%s", mdl.dump())
	}
	if d, _ := mdl.schedule(t, s.M(1)); d.t != g {
		t.Errorf("M 1 did not find the work")
	}
}

// StartP: the P's Gs are run by the M that gets it, or go to the global queue.
func TestStartP(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	p := s.GetIdleP(s.M(0), 0)
	mdl.putAll(p, mdl.gs(5))
	s.StartP(s.M(0), p)
	if s.Started() != 2 || s.M(1).Spinning() || mdl.cpus[1].first != p || p.Len() != 5 {
		t.Errorf("P 1 was not given to M 1")
	}

	mdl = newModel(1, 2)
	s = mdl.s
	p = s.GetIdleP(s.M(0), 0)
	mdl.putAll(p, mdl.gs(5))
	s.StartP(s.M(0), p)
	if !p.Idle() || s.GlobrunqLen() != 5 || !s.wantM {
		t.Errorf("a P that nobody can run keeps its Gs")
	}
}

// A spinning M may not get a P with Gs.
func TestM3StartMThrows(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	p := s.GetIdleP(s.M(0), 0)
	mdl.putAll(p, mdl.gs(1))
	mdl.thrown(t, "M3", func() { s.Lock(); s.startM(s.M(0), p, true) })
}

func TestM7NegativeThrows(t *testing.T) {
	mdl := newModel(1, 1)
	mdl.s.M(0).state.Store(mSpinning)
	mdl.thrown(t, "M7", func() { mdl.s.dropSpinning(mdl.s.M(0)) })
}

// StartIdle starts as many as there are Gs, Ps and Ms, none of them spinning.
func TestStartIdle(t *testing.T) {
	for _, c := range []struct {
		ncpu         int
		procs        int32
		n            int32
		started      int32
		needspinning uint32
		wantM        bool
	}{{4, 4, 2, 3, 0, false}, {4, 4, 9, 4, 1, false}, {2, 4, 3, 2, 0, true}, {1, 1, 1, 1, 1, false}, {4, 4, 0, 1, 0, false}} {
		mdl := newModel(c.ncpu, c.procs)
		s := mdl.s
		s.StartIdle(s.M(0), c.n)
		if s.Started() != c.started || s.needspinning.Load() != c.needspinning || s.wantM != c.wantM || mdl.spinning.Load() != 0 {
			t.Errorf("%+v: started %d, needspinning %d, wantM %v, spinning %d", c, s.Started(), s.needspinning.Load(), s.wantM, mdl.spinning.Load())
		}
		if mdl.idle.Load() != c.procs-c.started {
			t.Errorf("%+v: %d Ps idle", c, mdl.idle.Load())
		}
	}
}

// A G that yields wants nobody woken for itself, as its M looks for work next; but others
// are woken if the M leaves something behind, and an M that is alone lets other CPUs go
// first for a moment.
func TestYield(t *testing.T) {
	for _, c := range []struct {
		what  string
		work  func(*model)
		woken bool
		alone bool
		from  record.Place
	}{
		{"it alone", func(*model) {}, false, true, record.FromGlobal},
		{"another global G", func(mdl *model) { mdl.s.GlobrunqPut(mdl.s.M(0), &mdl.gs(1)[0].G) }, true, false, record.FromGlobal},
		{"a local G", func(mdl *model) { mdl.putAll(mdl.s.P(0), mdl.gs(1)) }, true, false, record.FromRing},
		{"a runnext", func(mdl *model) { mdl.s.RunqPut(mdl.s.M(0), &mdl.gs(1)[0].G, true) }, true, false, record.FromNext},
		{"one that was passed to it", func(mdl *model) { mdl.passed(mdl.s.M(0)) }, true, false, record.FromPass},
		{"a timer of later", func(mdl *model) { mdl.addTimer(0, timer{when: 1 << 40}) }, false, true, record.FromGlobal},
		{"a timer", func(mdl *model) { mdl.addTimer(0, timer{when: 1}) }, false, true, record.FromGlobal},
		{"a device", func(mdl *model) { mdl.s.pollDue.Store(1) }, false, true, record.FromGlobal},
		{"a device with a G", func(mdl *model) {
			t := mdl.gs(1)[0]
			t.status.Store(waiting)
			mdl.dev.ended = append(mdl.dev.ended, t)
			mdl.dev.told.Store(1)
			mdl.s.pollDue.Store(1)
		}, true, false, record.FromRing},
	} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.s.M(0)
		stood := 0
		mdl.onOSYield = func() { stood++ }
		c.work(mdl)
		yields := mdl.gs(1)[0]
		m.yields = politeYields - 1
		s.M(0).sliceState.Store(1)
		d, _ := mdl.ends(t, m, func() { s.Yield(m, &yields.G, true) })
		if d.t == nil || (d.t == yields) != c.alone || s.M(0).sliceState.Load() != 0 && c.from != record.FromPass {
			t.Errorf("%s: %+v runs", c.what, d)
		}
		if woken := s.Started() == 2; woken != c.woken || stood != 1 {
			t.Errorf("%s: woken %v, stood back %d times", c.what, woken, stood)
		}
	}
}

// A G that yields again and again does not ask others to go first each time.
func TestYieldStandsBack(t *testing.T) {
	mdl := newModel(1, 1)
	stood := 0
	mdl.onOSYield = func() { stood++ }
	g := mdl.gs(1)[0]
	for range 4 * politeYields {
		mdl.ends(t, mdl.s.M(0), func() { mdl.s.Yield(mdl.s.M(0), &g.G, true) })
	}
	if stood != 4 {
		t.Errorf("others went first %d times in %d yields", stood, 4*politeYields)
	}
}

// [R8]: at its turn the global queue goes before the ring for a G that yields, too, and before a G that ends.
func TestR8YieldsTurn(t *testing.T) {
	for _, turn := range []bool{false, true} {
		mdl := newModel(1, 1)
		s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
		ts := mdl.gs(4)
		s.GlobrunqPut(m, &ts[0].G)
		s.GlobrunqPut(m, &ts[1].G)
		s.RunqPut(m, &ts[2].G, false)
		next := func() {
			p.schedtick = globalTick
			if !turn {
				p.schedtick++
			}
		}
		next()
		d, _ := mdl.ends(t, m, func() { s.Yield(m, &ts[3].G, true) })
		if (d.t == ts[0]) != turn || (d.t == ts[2]) == turn {
			t.Errorf("turn %v: after a yield %+v runs", turn, d)
		}
		if !turn {
			s.RunqPut(m, &ts[2].G, false)
		}
		next()
		d, _ = mdl.schedule(t, m)
		if (d.t == ts[1]) != turn || (d.t == ts[2]) == turn {
			t.Errorf("turn %v: after an end %+v runs", turn, d)
		}
	}
}

// Before the program's own Gs run nobody is woken.
func TestYieldWithoutWake(t *testing.T) {
	for _, plain := range []bool{false, true} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.s.M(0)
		s.GlobrunqPut(m, &mdl.gs(1)[0].G)
		if !plain {
			s.pollDue.Store(1)
		}
		mdl.ends(t, m, func() { s.Yield(m, &mdl.gs(1)[0].G, false) })
		if s.Started() != 1 {
			t.Errorf("plain %v: an M is started", plain)
		}
	}
}

// A G that yields on an M without a P.
func TestM2YieldWithoutP(t *testing.T) {
	mdl := newModel(1, 1)
	m := mdl.s.M(0)
	mdl.s.UnwireP(m, m.P())
	mdl.thrown(t, "M2", func() { mdl.s.Yield(m, &mdl.gs(1)[0].G, true) })
}

// running makes M i own a P and stand in the code of a task.
func (mdl *model) running(i int32) *M {
	m := mdl.s.M(i)
	if m.P() == nil {
		mdl.s.WireP(m, mdl.s.GetIdleP(mdl.s.M(0), 0))
	}
	return m
}

// A G is put at every moment of another M's way from its search to its sleep:
// somebody is always there for it. With a timer the other M sleeps as timer M.
func TestWakeWhileOthersFallAsleep(t *testing.T) {
	for _, timed := range []bool{false, true} {
		for _, spinning := range []bool{false, true} {
			explore(t, func() (*turns, []*cpu) {
				mdl, tn := newTurns(2, 2, 1)
				mdl.started(2)
				m0, m1 := mdl.running(0), mdl.running(1)
				if spinning {
					mdl.s.becomeSpinning(m1)
				}
				if timed {
					mdl.addTimer(0, timer{when: 1 << 40})
				}
				g := &mdl.gs(1)[0].G
				return tn, []*cpu{
					tn.act(m1, func() { mdl.s.Schedule(m1) }),
					tn.act(m0, func() { mdl.s.Ready(m0, g, false) }),
				}
			})
		}
	}
}

// Two tasks put a G each while two Ms fall asleep: the first one's failed
// attempt to wake must not look like a spinner to the second.
func TestFailedWakeIsNoSpinner(t *testing.T) {
	for _, owned := range []bool{false, true} {
		explore(t, func() (*turns, []*cpu) {
			mdl, tn := newTurns(4, 4, 1)
			s := mdl.s
			mdl.started(4)
			m0, m1 := mdl.running(0), mdl.running(1)
			gs := mdl.gs(2)
			as := []*cpu{tn.act(m0, func() { s.Ready(m0, &gs[0].G, false) })}
			for _, m := range []*M{s.M(2), s.M(3)} {
				if owned {
					mdl.running(m.ID)
				}
				as = append(as, tn.act(m, func() {
					if m.P() == nil {
						s.stopM(m) // on its way to sleep, past all looks
					}
					s.Schedule(m)
				}))
			}
			return tn, append(as, tn.act(m1, func() { s.Ready(m1, &gs[1].G, false) }))
		})
	}
}

// The same with work that arrives by way of the global queue.
func TestStartIdleWhileOthersFallAsleep(t *testing.T) {
	explore(t, func() (*turns, []*cpu) {
		mdl, tn := newTurns(3, 3, 1)
		s := mdl.s
		mdl.started(3)
		m0, m1, m2 := mdl.running(0), mdl.running(1), mdl.running(2)
		ts := mdl.gs(2)
		mdl.addTimer(0, timer{when: 1 << 40})
		return tn, []*cpu{
			tn.act(m0, func() { mdl.cpus[0].inject(ts) }),
			tn.act(m1, func() { s.Schedule(m1) }),
			tn.act(m2, func() { s.Schedule(m2) }),
		}
	})
}

// The restart of the world hands Ps with work to Ms that are on their way to
// sleep.
func TestStartPWhileOthersFallAsleep(t *testing.T) {
	explore(t, func() (*turns, []*cpu) {
		mdl, tn := newTurns(3, 3, 1)
		s := mdl.s
		mdl.started(3)
		m0 := mdl.running(0)
		p1, p2 := s.GetIdleP(s.M(0), 0), s.GetIdleP(s.M(0), 0)
		s.runqPut(m0, p1, &mdl.gs(1)[0].G, false)
		s.runqPut(m0, p2, &mdl.gs(1)[0].G, false)
		m1, m2 := s.M(1), s.M(2)
		return tn, []*cpu{
			tn.act(m0, func() { s.StartP(m0, p1); s.StartP(m0, p2); s.WakeP(m0) }),
			tn.act(m1, func() { s.stopM(m1); s.Schedule(m1) }),
			tn.act(m2, func() { s.stopM(m2); s.Schedule(m2) }),
		}
	})
}

// A spinner that finds work and no P leaves a wish, which must reach an M that
// looked before the work was there and would sleep without having spun.
func TestNeedSpinningWhileOthersFallAsleep(t *testing.T) {
	explore(t, func() (*turns, []*cpu) {
		mdl, tn := newTurns(4, 3, 1)
		s := mdl.s
		mdl.started(4)
		m0, m1, m2, m3 := mdl.running(0), mdl.running(1), mdl.running(2), s.M(3)
		s.becomeSpinning(m1)
		ts := mdl.gs(2)
		return tn, []*cpu{
			tn.act(m3, func() { s.stopM(m3); s.Schedule(m3) }),
			tn.act(m0, func() {
				// This takes the P that the spinner gave up.
				mdl.cpus[0].inject(ts[:1])
				s.Ready(m0, &ts[1].G, false)
			}),
			tn.act(m1, func() { s.Schedule(m1) }),
			tn.act(m2, func() { s.Schedule(m2) }),
		}
	})
}

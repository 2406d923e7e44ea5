package sched

import (
	"fmt"
	"testing"
)

// [T2]: an M that goes to sleep does so until the earliest timer of any P; the next one
// for ever.
func TestT2TimerM(t *testing.T) {
	mdl := newModel(3, 3)
	s := mdl.s
	mdl.started(3)
	mdl.running(1)
	mdl.addTimer(1, timer{when: 900})
	mdl.addTimer(2, timer{when: 700})
	if _, deadline := mdl.schedule(t, s.M(0)); deadline != 700 {
		t.Errorf("M 0 sleeps until %d", deadline)
	}
	if muintptr(s.timerM.Load()).ptr() != s.M(0) || s.timerMUntil.Load() != 700 || s.Asleep() != 1 {
		t.Errorf("M 0 is not the timer M\n%s", mdl.dump())
	}
	if _, deadline := mdl.schedule(t, s.M(1)); deadline != 0 || s.Asleep() != 2 || muintptr(s.timerM.Load()).ptr() != s.M(0) {
		t.Errorf("M 1 does not park")
	}
	if s.M(0).park.Load() != 0 {
		t.Errorf("the timer M was disturbed for nothing")
	}
}

// Without timers the timer M sleeps until it is kicked; without an idle P there is none, nor if another M is it.
func TestT2TimerSleep(t *testing.T) {
	for _, c := range []struct {
		what   string
		set    func(s *Sched, m *M)
		until  int64
		timerM bool
	}{
		{"a timer", func(s *Sched, m *M) {}, 700, true},
		{"no timer", func(s *Sched, m *M) { s.rt.(*model).timers[1].next.Store(0) }, 0, true},
		{"no idle P", func(s *Sched, m *M) { s.npidle.Store(0) }, 0, false},
		{"no idle P any more", func(s *Sched, m *M) { s.timerSleep(m); s.npidle.Store(0) }, 0, false},
		{"another is it", func(s *Sched, m *M) { s.timerM.Store(uintptr(handleM(s.M(2)))) }, 0, false},
		{"it has a P coming", func(s *Sched, m *M) { s.Lock(); s.wakeM(s.M(0), m, s.GetIdleP(m, 0), false) }, 0, false},
	} {
		mdl := newModel(3, 3)
		s, m := mdl.s, mdl.sleeping(1)
		mdl.addTimer(1, timer{when: 700})
		c.set(s, m)
		until, due := s.timerSleep(m)
		timerM := muintptr(s.timerM.Load()).ptr() == m
		if until != c.until || timerM != c.timerM || due {
			t.Errorf("%s: until %d, timer M %v, due %v\n%s", c.what, until, timerM, due, mdl.dump())
		}
		if kept := s.timerMUntil.Load(); timerM && (until != 0 && kept != until || until == 0 && kept != never) {
			t.Errorf("%s: others see %d", c.what, kept)
		}
	}
}

// At each look at the timers others see who looks, and that it is not known yet how long it will sleep: whoever sets
// one behind that look kicks it.
func TestT2ShowsItselfFirst(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.sleeping(1)
	mdl.addTimer(1, timer{when: 700})
	looks := 0
	mdl.onPoint = func(what string) {
		if what == "nexttimer" {
			if looks++; muintptr(s.timerM.Load()).ptr() != m || s.timerMUntil.Load() != 0 {
				t.Errorf("look %d: until %d\n%s", looks, s.timerMUntil.Load(), mdl.dump())
			}
		}
	}
	s.timerSleep(m)
	first := looks
	s.timerSleep(m)
	if first == 0 || looks != 2*first {
		t.Errorf("%d looks, and then %d", first, looks-first)
	}
}

// The timer M whose timer is due wakes by itself, with an idle P, and spins.
func TestT2Due(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.sleeping(1)
	mdl.addTimer(0, timer{when: 1})
	mdl.on(m)
	s.awaitP(m)
	if m.P() != s.P(1) || !m.Spinning() || mdl.spinning.Load() != 1 || s.timerM.Load() != 0 || s.nmidle != 0 || len(mdl.host.(*desk).kicks) != 0 {
		t.Error(mdl.dump())
	}
}

// A timer that is earlier than what the timer M sleeps for wakes it, a later one
// does not, and the next timer M sleeps for the earlier.
func TestT2EarlierTimer(t *testing.T) {
	mdl, tn := newTurns(2, 2, 1)
	s := mdl.s
	mdl.started(2)
	m0, m1 := mdl.running(0), mdl.running(1)
	mdl.addTimer(0, timer{when: 1000})
	timerM := tn.act(m1, func() { s.Schedule(m1) })
	tn.until(t, timerM, "halt")
	set := func(p int, when int64) {
		mdl.addTimer(p, timer{when: when})
		s.WakeTimerM(m0, when)
	}
	set(0, 2000)
	set(0, 1000)
	if tn.ready(timerM) || mdl.spinning.Load() != 0 {
		t.Errorf("woken for a later timer")
	}
	set(1, 500)
	if !tn.ready(timerM) {
		t.Fatalf("not woken for an earlier timer")
	}
	tn.until(t, timerM, "halt")
	if s.timerMUntil.Load() != 500 || m1.park.Load() != 0 || m1.P() != nil || muintptr(s.timerM.Load()).ptr() != m1 {
		t.Errorf("it sleeps until %d\n%s", s.timerMUntil.Load(), mdl.dump())
	}
	tn.close()
}

// A timer M that takes a call's P for its own, as sysmon, leaves its place to another M: there is a timer on a P that is idle.
func TestT2TimerMTakesAPItself(t *testing.T) {
	mdl, tn := newTurns(3, 2, 1)
	s := mdl.s
	mdl.started(3)
	m0, m1, m2 := mdl.running(0), mdl.running(1), mdl.s.M(2)
	sleeper := tn.asleep(m2)
	tn.until(t, sleeper, "halt")
	mdl.addTimer(1, timer{when: 1 << 40})
	timerM := tn.act(m1, func() { s.Schedule(m1) })
	tn.until(t, timerM, "halt")
	if !s.isTimerM(m1) {
		t.Fatalf("M 1 is not the timer M\n%s", mdl.dump())
	}
	mdl.inCall(m0, mdl.Now())
	mdl.putAll(s.P(0), mdl.gs(1))
	mdl.clock.Add(RetakeAfter)
	s.sysmonDue.Store(1)
	s.kick(m0, m1)
	tn.until(t, timerM, "step")
	if m1.P() != s.P(0) || s.timerM.Load() != 0 || !m2.Spinning() {
		t.Errorf("nobody was woken in its place\n%s", mdl.dump())
	}
	tn.close()
}

// An M that looked for work, and is given a P before it is the timer M, wakes another for the timers, if there is no timer M: who set
// one saw it look, and woke nobody. It wakes none without an idle P, or if it is to look again.
func TestT2GivenAPBeforeItIsTimerM(t *testing.T) {
	for _, c := range []struct {
		what     string
		procs    int32
		timerM   bool
		spinning bool
		woken    bool
	}{
		{"nobody sleeps for the timers", 3, false, false, true},
		{"another does", 3, true, false, false},
		{"no P is idle", 2, false, false, false},
		{"it looks again", 3, false, true, false},
	} {
		mdl := newModel(3, c.procs)
		s, m0 := mdl.s, mdl.s.M(0)
		m2, m1 := mdl.sleeping(2), mdl.sleeping(1)
		mdl.addTimer(1, timer{when: 1 << 40})
		if c.timerM {
			s.timerSleep(m2)
		}
		if c.spinning {
			mdl.spinning.Store(1)
		}
		s.Lock()
		s.wakeM(m0, m1, s.GetIdleP(m0, 0), c.spinning)
		mdl.on(m1)
		s.awaitP(m1)
		if m1.P() == nil || m2.Spinning() != c.woken || s.needspinning.Load() != 0 {
			t.Errorf("%s: M 2 woken %v\n%s", c.what, m2.Spinning(), mdl.dump())
		}
	}
}

// Without a timer M a new timer wakes an M, which will be it.
func TestT2WakeTimerMWithoutOne(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	mdl.addTimer(0, timer{when: 1000})
	s.WakeTimerM(s.M(0), 1000)
	if s.Started() != 2 || mdl.spinning.Load() != 1 {
		t.Errorf("nobody was woken")
	}
}

// Who sets a timer kicks the timer M if that would sleep past it, or does not know yet how long it will.
func TestT2WakeTimerMKicks(t *testing.T) {
	for _, c := range []struct {
		kept int64
		kick uint32
	}{{0, 1}, {1000, 1}, {never, 1}, {500, 0}, {400, 0}} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.sleeping(1)
		s.timerM.Store(uintptr(handleM(m)))
		s.timerMUntil.Store(c.kept)
		s.WakeTimerM(s.M(0), 500)
		if m.park.Load() != c.kick || mdl.spinning.Load() != 0 {
			t.Errorf("kept %d: kick %d", c.kept, m.park.Load())
		}
	}
}

// The timer M gets a P for work when no other M is idle, and is counted as a spinner from then
// on: until it has looked, more work disturbs nobody. A second P it cannot be given.
func TestM8TimerMTakesWork(t *testing.T) {
	mdl, tn := newTurns(3, 2, 1)
	s := mdl.s
	mdl.started(2)
	m0, m1 := mdl.running(0), mdl.running(1)
	mdl.addTimer(0, timer{when: 1 << 40})
	timerM := tn.act(m1, func() { s.Schedule(m1) })
	tn.until(t, timerM, "halt")
	task := mdl.gs(1)[0]
	s.Ready(m0, &task.G, false)
	if s.Started() != 2 || s.wantM || !tn.ready(timerM) || mdl.spinning.Load() != 1 || !m1.Spinning() || m1.nextp.Load() == 0 {
		t.Fatalf("the timer M was not asked\n%s", mdl.dump())
	}
	woken := m0.Stats[Wakes]
	s.Ready(m0, &mdl.gs(1)[0].G, false)
	if m0.Stats[Wakes] != woken || s.idleM(m0) != nil {
		t.Errorf("the timer M was asked twice\n%s", mdl.dump())
	}
	tn.until(t, timerM, "step")
	if task.runs != 1 || s.wantM || mdl.spinning.Load() != 0 {
		t.Errorf("the timer M did not take the work")
	}
	tn.close()
}

// [T2]: a timer M that is given a P to run a G has another M take its place.
func TestT2NextTimerM(t *testing.T) {
	mdl, tn := newTurns(3, 3, 1)
	s := mdl.s
	mdl.started(3)
	m0, m1, m2 := mdl.running(0), mdl.running(1), mdl.running(2)
	mdl.addTimer(1, timer{when: 1 << 40})
	timerM := tn.act(m1, func() { s.Schedule(m1) })
	tn.until(t, timerM, "halt")
	other := tn.act(m2, func() { s.Schedule(m2) })
	tn.until(t, other, "halt")
	s.Lock()
	s.wakeM(m0, m1, s.GetIdleP(m0, 0), false)
	for i := 0; i < 100 && !tn.ready(other); i++ {
		tn.advance(timerM, 1)
	}
	if !tn.ready(other) {
		t.Fatalf("nobody is woken\n%s", mdl.dump())
	}
	tn.until(t, other, "halt")
	if muintptr(s.timerM.Load()).ptr() != m2 || s.timerMUntil.Load() != 1<<40 {
		t.Errorf("nobody sleeps for the timer\n%s", mdl.dump())
	}
	tn.close()
}

// [S5]: the timer M sleeps for what is done by the clock, too; but without timers
// the runtime is asked whether the program is dead. When it wakes Periodic is due.
func TestS5TimerMForPeriodic(t *testing.T) {
	for _, timer1 := range []int64{0, 400, 600} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.s.M(0)
		mdl.sleeping(1)
		asked := 0
		mdl.onDead = func() { asked++ }
		mdl.every(499, 1)
		if timer1 != 0 {
			mdl.addTimer(1, timer{when: timer1})
		}
		d, deadline := mdl.schedule(t, m)
		if d.t != nil || deadline != min(500, max(timer1, 500*(1-min(timer1, 1)))) {
			t.Errorf("timer at %d: sleeps until %d", timer1, deadline)
		}
		if asked != map[bool]int{true: 1}[timer1 == 0] || s.Asleep() != 2 {
			t.Errorf("timer at %d: %d asked, %d sleep", timer1, asked, s.Asleep())
		}
	}
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.sleeping(1)
	mdl.every(499, 1)
	mdl.clock.Store(500)
	if _, due := s.timerSleep(m); !due || s.periodic.Load() != periodicDue || s.timerM.Load() != 0 || mdl.nparked != 0 || m.nextp.Load() == 0 {
		t.Errorf("periodic %d\n%s", s.periodic.Load(), mdl.dump())
	}
}

// [M13]: an M does not sleep, with a timer or not, while a G of its own, or a want of an M, waits for it.
func TestT2NoTimerMThatIsWanted(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.s.M(0)
		s.UnwireP(m, s.P(0))
		mdl.addTimer(1, timer{when: 1000})
		if wanted {
			s.wantM = true
		} else {
			mdl.passed(m)
		}
		s.stopM(m)
		if m.P() == nil || s.timerM.Load() != 0 {
			t.Errorf("wanted %v: it sleeps", wanted)
		}
	}
}

// [M13]: a timer M is passed a G of its own, with a P, at every moment of its sleep, while the
// timer that it sleeps for may go away: it takes the P, runs the G, and somebody else sleeps for the timers.
func TestM13TimerMIsPassedItsOwn(t *testing.T) {
	for _, goes := range []bool{false, true} {
		for _, procs := range []int32{2, 3} {
			exploreBy(t, 1, 200, func() (*turns, []*cpu) {
				mdl, tn := newTurns(2, procs, 1)
				s := mdl.s
				mdl.started(2)
				m0, m1 := mdl.running(0), mdl.running(1)
				when := int64(1 << 40)
				mdl.addTimer(1, timer{when: when})
				g := mdl.tied(m1, 1)[0]
				return tn, []*cpu{
					tn.act(m1, func() { s.Schedule(m1) }),
					tn.act(m0, func() {
						if goes {
							mdl.timers[1].list = nil
							mdl.timers[1].next.Store(0)
							tn.point("stopped")
						}
						s.Ready(m0, &g.G, false)
						s.Schedule(m0)
					}),
				}
			})
		}
	}
}

// A kick does not end the sleep of an M that gets no P.
func TestM9StaleToken(t *testing.T) {
	mdl, tn := newTurns(2, 2, 1)
	s := mdl.s
	mdl.started(2)
	m0, m1 := mdl.running(0), mdl.running(1)
	a := tn.act(m1, func() { s.Schedule(m1) })
	tn.until(t, a, "halt")
	s.kick(m1, m1)
	tn.until(t, a, "halt")
	if s.Asleep() != 1 || m1.P() != nil || m1.park.Load() != 0 {
		t.Errorf("a stale token ended the parking\n%s", mdl.dump())
	}
	task := mdl.gs(1)[0]
	s.Ready(m0, &task.G, false)
	tn.until(t, a, "step")
	tn.close()
}

// Timers are set and moved at every moment of other Ms' way to sleep: a timer of
// an idle P always has a timer M that wakes in time. Another M's P has a timer already: one can
// only be moved there.
func TestT2TimerWhileOthersFallAsleep(t *testing.T) {
	for _, old := range []int64{0, 900} {
		for _, on := range []int{0, 1, 2} {
			explore(t, func() (*turns, []*cpu) {
				mdl, tn := newTurns(3, 3, 1)
				s := mdl.s
				mdl.started(3)
				m0, m1, m2 := mdl.running(0), mdl.running(1), mdl.running(2)
				if old != 0 {
					mdl.addTimer(1, timer{when: old})
				}
				if on != 0 {
					mdl.addTimer(on, timer{when: 1 << 40})
				}
				return tn, []*cpu{
					tn.act(m0, func() {
						mdl.timers[on].add(timer{when: 500})
						s.WakeTimerM(m0, 500)
					}),
					tn.act(m1, func() { s.Schedule(m1) }),
					tn.act(m2, func() { s.Schedule(m2) }),
				}
			})
		}
	}
}

// A timer is moved and a G is put while the timer M wakes by itself.
func TestT2TimerMWakesWhileWorkArrives(t *testing.T) {
	explore(t, func() (*turns, []*cpu) {
		mdl, tn := newTurns(3, 3, 1)
		s := mdl.s
		mdl.started(3)
		m0, m1, m2 := mdl.running(0), mdl.running(1), mdl.running(2)
		mdl.addTimer(1, timer{when: 500})
		mdl.addTimer(2, timer{when: 900})
		timerM := tn.act(m1, func() { s.Schedule(m1) })
		tn.until(t, timerM, "halt")
		mdl.timers[1].list = nil // stopped
		mdl.timers[1].next.Store(0)
		mdl.clock.Store(500)
		g := &mdl.gs(1)[0].G
		return tn, []*cpu{
			timerM,
			tn.act(m0, func() { s.Ready(m0, g, true) }),
			tn.act(m2, func() {
				mdl.timers[2].add(timer{when: 800})
				s.WakeTimerM(m2, 800)
				s.Schedule(m2)
			}),
		}
	})
}

// The first timer goes away and another one, on an idle P, is moved before it, at all moments
// of an M's way to become the timer M. Who moved it saw the claim, or the claim finds it.
func TestT2TimerGoesWhileTimerMClaims(t *testing.T) {
	for goes := 0; goes < 14; goes++ {
		for comes := 0; comes < 14; comes++ {
			mdl, tn := newTurns(2, 3, 1)
			s := mdl.s
			mdl.started(2)
			m0, m1 := mdl.running(0), mdl.running(1)
			mdl.addTimer(0, timer{when: 900})
			mdl.addTimer(1, timer{when: 1 << 40})
			timerM := tn.act(m1, func() { s.Schedule(m1) })
			setter := tn.act(m0, func() {
				mdl.timers[0].list = nil
				mdl.timers[0].next.Store(0)
				tn.point("stopped")
				mdl.timers[1].add(timer{when: 500})
				s.WakeTimerM(m0, 500)
			})
			tn.until(t, timerM, "nexttimer")
			tn.advance(timerM, goes)
			tn.until(t, setter, "stopped")
			tn.advance(timerM, comes)
			tn.settle(t, []*cpu{timerM, setter}, fmt.Sprintf("the timer goes after %d points, and comes after %d", goes, comes))
		}
	}
}

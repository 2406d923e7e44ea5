package sched

import (
	"fmt"
	"testing"
)

// [T2]: an M that goes to sleep keeps the earliest timer of any P; the next one
// parks.
func TestT2TimerM(t *testing.T) {
	mdl := newModel(3, 3)
	s := mdl.s
	s.nms, s.ncpu = 3, 3
	mdl.running(1)
	mdl.timers[1].add(timer{when: 900})
	mdl.timers[2].add(timer{when: 700})
	if _, deadline := mdl.schedule(t, s.M(0)); deadline != 700 {
		t.Errorf("M 0 sleeps until %d", deadline)
	}
	if muintptr(s.timerM.Load()).ptr() != s.M(0) || s.timerMUntil.Load() != 700 || s.Asleep() != 0 {
		t.Errorf("M 0 does not keep\n%s", mdl.dump())
	}
	if _, deadline := mdl.schedule(t, s.M(1)); deadline != 0 || s.Asleep() != 1 {
		t.Errorf("M 1 does not park")
	}
	if s.M(0).park.Load() != 0 {
		t.Errorf("the timer M was disturbed for nothing")
	}
}

// Without timers nobody keeps, and the claim that found none is given up.
func TestT2NoTimerNoTimerM(t *testing.T) {
	mdl := newModel(1, 1)
	s := mdl.s
	s.UnwireP(s.M(0), s.P(0))
	if s.timerSleep(s.M(0)) || s.timerM.Load() != 0 {
		t.Errorf("kept nothing")
	}
	looks := 0
	mdl.onPoint = func(what string) {
		if what == "nexttimer" {
			if looks++; looks == 1 {
				mdl.timers[0].next.Store(0)
			}
		}
	}
	mdl.timers[0].next.Store(50)
	if s.timerSleep(s.M(0)) || s.timerM.Load() != 0 {
		t.Errorf("the claim of a timer that went away stays")
	}
}

// A timer that is earlier than what the timer M sleeps for wakes it, a later one
// does not, and the next timer M sleeps for the earlier.
func TestT2EarlierTimer(t *testing.T) {
	mdl, tn := newTurns(2, 2, 1)
	s := mdl.s
	s.nms, s.ncpu = 2, 2
	m0, m1 := mdl.running(0), mdl.running(1)
	mdl.timers[0].add(timer{when: 1000})
	timerM := tn.act(m1, func() { s.Schedule(m1) })
	tn.until(t, timerM, "halt")
	set := func(p int, when int64) {
		mdl.timers[p].add(timer{when: when})
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
	tn.until(t, timerM, "timers") // awake, with a P
	if m1.P() == nil || !m1.spinning || s.timerM.Load() != 0 || s.timerMUntil.Load() != 0 {
		t.Errorf("the timer M does not look around\n%s", mdl.dump())
	}
	tn.until(t, timerM, "halt")
	if s.timerMUntil.Load() != 500 || m1.park.Load() != 0 {
		t.Errorf("keeps until %d", s.timerMUntil.Load())
	}
	tn.close()
}

// Without a timer M a new timer wakes an M, which will be it.
func TestT2WakeTimerMWithoutKeeper(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	mdl.timers[0].add(timer{when: 1000})
	s.WakeTimerM(s.M(0), 1000)
	if s.Started() != 2 || mdl.spinning.Load() != 1 {
		t.Errorf("nobody was woken")
	}
}

// An M that finds the place taken, and the timer M sleeping too long or not yet
// at all, sends it to look again.
func TestT2SecondTimerMKicks(t *testing.T) {
	for _, c := range []struct {
		kept int64
		kick uint32
	}{{0, 1}, {1000, 1}, {500, 0}, {400, 0}} {
		mdl := newModel(2, 2)
		s := mdl.s
		s.timerM.Store(uintptr(handleM(s.M(1))))
		s.timerMUntil.Store(c.kept)
		mdl.timers[0].add(timer{when: 500})
		s.UnwireP(s.M(0), s.P(0))
		if s.timerSleep(s.M(0)) {
			t.Errorf("two timer Ms")
		}
		if s.M(1).park.Load() != c.kick {
			t.Errorf("kept %d: kick %d", c.kept, s.M(1).park.Load())
		}
	}
}

// The timer M gets a P for work when no M is parked, and is counted as a spinner from then
// on: until it has looked, more work disturbs nobody. A second P it cannot be given.
func TestM8TimerMTakesWork(t *testing.T) {
	mdl, tn := newTurns(3, 2, 1)
	s := mdl.s
	s.nms, s.ncpu = 2, 2
	m0, m1 := mdl.running(0), mdl.running(1)
	mdl.timers[0].add(timer{when: 1 << 40})
	timerM := tn.act(m1, func() { s.Schedule(m1) })
	tn.until(t, timerM, "halt")
	task := mdl.gs(1)[0]
	s.Ready(m0, &task.G, false)
	if s.Started() != 2 || s.wantM || !tn.ready(timerM) || mdl.spinning.Load() != 1 || !m1.spinning || m1.nextp.Load() == 0 {
		t.Fatalf("the timer M was not asked\n%s", mdl.dump())
	}
	woken := m0.Stats[Wakes]
	s.Ready(m0, &mdl.gs(1)[0].G, false)
	if m0.Stats[Wakes] != woken || s.takeTimerM() != nil {
		t.Errorf("the timer M was asked twice\n%s", mdl.dump())
	}
	tn.until(t, timerM, "step")
	if task.Runs != 1 || s.wantM || mdl.spinning.Load() != 0 {
		t.Errorf("the timer M did not take the work")
	}
	tn.close()
}

// [S5]: the timer M sleeps for what is done by the clock, too; without timers it counts as
// asleep, and the runtime is asked whether the program is dead. When it wakes Periodic is
// due.
func TestS5TimerMForPeriodic(t *testing.T) {
	for _, timer1 := range []int64{0, 400, 600} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.s.M(0)
		mdl.sleeping(1)
		asked := 0
		mdl.onDead = func() { asked++ }
		mdl.every(499, 1)
		if timer1 != 0 {
			mdl.timers[1].add(timer{when: timer1})
		}
		d, deadline := mdl.schedule(t, m)
		if d.t != nil || deadline != min(500, max(timer1, 500*(1-min(timer1, 1)))) {
			t.Errorf("timer at %d: sleeps until %d", timer1, deadline)
		}
		if only := timer1 == 0; s.sysmonOnly != only || asked != map[bool]int{true: 1}[only] || s.Asleep() != map[bool]int32{true: 2, false: 1}[only] {
			t.Errorf("timer at %d: %d asked, %d sleep", timer1, asked, s.Asleep())
		}
	}
	mdl := newModel(1, 1)
	s, m := mdl.s, mdl.s.M(0)
	s.UnwireP(m, s.P(0))
	s.PutIdleP(m, s.P(0), 0)
	mdl.every(499, 1)
	mdl.clock.Store(500)
	mdl.onDead = func() {}
	m.park.Store(1) // the halt ends at once
	if !s.timerSleep(m) || s.periodic.Load() != 1 || s.sysmonOnly || s.timerM.Load() != 0 || mdl.nparked != 0 {
		t.Errorf("periodic %d\n%s", s.periodic.Load(), mdl.dump())
	}
}

// [M13]: an M does not keep while a G of its own, or a want of an M, waits for it.
func TestT2NoTimerMThatIsWanted(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.s.M(0)
		s.UnwireP(m, s.P(0))
		mdl.timers[1].add(timer{when: 1000})
		if wanted {
			s.wantM = true
		} else {
			mdl.passed(m)
		}
		if !s.timerSleep(m) || s.timerM.Load() != 0 {
			t.Errorf("wanted %v: kept", wanted)
		}
	}
}

// [M13]: a timer M is passed a G of its own, with a P, at every moment of its sleep, while the
// timer that it keeps may go away: it takes the P, runs the G, and somebody else keeps.
func TestM13TimerMIsPassedItsOwn(t *testing.T) {
	for _, goes := range []bool{false, true} {
		for _, procs := range []int32{2, 3} {
			exploreBy(t, 1, 200, func() (*turns, []*cpu) {
				mdl, tn := newTurns(2, procs, 1)
				s := mdl.s
				s.nms, s.ncpu = 2, 2
				m0, m1 := mdl.running(0), mdl.running(1)
				when := int64(1 << 40)
				mdl.timers[1].add(timer{when: when})
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

// A token that is left over from a timer M's life does not end a parking.
func TestM9StaleToken(t *testing.T) {
	mdl, tn := newTurns(2, 2, 1)
	s := mdl.s
	s.nms, s.ncpu = 2, 2
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
// an idle P always has a timer M that wakes in time.
func TestT2TimerWhileOthersFallAsleep(t *testing.T) {
	for _, old := range []int64{0, 900} {
		for _, on := range []int{0, 1, 2} {
			explore(t, func() (*turns, []*cpu) {
				mdl, tn := newTurns(3, 3, 1)
				s := mdl.s
				s.nms, s.ncpu = 3, 3
				m0, m1, m2 := mdl.running(0), mdl.running(1), mdl.running(2)
				if old != 0 {
					mdl.timers[1].add(timer{when: old})
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
		s.nms, s.ncpu = 3, 3
		m0, m1, m2 := mdl.running(0), mdl.running(1), mdl.running(2)
		mdl.timers[1].add(timer{when: 500})
		mdl.timers[2].add(timer{when: 900})
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

// The last timer goes away and another one comes, on an idle P, at all moments
// of an M's way to keep. A claim that finds no timer is given up, and who set one
// meanwhile saw the claim.
func TestT2TimerGoesWhileTimerMClaims(t *testing.T) {
	for goes := 0; goes < 14; goes++ {
		for comes := 0; comes < 14; comes++ {
			mdl, tn := newTurns(2, 3, 1)
			s := mdl.s
			s.nms, s.ncpu = 2, 2
			m0, m1 := mdl.running(0), mdl.running(1)
			mdl.timers[0].add(timer{when: 900})
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

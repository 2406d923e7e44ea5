package sched

import "testing"

func TestP2IdleList(t *testing.T) {
	mdl := newModel(3, 3)
	s := mdl.s
	if mdl.idle.Load() != 2 || s.P(0).Idle() || !s.P(1).Idle() || !s.P(2).Idle() {
		t.Errorf("%d idle at the start", mdl.idle.Load())
	}
	if s.GetIdleP(s.M(0), 0) != s.P(1) || s.P(1).Idle() || mdl.idle.Load() != 1 {
		t.Errorf("last in is not first out")
	}
	if s.GetIdleP(s.M(0), 0) != s.P(2) || s.GetIdleP(s.M(0), 0) != nil || mdl.idle.Load() != 0 {
		t.Errorf("the list does not end")
	}
	s.PutIdleP(s.M(0), s.P(1), 0)
	mdl.thrown(t, "P2", func() { s.PutIdleP(s.M(0), s.P(1), 0) })
	mdl.thrown(t, "P2", func() { s.PutIdleP(s.M(0), s.P(0), 0) })
	mdl.thrown(t, "P2", func() { s.WireP(s.M(1), s.P(1)) })
	s.UnwireP(s.M(0), s.P(0))
	s.runqPut(s.M(0), s.P(0), &mdl.gs(1)[0].G, true)
	mdl.thrown(t, "P2", func() { s.PutIdleP(s.M(0), s.P(0), 0) })
}

func TestP1OwnAndDisown(t *testing.T) {
	mdl := newModel(3, 3)
	s := mdl.s
	p := s.GetIdleP(s.M(0), 0)
	mdl.thrown(t, "P1", func() { s.WireP(s.M(0), p) })
	mdl.thrown(t, "P1", func() { s.WireP(s.M(1), s.P(0)) })
	mdl.thrown(t, "P1", func() { s.UnwireP(s.M(0), p) })
	mdl.thrown(t, "P1", func() { s.UnwireP(s.M(1), p) })
	mdl.thrown(t, "P5", func() { s.WireP(s.M(1), s.P(3)) })
	s.WireP(s.M(1), p)
	mdl.thrown(t, "P1", func() { s.UnwireP(s.M(0), p) })
	if s.M(1).P() != p || p.M() != s.M(1) {
		t.Errorf("not owned")
	}
	s.UnwireP(s.M(1), p)
	if s.M(1).P() != nil || p.M() != nil {
		t.Errorf("not given up")
	}
}

func TestM1ParkedMs(t *testing.T) {
	mdl := newModel(3, 1)
	s := mdl.s
	s.nms, s.ncpu = 3, 3
	if s.getIdleM(s.M(0)) != nil {
		t.Errorf("an M is parked at the start")
	}
	s.putIdleM(s.M(1))
	s.putIdleM(s.M(2))
	if s.Asleep() != 2 || !s.M(1).Asleep() || !s.M(2).Asleep() || s.M(0).Asleep() {
		t.Errorf("counted %d", s.Asleep())
	}
	// One that does sysmon's work takes itself.
	if s.getIdleM(s.M(1)) != s.M(1) || mdl.nparked != 1 || s.M(1).Asleep() {
		t.Errorf("told %d, counted %d", mdl.nparked, s.Asleep())
	}
	s.putIdleM(s.M(1))
	if s.getIdleM(s.M(0)) != s.M(1) || s.getIdleM(s.M(0)) != s.M(2) || s.getIdleM(s.M(0)) != nil || mdl.nparked != 0 {
		t.Errorf("wrong order or count")
	}
	mdl.thrown(t, "M1", func() { s.putIdleM(s.M(0)) })
	s.M(1).spinning = true
	mdl.thrown(t, "M1", func() { s.putIdleM(s.M(1)) })
	mdl.thrown(t, "M9", func() { s.stopM(s.M(0)) })
	mdl.thrown(t, "M9", func() { s.stopM(s.M(1)) })
}

// [U6]: the runtime is asked when the last M parks, and not before.
func TestU6CheckDead(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	asked := 0
	mdl.onDead = func() { asked++ }
	s.nms, s.ncpu = 2, 2
	s.WireP(s.M(1), s.GetIdleP(s.M(0), 0))
	if d, _ := mdl.schedule(t, s.M(1)); d.t != nil || asked != 0 {
		t.Errorf("asked %d times while an M runs", asked)
	}
	if d, _ := mdl.schedule(t, s.M(0)); d.t != nil || asked != 1 {
		t.Errorf("asked %d times when the last M parked", asked)
	}
}

// [U6]: no alarm while an M sleeps for a timer.
func TestU6NoAlarmForTimerM(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	mdl.onDead = func() { t.Errorf("asked while a timer can still wake somebody") }
	s.nms, s.ncpu = 2, 2
	s.WireP(s.M(1), s.GetIdleP(s.M(0), 0))
	mdl.timers[1].add(timer{when: 1000})
	if _, deadline := mdl.schedule(t, s.M(1)); deadline != 1000 {
		t.Errorf("the first M does not keep")
	}
	if _, deadline := mdl.schedule(t, s.M(0)); deadline != 0 || s.Asleep() != 1 {
		t.Errorf("the second M does not park")
	}
}

// [P4]: an M stops at the world's stop, with its P counted, and not a spinner.
func TestP4StopForWorld(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	s.nms, s.ncpu = 2, 2
	m, p := mdl.spinner()
	mdl.stopping.Store(true)
	s.stopwait = 2
	mdl.putAll(s.P(0), mdl.gs(3))
	if d, _ := mdl.schedule(t, m); d.t != nil {
		t.Errorf("a task runs in a stopped world")
	}
	if s.stopwait != 1 || m.P() != nil || p.M() != nil || p.Idle() || m.spinning || mdl.spinning.Load() != 0 || s.Asleep() != 1 {
		t.Errorf("stopwait %d\n%s", s.stopwait, mdl.dump())
	}
}

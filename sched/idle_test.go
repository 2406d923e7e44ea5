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

// [M1, M8]: the idle list. Who does sysmon's work wakes itself, and the timer M goes last. All that is given with
// a P is there when the M sees it [M9].
func TestM1IdleMs(t *testing.T) {
	mdl := newModel(4, 4)
	s := mdl.s
	mdl.started(4)
	if s.idleM(s.M(0)) != nil {
		t.Errorf("an M is idle at the start")
	}
	for i := range int32(3) {
		s.putIdleM(s.M(i + 1))
	}
	if s.Asleep() != 3 || !s.M(1).Asleep() || !s.M(2).Asleep() || s.M(0).Asleep() {
		t.Errorf("counted %d", s.Asleep())
	}
	s.timerM.Store(uintptr(handleM(s.M(3))))
	wake := func(by, want int32) {
		t.Helper()
		s.Lock()
		m, p := s.idleM(s.M(by)), s.GetIdleP(s.M(0), 0)
		if m != s.M(want) {
			t.Fatalf("M %d wakes another than M %d", by, want)
		}
		s.wakeM(s.M(by), m, p, want == 2)
		if m.Asleep() || m.Spinning() != (want == 2) || puintptr(m.nextp.Load()).ptr() != p || m.park.Load() != 1 || mdl.nparked != s.Asleep() || s.M(by).Stats[Wakes] != 1 {
			t.Errorf("M %d, told %d\n%s", want, mdl.nparked, mdl.dump())
		}
		if kicks := mdl.host.(*desk).kicks; by == want && len(kicks) != 0 || by != want && kicks[len(kicks)-1] != want {
			t.Errorf("M %d: kicks %v", want, kicks)
		}
	}
	wake(1, 1)
	s.M(0).Stats[Wakes] = 0
	wake(0, 2)
	if s.timerM.Load() == 0 {
		t.Errorf("the timer M went first")
	}
	s.M(0).Stats[Wakes] = 0
	wake(0, 3)
	if s.Asleep() != 0 || s.idleM(s.M(0)) != nil || s.timerM.Load() != 0 {
		t.Errorf("counted %d\n%s", s.Asleep(), mdl.dump())
	}
	mdl.thrown(t, "M9", func() { s.wakeM(s.M(0), s.M(1), s.P(1), false) })
	mdl.thrown(t, "M1", func() { s.putIdleM(s.M(0)) })
	s.becomes(s.M(1), mSpinning)
	mdl.thrown(t, "M1", func() { s.putIdleM(s.M(1)) })
	mdl.thrown(t, "M9", func() { s.stopM(s.M(0)) })
	mdl.thrown(t, "M9", func() { s.stopM(s.M(1)) })
}

// [M1]: an M's state takes the edges that there are, and no other.
func TestM1States(t *testing.T) {
	legal := map[[2]uint32]bool{
		{mOff, mForeign}: true, {mOff, mRunning}: true, {mOff, mSpinning}: true, {mForeign, mRunning}: true,
		{mRunning, mForeign}: true, {mRunning, mSpinning}: true, {mRunning, mIdle}: true, {mRunning, mLockedWait}: true, {mRunning, mExited}: true,
		{mSpinning, mRunning}: true, {mIdle, mRunning}: true, {mIdle, mSpinning}: true,
		{mLockedWait, mRunning}: true, {mLockedWait, mSpinning}: true, {mExited, mRunning}: true,
	}
	for from := range uint32(mStates) {
		for to := range uint32(mStates) {
			mdl := newModel(1, 1)
			m := mdl.s.M(0)
			m.state.Store(from)
			if !legal[[2]uint32{from, to}] {
				mdl.thrown(t, "M1", func() { mdl.s.becomes(m, to) })
			} else if mdl.s.becomes(m, to); m.state.Load() != to {
				t.Errorf("from %d to %d: in %d", from, to, m.state.Load())
			}
		}
	}
}

// [U6]: the runtime is asked when the last M parks, and not before.
func TestU6CheckDead(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	asked := 0
	mdl.onDead = func() { asked++ }
	mdl.started(2)
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
	mdl.started(2)
	s.WireP(s.M(1), s.GetIdleP(s.M(0), 0))
	mdl.addTimer(1, timer{when: 1000})
	if _, deadline := mdl.schedule(t, s.M(1)); deadline != 1000 {
		t.Errorf("the first M does not sleep until then")
	}
	if _, deadline := mdl.schedule(t, s.M(0)); deadline != 0 || s.Asleep() != 2 {
		t.Errorf("the second M does not park")
	}
}

// [P4]: an M stops at the world's stop, with its P counted, and not a spinner.
func TestP4StopForWorld(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	mdl.started(2)
	m, p := mdl.spinner()
	mdl.stopping.Store(true)
	s.stopwait = 2
	mdl.putAll(s.P(0), mdl.gs(3))
	if d, _ := mdl.schedule(t, m); d.t != nil {
		t.Errorf("a task runs in a stopped world")
	}
	if s.stopwait != 1 || m.P() != nil || p.M() != nil || p.Idle() || m.Spinning() || mdl.spinning.Load() != 0 || s.Asleep() != 1 {
		t.Errorf("stopwait %d\n%s", s.stopwait, mdl.dump())
	}
}

package sched

import "testing"

// Who is kicked: an idle M, be it the timer M, else one that waits for its own G, else
// nobody. It gets a token and a kick.
func TestKickSleeper(t *testing.T) {
	for _, c := range []struct {
		idle, waits int32 // M, or -1
		want        int32
	}{{2, 3, 2}, {3, 2, 3}, {-1, 3, 3}, {1, -1, 1}, {-1, -1, -1}} {
		mdl := newModel(4, 1)
		s := mdl.s
		mdl.started(4)
		if c.idle > 0 {
			s.putIdleM(s.M(c.idle))
		}
		if c.waits > 0 {
			mdl.lockedWait(s.M(c.waits))
		}
		locks := mdl.host.(*desk).locks
		s.KickSleeper(s.M(0))
		if mdl.host.(*desk).locks != locks {
			t.Errorf("an interrupt takes the lock")
		}
		got := int32(-1)
		for i := range int32(4) {
			if s.M(i).park.Load() != 0 {
				got = i
			}
		}
		if kicks := mdl.host.(*desk).kicks; got != c.want || len(kicks) != min(1, int(c.want+1)) || len(kicks) == 1 && kicks[0] != c.want {
			t.Errorf("%+v: token for %d, kicks %v", c, got, kicks)
		}
	}
}

// What is hurried is asked for by the next M that looks for work, though others run and nobody sleeps; and a sleeper is
// told, as by KickSleeper.
func TestHurry(t *testing.T) {
	mdl := newModel(2, 1)
	s := mdl.s
	s.Hurry(s.M(0))
	if s.pollDue.Load() != 1 || len(mdl.host.(*desk).kicks) != 0 {
		t.Errorf("pollDue %d, kicks %v", s.pollDue.Load(), mdl.host.(*desk).kicks)
	}
	mdl.sleeping(1)
	s.Hurry(s.M(0))
	if s.M(1).park.Load() == 0 || len(mdl.host.(*desk).kicks) != 1 {
		t.Errorf("the sleeper has no token, kicks %v", mdl.host.(*desk).kicks)
	}
}

// in sysmon: M 1 parked; M 0 owns P 0, P 1 is idle.
func inSysmon() (*model, *M) {
	mdl := newModel(3, 2)
	return mdl, mdl.sleeping(1)
}

// [N1]: an M in sysmon wakes itself for devices, if a P is idle.
func TestDutyWakes(t *testing.T) {
	for _, c := range []struct {
		told int32
		idle bool
	}{{0, true}, {1, true}, {1, false}} {
		mdl, m := inSysmon()
		s := mdl.s
		if !c.idle {
			s.GetIdleP(m, 0)
		}
		mdl.dev.told.Store(c.told)
		s.sysmon(m)
		want := c.idle && c.told > 0
		if woken := m.nextp.Load() != 0; woken != want || want != m.Spinning() {
			t.Errorf("%+v: woken %v", c, woken)
		}
	}
}

// [U6]: while an M is in sysmon it may have a P in its hands: another that parks is not told
// that all sleep. When it is done it is.
func TestU6NoAlarmWhileOnDuty(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	m := mdl.sleeping(1)
	asked := 0
	mdl.onDead = func() { asked++ }
	s.countSysmon(1)
	if mdl.schedule(t, s.M(0)); asked != 0 || s.Asleep() != 1 {
		t.Errorf("asked %d times, %d sleep", asked, s.Asleep())
	}
	s.countSysmon(-1)
	if asked != 1 || s.Asleep() != 2 || m.state.Load() != mIdle {
		t.Errorf("asked %d times, %d sleep", asked, s.Asleep())
	}
}

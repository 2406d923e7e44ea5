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

// [S1]: an M in sysmon takes the Ps that are due, and hands them on: to itself.
func TestDutyRetakes(t *testing.T) {
	mdl, m := inSysmon()
	s := mdl.s
	mdl.inCall(s.M(0), 1)
	mdl.putAll(s.P(0), mdl.gs(1))
	mdl.clock.Store(1 + RetakeAfter)
	s.sysmon(m) // nobody has asked
	if s.P(0).M() != s.M(0) {
		t.Errorf("a P is taken for nothing")
	}
	s.sysmonDue.Store(1)
	s.sysmon(m)
	if s.sysmonDue.Load() != 0 || s.M(0).P() != nil || puintptr(m.nextp.Load()).ptr() != s.P(0) || m.park.Load() != 1 || s.nmidle != 0 || s.nsysmon != 0 {
		t.Errorf("the P was not taken\n%s", mdl.dump())
	}
	if m.Stats[Retakes] != 1 || m.Stats[Handoffs] != 1 || m.Spinning() {
		t.Errorf("%+v", m.Stats)
	}
}

// [S1]: an M in sysmon leaves what is not due.
func TestDutyLeaves(t *testing.T) {
	mdl, m := inSysmon()
	s := mdl.s
	mdl.inCall(s.M(0), 1)
	mdl.putAll(s.P(0), mdl.gs(1))
	mdl.clock.Store(RetakeAfter)
	s.sysmonDue.Store(1)
	s.sysmon(m)
	if s.M(0).P() != s.P(0) || s.nsysmon != 0 || m.nextp.Load() != 0 {
		t.Errorf("the P was taken\n%s", mdl.dump())
	}
}

// [S4, N1]: an M in sysmon wakes itself for work that was overlooked, and for devices, if a P
// is idle.
func TestDutyWakes(t *testing.T) {
	for _, c := range []struct {
		rescue, told, waits uint32
		idle                bool
	}{{0, 0, 1, true}, {1, 0, 1, true}, {0, 1, 0, true}, {1, 0, 1, false}, {0, 1, 0, false}, {1, 0, 0, true}} {
		mdl, m := inSysmon()
		s := mdl.s
		if !c.idle {
			s.GetIdleP(m, 0)
		}
		if c.waits != 0 {
			s.GlobrunqPut(m, &mdl.gs(1)[0].G)
		}
		s.rescue.Store(c.rescue)
		mdl.dev.told.Store(int32(c.told))
		s.sysmon(m)
		rescued := c.rescue * c.waits // it may have been seen to since the tick
		want := c.idle && rescued+c.told > 0
		if woken := m.nextp.Load() != 0; woken != want || want != m.Spinning() || m.Stats[Rescues] != uint64(rescued)*map[bool]uint64{true: 1}[c.idle] {
			t.Errorf("%+v: woken %v, %d rescues", c, woken, m.Stats[Rescues])
		}
	}
}

// [N1]: a device is not forgotten over work that a tick saw, and that is gone by now.
func TestDutyWakesForBoth(t *testing.T) {
	mdl, m := inSysmon()
	mdl.s.rescue.Store(1)
	mdl.dev.told.Store(1)
	mdl.s.sysmon(m)
	if m.nextp.Load() == 0 {
		t.Error("nobody is woken for the device")
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

// [S4]: ticks that see work which an idle P should run for as long as a slice have somebody look;
// however many see it for less do not, and not while a spinner does, or once there was none.
func TestS4Overlooked(t *testing.T) {
	mdl, m := inSysmon()
	s := mdl.s
	mdl.putAll(s.P(0), mdl.gs(2))
	mdl.schedule(t, s.M(0))
	for _, c := range []struct {
		at      int64
		spins   int32
		rescues bool
	}{
		{100, 0, false},
		{200, 0, false},
		{Slice + 99, 0, false},
		{Slice + 100, 1, false},
		{Slice + 101, 0, false},
		{2*Slice + 100, 0, false},
		{2*Slice + 101, 0, true},
	} {
		mdl.spinning.Store(c.spins)
		mdl.tickOf(s.M(0), c.at)
		if rescues := s.rescue.Swap(0) != 0; rescues != c.rescues || rescues != (m.park.Load() == 1) {
			t.Errorf("at %d: rescue %v, woken %d", c.at, rescues, m.park.Load())
		}
	}
	g, _ := s.runqGet(s.M(0), s.P(0))
	s.dequeue(g)
	mdl.tickOf(s.M(0), 3*Slice+101)
	s.RunqPut(s.M(0), g, false)
	mdl.tickOf(s.M(0), 3*Slice+102)
	if s.rescue.Load() != 0 {
		t.Errorf("work that was gone meanwhile counts as overlooked")
	}
}

// [S1, U2]: a tick of an M that runs sees what is queued behind another's call, once that has
// been noticed and lasts, and has its G leave; the M takes the P then, and what was queued
// is everybody's.
func TestRelieve(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	m, held := s.M(0), s.M(1)
	mdl.started(2)
	s.WireP(held, s.GetIdleP(m, 0))
	mdl.inCall(held, 1)
	now := int64(1 + RetakeAfter)
	leaves := func(want bool, what string) {
		t.Helper()
		s.pollDue.Store(0)
		if leave, _ := mdl.tickOf(m, now); leave != want || s.pollDue.Load() != 0 != want {
			t.Errorf("%s: leave %v, pollDue %d", what, leave, s.pollDue.Load())
		}
	}
	s.sysmonDue.Store(1)
	leaves(false, "nothing is queued")
	mdl.putAll(s.P(1), mdl.gs(2))
	now--
	leaves(false, "the call is short")
	now++
	s.sysmonDue.Store(0)
	leaves(false, "it has not been noticed")
	s.sysmonRunning(m)
	if s.P(1).M() != held {
		t.Error("its P is taken all the same")
	}
	s.sysmonDue.Store(1)
	leaves(true, "Gs are queued behind a call")
	s.sysmonRunning(m)
	if held.P() != nil || !s.P(1).Idle() || s.GlobrunqLen() != 2 || !s.wantM || m.Stats[Retakes] != 1 || m.Stats[Handoffs] != 1 {
		t.Errorf("it was not taken\n%s", mdl.dump())
	}
	s.sysmonRunning(m)
	if m.Stats[Retakes] != 1 {
		t.Error("it is taken twice")
	}
}

// [T1]: a timer of a P that stays with a call rings on whoever runs, as that of an idle one.
func TestT1TimerBehindACall(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	m, held := s.M(0), s.M(1)
	s.WireP(held, s.GetIdleP(m, 0))
	mdl.timers[1].add(timer{when: 5000})
	if leave, next := mdl.tickOf(m, 5000); leave || next == 5000 {
		t.Errorf("leave %v for a timer of a P that runs", leave)
	}
	mdl.inCall(held, 1)
	if leave, next := mdl.tickOf(m, 4999); leave || next != 5000 {
		t.Errorf("leave %v for a timer of later; next tick at %d", leave, next)
	}
	if leave, _ := mdl.tickOf(m, 5000); !leave {
		t.Error("nobody leaves for it")
	}
}

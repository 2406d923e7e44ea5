package sched

import "testing"

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
		{"a timer of later", func(mdl *model) { mdl.addTimer(0, timer{when: 1500}) }, 1000, false, 500},
		{"a timer", func(mdl *model) { mdl.addTimer(0, timer{when: 1500}) }, 1500, true, RetakeAfter},
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
		if used := c.what == "one that is"; (m.sliceState.Load() != 0) != used {
			t.Errorf("%s: sliceState %d", c.what, m.sliceState.Load())
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
	mdl.addTimer(1, timer{when: 5000})
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

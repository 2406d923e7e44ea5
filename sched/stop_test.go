package sched

import "testing"

// [P4]: idle Ps, those of Ms in system calls and the stopper's own stop at once, without waiting.
func TestP4StopAtOnce(t *testing.T) {
	mdl := newModel(3, 3)
	s, m := mdl.s, mdl.s.M(0)
	mdl.started(2)
	s.WireP(s.M(1), s.GetIdleP(m, 0))
	mdl.inCall(s.M(1), 0) // it has only just begun
	s.StopTheWorld(m)
	if !mdl.stopping.Load() || s.stopwait != 0 || m.P() != s.P(0) || s.M(1).P() != nil || mdl.idle.Load() != 0 {
		t.Errorf("the world does not stand still\n%s", mdl.dump())
	}
	for i, stopped := range mdl.stopped[:4] {
		if stopped != (i < 3) {
			t.Errorf("P %d: stopped %v", i, stopped)
		}
	}
	if s.M(0).Stats[Retakes] != 1 || s.stopper != 0 {
		t.Errorf("%d Ps were taken", s.M(0).Stats[Retakes])
	}
}

// [P4]: an M that runs a G is interrupted, and waited for; again if it did not heed.
func TestP4StopAsksAgain(t *testing.T) {
	mdl, tn := newTurns(2, 2, 1)
	s := mdl.s
	mdl.started(2)
	m0, m1 := mdl.running(0), mdl.running(1)
	task := mdl.newTask(func(c *cpu, t *task) verdict {
		mdl.host.spin(c, t, false, func() bool { return false })
		return yield
	})
	s.runqPut(m1, s.P(1), &task.G, false)
	runner := tn.act(m1, func() { s.Schedule(m1) })
	tn.until(t, runner, "spin")
	asked := 0
	mdl.onPreempt = func(m *M) {
		if asked++; m != m1 {
			t.Errorf("M %d is asked", m.ID)
		}
	}
	stopper := tn.act(m0, func() { s.StopTheWorld(m0); tn.point("stopped") })
	for i := range 3 {
		task.preempt.Store(false) // it stood where it could not be left
		tn.until(t, stopper, "halt")
		if asked != i+1 || stopper.deadline != mdl.Now()+askAgain || s.stopwait != 1 {
			t.Fatalf("asked %d times, waits until %d, for %d Ps", asked, stopper.deadline, s.stopwait)
		}
		mdl.clock.Store(stopper.deadline)
	}
	tn.until(t, stopper, "halt")
	tn.until(t, runner, "halt")
	if s.stopwait != 0 || !tn.ready(stopper) || m1.P() != nil || s.P(1).Len() != 1 {
		t.Errorf("the last P does not wake the stopper, or its G does not go first\n%s", mdl.dump())
	}
	tn.until(t, stopper, "stopped")
	tn.close()
}

// [P4]: the preconditions.
func TestP4Throws(t *testing.T) {
	mdl := newModel(2, 3)
	s, m := mdl.s, mdl.s.M(0)
	mdl.thrown(t, "P4: the world is stopped by an M without", func() { s.StopTheWorld(s.M(1)) })
	mdl.thrown(t, "P4: a P is started", func() { mdl.stopping.Store(true); s.stopwait = 1; s.StartP(m, s.P(1)) })
	mdl.stopping.Store(false)
	s.stopwait = 0
	mdl.thrown(t, "P4: an owned or idle P", func() { s.stopP(m, s.P(0)) })
	mdl.thrown(t, "P4: an owned or idle P", func() { s.stopP(m, s.P(1)) })
	mdl.thrown(t, "P4: the world restarted", func() { s.gcstopM(m) })

	mdl = newModel(2, 2)
	s = mdl.s
	s.WireP(s.M(1), s.GetIdleP(s.M(0), 0))
	mdl.onPreempt = func(*M) { s.stopNote.Store(1) } // though M 1 runs on
	mdl.thrown(t, "P4: the world did not stop", func() { s.StopTheWorld(s.M(0)) })
}

// A program that dies stops the world without counting.
func TestP4DyingProgram(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	s.WireP(s.M(1), s.GetIdleP(s.M(0), 0))
	mdl.started(2)
	mdl.stopping.Store(true)
	if d, _ := mdl.schedule(t, s.M(1)); d.t != nil || s.stopwait != 0 || s.stopNote.Load() != 0 || s.M(1).P() != nil {
		t.Errorf("stopwait %d", s.stopwait)
	}
}

// [R11, U2]: stops renew no slice. The G that one makes to leave goes first afterwards, in what is left of its
// slice, or behind the others if nothing is.
func TestR11StopsRenewNoSlice(t *testing.T) {
	for _, drained := range []bool{false, true} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.s.M(1)
		p := s.GetIdleP(m, 0)
		mdl.started(2)
		s.WireP(m, p)
		ts := mdl.gs(2)
		mdl.putAll(p, ts)
		first, _ := mdl.schedule(t, m)
		began, ticks := m.sliceStart, p.Schedtick()
		const step = Slice / 4
		for i := 1; ; i++ {
			// It runs, is made to leave, and its M parks; then the world goes on.
			mdl.clock.Add(step)
			s.RunqPut(m, &first.t.G, true)
			mdl.stopping.Store(true)
			if d, _ := mdl.schedule(t, m); d.t != nil || m.P() != nil {
				t.Fatalf("%+v in a stopped world", d)
			}
			mdl.clock.Add(10 * Slice) // no slice is used up in this time
			began += 10 * Slice
			mdl.stopping.Store(false)
			mdl.stopped[p.ID] = false
			if mdl.up(m); drained {
				s.runqDrain(m, p)
			}
			s.WireP(m, p)
			d, _ := mdl.schedule(t, m)
			if drained || i == 4 {
				if d.t == first.t || d.inherit || p.Schedtick() == ticks || m.sliceStart != mdl.Now() {
					t.Errorf("after %d stops, drained %v: %v runs, inherit %v", i, drained, d.t.id, d.inherit)
				}
				break
			}
			if d.t != first.t || !d.inherit || p.Schedtick() != ticks || m.sliceStart != began {
				t.Fatalf("after %d stops: %+v, a slice since %d, not %d", i, d, m.sliceStart, began)
			}
		}
	}
}

// What was drained or stolen while the world stood still leaves nothing of its slice behind.
func TestR11StopStolen(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	s.UnwireP(m, p)
	mdl.clock.Store(1000)
	p.used = Slice / 2
	if s.WireP(m, p); m.sliceStart != 1000 || p.used != 0 || m.sliceState.Load() != 0 {
		t.Errorf("a slice since %d at 1000, %d used", m.sliceStart, p.used)
	}
}

// A P that is taken from a call for a CPU that was never started runs its safe point first, as one that is
// handed off does: if no CPU is left after all the P is idle, and a visit of every P has looked at the idle
// ones already.
func TestHoldRunsSafePoint(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	mdl.inCall(m, 0)
	mdl.marks[0].Store(1)
	s.safewait = 1
	s.handoffSyscall(m, true) // another M has started the last one since
	if !p.Idle() || mdl.marks[0].Load() != 0 || s.safewait != 0 || s.safeNote.Load() != 1 {
		t.Errorf("idle %v, marked %d, %d Ps are waited for", p.Idle(), mdl.marks[0].Load(), s.safewait)
	}
}

// A program may die while the world restarts: by the panic of a G that goes on already. The Ps that
// are still to be started stay stopped, and no rule is broken.
func TestP4DyingRestart(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.s.M(0)
	mdl.started(2)
	p := s.GetIdleP(m, 0)
	mdl.putAll(p, mdl.gs(1))
	mdl.sleeping(1)
	mdl.stopping.Store(true) // what freezes the world counts nothing
	func() {
		defer func() {
			if _, threw := recover().(quit); threw {
				t.Fatal(mdl.failure())
			}
		}()
		s.StartP(m, p)
	}()
	if !mdl.stopped[p.ID] || p.Idle() || p.Len() != 1 || s.M(1).nextp.Load() != 0 {
		t.Error(mdl.dump())
	}
	if s.stopwait != 0 || s.stopNote.Load() != 0 {
		t.Errorf("stopwait %d, note %d", s.stopwait, s.stopNote.Load())
	}
}

// The visitor runs the safe points of idle Ps and of Ps of Ms in calls, and hands those on.
func TestForEachPAtOnce(t *testing.T) {
	mdl := newModel(3, 4)
	s, m := mdl.s, mdl.s.M(0)
	mdl.started(3)
	s.WireP(s.M(1), s.GetIdleP(m, 0))
	mdl.inCall(s.M(1), 0)
	mdl.sleeping(2)
	mdl.putAll(s.P(1), mdl.gs(1))
	s.ForEachP(m)
	for i, n := range []int32{0, 1, 1, 1} {
		if got := mdl.visited[i].Load(); got != n || mdl.marks[i].Load() != 0 {
			t.Errorf("the safe point of P %d ran %d times", i, got)
		}
	}
	if s.safewait != 0 || puintptr(s.M(2).nextp.Load()).ptr() != s.P(1) || !s.P(2).Idle() || m.P() != s.P(0) {
		t.Errorf("safewait %d\n%s", s.safewait, mdl.dump())
	}
}

// On one P there is no other to wait for.
func TestForEachPAlone(t *testing.T) {
	mdl := newModel(2, 1)
	s := mdl.s
	s.ForEachP(s.M(0))
	if s.safewait != 0 || mdl.visited[0].Load() != 0 {
		t.Errorf("waits for %d Ps", s.safewait)
	}
}

// An owner runs the safe point of its P between two Gs, and before a system call; the last one
// wakes the visitor.
func TestRunSafePoint(t *testing.T) {
	mdl := newModel(3, 3)
	s, m := mdl.s, mdl.s.M(1)
	s.WireP(m, s.GetIdleP(s.M(0), 0))
	s.WireP(s.M(2), s.GetIdleP(s.M(0), 0))
	s.safewait = 2
	s.stopper = handleM(s.M(0))
	mdl.on(m)
	s.RunSafePoint(m) // not marked
	mdl.marks[1].Store(1)
	mdl.marks[2].Store(1)
	s.RunSafePoint(m)
	if s.safewait != 1 || mdl.marks[1].Load() != 0 || s.safeNote.Load() != 0 {
		t.Errorf("safewait %d", s.safewait)
	}
	ts := mdl.gs(1)
	mdl.putAll(s.P(2), ts)
	if d, _ := mdl.schedule(t, s.M(2)); d.t != ts[0] || s.safewait != 0 || s.safeNote.Load() != 1 || len(mdl.host.(*desk).kicks) != 1 {
		t.Errorf("%+v, safewait %d, kicks %v", d, s.safewait, mdl.host.(*desk).kicks)
	}
}

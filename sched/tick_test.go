package sched

import "testing"

// tickOf is m's tick at clock at, while a G runs on it.
func (mdl *model) tickOf(m *M, at int64) (leave bool, next int64) {
	mdl.clock.Store(at)
	return mdl.s.Tick(m, at, false, 1, 0)
}

// [S2]: the tick asks for the CPU when a slice is used up, and goes on asking. It wants
// the next one when the slice ends, and then soon.
func TestS2Slice(t *testing.T) {
	mdl := newModel(1, 1)
	m, p := mdl.s.M(0), mdl.s.P(0)
	mdl.putAll(p, mdl.gs(2))
	start := int64(1_000_000)
	mdl.clock.Store(start)
	mdl.schedule(t, m)
	for at := start; at < start+Slice; at += Slice / 10 {
		if leave, next := mdl.tickOf(m, at); leave || next != start+Slice {
			t.Fatalf("after %d ns: leave %v, next tick after %d", at-start, leave, next-start)
		}
	}
	for _, at := range []int64{start + Slice, start + Slice + 1} {
		if leave, next := mdl.tickOf(m, at); !leave || next != at+mdl.s.retry(m) {
			t.Errorf("after a slice: leave %v, next tick in %d", leave, next-at)
		}
	}
	if m.Stats[Slices] != 2 || m.Stats[Ticks] != 12 || m.sliceState.Load() == 0 {
		t.Errorf("%d of %d ticks found a slice used up", m.Stats[Slices], m.Stats[Ticks])
	}
	// The next one has a slice of its own.
	mdl.schedule(t, m)
	if leave, next := mdl.tickOf(m, start+2*Slice); leave || next != start+2*Slice+1 {
		t.Errorf("a fresh task: leave %v, next tick after %d", leave, next-start)
	}
}

// [A5]: a slice ends with one tick. The next that it sets, in case that the G cannot leave, is put off
// when the next slice begins, till that ends or a timer is due [S3, T1]: there is one soon if the next search
// is to look at something.
func TestA5OneTickASlice(t *testing.T) {
	const (
		ends  = 1 + Slice
		again = ends + retryTick
		start = ends + 3000 // of the next slice
	)
	for name, c := range map[string]struct {
		set  func(mdl *model)
		want int64
	}{
		"nothing else":                   {func(*model) {}, start + Slice},
		"a timer":                        {func(mdl *model) { mdl.addTimer(0, timer{when: start + 500_000}) }, start + 500_000},
		"a timer of an idle P":           {func(mdl *model) { mdl.addTimer(1, timer{when: start + 500_000}) }, start + 500_000},
		"a timer of an idle P, due now":  {func(mdl *model) { mdl.addTimer(1, timer{when: start}) }, start + retryTick},
		"what the next search looks at":  {func(mdl *model) { mdl.s.pollDue.Store(1) }, start + retryTick},
		"a timer of later than the tick": {func(mdl *model) { mdl.addTimer(0, timer{when: start + 2*Slice}) }, start + Slice},
	} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.s.M(0)
		m.sliceStart = 1
		mdl.putAll(m.P(), mdl.gs(2))
		if leave, _ := mdl.tickOf(m, ends); !leave {
			t.Fatalf("%s: nobody is asked to leave", name)
		}
		s.machine.TickOff(m)
		s.machine.TickAt(m, again)
		mdl.clock.Store(start)
		c.set(mdl)
		s.newSlice(m, nil, mdl.Now())
		if at := mdl.cpus[0].tickAt.Load(); at != c.want {
			t.Errorf("%s: the next tick is %d ns behind the slice's begin, not %d", name, at-start, c.want-start)
		}
	}
}

// [A5, U5]: a tick that ends a slice sets no other if the G leaves at once: the next slice sets it, whichever G begins it.
// A G that leaves within its slice, for a timer or a device, leaves the tick as it is.
func TestA5LeftAtOnce(t *testing.T) {
	for _, who := range []string{"the ring's", "the global queue's", "a device's"} {
		mdl := newModel(1, 1)
		s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
		c := mdl.cpus[0]
		ts := mdl.gs(2)
		p.schedtick = 1
		m.sliceStart = 1
		mdl.putAll(p, ts[:1])
		leave, next := mdl.tickOf(m, 1+Slice)
		if next = s.Left(m, next); !leave || next != 0 {
			t.Fatalf("leave %v, next tick at %d", leave, next)
		}
		c.tickAt.Store(next)
		s.runqPop(p)
		switch who {
		case "the ring's":
			mdl.putAll(p, ts[1:])
		case "the global queue's":
			s.GlobrunqPut(m, &ts[1].G)
		default: // in the search, when there is no other G
			ts[1].status.Store(waiting)
			mdl.dev.ended = []*task{ts[1]}
			mdl.dev.told.Store(1)
			mdl.dev.waiters.Store(1)
		}
		mdl.clock.Store(2 * Slice)
		if d, _ := mdl.schedule(t, m); d.t != ts[1] || d.inherit || c.tickAt.Load() != 3*Slice || m.sliceState.Load() != 0 {
			t.Errorf("%s: G %d runs, inherits %v, its tick is at %d", who, d.t.id, d.inherit, c.tickAt.Load())
		}
	}

	for _, c := range []struct {
		what string
		ps   int32
		now  int64
	}{{"in a slice that goes on", 1, 1000}, {"with two Ps", 2, 1 + Slice}} {
		mdl := newModel(int(c.ps), c.ps)
		s, m := mdl.s, mdl.s.M(0)
		m.sliceStart = 1
		mdl.addTimer(0, timer{when: 1000})
		mdl.putAll(m.P(), mdl.gs(1))
		leave, next := mdl.tickOf(m, c.now)
		if at := s.Left(m, next); !leave || next == 0 || at != next {
			t.Errorf("%s: leave %v, next tick at %d, then %d", c.what, leave, next, at)
		}
	}
}

// [A5]: a G that runs alone goes on, tick after tick, one in a slice; and leaves once
// there is another, or the runtime wants to run something.
func TestA5Alone(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		mdl := newModel(1, 1)
		s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
		ts := mdl.gs(2)
		mdl.putAll(p, ts[:1])
		mdl.schedule(t, m)
		at := int64(1)
		for range 5 {
			at += Slice
			if leave, next := mdl.tickOf(m, at); leave || next != at+Slice {
				t.Fatalf("alone: leave %v, next tick in %d", leave, next-at)
			}
		}
		if wanted {
			mdl.onUnquiet = func(q *P) bool { return q == p }
		} else {
			s.GlobrunqPut(m, &ts[1].G)
		}
		if leave, _ := mdl.tickOf(m, at+1); !leave || m.sliceState.Load() == 0 {
			t.Errorf("not asked to leave for another (wanted %v)", wanted)
		}
	}
}

// A slice may be configured, within reason.
func TestConfigSlice(t *testing.T) {
	mdl := newModelOf(1, 1, Config{Slice: 5})
	s, m := mdl.s, mdl.s.M(0)
	mdl.putAll(s.P(0), mdl.gs(2))
	mdl.schedule(t, m)
	if leave, next := mdl.tickOf(m, 1000); leave || next != 1001 {
		t.Errorf("leave %v at 1000, next %d", leave, next)
	}
	if leave, next := mdl.tickOf(m, 1001); !leave || next != 1001+s.retry(m) {
		t.Errorf("leave %v at 1001, next %d", leave, next)
	}
}

// A CPU without a P has nobody to preempt, and needs no further tick.
func TestTickWithoutP(t *testing.T) {
	mdl := newModel(1, 1)
	s := mdl.s
	s.UnwireP(s.M(0), s.P(0))
	if leave, next := mdl.tickOf(s.M(0), 1<<40); leave || next != 0 || s.M(0).Stats[Ticks] != 0 {
		t.Errorf("a tick without a P: leave %v, next %d, %d counted", leave, next, s.M(0).Stats[Ticks])
	}
}

// One that looks for work has no G to preempt, whatever there is to do.
func TestTickWithoutG(t *testing.T) {
	mdl := newModel(1, 1)
	s, m := mdl.s, mdl.s.M(0)
	mdl.putAll(s.P(0), mdl.gs(2))
	const now = 1 << 40
	want := func(after int64, what string) {
		if leave, next := s.Tick(m, now, false, 0, 0); leave || next != now+after {
			t.Errorf("a tick without a G, %s: leave %v, next in %d", what, leave, next-now)
		}
	}
	// The G that it finds is not left in peace until its slice ends if a timer or a
	// device is due before [T1, N1].
	want(Slice, "nothing else")
	mdl.addTimer(0, timer{when: now + 2*Slice})
	want(Slice, "a timer of later")
	mdl.addTimer(0, timer{when: now + Slice/2})
	want(Slice/2, "a timer")
	mdl.addTimer(0, timer{when: now - 1})
	want(retryTick, "a timer that is due")
	mdl.timers[0] = timers{}
	mdl.dev.told.Store(1)
	want(retryTick, "a device")
}

// [R11]: a tick that strikes in the scheduler sees that the slice is used up too: the pair whose switches
// every tick strikes does not starve the ring. Nor under N:1, where no tick asks anybody to leave.
func TestR11TickWithoutG(t *testing.T) {
	for _, c := range []struct {
		policy *Policy
		g      uint64
	}{{&MToN, 0}, {&NToOne, 0}, {&NToOne, 1}} {
		mdl := newModelOf(1, 1, Config{Policy: c.policy})
		s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
		ts := mdl.gs(2)
		p.schedtick, m.sliceStart = 1, 1000
		for _, at := range []int64{1000 + Slice - 1, 1000 + Slice} {
			mdl.clock.Store(at)
			s.RunqPut(m, &ts[0].G, true)
			if leave, _ := s.Tick(m, at, false, c.g, 0); leave {
				t.Errorf("at %d: somebody is asked to leave", at)
			}
			over := at == 1000+Slice
			if over {
				s.RunqPut(m, &ts[1].G, true)
			}
			if d, _ := mdl.schedule(t, m); d.t != ts[0] || d.inherit == over {
				t.Errorf("%+v, at %d: %v runs, in the old slice: %v", c, at, d.t.id, d.inherit)
			}
		}
	}
}

// [S1, S3, N1]: a tick that strikes in the scheduler has the next search look at devices and at timers and Gs
// that nobody sees to: Gs that are always struck there would keep the others waiting for ever.
func TestS3TickWithoutG(t *testing.T) {
	for name, set := range map[string]func(mdl *model){
		"a device":          func(mdl *model) { mdl.dev.told.Store(1) },
		"an orphaned timer": func(mdl *model) { mdl.addTimer(1, timer{when: 1000}) },
		"a G behind a call": func(mdl *model) {
			s := mdl.s
			s.WireP(s.M(1), s.GetIdleP(s.M(0), 0))
			mdl.inCall(s.M(1), 1)
			mdl.putAll(s.P(1), mdl.gs(1))
			s.sysmonDue.Store(1)
		},
		"nothing": func(*model) {},
	} {
		mdl := newModel(2, 2)
		s, m := mdl.s, mdl.s.M(0)
		set(mdl)
		const now = 100_000
		s.Tick(m, now, false, 0, 0)
		if due := s.pollDue.Load() != 0; due != (name != "nothing") {
			t.Errorf("%s: the next search looks: %v", name, due)
		}
	}
}

// A timer of an idle P rings on whoever runs, if no M sleeps for it: all others wait
// for Gs of their own, or run [S3].
func TestS3OrphanTimer(t *testing.T) {
	mdl := newModel(2, 2)
	m := mdl.s.M(0)
	mdl.tickOf(m, 1)
	mdl.addTimer(1, timer{when: 5000})
	if leave, next := mdl.tickOf(m, 4999); leave || next != 5000 {
		t.Errorf("leave %v for an idle P's timer of later; next tick at %d", leave, next)
	}
	if leave, _ := mdl.tickOf(m, 5000); !leave {
		t.Error("nobody leaves for an idle P's timer")
	}
	mdl.s.timerM.Store(uintptr(handleM(mdl.s.M(1))))
	if leave, _ := mdl.tickOf(m, 5001); leave {
		t.Error("a G leaves for a timer that an M sleeps for")
	}
}

// A timer that is due ends a slice early, and the tick comes when it is; that of
// another M's P is that one's affair.
func TestT1TickForTimer(t *testing.T) {
	mdl := newModel(2, 2)
	m := mdl.s.M(0)
	mdl.s.WireP(mdl.s.M(1), mdl.s.GetIdleP(m, 0))
	mdl.tickOf(m, 1)
	mdl.addTimer(0, timer{when: 5000})
	mdl.addTimer(1, timer{when: 10})
	if leave, next := mdl.tickOf(m, 4999); leave || next != 5000 {
		t.Errorf("leave %v for a timer of later, or of another P; next tick at %d", leave, next)
	}
	if leave, next := mdl.tickOf(m, 5000); !leave || next != 5000+mdl.s.retry(m) {
		t.Errorf("leave %v for a timer that is due; next tick at %d", leave, next)
	}
}

// [N1]: what a device has told ends a slice early.
func TestN1TickForDevice(t *testing.T) {
	mdl := newModel(1, 1)
	m := mdl.s.M(0)
	if leave, _ := mdl.tickOf(m, 1); leave {
		t.Errorf("asked to leave for nothing")
	}
	mdl.dev.told.Store(1)
	if leave, next := mdl.tickOf(m, 2); !leave || next != 2+mdl.s.retry(m) {
		t.Errorf("leave %v for a device, next tick at %d", leave, next)
	}
}

// [S6]: a tick of some M has Periodic called when it is due, and not before.
func TestS6PeriodicInterval(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	s.WireP(s.M(1), s.GetIdleP(s.M(0), 0))
	const every = 10_000_000
	mdl.every(every, 1000)
	asked := 0
	for at := int64(1_000_000); at <= 100_000_000; at += 1_000_000 {
		due := mdl.PeriodicAt() <= at
		first, _ := mdl.tickOf(s.M(0), at)
		second, _ := mdl.tickOf(s.M(1), at)
		if first != due || second != due {
			t.Errorf("at %d: leave %v and %v", at, first, second)
		}
		if s.periodic.Swap(0) != 0 {
			asked++
			mdl.Periodic()
		}
	}
	if asked != 9 {
		t.Errorf("asked for %d times in ten intervals, the first of which begins at 1", asked)
	}
}

// [S5]: while one M does what is due by the clock it is still due, and no other does it; afterwards a tick asks again.
func TestS5PeriodicAlone(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	s.WireP(s.M(1), s.GetIdleP(s.M(0), 0))
	for i, task := range mdl.gs(4) {
		s.RunqPut(s.M(int32(i%2)), &task.G, false)
	}
	calls := 0
	mdl.onPeriodic = func() {
		if calls++; calls == 1 {
			if leave, _ := mdl.tickOf(s.M(1), mdl.Now()); !leave {
				t.Error("no tick while it is due")
			}
			mdl.schedule(t, s.M(1))
		}
	}
	mdl.every(500, 2)
	mdl.clock.Store(1000)
	for range 2 {
		mdl.tickOf(s.M(0), mdl.Now())
		mdl.schedule(t, s.M(0))
		mdl.clock.Add(1000)
	}
	if calls != 2 {
		t.Errorf("called %d times in two intervals", calls)
	}
}

// [R11]: runnext goes on in the slice of who put it there.
func TestR11Inherits(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	p.schedtick = 7
	s.RunqPut(m, &mdl.gs(1)[0].G, true)
	if d, _ := mdl.schedule(t, m); !d.inherit || p.Schedtick() != 7 {
		t.Errorf("inherit %v, tick %d", d.inherit, p.Schedtick())
	}
	s.RunqPut(m, &mdl.gs(1)[0].G, false)
	if d, _ := mdl.schedule(t, m); d.inherit || p.Schedtick() != 8 {
		t.Errorf("from the ring: inherit %v, tick %d", d.inherit, p.Schedtick())
	}
}

// Two tasks that wake each other through runnext share slices, but not for
// ever: a third in the ring has its turn when the first slice ends [U2].
func TestR11PingPongDoesNotStarve(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	ts := mdl.gs(3)
	s.RunqPut(m, &ts[2].G, false)
	s.RunqPut(m, &ts[0].G, true)
	p.schedtick = 1
	now := int64(1)
	last := now
	for i := 0; ; i++ {
		d, _ := mdl.schedule(t, m)
		if d.t == ts[2] {
			if used := now - last; used < Slice || used > Slice+Slice/5 {
				t.Errorf("the ring's task had to wait %d ns", used)
			}
			break
		}
		if i > 1000 {
			t.Fatalf("a pair starves the ring")
		}
		// It runs for a moment, wakes the other one, and waits.
		now += Slice / 100
		mdl.clock.Store(now)
		if i%10 == 0 {
			mdl.tickOf(m, now)
		}
		s.RunqPut(m, &ts[1-d.t.id].G, true)
	}
	// The pair has lost its right of way, and not its place.
	if m.sliceState.Load() != 0 {
		t.Errorf("sliceUsed is still set")
	}
	if d, _ := mdl.schedule(t, m); d.t == nil || d.inherit {
		t.Errorf("the pair is gone, or still in the old slice")
	}
}

// A slice that ends with nothing else to run costs runnext nothing.
func TestR11ExpiredAlone(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	task := mdl.gs(1)[0]
	s.RunqPut(m, &task.G, true)
	m.sliceState.Store(sliceUsed)
	p.schedtick = 1
	if d, _ := mdl.schedule(t, m); d.t != task || d.inherit || p.Schedtick() != 2 {
		t.Errorf("%+v at tick %d", d, p.Schedtick())
	}
}

// Nobody is woken for a G that loses its right of way and is the next all the same: at boot the main
// goroutine would run on the M that comes. For others that are there somebody is.
func TestR11ExpiredWakes(t *testing.T) {
	for others := range 2 {
		mdl := newModel(2, 2)
		s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
		mdl.putAll(p, mdl.gs(others))
		task := mdl.gs(1)[0]
		s.RunqPut(m, &task.G, true)
		m.sliceState.Store(sliceUsed)
		p.schedtick = 1
		d, _ := mdl.schedule(t, m)
		if first := d.t == task; first != (others == 0) || int(m.Stats[Wakes]) != others {
			t.Errorf("with %d others: %v runs, %d Ms were woken", others, d.t.id, m.Stats[Wakes])
		}
	}
}

// An M that spins asks for another once when it finds a G, though that is the global queue's and leaves another behind in the ring.
func TestM3SpinnerWakesOnce(t *testing.T) {
	mdl := newModel(1, 2) // nobody can be had for P 1, so nobody spins after the first try
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	ts := mdl.gs(2)
	s.becomeSpinning(m)
	s.GlobrunqPut(m, &ts[0].G)
	ts[1].status.Store(waiting)
	mdl.addTimer(0, timer{1, ts[1]})
	p.schedtick = 1
	m.sliceState.Store(sliceUsed)
	tries := 0
	mdl.onPoint = func(what string) {
		if what == "idle" {
			tries++
		}
	}
	if d, _ := mdl.schedule(t, m); d.t != ts[0] || p.Len() != 1 || tries != 1 {
		t.Errorf("runs %v with %d in the ring, and has tried %d times to wake an M", d.t, p.Len(), tries)
	}
}

// What waits in the global queue has its turn once a slice is used up by Gs that go before the ring,
// though the ring holds others: and then those go on.
func TestR11ExpiredGlobal(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	ts := mdl.gs(3)
	s.RunqPut(m, &ts[0].G, false)
	s.RunqPut(m, &ts[1].G, true)
	s.GlobrunqPut(m, &ts[2].G)
	p.schedtick = 1
	m.sliceState.Store(sliceUsed)
	for i, want := range []*task{ts[2], ts[0], ts[1]} {
		if d, _ := mdl.schedule(t, m); d.t != want {
			t.Errorf("%d. runs G %d, not %d", i+1, d.t.id, want.id)
		}
	}
}

// What lost its right of way is not behind the global queue for ever, whose Gs use up their slices too, each by being
// made to leave.
func TestR11ExpiredBesideGlobal(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	ts := mdl.gs(4)
	for _, task := range ts[1:] {
		s.GlobrunqPut(m, &task.G)
	}
	s.RunqPut(m, &ts[0].G, true)
	p.schedtick = 1
	for i, want := range []*task{ts[1], ts[0], ts[2]} {
		m.sliceState.Store(sliceUsed)
		if d, _ := mdl.schedule(t, m); d.t != want {
			t.Errorf("%d. runs G %d, not %d", i+1, d.t.id, want.id)
		}
	}
}

// A slice stays used up though nothing was there when its G left: what is readied then goes
// through the ring.
func TestR11ExpiredBeforeWork(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	task := mdl.gs(1)[0]
	m.sliceState.Store(sliceUsed)
	if g, _ := s.runqGet(m, p); g != nil {
		t.Fatalf("there is %v", g)
	}
	s.RunqPut(m, &task.G, true)
	if d, _ := mdl.schedule(t, m); d.t != task || d.inherit || m.sliceState.Load() != 0 {
		t.Errorf("%+v runs, sliceState %d", d, m.sliceState.Load())
	}
}

// A timer that is due when a slice has just ended makes a G ready that had no part of that slice: it goes
// first and begins one [S3]. What was readied in the slice goes to the ring, as ever.
func TestS3TimerAtTheSliceEnd(t *testing.T) {
	for _, due := range []string{"nothing", "a device", "a timer"} {
		mdl := newModel(1, 1)
		s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
		ts := mdl.gs(5)
		mdl.putAll(p, ts[:2])
		s.RunqPut(m, &ts[2].G, true)
		order := []*task{ts[0], ts[1], ts[2], ts[4]}
		switch due {
		case "a device": // which has nothing to say
			s.pollDue.Store(1)
		case "a timer":
			ts[3].status.Store(waiting)
			mdl.addTimer(0, timer{2 * Slice, ts[3]})
			order = append([]*task{ts[3]}, order...)
		}
		p.schedtick = 1
		mdl.tickOf(m, 2*Slice)
		next := func() { s.Yield(m, &ts[4].G, true) }
		for i, want := range order {
			if d, _ := mdl.ends(t, m, next); d.t != want || d.inherit || m.sliceStart != mdl.Now() || m.sliceState.Load()&^sliceEarly != 0 {
				t.Errorf("%s is due, %d.: G %d runs, not %d, in a slice that began at %d", due, i+1, d.t.id, want.id, m.sliceStart)
			}
			next = func() { s.Schedule(m) }
		}
	}
}

// A yield that puts its slice's runnext into the ring looks once, not twice, for an M that could be woken for it.
func TestM7LeaveWakesOnce(t *testing.T) {
	var locks [2]int
	for i, used := range []int64{0, 2 * Slice} {
		mdl := newModel(1, 2) // an idle P, and nobody for it
		s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
		ts := mdl.gs(3)
		mdl.putAll(p, ts[:1])
		s.RunqPut(m, &ts[1].G, true)
		s.pollDue.Store(1)
		p.schedtick = 1
		mdl.tickOf(m, used)
		mdl.ends(t, m, func() { s.Yield(m, &ts[2].G, true) })
		locks[i] = mdl.host.(*desk).locks
	}
	if locks[0] != locks[1] {
		t.Errorf("the scheduler lock is taken %d times if a slice is used up, otherwise %d", locks[1], locks[0])
	}
}

// Timers whose Gs use up their slices do not keep the ring waiting, though another one is due at each end: a
// function that a timer calls can set the next timer, without end [U2].
func TestU2TimersAtEachSliceEnd(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	ts := mdl.gs(8)
	mdl.putAll(p, ts[:1])
	p.schedtick = 1
	runs := ts[1]
	for i, task := range ts[2:] {
		now := int64(i+2) * Slice
		task.status.Store(waiting)
		mdl.addTimer(0, timer{now, task})
		mdl.tickOf(m, now)
		left := runs
		d, _ := mdl.ends(t, m, func() { s.Yield(m, &left.G, true) })
		if runs = d.t; runs == ts[0] {
			if i != 1 {
				t.Errorf("the ring's G has its turn after %d slices", i)
			}
			return
		}
	}
	t.Errorf("the ring waits for ever")
}

// [A3]: ticks that ask again strike a loop at all of its instructions, however long its
// turns are. At one distance they would strike few of them.
func TestA3RetryStrikesEverywhere(t *testing.T) {
	for _, slice := range []int64{Slice, 100_000, 10_000} {
		mdl := newModel(1, 1)
		s, m := mdl.s, mdl.s.M(0)
		s.slice = slice
		least, most := int64(1<<62), int64(0)
		for length := int64(10); length < 1000; length++ { // of a turn of the loop, in ns
			struck := false
			for at := int64(3); m.Stats[Ticks]%1000 != 999; m.Stats[Ticks]++ {
				d := s.retry(m)
				least, most = min(least, d), max(most, d)
				at += d
				struck = struck || at%length < length/10
			}
			if !struck {
				t.Fatalf("slice %d: of 1000 ticks none struck the first tenth of a loop of %d ns", slice, length)
			}
			m.Stats[Ticks]++
		}
		if d := min(retryTick, slice); least < d-d/8 || most > d {
			t.Errorf("slice %d: asked again after %d to %d ns", slice, least, most)
		}
	}
}

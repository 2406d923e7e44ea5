package sched

import "testing"

// S2: the tick asks for the CPU when a slice is used up, and goes on asking.
func TestS2Slice(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	mdl.putAll(p, mdl.gs(2))
	mdl.schedule(t, m)
	start := int64(1_000_000)
	for at := start; at < start+Slice; at += Slice / 10 {
		if s.Tick(m, at, 0, 0) {
			t.Fatalf("asked to leave after %d ns", at-start)
		}
	}
	if !s.Tick(m, start+Slice, 0, 0) || !s.Tick(m, start+Slice+1, 0, 0) || m.Stats.Preempts != 2 {
		t.Errorf("not asked to leave after a slice")
	}
	// The next one has a slice of its own.
	mdl.schedule(t, m)
	if s.Tick(m, start+2*Slice, 0, 0) {
		t.Errorf("a fresh task is asked to leave")
	}
}

// A CPU without a P has nobody to preempt.
func TestTickWithoutP(t *testing.T) {
	mdl := newModel(1, 1)
	s := mdl.s
	s.Disown(s.M(0), s.P(0))
	if s.Tick(s.M(0), 1<<40, 0, 0) || s.M(0).Stats.Ticks != 0 {
		t.Errorf("a tick without a P counts")
	}
}

// A timer that is due ends a slice early.
func TestT1TickForTimer(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.s.M(0)
	s.Tick(m, 1, 0, 0)
	mdl.timers[0].add(timer{when: 5000})
	mdl.timers[1].add(timer{when: 10})
	if s.Tick(m, 4999, 0, 0) {
		t.Errorf("asked to leave for a timer of later, or of another P")
	}
	if !s.Tick(m, 5000, 0, 0) {
		t.Errorf("not asked to leave for a timer that is due")
	}
}

func TestS6PeriodicInterval(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	s.Own(s.M(1), s.GetIdleP(s.M(0), 0))
	asked := 0
	for at := int64(1_000_000); at <= 100_000_000; at += 1_000_000 {
		s.Tick(s.M(0), at, 0, 0)
		s.Tick(s.M(1), at, 0, 0)
		if s.periodic.Swap(0) != 0 {
			asked++
		}
	}
	if asked != 10 {
		t.Errorf("asked for %d times in ten intervals", asked)
	}
}

// R11: runnext goes on in the slice of who put it there.
func TestR11Inherits(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	p.tick = 7
	s.Put(m, &mdl.gs(1)[0].G, true)
	if d, _ := mdl.schedule(t, m); !d.inherit || p.Tick() != 7 {
		t.Errorf("inherit %v, tick %d", d.inherit, p.Tick())
	}
	s.Put(m, &mdl.gs(1)[0].G, false)
	if d, _ := mdl.schedule(t, m); d.inherit || p.Tick() != 8 {
		t.Errorf("from the ring: inherit %v, tick %d", d.inherit, p.Tick())
	}
}

// Two tasks that wake each other through runnext share slices, but not for
// ever: a third in the ring has its turn when the first slice ends (U2).
func TestR11PingPongDoesNotStarve(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	ts := mdl.gs(3)
	s.Put(m, &ts[2].G, false)
	s.Put(m, &ts[0].G, true)
	p.tick = 1
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
		if i%10 == 0 {
			s.Tick(m, now, 0, 0)
			if i == 0 {
				last = now
			}
		}
		s.Put(m, &ts[1-d.t.id].G, true)
	}
	// The pair has lost its right of way, and not its place.
	if p.expired.Load() != 0 {
		t.Errorf("expired is still set")
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
	s.Put(m, &task.G, true)
	p.expired.Store(1)
	p.tick = 1
	if d, _ := mdl.schedule(t, m); d.t != task || d.inherit || p.Tick() != 2 {
		t.Errorf("%+v at tick %d", d, p.Tick())
	}
}

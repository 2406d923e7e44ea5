package sched

import "testing"

// What computes sinks, a level for each slice, as far as there are levels; what has waited rises. Slices are twice as long on each.
func TestMLFQLevels(t *testing.T) {
	mdl := newModelOf(1, 1, Config{Policy: &MLFQ})
	s, m := mdl.s, mdl.s.M(0)
	g := &mdl.gs(1)[0].G
	for i, c := range []struct {
		left  bool
		ran   int64 // slices, times 16
		level uint32
	}{
		{false, 0, 0}, {true, 8, 0}, {true, 8, 1}, {true, 16, 2}, {true, 64, 3}, {true, 64, 3},
		{false, 0, 2}, {true, 15, 2}, {true, 1, 3}, {false, 0, 2}, {false, 0, 1}, {false, 0, 0}, {false, 0, 0}, {true, 15, 0},
	} {
		m.sliceStart = mdl.Now()
		mdl.clock.Add(c.ran * s.slice / 16)
		s.policy.Ranked(s, m, g, c.left)
		if level := mlfqLevel(g); level != c.level {
			t.Errorf("step %d: level %d, not %d", i, level, c.level)
		}
		s.newSlice(m, g, mdl.Now())
		if got := s.sliceOf(m); got != s.slice<<c.level {
			t.Errorf("step %d: a slice of %d", i, got)
		}
	}
}

// The global queue is in the order of levels, in each first in, first out. But what waits on a low one is not passed by all that come
// later [U2].
func TestMLFQOrder(t *testing.T) {
	mdl := newModelOf(1, 1, Config{Policy: &MLFQ})
	s, m := mdl.s, mdl.s.M(0)
	const unit = 1 << mlfqUnit
	for start := range int64(2) {
		mdl.clock.Store(unit + start*(1<<(32-mlfqShift)-mlfqAdvance)*unit) // then ranks begin anew on the way
		ts := mdl.gs(7)
		put := func(i int, level uint32) {
			g := &ts[i].G
			g.Rank = level * mlfqUsed
			m.sliceStart = mdl.Now()
			s.globrunqPut(m, g, true)
		}
		put(0, 2)
		put(1, 0)
		put(2, 2)
		put(3, 1)
		put(4, 0)
		mdl.clock.Add(3 * mlfqAdvance * unit)
		put(5, 0)
		put(6, 3)
		for n, want := range []int{1, 4, 3, 0, 2, 5, 6} {
			g := s.globrunqGet(m, s.P(0), RingSize/2)
			if g != &ts[want].G {
				t.Errorf("from %d, get %d: not G %d", start, n, want)
			}
			s.dequeue(g)
		}
	}
}

// Who is made ready while no P is idle has the M asked that runs a G of the lowest level, if that is lower than its own. An
// idle P is woken instead.
func TestMLFQAsksTheLowest(t *testing.T) {
	for _, c := range []struct {
		idle   bool
		levels [3]uint32 // of what the Ms run
		level  uint32    // of what is made ready
		want   int32     // the M that is asked; -1: none
	}{
		{false, [3]uint32{1, 3, 2}, 0, 1}, {false, [3]uint32{1, 3, 2}, 3, -1}, {false, [3]uint32{0, 0, 0}, 0, -1}, {true, [3]uint32{1, 3, 2}, 0, -1},
	} {
		procs := int32(3)
		if c.idle {
			procs++
		}
		mdl := newModelOf(4, procs, Config{Policy: &MLFQ})
		s := mdl.s
		asked := int32(-1)
		mdl.onPreempt = func(m *M) { asked = m.ID }
		for i := range int32(3) {
			if i > 0 {
				mdl.running(i)
			}
			s.M(i).Level.Store(c.levels[i])
		}
		g := &mdl.gs(1)[0].G
		mlfqSetPri(g, c.level) // else it rises by one for having waited
		s.Ready(s.M(0), g, true)
		if asked != c.want {
			t.Errorf("%+v: M %d is asked to leave", c, asked)
		}
	}
}

// [M7]: where an M is idle, one that is ready has it woken, whatever the level of those that run.
func TestMLFQWakes(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	s.setPolicy(&MLFQ)
	s.Ready(s.M(0), &mdl.gs(1)[0].G, false)
	if mdl.spinning.Load() != 1 || s.Started() != 2 {
		t.Errorf("%d spin, %d Ms were started", mdl.spinning.Load(), s.Started())
	}
}

// A priority is a level at once, on the queue too, and bounds how far a G rises.
func TestMLFQPri(t *testing.T) {
	mdl := newModelOf(1, 1, Config{Policy: &MLFQ})
	s, m := mdl.s, mdl.s.M(0)
	ts := mdl.gs(3)
	for _, task := range ts {
		s.GlobrunqPut(m, &task.G)
	}
	s.SetPri(m, &ts[0].G, 3)
	s.SetPri(m, &ts[1].G, 1)
	for _, want := range []int{2, 1, 0} {
		if g := s.globrunqGet(m, s.P(0), 1); g != &ts[want].G {
			t.Errorf("not G %d", want)
		}
	}
	g := &ts[0].G
	for range 3 {
		s.policy.Ranked(s, m, g, false)
	}
	if n, ok := s.Pri(g); n != 3 || !ok {
		t.Errorf("a G of priority 3 rises to %d, %v", n, ok)
	}
	s.SetPri(m, g, 0)
	if n, _ := s.Pri(g); n != 0 {
		t.Errorf("given priority 0 it has %d", n)
	}
	if _, ok := newModel(1, 1).s.Pri(g); ok {
		t.Error("M:N has priorities")
	}
}

package sched

import (
	"slices"
	"testing"

	"sched9/record"
)

func TestR1RingKeepsOrderAcrossWrap(t *testing.T) {
	for _, at := range positions {
		mdl := newModel(1, 1)
		p := mdl.s.P(0)
		setRing(p, at)
		ts := mdl.gs(RingSize)
		mdl.putAll(p, ts)
		if p.Len() != RingSize || p.runqEmpty() || mdl.s.GlobrunqLen() != 0 {
			t.Errorf("at %d: a ring of %d, global %d", at, p.Len(), mdl.s.GlobrunqLen())
		}
		if got := mdl.drainIDs(p); !slices.Equal(got, ids(ts)) {
			t.Errorf("at %d: came out as %v", at, got)
		}
		if p.Len() != 0 || !p.runqEmpty() {
			t.Errorf("at %d: not empty at the end", at)
		}
	}
}

// A ring longer than its size is told, not overwritten.
func TestR1Throws(t *testing.T) {
	mdl := newModel(1, 1)
	mdl.s.P(0).tail.Store(RingSize + 1)
	mdl.thrown(t, "R1", func() { mdl.s.RunqPut(mdl.s.M(0), &mdl.gs(1)[0].G, false) })
}

// The same few slots serve many Gs: positions move, contents do not mix.
func TestR1RingReuse(t *testing.T) {
	mdl := newModel(1, 1)
	p := mdl.s.P(0)
	setRing(p, 1<<32-500)
	ts := mdl.gs(7)
	for i := 0; i < 1000; i++ {
		mdl.putAll(p, ts)
		for _, want := range ts {
			g, from := mdl.s.runqPop(p)
			inherit := from == record.FromNext
			if g != &want.G || inherit {
				t.Fatalf("round %d: wrong G", i)
			}
			mdl.s.dequeue(g)
		}
	}
}

func TestR5RunnextGoesFirst(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	ts := mdl.gs(4)
	s.RunqPut(m, &ts[0].G, false)
	s.RunqPut(m, &ts[1].G, true)
	s.RunqPut(m, &ts[2].G, true) // ts[1] goes to the ring's end
	s.RunqPut(m, &ts[3].G, false)
	if p.Len() != 4 {
		t.Errorf("Len is %d", p.Len())
	}
	g, from := s.runqPop(p)
	inherit := from == record.FromNext
	if g != &ts[2].G || !inherit {
		t.Errorf("runnext did not come first with its slice")
	}
	if got, want := mdl.drainIDs(p), []int{0, 1, 3}; !slices.Equal(got, want) {
		t.Errorf("the ring held %v, want %v", got, want)
	}
}

// runnext alone makes a P not empty.
func TestR5RunnextCounts(t *testing.T) {
	mdl := newModel(1, 1)
	s, p := mdl.s, mdl.s.P(0)
	s.RunqPut(s.M(0), &mdl.gs(1)[0].G, true)
	if p.runqEmpty() || s.RunqEmpty(p) || !s.hasWork(s.M(0)) || p.Len() != 1 {
		t.Errorf("a P with a runnext counts as empty")
	}
}

// A thief pauses before it takes the runnext of a P that runs, takes it only
// from an empty ring and in the last pass, and respects the owner's being
// faster.
func TestR5RunnextGrace(t *testing.T) {
	mdl := newModel(2, 2)
	s, victim := mdl.s, mdl.s.P(0)
	s.WireP(s.M(1), s.GetIdleP(s.M(0), 0))
	thief, p := s.M(1), s.P(1)
	var paused []int64
	mdl.onPause = func(ns int64) { paused = append(paused, ns) }
	ts := mdl.gs(2)

	s.RunqPut(s.M(0), &ts[0].G, true)
	if s.runqSteal(thief, p, victim, false) != nil {
		t.Errorf("runnext was taken before the last pass")
	}
	if g := s.runqSteal(thief, p, victim, true); g != &ts[0].G {
		t.Errorf("runnext was not taken in the last pass")
	}
	if !slices.Equal(paused, []int64{3000, 3000, 3000, 3000}) {
		t.Errorf("pauses %v", paused)
	}
	s.dequeue(&ts[0].G)

	s.RunqPut(s.M(0), &ts[0].G, true)
	paused = nil
	mdl.onPause = func(ns int64) {
		paused = append(paused, ns)
		if len(paused) == 3 {
			if g, _ := s.runqPop(victim); g != &ts[0].G {
				t.Errorf("the owner lost its runnext to a pause")
			}
		}
	}
	if s.runqSteal(thief, p, victim, true) != nil {
		t.Errorf("a G was taken twice")
	}
	if len(paused) != 3 {
		t.Errorf("%d pauses for a runnext that was gone after 3", len(paused))
	}
	s.dequeue(&ts[0].G)

	// No G runs on a P without an M: no reason to wait.
	s.RunqPut(s.M(0), &ts[0].G, true)
	s.UnwireP(s.M(0), victim)
	mdl.onPause = func(int64) { t.Errorf("paused for a P that nobody runs") }
	if g := s.runqSteal(thief, p, victim, true); g != &ts[0].G {
		t.Errorf("runnext of a P without an M was not taken")
	}
}

// With Gs in the ring a thief leaves runnext to its owner.
func TestR5RingGoesBeforeRunnext(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	ts := mdl.gs(2)
	s.RunqPut(s.M(0), &ts[0].G, false)
	s.RunqPut(s.M(0), &ts[1].G, true)
	if g := s.runqSteal(s.M(1), s.P(1), s.P(0), true); g != &ts[0].G {
		t.Errorf("the thief did not take the ring's")
	}
	if g, from := s.runqPop(s.P(0)); g != &ts[1].G || from != record.FromNext {
		t.Errorf("the owner has lost its runnext")
	}
}

// The 257th G takes the older half with it to the global queue, in order, under
// one lock.
func TestR6Overflow(t *testing.T) {
	for _, at := range positions {
		mdl := newModel(1, 1)
		s, p := mdl.s, mdl.s.P(0)
		setRing(p, at)
		ts := mdl.gs(RingSize + 1)
		mdl.putAll(p, ts[:RingSize])
		before := mdl.host.(*desk).locks
		mdl.putAll(p, ts[RingSize:])
		if n := mdl.host.(*desk).locks - before; n != 1 {
			t.Errorf("at %d: %d locked steps", at, n)
		}
		if s.GlobrunqLen() != RingSize/2+1 || s.M(0).Stats[Overflows] != 1 {
			t.Errorf("at %d: %d Gs went to the global queue in %d overflows, not %d in one", at, s.GlobrunqLen(), s.M(0).Stats[Overflows], RingSize/2+1)
		}
		want := append(ids(ts[:RingSize/2]), ts[RingSize].id)
		if got := mdl.globalIDs(); !slices.Equal(got, want) {
			t.Errorf("at %d: the last of the global queue are %v, not %v: first half of the ring, then the new one", at, got[max(len(got)-3, 0):], want[len(want)-3:])
		}
		if got := mdl.drainIDs(p); !slices.Equal(got, ids(ts[RingSize/2:RingSize])) {
			t.Errorf("at %d: the ring kept %v", at, got)
		}
	}
}

// What a full ring pushes out is the old runnext, not the new one.
func TestR6OverflowOfRunnext(t *testing.T) {
	mdl := newModel(1, 1)
	s, p := mdl.s, mdl.s.P(0)
	ts := mdl.gs(RingSize + 2)
	mdl.putAll(p, ts[:RingSize])
	s.RunqPut(s.M(0), &ts[RingSize].G, true)
	if s.GlobrunqLen() != 0 {
		t.Errorf("a G that becomes runnext overflowed the ring")
	}
	s.RunqPut(s.M(0), &ts[RingSize+1].G, true)
	if g, _ := s.runqPop(p); g != &ts[RingSize+1].G {
		t.Errorf("runnext is not the last")
	}
	if got := mdl.globalIDs(); got[len(got)-1] != ts[RingSize].id {
		t.Errorf("G%d is at the end of the batch, not the old runnext G%d", got[len(got)-1], ts[RingSize].id)
	}
}

// A thief that takes from the ring makes room: overflow then leaves all as it is.
func TestR6OverflowGivesWay(t *testing.T) {
	mdl := newModel(2, 2)
	s, p := mdl.s, mdl.s.P(0)
	ts := mdl.gs(RingSize + 1)
	mdl.putAll(p, ts[:RingSize])
	head, tail := p.head.Load(), p.tail.Load()
	s.runqSteal(s.M(1), s.P(1), p, false)
	if s.runqPutSlow(s.M(0), p, &ts[RingSize].G, head, tail) {
		t.Errorf("overflow of a ring with room")
	}
	if s.GlobrunqLen() != 0 || p.Len() != RingSize/2 {
		t.Errorf("a failed overflow moved Gs")
	}
}

// A thief takes half, rounded up, runs the last of them and keeps the others in
// order.
func TestR10StealTakesHalfRoundedUp(t *testing.T) {
	for _, at := range positions {
		for n := 1; n <= RingSize; n += 1 + n/40 {
			mdl := newModel(2, 2)
			s, p, victim := mdl.s, mdl.s.P(1), mdl.s.P(0)
			setRing(victim, at)
			setRing(p, at+77)
			ts := mdl.gs(n)
			mdl.putAll(victim, ts)
			half := (n + 1) / 2
			g := s.runqSteal(s.M(1), p, victim, true)
			if g != &ts[half-1].G {
				t.Fatalf("at %d: the thief of %d runs the wrong G", at, n)
			}
			if got := mdl.drainIDs(p); !slices.Equal(got, ids(ts[:half-1])) {
				t.Fatalf("at %d: the thief of %d has %v", at, n, got)
			}
			if got := mdl.drainIDs(victim); !slices.Equal(got, ids(ts[half:])) {
				t.Fatalf("at %d: the victim of %d has %v", at, n, got)
			}
			if st := s.M(1).Stats; st[Steals] != 1 || st[Stolen] != uint64(half) {
				t.Fatalf("counted as %d steals of %d", st[Steals], st[Stolen])
			}
		}
	}
}

func TestG3Throws(t *testing.T) {
	mdl := newModel(2, 2)
	s, g := mdl.s, &mdl.gs(1)[0].G
	s.RunqPut(s.M(0), g, false)
	mdl.thrown(t, "G3", func() { s.RunqPut(s.M(0), g, false) })
	mdl.thrown(t, "G3", func() { s.RunqPut(s.M(0), g, true) })
	mdl.thrown(t, "G3", func() { s.Lock(); s.GlobrunqPut(s.M(0), g) })
	mdl.thrown(t, "G3", func() { s.RunqPut(s.M(1), &mdl.gs(1)[0].G, false) })
	mdl.thrown(t, "G3", func() {
		w := mdl.gs(1)[0]
		w.status.Store(waiting)
		s.RunqPut(s.M(0), &w.G, false)
	})
	mdl.thrown(t, "G3", func() { s.dequeue(&mdl.gs(1)[0].G) })
}

// Lock is the scheduler lock, for tests that call what needs it.
func (s *Sched) Lock()   { s.rt.Lock() }
func (s *Sched) Unlock() { s.rt.Unlock() }

func TestP5Drain(t *testing.T) {
	mdl := newModel(1, 1)
	s, p := mdl.s, mdl.s.P(0)
	setRing(p, 1<<32-3)
	ts := mdl.gs(9)
	mdl.putAll(p, ts[1:])
	s.RunqPut(s.M(0), &ts[0].G, true)
	s.Lock()
	s.RunqDrain(s.M(0), p)
	s.Unlock()
	if !p.runqEmpty() || s.GlobrunqLen() != 9 {
		t.Errorf("%d Gs are left, %d arrived", p.Len(), s.GlobrunqLen())
	}
	if got := mdl.globalIDs(); !slices.Equal(got, ids(ts)) {
		t.Errorf("drained to %v", got)
	}
}

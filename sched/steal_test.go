package sched

import "testing"

// The strides of every number of Ps walk all of them, each once, from anywhere.
func TestR10StridesCoverAllPs(t *testing.T) {
	s := newModel(1, 1).s
	for n := uint32(1); n <= MaxProcs; n++ {
		s.SetProcs(int32(n))
		if s.nstrides == 0 || s.Procs() != int32(n) {
			t.Fatalf("%d Ps: %d strides", n, s.nstrides)
		}
		for _, stride := range s.strides[:s.nstrides] {
			for start := uint32(0); start < n; start++ {
				var seen [MaxProcs]bool
				pos := start
				for i := uint32(0); i < n; i++ {
					if seen[pos] {
						t.Fatalf("%d Ps, stride %d from %d: P %d twice", n, stride, start, pos)
					}
					seen[pos] = true
					pos = (pos + stride) % n
				}
			}
		}
	}
}

// xorshift never leaves 0, so no M may begin there, and all begin elsewhere.
func TestR10RandomSeeds(t *testing.T) {
	s := newModel(1, 1).s
	seen := map[uint32]bool{}
	for i := range s.ms {
		if r := s.ms[i].rand; r == 0 || seen[r] {
			t.Errorf("M %d begins with %d", i, r)
		}
		seen[s.ms[i].rand] = true
	}
	var first [4]int
	for i := 0; i < 4000; i++ {
		first[s.M(0).random()%4]++
	}
	for p, n := range first {
		if n < 800 || n > 1200 {
			t.Errorf("P %d comes first %d times of 4000", p, n)
		}
	}
}

// spinner makes M 1 own P 1 and spin.
func (mdl *model) spinner() (*M, *P) {
	s := mdl.s
	s.WireP(s.M(1), s.GetIdleP(s.M(0), 0))
	s.becomeSpinning(s.M(1))
	return s.M(1), s.P(1)
}

// Timers of others and runnexts are for the last of four passes.
func TestR10TimersAndRunnextLast(t *testing.T) {
	mdl := newModel(4, 4)
	s := mdl.s
	m, p := mdl.spinner()
	s.GetIdleP(s.M(0), 0) // P 2 runs too
	looks := 0
	mdl.onPoint = func(what string) {
		if what == "timers" {
			looks++
		}
	}
	if g, again := s.stealWork(m, p, mdl.Now()); g != nil || again {
		t.Errorf("stole from empty Ps")
	}
	if looks != 2 {
		t.Errorf("%d looks at the timers of 2 other Ps, beside one that is idle and has none", looks)
	}
	looks = 0
	mdl.addTimer(3, timer{when: 1 << 40})
	if s.stealWork(m, p, mdl.Now()); looks != 3 {
		t.Errorf("%d looks at the timers of 3 other Ps", looks)
	}

	next := mdl.gs(1)[0]
	s.RunqPut(s.M(0), &next.G, true)
	looks = 0
	paused := false
	mdl.onPause = func(int64) {
		paused = true
		if looks == 0 {
			t.Errorf("a runnext is stolen before the last pass")
		}
	}
	if g, _ := s.stealWork(m, p, mdl.Now()); g != &next.G || !paused {
		t.Errorf("runnext was not stolen")
	}
}

// A timer of another P that fires in the last pass gives its G to the thief; of
// several Gs the thief's ring keeps the rest.
func TestR10StealRunsTimers(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	m, p := s.M(0), s.P(0)
	ts := mdl.gs(3)
	for _, task := range ts {
		task.status.Store(waiting)
		mdl.addTimer(1, timer{1, task})
	}
	s.becomeSpinning(m)
	g, _ := s.stealWork(m, p, mdl.Now())
	if g == nil || p.Len() != 2 || mdl.timers[1].next.Load() != 0 {
		t.Errorf("the thief got %v and keeps %d", g, p.Len())
	}
}

// A stop of the world ends the search at once.
func TestP4StealGivesWay(t *testing.T) {
	mdl := newModel(2, 2)
	m, p := mdl.spinner()
	mdl.putAll(mdl.s.P(0), mdl.gs(4))
	mdl.stopping.Store(true)
	if g, again := mdl.s.stealWork(m, p, 0); g != nil || !again {
		t.Errorf("stole %v while the world stops", g)
	}
}

// An idle P is not looked into.
func TestP2StealSkipsIdlePs(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	s.becomeSpinning(s.M(0))
	s.P(1).ring[0].Store(uintptr(handleG(&mdl.gs(1)[0].G)))
	s.P(1).tail.Store(1) // broken on purpose: it would be found otherwise
	if g, _ := s.stealWork(s.M(0), s.P(0), 0); g != nil {
		t.Errorf("an idle P was searched")
	}
}

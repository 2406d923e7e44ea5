package sched

import "testing"

// lingerer is a model with an M 0 that runs something on P 0, and an M 1 that spins with P 1
// and lingers for ten looks.
func lingerer() (mdl *model, m *M) {
	mdl = newModel(2, 2)
	mdl.s.lingers = 10
	m, _ = mdl.spinner()
	return mdl, m
}

// A lingering M finds new work without having slept, and the maker of the work wakes no M.
func TestR5LingerFinds(t *testing.T) {
	mdl, m := lingerer()
	s := mdl.s
	task := mdl.gs(1)[0]
	looks := 0
	mdl.onPause = func(ns int64) {
		if looks++; looks == 3 {
			s.Ready(s.M(0), &task.G, false)
		}
	}
	if d, _ := mdl.schedule(t, m); d.t != task || looks != 3 {
		t.Errorf("after %d looks it runs %v", looks, d.t)
	}
	if s.M(0).Stats[Wakes] != 0 || m.Stats[Parks] != 0 || m.Stats[Lingers] != 1 {
		t.Errorf("%d wakes, %d sleeps, %d times lingered", s.M(0).Stats[Wakes], m.Stats[Parks], m.Stats[Lingers])
	}
}

// An M lingers for the given time and no longer, for less if it has not been woken for a while, and
// not at all if no other P runs.
func TestA5LingerEnds(t *testing.T) {
	for _, c := range []struct {
		since int64
		alone bool
		looks int
	}{{0, false, 40}, {lingerSoon, false, 40}, {lingerSoon + 1, false, lingerShort}, {0, true, 0}} {
		mdl, m := lingerer()
		mdl.s.lingers = 40
		mdl.onDead = func() {}
		mdl.clock.Store(1 + c.since)
		m.lingered = 1
		if c.alone {
			mdl.s.UnwireP(mdl.s.M(0), mdl.s.P(0))
			mdl.s.PutIdleP(m, mdl.s.P(0), 0)
		}
		looks := 0
		mdl.onPause = func(int64) { looks++ }
		if d, _ := mdl.schedule(t, m); d.t != nil || m.P() != nil || looks != c.looks || mdl.spinning.Load() != 0 {
			t.Errorf("%+v: %d looks\n%s", c, looks, mdl.dump())
		}
	}
}

// A runnext is left to its P while that is busy with others, and taken when it stays.
func TestR5LingerLeavesRunnext(t *testing.T) {
	mdl, m := lingerer()
	s := mdl.s
	s.lingers = 40
	ts := mdl.gs(3)
	looks := 0
	mdl.onPause = func(ns int64) {
		if ns != lingerLook {
			return
		}
		looks++
		switch {
		case looks < 20:
			if looks%2 == 1 {
				s.runqPut(s.M(0), s.P(0), &ts[looks/4%2].G, true) // never the same at two looks that count
			} else if g, _ := s.runqPop(s.P(0)); g != nil {
				s.dequeue(g)
			}
		case looks == 20:
			s.runqPut(s.M(0), s.P(0), &ts[2].G, true)
		}
	}
	if d, _ := mdl.schedule(t, m); d.t == nil || looks < 20 {
		t.Errorf("runs %v after %d looks", d.t, looks)
	}
}

// What else an M that does not sleep is to see to ends the lingering.
func TestLingerGivesWay(t *testing.T) {
	for what, set := range map[string]func(mdl *model, m *M){
		"stop":   func(mdl *model, m *M) { mdl.stopping.Store(true) },
		"timer":  func(mdl *model, m *M) { mdl.addTimer(0, timer{when: 1}) },
		"sysmon": func(mdl *model, m *M) { mdl.s.sysmonDue.Store(1) },
		"global": func(mdl *model, m *M) { mdl.s.GlobrunqPut(mdl.s.M(0), &mdl.gs(1)[0].G) },
	} {
		mdl, m := lingerer()
		looks := 0
		mdl.onPause = func(int64) {
			if looks++; looks == 2 {
				set(mdl, m)
			}
		}
		if on := mdl.s.linger(m, m.P()); looks != 2 || on != (what != "sysmon") {
			t.Errorf("%s: goes on searching: %v, after %d looks", what, on, looks)
		}
	}
}

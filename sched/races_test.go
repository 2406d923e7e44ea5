package sched

import (
	"sched9/sched/atomic"
	"sync"
	"testing"
)

// nextp read after a stale token.
func TestRaceNextp(t *testing.T) {
	mdl := newModel(2, 2)
	mdl.host = &threads{mdl: mdl}
	s := mdl.s
	mdl.started(2)
	m0, m1 := s.M(0), s.M(1)
	s.putIdleM(m1)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for m1.nextpArrived() == nil {
		}
	}()
	for i := 0; i < 100000; i++ {
		m1.park.Store(1)
	}
	s.WakeP(m0)
	wg.Wait()
}

func TestRaceOwner(t *testing.T) {
	mdl := newModel(2, 2)
	mdl.host = &threads{mdl: mdl}
	s := mdl.s
	g := &mdl.gs(1)[0].G
	s.RunqPut(s.M(0), g, true)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		s.runqSteal(s.M(1), s.P(1), s.P(0), true)
	}()
	s.UnwireP(s.M(0), s.P(0))
	wg.Wait()
}

func TestRaceProcs(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	var over atomic.Bool
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		s.checkRunqsNoP(s.M(1), true) // as an M between its release and its sleep does
		s.nextTimer()
	}()
	s.SetProcs(1)
	wg.Wait()
	_ = over.Load()
}

package sched

import (
	"fmt"
	"runtime"
	"sched9/sched/atomic"
	"sync"
	"testing"
)

// TestStress runs thousands of tasks that spawn, yield, wait, wake, sleep and
// stop the world on 2 to 8 Ms at once.
func TestStress(t *testing.T) {
	n := 3000
	if raceEnabled {
		n = 1500
	}
	for _, c := range []struct {
		ncpu  int
		procs int32
	}{{2, 2}, {3, 2}, {4, 4}, {8, 8}, {8, 3}} {
		t.Run(fmt.Sprintf("%dMs%dPs", c.ncpu, c.procs), func(t *testing.T) {
			mdl, th := newThreads(c.ncpu, c.procs, uint32(c.ncpu)<<8+uint32(c.procs))
			mdl.root(100, n, 24)
			th.play(t)
			if int(mdl.live.Load()) != 0 || len(mdl.tasks) < n/2 {
				t.Errorf("only %d tasks were made", len(mdl.tasks))
			}
			if mdl.stops == 0 {
				t.Errorf("the world was never stopped")
			}
		})
	}
}

// TestStressPingPong has pairs of tasks that wake each other: every put goes
// through runnext, and every dispatch races with thieves.
func TestStressPingPong(t *testing.T) {
	const pairs, rounds = 6, 300
	mdl, th := newThreads(4, 4, 1)
	for i := 0; i < pairs; i++ {
		a, b := mdl.newTask(program), mdl.newTask(partner)
		a.friend, b.friend = b, a
		a.rounds, b.rounds = rounds, rounds
		mdl.s.RunqPut(mdl.s.M(0), &a.G, false)
		mdl.s.RunqPut(mdl.s.M(0), &b.G, false)
	}
	th.play(t)
}

// TestR3RingOwnerAndThieves has one owner put and get while thieves take from
// the same ring, and from each other's: every G comes out exactly once.
func TestR3RingOwnerAndThieves(t *testing.T) {
	n, rounds := 200_000, 4
	if raceEnabled {
		n, rounds = 20_000, 1
	}
	for range rounds {
		for _, thieves := range []int{1, 3} {
			for _, start := range []uint32{0, 1<<32 - 1000} {
				ownerAndThieves(t, n, thieves, start)
			}
		}
	}
}

func ownerAndThieves(t *testing.T, n, thieves int, start uint32) {
	mdl := newModel(thieves+1, int32(thieves+1))
	mdl.host = &threads{mdl: mdl}
	s, owner := mdl.s, mdl.s.P(0)
	setRing(owner, start)
	gs := make([]task, n)
	taken := make([]atomic.Uint32, n)
	take := func(g *G) {
		s.dequeue(g)
		taken[taskOf(g).id].Add(1)
	}
	var over atomic.Bool
	var wg sync.WaitGroup
	// told reports a throw, which ends whose it is.
	told := func() {
		if recover() != nil {
			t.Error(mdl.failure())
		}
	}
	for i := 1; i <= thieves; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer told()
			m, p := s.M(int32(i)), s.P(int32(i))
			for last, n := false, 0; !last; n++ {
				last = over.Load()
				victim := owner
				if other := s.P(int32(n / 4 % (thieves + 1))); n%4 == 0 && other != p {
					victim = other
				}
				for g := s.runqSteal(m, p, victim, true); g != nil; g, _ = s.runqPop(p) {
					take(g)
				}
				if thieves > 1 {
					runtime.Gosched() // else the two have a processor each
				}
			}
		}()
	}
	func() {
		defer told()
		r := uint32(1)
		for i := range gs {
			gs[i].id = i
			gs[i].status.Store(runnable)
			s.runqPut(s.M(0), owner, &gs[i].G, i%3 == 0)
			for r = r*1664525 + 1013904223; r>>16%3 == 0; r = r*1664525 + 1013904223 {
				if g, _ := s.runqPop(owner); g != nil {
					take(g)
				}
			}
			if r>>16%64 == 1 {
				runtime.Gosched()
			}
			if i%512 == 0 {
				s.Lock()
				s.getGlobalAll(take)
				s.Unlock()
			}
		}
	}()
	over.Store(true)
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for g, _ := s.runqPop(owner); g != nil; g, _ = s.runqPop(owner) {
		take(g)
	}
	s.getGlobalAll(take)
	for i := range taken {
		if taken[i].Load() != 1 {
			t.Fatalf("G %d was taken %d times", i, taken[i].Load())
		}
	}
	if !owner.runqEmpty() || s.runqsize.Load() != 0 {
		t.Errorf("Gs are left")
	}
}

// An owner keeps at least one G on its P, in the ring, in runnext, or on the way between them. No M
// may see the P empty.
func TestEmptyWhileRunnextMoves(t *testing.T) {
	n := 400_000
	if raceEnabled {
		n = 100_000
	}
	mdl := newModel(2, 2)
	s, p := mdl.s, mdl.s.P(0)
	ts := mdl.gs(2)
	s.runqPut(s.M(0), p, &ts[0].G, true)
	var over atomic.Bool
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for !over.Load() {
			if p.runqEmpty() {
				t.Errorf("a P with a G looks empty")
				return
			}
		}
	}()
	for i := 0; i < n; i++ {
		x, y := &ts[i%2].G, &ts[1-i%2].G
		s.runqPut(s.M(0), p, y, true) // x goes to the ring
		if g, _ := s.runqPop(p); g != y {
			t.Fatal("runnext is not the last")
		}
		s.dequeue(y)
		s.runqPut(s.M(0), p, y, true)
		if s.runqSteal(s.M(1), s.P(1), p, false) != x {
			t.Fatal("the ring does not hold the first")
		}
		s.dequeue(x)
	}
	over.Store(true)
	wg.Wait()
}

// getGlobalAll takes every G off the global queue.
func (s *Sched) getGlobalAll(take func(*G)) {
	for g := s.runq.pop(); g != nil; g = s.runq.pop() {
		s.runqsize.Add(-1)
		take(g)
	}
}

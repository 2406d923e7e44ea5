//go:build !explore

package sched

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// The sequential model itself: a history that no queue can have is found out.
func TestLinearModelRefuses(t *testing.T) {
	op := func(from, to int64, c call, got string) porcupine.Operation {
		return porcupine.Operation{Input: c, Call: from, Output: got, Return: to}
	}
	put := op(1, 2, call{putRing, "a"}, "")
	moved := func(at int64) porcupine.Operation { return op(at, at, call{putMoved, ""}, "") }
	for name, c := range map[string]struct {
		right bool
		ops   []porcupine.Operation
	}{
		"taken once":          {true, []porcupine.Operation{put, moved(2), op(3, 4, call{get, ""}, "a")}},
		"taken at once":       {true, []porcupine.Operation{put, moved(2), op(1, 4, call{steal, ""}, "a")}},
		"taken twice":         {false, []porcupine.Operation{put, moved(2), op(3, 6, call{get, ""}, "a"), op(3, 6, call{steal, ""}, "a")}},
		"taken before":        {false, []porcupine.Operation{op(3, 4, call{putRing, "a"}, ""), moved(4), op(1, 2, call{get, ""}, "a")}},
		"lost":                {false, []porcupine.Operation{put, moved(2), op(3, 4, call{get, ""}, "")}},
		"empty with one":      {false, []porcupine.Operation{put, moved(2), op(3, 4, call{isEmpty, ""}, "yes")}},
		"second first":        {false, []porcupine.Operation{put, moved(2), op(3, 4, call{putRing, "b"}, ""), moved(4), op(5, 6, call{get, ""}, "b")}},
		"less than half":      {false, []porcupine.Operation{put, moved(2), op(3, 4, call{putRing, "b"}, ""), moved(4), op(5, 6, call{putRing, "c"}, ""), moved(6), op(7, 8, call{steal, ""}, "a")}},
		"half":                {true, []porcupine.Operation{put, moved(2), op(3, 4, call{putRing, "b"}, ""), moved(4), op(5, 6, call{putRing, "c"}, ""), moved(6), op(7, 8, call{steal, ""}, "ab")}},
		"global out of order": {false, []porcupine.Operation{op(1, 2, call{putGlobal, "a"}, ""), op(3, 4, call{putGlobal, "b"}, ""), op(5, 6, call{getOther, ""}, "b")}},
		"global to ring":      {true, []porcupine.Operation{op(1, 2, call{putGlobal, "a"}, ""), op(3, 4, call{putGlobal, "b"}, ""), op(5, 6, call{getGlobal, ""}, "ab"), op(7, 8, call{get, ""}, "b")}},
		"displaced": {true, []porcupine.Operation{
			op(1, 2, call{putNext, "a"}, ""), op(1, 2, call{putRing, ""}, ""), moved(2),
			op(3, 4, call{putNext, "b"}, ""), op(3, 4, call{putRing, ""}, ""), moved(4),
			op(5, 6, call{get, ""}, "b"), op(7, 8, call{get, ""}, "a"),
		}},
		"displaced and lost": {false, []porcupine.Operation{
			op(1, 2, call{putNext, "a"}, ""), op(1, 2, call{putRing, ""}, ""), moved(2),
			op(3, 4, call{putNext, "b"}, ""), op(3, 4, call{putRing, ""}, ""), moved(4),
			op(5, 6, call{get, ""}, "b"), op(7, 8, call{get, ""}, ""),
		}},
	} {
		if porcupine.CheckOperations(linear, c.ops) != c.right {
			t.Errorf("%s: is taken for %v", name, !c.right)
		}
	}
}

// Owners and thieves that run at the same time, many short histories: at the ring's
// ordinary place, where it passes 2^32, empty, and nearly full.
func TestLinearizableThreads(t *testing.T) {
	rounds := 400
	if raceEnabled {
		rounds = 120
	}
	events := 0
	for round := range rounds {
		thieves := 1 + round%2
		mdl := newModel(thieves+1, int32(thieves+1))
		mdl.host = &threads{mdl: mdl}
		var clock atomic.Int64
		fill := []int{0, 0, 3, RingSize - 2, RingSize}[round%5]
		at := []uint32{0, 1<<32 - 3, 1<<32 - RingSize}[round%3]
		clerks := mdl.clerks(thieves, at, fill, func() int64 { return clock.Add(1) })
		var start, done sync.WaitGroup
		start.Add(1)
		for i, k := range clerks {
			done.Add(1)
			go func() {
				defer done.Done()
				defer func() {
					if recover() != nil {
						t.Error(mdl.failure())
					}
				}()
				start.Wait()
				if i == 0 {
					k.owns(uint32(round), 12)
				} else {
					k.steals(uint32(round*7+i), 6)
				}
			}()
		}
		start.Done()
		done.Wait()
		if t.Failed() {
			t.FailNow()
		}
		ops := joined(clerks)
		events += len(ops)
		switch result, _ := porcupine.CheckOperationsVerbose(linear, ops, 5*time.Minute); result {
		case porcupine.Illegal:
			t.Fatalf("round %d: no order explains this: %v", round, ops)
		case porcupine.Unknown:
			t.Fatalf("round %d: %d operations are too many to be judged", round, len(ops))
		}
	}
	t.Logf("%d histories, %d operations", rounds, events)
}

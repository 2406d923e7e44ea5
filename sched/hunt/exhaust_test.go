package hunt

import (
	"fmt"
	"slices"
	"testing"
)

// orders returns all orders of the steps of p with at most depth preemptions, found by going through all choices with a stack of them.
func (p program) orders(depth int) map[string]bool {
	all := map[string]bool{}
	var go_ func(left []int, queue []uint64, running uint64, order []uint64, asked bool, depth int)
	go_ = func(left []int, queue []uint64, running uint64, order []uint64, asked bool, depth int) {
		if running == 0 {
			if len(queue) == 0 {
				all[fmt.Sprint(order)] = true
				return
			}
			for i, g := range queue {
				go_(left, slices.Delete(slices.Clone(queue), i, i+1), g, order, false, depth)
			}
			return
		}
		if !asked && len(queue) > 0 && depth > 0 {
			for i, g := range queue { // it leaves, and another one is next
				rest := append(slices.Delete(slices.Clone(queue), i, i+1), running)
				go_(left, rest, g, order, false, depth-1)
			}
		}
		left = slices.Clone(left)
		order = append(slices.Clone(order), running)
		if left[running-1]--; left[running-1] == 0 {
			running = 0
		}
		go_(left, queue, running, order, false, depth)
	}
	var queue []uint64
	for i := range p.left {
		queue = append(queue, uint64(i+1))
	}
	go_(p.left, queue, 0, nil, false, depth)
	return all
}

// TestExhaust: the seeds below the largest space are all schedules with so few preemptions, and no other one.
func TestExhaust(t *testing.T) {
	for depth := 1; depth <= 2; depth++ {
		p := program{left: [][]int{1: {2, 3, 2}, 2: {4, 4}}[depth]}
		want, got := p.orders(depth), map[string]bool{}
		seed, space := uint64(0), uint64(1)
		for ; seed < space; seed++ {
			var h Hunter
			h.Begin(seed, Exhaust, depth, 0)
			got[fmt.Sprint(p.run(&h, 0))] = true
			space = max(space, h.Space())
			if int(h.Count.Preempts) > depth {
				t.Fatalf("seed %d has %d preemptions, more than %d", seed, h.Count.Preempts, depth)
			}
		}
		t.Logf("depth %d: %d schedules, %d seeds", depth, len(got), seed)
		for order := range want {
			if !got[order] {
				t.Errorf("depth %d: no seed below %d has the order %s", depth, seed, order)
			}
		}
		if len(got) != len(want) || len(want) < 20 {
			t.Errorf("depth %d: %d orders, want %d", depth, len(got), len(want))
		}
	}
}

// TestExhaustTooMany: a program with more points than a preemption may be ahead is not said to be exhausted.
func TestExhaustTooMany(t *testing.T) {
	for steps, many := range map[int]bool{exhaustAhead: false, exhaustAhead + 1: true} { // the last G has no other one beside it
		var h Hunter
		h.Begin(0, Exhaust, 1, 0)
		program{left: []int{steps - 1, 1}}.run(&h, 0)
		if got := h.Space() == MostSpace; got != many {
			t.Errorf("%d points: space %d", steps-1, h.Space())
		}
	}
}

// TestExhaustChance: what is chance in the program is the same for all seeds of exhaust, and no other strategy.
func TestExhaustChance(t *testing.T) {
	if Chance(7, Exhaust) != Chance(8, Exhaust) || Chance(7, 0) == Chance(8, 0) || Chance(7, 1) == Chance(8, 1) {
		t.Error("chance does not follow from the seed, or does for exhaust")
	}
}

package interleave

import (
	"fmt"
	"slices"
	"testing"
)

// copy is a state that may go on by itself.
func (y *state) copy() *state {
	return &state{y.toy, slices.Clone(y.words), slices.Clone(y.regs), slices.Clone(y.pcs), slices.Clone(y.buffers)}
}

// ends are the states in which no thread can go on, of those that can be reached from y: each step of each thread is tried in each state, with no
// search's help. met has the states that were looked at.
func (y *state) ends(met, out map[string]bool) {
	key := fmt.Sprint(y.words, y.regs, y.pcs, y.buffers)
	if met[key] {
		return
	}
	met[key] = true
	over := true
	for i := range 2 * len(y.threads) {
		if y.able(i) {
			over = false
			next := y.copy()
			next.do(i, func(int, bool) {})
			next.ends(met, out)
		}
	}
	if over {
		out[fmt.Sprint(y.words, y.regs, y.pcs)] = true
	}
}

// size is how many steps a toy has.
func (y *toy) size() (n int) {
	for _, t := range y.threads {
		n += len(t)
	}
	return n
}

// What a search by kinds of runs ends with are all states that the program can end in, on random toys that wait for one word or two, take locks, and
// have stores in buffers.
func TestKindsAreAll(t *testing.T) {
	toys, states, runs, pruned, results := 0, 0, 0, 0, 0
	for seed := range uint64(8000) {
		y := random(seed, "lsrawbvkuslbvv", 4)
		if y.size() > 8 {
			continue // some have a hundred thousand kinds
		}
		toys++
		met, want := map[string]bool{}, map[string]bool{}
		newState(y).ends(met, want)
		d := &DPOR{}
		got := y.all(d)
		states += len(met)
		runs += d.Runs
		pruned += d.Pruned
		results += len(want)
		for r := range want {
			if _, ok := got[r]; !ok {
				t.Fatalf("toy %d: %s is missed: %+v", seed, r, y)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("toy %d: %d results, want %d", seed, len(got), len(want))
		}
	}
	t.Logf("%d toys with %d results of %d states by %d runs, and %d that were abandoned", toys, results, states, runs, pruned)
	if pruned > runs {
		t.Errorf("%d runs abandoned for %d", pruned, runs)
	}
}

// Threads that touch no word in common make one run, and n that each load and one that stores make n+1.
func TestKindsAreCounted(t *testing.T) {
	for _, c := range []struct {
		y    *toy
		want int
	}{
		{&toy{words: 3, threads: [][]step{{{'a', 0, 1}, {'a', 0, 1}}, {{'a', 1, 1}, {'a', 1, 1}}, {{'s', 2, 1}, {'l', 2, 0}}}}, 1},
		{&toy{words: 1, threads: [][]step{{{'s', 0, 1}}, {{'l', 0, 0}}}}, 2},
		{&toy{words: 1, threads: [][]step{{{'s', 0, 1}}, {{'l', 0, 0}}, {{'l', 0, 0}}}}, 4},
		{&toy{words: 1, threads: [][]step{{{'a', 0, 1}, {'a', 0, 1}, {'a', 0, 1}}, {{'a', 0, 1}, {'a', 0, 1}, {'a', 0, 1}}}}, 20},
	} {
		d := &DPOR{}
		c.y.all(d)
		if d.Runs != c.want || d.Pruned != 0 {
			t.Errorf("%d runs and %d abandoned, want %d and none: %+v", d.Runs, d.Pruned, c.want, c.y)
		}
	}
}

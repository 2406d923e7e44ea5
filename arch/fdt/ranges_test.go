package fdt

import (
	"math/rand/v2"
	"testing"
)

func TestHas(t *testing.T) {
	var l Ranges
	l.Add(Range{1 << 30, 2 << 30})
	l.Add(Range{3 << 30, 8 << 30})
	for _, c := range []struct {
		r    Range
		want bool
	}{
		{Range{1 << 30, 2 << 30}, true}, {Range{1 << 30, 2<<30 + 1}, false}, {Range{1<<30 - 1, 2 << 30}, false},
		{Range{}, false}, {Range{1 << 30, 1 << 30}, false}, {Range{2 << 30, 1 << 30}, false},
		{Range{3 << 30, 8 << 30}, true}, {Range{3 << 30, 8<<30 + 1}, false}, {Range{3 << 30, 1 << 63}, false},
	} {
		if got := l.Has(c.r); got != c.want {
			t.Errorf("%#x: %v", c.r, got)
		}
	}
}

// TestRanges compares the list with a set of addresses: it holds what was added and not taken out since, each address once. Where it is full,
// it may hold less.
func TestRanges(t *testing.T) {
	const size = 400
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var l Ranges
		var set [size]bool
		full := false
		for range 300 {
			r := Range{rng.Uint64N(size), rng.Uint64N(size)}
			if rng.IntN(3) > 0 {
				r.End = min(r.Start+rng.Uint64N(8), size) // small ones fill the list
			}
			add := rng.IntN(2) == 0
			if add {
				full = !l.Add(r) || full
			} else {
				full = l.n == MaxRAM || full // one that falls in two may lose a part
				l.Cut(r)
			}
			for at := r.Start; at < r.End; at++ {
				set[at] = add
			}
			var held [size]int
			for _, o := range l.All() {
				if o.Start >= o.End {
					t.Fatalf("round %d: an empty range in %v", round, l.All())
				}
				for at := o.Start; at < o.End; at++ {
					held[at]++
				}
			}
			for at, in := range set {
				if held[at] > 1 || held[at] == 1 && !in || held[at] == 0 && in && !full {
					t.Fatalf("round %d: address %d is held %d times, wanted: %v, full: %v: %v", round, at, held[at], in, full, l.All())
				}
			}
		}
	}
}

package hunt

import (
	"slices"
	"testing"
)

// A program is Gs, numbered from 1, that each take steps; a step is done at a point. It is what strategies are tried on here.
type program struct {
	left []int // steps that each G has before it
	spin int   // so many Gs, the first ones, have none: they give way until all others have ended
	slow bool  // the others give way before each step, as those that compute for long
	back bool  // the last ones are the first on the queue
	race func(g uint64)
	told func(Switch)
}

// run has the hunter schedule p, and returns the order of steps; at most bound of them, 0: no bound.
func (p program) run(h *Hunter, bound int) (order []uint64) {
	queue := []uint64{}
	left := slices.Clone(p.left)
	asked := make([]bool, len(left)) // a G left at the point before its next step
	for i := range left {
		queue = append(queue, uint64(i+1))
	}
	if p.back {
		slices.Reverse(queue)
	}
	for len(queue) > 0 && (bound == 0 || len(order) < bound) {
		i := h.Pick(queue, 0)
		g := queue[i]
		if p.told != nil {
			p.told(h.Made)
		}
		queue = slices.Delete(queue, i, i+1)
		h.Changed()
		for {
			if g <= uint64(p.spin) {
				order = append(order, g)
				if !slices.ContainsFunc(queue, func(g uint64) bool { return g > uint64(p.spin) }) {
					return order
				}
				h.Left(g, true)
				queue = append(queue, g)
				break
			}
			if p.slow && !asked[g-1] {
				asked[g-1] = true
				h.Left(g, true)
				queue = append(queue, g)
				break
			}
			if !p.slow && !asked[g-1] && h.Arrive(g, false) && h.Point(g, queue) {
				asked[g-1] = true
				h.Left(g, false)
				queue = append(queue, g)
				break
			}
			asked[g-1] = false
			order = append(order, g)
			if p.race != nil {
				p.race(g)
			}
			if left[g-1]--; left[g-1] == 0 {
				break
			}
		}
	}
	return order
}

// each runs f with every strategy.
func each(t *testing.T, f func(t *testing.T, strategy int)) {
	for s := 1; s < Strategies(); s++ {
		t.Run(Name(s), func(t *testing.T) { f(t, s) })
	}
}

// TestRepeats: a seed is a schedule, and others are other ones.
func TestRepeats(t *testing.T) {
	each(t, func(t *testing.T, strategy int) {
		p := program{left: []int{9, 9, 9, 9, 9}}
		seen := map[uint64]bool{}
		for seed := range uint64(100) {
			var a, b Hunter
			a.Begin(seed, strategy, 0, 0)
			b.Begin(seed, strategy, 0, 1e9)
			if x, y := p.run(&a, 0), p.run(&b, 0); !slices.Equal(x, y) || a.Count != b.Count || len(x) != 45 {
				t.Fatalf("seed %d: %v, then %v", seed, x, y)
			}
			seen[a.Count.Hash] = true
		}
		if len(seen) < 20 && strategy != Exhaust { // of which many seeds are the same schedule
			t.Errorf("100 seeds have %d schedules", len(seen))
		}
	})
}

// TestFinds has each strategy look for an update that gets lost: two Gs load and store, and one must do both between the other's two steps.
func TestFinds(t *testing.T) {
	each(t, func(t *testing.T, strategy int) {
		found := 0
		for seed := range uint64(300) {
			var h Hunter
			h.Begin(seed, strategy, 0, 0)
			n, loaded := 0, map[uint64]int{}
			has := map[uint64]bool{}
			program{left: []int{2, 2}, race: func(g uint64) {
				if has[g] {
					n = loaded[g] + 1
				} else {
					loaded[g], has[g] = n, true
				}
			}}.run(&h, 0)
			if n != 2 {
				found++
			}
		}
		if least := map[bool]int{true: 1, false: 5}[strategy == Exhaust]; found < least {
			t.Errorf("found with %d of 300 seeds", found)
		}
	})
}

// TestFair: Gs that wait in a loop, giving way each time, keep nobody waiting for ever, or for hundreds of their turns: a turn may be a whole slice.
func TestFair(t *testing.T) {
	each(t, func(t *testing.T, strategy int) {
		for seed := range uint64(400) {
			for _, p := range []program{{left: []int{0, 5, 5, 5}, spin: 1}, {left: []int{0, 0, 0, 5}, spin: 3}, {left: []int{0, 0, 5, 5}, spin: 2, slow: true}, {left: []int{0, 0, 5, 5}, spin: 2, back: true}} {
				var h Hunter
				h.Begin(seed, strategy, 0, 0)
				const bound = 400
				if order := p.run(&h, bound); len(order) == bound {
					t.Fatalf("seed %d: after %d steps the others than the first %d have not ended", seed, bound, p.spin)
				}
			}
		}
	})
}

// TestTurn: a G that is picked again goes on in its turn, unless it has given way.
func TestTurn(t *testing.T) {
	var h Hunter
	h.Begin(1, 1, 0, 1000)
	for _, c := range []struct {
		g         uint64
		gave      bool
		now, want int64
	}{{1, false, 1100, 1000}, {1, true, 1200, 1200}, {1, false, 1300, 1200}, {2, false, 1400, 1400}, {2, true, 1500, 1500}, {1, true, 1600, 1600}} {
		h.Left(h.last, c.gave)
		if h.Pick([]uint64{c.g}, c.now); h.Turn() != c.want {
			t.Errorf("at %d, gave way: %v: the turn of G %d began at %d, not %d", c.now, c.gave, c.g, h.Turn(), c.want)
		}
	}
}

// TestTurns: left to itself every strategy but exhaust has its turn, and no number is out of bounds.
func TestTurns(t *testing.T) {
	seen := map[int]bool{}
	for seed := range uint64(50) {
		var h Hunter
		h.Begin(seed, 0, 0, 0)
		seen[h.Strategy()] = true
		h.Begin(seed, Strategies(), MaxDepth+1, 0)
		if h.Strategy() < 1 || h.Strategy() >= Strategies() {
			t.Fatalf("strategy %d", h.Strategy())
		}
		program{left: []int{3, 3}}.run(&h, 0)
	}
	if len(seen) != Strategies()-2 || seen[Exhaust] {
		t.Errorf("50 seeds have %d strategies", len(seen))
	}
}

// TestClock: clock moments come about as often as the seed says, the first one not before that.
func TestClock(t *testing.T) {
	for seed := range uint64(50) {
		var h Hunter
		h.Begin(seed, 1, 0, 1000)
		if h.every == 0 {
			if come, next := h.Clock(1 << 40); come || next != 0 {
				t.Fatalf("seed %d: a clock moment where there are none", seed)
			}
			continue
		}
		const n = 1000
		now, begin := int64(1000), int64(1000)
		for range n {
			come, next := h.Clock(now)
			if come && now == begin || next <= now {
				t.Fatalf("seed %d: at %d: %v, %d", seed, now, come, next)
			}
			now = next
		}
		if mean := uint64(now-begin) / n; mean < h.every*8/10 || mean > h.every*12/10 {
			t.Errorf("seed %d: a mean of %d, not %d", seed, mean, h.every)
		}
	}
}

// TestStall: some seeds have the CPU stand still before some picks, never for long or without end, and the same
// seed always at the same ones. The other decisions of a seed do not depend on it.
func TestStall(t *testing.T) {
	const ms = 1_000_000
	seeds := 0
	for seed := range uint64(400) {
		var h, again, other Hunter
		for _, h := range []*Hunter{&h, &again, &other} {
			h.Begin(seed, 0, 0, 0)
		}
		n := 0
		for range 100 * stallCount {
			is := h.Stall(ms)
			if is != again.Stall(ms) {
				t.Fatalf("seed %d stalls once and not again", seed)
			}
			if is {
				n++
			}
			if h.Stall(stallMost + 1) {
				t.Fatalf("seed %d stalls for too long", seed)
			}
		}
		if n != 0 && n != stallCount {
			t.Errorf("seed %d stalls %d times, at most %d is wanted", seed, n, stallCount)
		}
		if n != 0 {
			seeds++
		}
		if h.next() != other.next() {
			t.Errorf("stalls change the other decisions of seed %d", seed)
		}
		if other.Follow("s1.1"); other.Stall(ms) {
			t.Errorf("seed %d stalls where moves are followed", seed)
		}
	}
	if seeds < 50 || seeds > 150 {
		t.Errorf("%d of 400 seeds have stalls", seeds)
	}
}

// TestNears: of the seeds with moments near points each has one not far from now, and others and moves have none.
func TestNears(t *testing.T) {
	near := 0
	for seed := range uint64(200) {
		var h Hunter
		h.Begin(seed, 0, 0, 0)
		for range 100 {
			if !h.Nears() {
				continue
			}
			near++
			h.Approach(1000)
			if at := h.Due(); at < 1000+32 || at >= 1000+2048 {
				t.Fatalf("seed %d: a moment at %d near 1000", seed, at)
			}
			if come, _ := h.Clock(h.Due()); !come || h.Due() != 0 {
				t.Fatalf("seed %d: the moment does not come, or more than once", seed)
			}
		}
		if h.every != 0 && h.near != 0 {
			t.Errorf("seed %d has both kinds of clock moments", seed)
		}
		h.Follow("s1.1")
		if h.Nears() {
			t.Errorf("seed %d: moves, and another moment", seed)
		}
	}
	if near == 0 {
		t.Error("no seed has moments near points")
	}
}

// TestBehind: a point behind is one of half of the seeds, and all moves count it.
func TestBehind(t *testing.T) {
	half := 0
	for seed := range uint64(200) {
		var h Hunter
		h.Begin(seed, 0, 0, 0)
		if !h.Arrive(1, false) {
			t.Fatalf("seed %d: a point before is none", seed)
		}
		if h.Arrive(1, true) {
			half++
		}
		h.Follow("s1.3")
		if !h.Arrive(1, true) || !h.Point(1, []uint64{2}) {
			t.Fatalf("seed %d: the third point of G 1 is another", seed)
		}
	}
	if half < 70 || half > 130 {
		t.Errorf("%d of 200 seeds have points behind", half)
	}
}

// TestPCTFalls: who fell is below all others, the last one below those before it, and who waits is compared anew once others wait.
func TestPCTFalls(t *testing.T) {
	var h Hunter
	h.Begin(1, 2, 1, 0)
	h.pctFall(1)
	h.pctFall(2)
	h.Changed()
	if got := h.highest([]uint64{2, 1, 3}, (*Hunter).pctAbove); got != 2 {
		t.Errorf("of Gs 2, 1 and 3 number %d is the highest, though 1 and 2 fell", got)
	}
	if !h.fallen(1, []uint64{3}, (*Hunter).pctAbove) || !h.fallen(2, []uint64{3}, (*Hunter).pctAbove) {
		t.Error("who fell is not below G 3")
	}
	h.Changed()
	if h.fallen(1, []uint64{2}, (*Hunter).pctAbove) {
		t.Error("G 1, which fell before G 2, is below it")
	}
}

package lab

import (
	"testing"

	"sched9/trace"
)

func TestSelections(t *testing.T) {
	odd := func(g *trace.Goroutine) bool { return g.ID%2 == 1 }
	for _, c := range []struct {
		name string
		gs   func(*Run) Gs
		want []uint64
	}{
		{"the program's goroutines", func(r *Run) Gs { return r.All() }, []uint64{1, 3, 4, 5, 6, 7}},
		{"the runtime's goroutines", func(r *Run) Gs { return r.System() }, []uint64{2}},
		{"runtime.main", func(r *Run) Gs { return r.Main() }, []uint64{1}},
		{"main.work", func(r *Run) Gs { return r.G("main.work") }, []uint64{3, 4, 5}},
		{"main.share or main.late", func(r *Run) Gs { return r.G("main.share", "main.late") }, []uint64{6, 7}},
		{"main.main", func(r *Run) Gs { return r.G("main.main") }, []uint64{3, 4, 5, 7}},
		{"runtime.sweeper", func(r *Run) Gs { return r.G("runtime.sweeper") }, nil},
		{"main.wrk", func(r *Run) Gs { return r.G("main.wrk") }, nil},
		{"G2 or G6", func(r *Run) Gs { return r.Numbered(2, 6, 99) }, []uint64{2, 6}},
		{"main.work of odd number", func(r *Run) Gs { return r.G("main.work").Where("of odd number", odd) }, []uint64{3, 5}},
		{"the program's goroutines but main.work", func(r *Run) Gs { return r.All().But(r.G("main.work")) }, []uint64{1, 6, 7}},
		{"the first 2 of main.work", func(r *Run) Gs { return r.G("main.work").First(2) }, []uint64{3, 4}},
		{"the first 9 of main.work", func(r *Run) Gs { return r.G("main.work").First(9) }, []uint64{3, 4, 5}},
		{"the first -1 of main.work", func(r *Run) Gs { return r.G("main.work").First(-1) }, nil},
		{"the program's goroutines that ended", func(r *Run) Gs { return r.All().Ended() }, []uint64{3, 4, 5, 6}},
		{"children of runtime.main", func(r *Run) Gs { return r.Main().Children() }, []uint64{2, 3, 4, 5, 6, 7}},
		{"main.work in main.f", func(r *Run) Gs { return r.G("main.work").In("main.f") }, nil},
	} {
		f := &fake{TB: t}
		var gs Gs
		said := f.try(func() { gs = c.gs(tell(f, story)) })
		var ids []uint64
		for _, g := range gs.List() {
			ids = append(ids, g.ID)
		}
		if said != "" || len(ids) != len(c.want) {
			t.Errorf("%s: got %v, want %v; it says %q", c.name, ids, c.want, said)
			continue
		}
		for i := range ids {
			if ids[i] != c.want[i] {
				t.Errorf("%s: got %v, want %v", c.name, ids, c.want)
				break
			}
		}
		if c.name != "G2 or G6" && gs.name != c.name {
			t.Errorf("%s is called %q", c.name, gs.name)
		}
	}
}

// TestNothingSelected: what cannot be measured does not hold.
func TestNothingSelected(t *testing.T) {
	const there = "no goroutine is main.wrk; the program's are: runtime.main (1), main.work (3), main.share (1), main.late (1)"
	none := func(r *Run) Gs { return r.G("main.wrk") }
	check(t, story, []assertion{
		{"none", func(r *Run) { none(r).Count().Is(0) }, nil},
		{"none, some wanted", func(r *Run) { none(r).Count().Is(1) }, []string{"main.wrk: 0 goroutines", there, "exactly 1 is wanted"}},
		{"runs of none", func(r *Run) { none(r).Runs().AtLeast(0) }, []string{there}},
		{"sum of none", func(r *Run) { none(r).Runs().Sum().Is(0) }, []string{there}},
		{"count of none", func(r *Run) { none(r).Runs(Preempted).Count().Is(0) }, []string{there}},
		{"each of none", func(r *Run) { none(r).Each().Ready().Max().AtMost(1) }, []string{there}},
		{"spread of none", func(r *Run) { none(r).Each().Ready().Sum().Spread().AtMost(1) }, []string{there}},
		{"balance of none", func(r *Run) { none(r).Each().Ready().Sum().Balance().AtMost(100) }, []string{there}},
		{"Ms of none", func(r *Run) { none(r).Ms().AtMost(9) }, []string{there}},
		{"at once, of none", func(r *Run) { none(r).Parallel().AtMost(9) }, []string{there}},
		{"order of none", func(r *Run) { none(r).Order().Ascend() }, []string{there}},
		{"order of none, none wanted", func(r *Run) { none(r).Order().Are() }, []string{there}},
		{"overlooked of none", func(r *Run) { none(r).Overlooked().AtMost(1) }, []string{there}},
		{"woken by none of them", func(r *Run) { r.Main().WokenBy(none(r)).Count().Is(0) }, []string{there}},
		{"none woken", func(r *Run) { none(r).WokenBy(r.Main()).Count().Is(0) }, []string{there}},
		{"none before", func(r *Run) { none(r).Before(r.Main()) }, []string{there}},
		{"before none", func(r *Run) { r.Main().Before(none(r)) }, []string{there}},
	})
}

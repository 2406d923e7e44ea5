package lab

import "testing"

func TestCounts(t *testing.T) {
	work := func(r *Run) Gs { return r.G("main.work") }
	check(t, story, []assertion{
		{"count", func(r *Run) { work(r).Count().Is(3); work(r).Each().Count().Is(3) }, nil},
		{"too many", func(r *Run) { work(r).Count().AtMost(2) }, []string{"main.work: 3 goroutines; at most 2 is allowed"}},
		{"Ms and Ps", func(r *Run) { work(r).Ms().Is(2); work(r).Ps().Is(2); work(r).Each().Ps().Between(1, 2) }, nil},
		{"Ms", func(r *Run) { work(r).Ms().Is(3) }, []string{"main.work ran on 2 Ms (2 runs on M0, 3 runs on M1); exactly 3 is wanted"}},
		{"Ps of each", func(r *Run) { work(r).Each().Ps().Is(1) }, []string{"main.work G4 ran on 2 Ps (1 run on P0, 1 run on P1); exactly 1 is wanted"}},
		{"it never ran", func(r *Run) { r.G("main.late").Ms().AtLeast(1) }, []string{"main.late ran on 0 Ms; at least 1 is wanted"}},
		{"moves", func(r *Run) { work(r).Moves().Is(1) }, nil},
		{"too many moves", func(r *Run) { work(r).Each().Moves().Is(0) }, []string{
			"main.work G4 made 1 move between Ps, the first from P0 to P1 at 27.000ms; exactly 0 is wanted"}},
		{"at once", func(r *Run) { work(r).Parallel().Is(2); r.All().Parallel().AtMost(r.Procs()) }, nil},
		{"at once, more", func(r *Run) { work(r).Parallel().Above(2) }, []string{"main.work: 2 runs at once at 12.000ms; more than 2 is wanted"}},
		{"at once, each", func(r *Run) { work(r).Each().Parallel().Below(1) }, []string{"main.work G3: 1 run at once"}},
		{"order", func(r *Run) { work(r).Order().Are(0, 1, 2); work(r).Order().Ascend() }, nil},
		{"order of all", func(r *Run) { r.All().Order().Are(0, 1, 4, 2, 3) }, nil},
		{"another order", func(r *Run) { work(r).Order().Are(2, 0, 1) }, []string{"main.work, runs for the first time: [0 1 2]; exactly [2 0 1] is wanted"}},
		{"no order", func(r *Run) { r.All().Order().Ascend() }, []string{
			"WaitGroup.Go of main.share G6, made as number 4, ran at 10.000ms on M0 P0 for the first time; and then: main.work G4, made as number 2, ran at 12.000ms on M0 P0"}},
		{"order of those that never ran", func(r *Run) { r.G("main.late").Order().Ascend() }, []string{"main.late: no run for the first time"}},
		{"before", func(r *Run) { work(r).First(1).Before(r.G("main.share")); work(r).Before(r.G("main.late")) }, nil},
		{"not before", func(r *Run) { work(r).Before(r.G("main.share")) }, []string{
			"WaitGroup.Go of main.share G6 ran first at 10.000ms, main.work G5 not before 22.000ms; each of main.work is wanted before any of main.share"}},
		{"never before", func(r *Run) { r.G("main.late").Before(work(r)) }, []string{"main.late G7 never ran"}},
	})
}

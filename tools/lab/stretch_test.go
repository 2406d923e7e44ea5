package lab

import (
	"testing"
	"time"
)

func TestStretches(t *testing.T) {
	const ms = time.Millisecond
	work := func(r *Run) Gs { return r.G("main.work") }
	check(t, story, []assertion{
		{"runs", func(r *Run) { work(r).Runs().Between(6*ms, 10*ms) }, nil},
		{"runs too short", func(r *Run) { work(r).Runs().AtLeast(10 * ms) }, []string{
			"main.work G3 ran for 6ms between 20.000ms and 26.000ms on M1 P1; at least 10ms is wanted\n",
			"also: main.work G4 ran for 8ms between 27.000ms and 35.000ms on M1 P1", "also: main.work G5 ran for 8ms"}},
		{"run that goes on, longer than allowed", func(r *Run) { r.Main().Runs().AtMost(13 * ms) }, []string{
			"runtime.main G1 ran for 14ms between 36.000ms and 50.000ms on M1 P1, and still ran at the end of the recording; at most 13ms is allowed"}},
		{"run that goes on, perhaps long enough", func(r *Run) { r.Main().Runs().Max().AtLeast(time.Hour) }, nil},
		{"preempted runs", func(r *Run) { work(r).Runs(Preempted).Is(10 * ms) }, nil},
		{"preempted runs too long", func(r *Run) { work(r).Runs(Preempted).Below(10 * ms) }, []string{
			"main.work G4 ran for 10ms between 12.000ms and 22.000ms on M0 P0 up to a preemption; less than 10ms is allowed"}},
		{"yields", func(r *Run) { work(r).Runs(Yielded).Count().Is(1) }, nil},
		{"too few yields", func(r *Run) { work(r).Runs(Yielded).Count().Is(2) }, []string{
			"main.work: 1 run up to a yield, the first between 9.000ms and 19.000ms on M1 P1 of main.work G3; exactly 2 is wanted"}},
		{"blocks", func(r *Run) { work(r).Runs(Blocking).Count().Is(0); r.Main().Runs(Blocking).Count().Is(2) }, nil},
		{"exits", func(r *Run) { work(r).Each().Runs(Exited).Count().Is(1) }, nil},
		{"exits of what did not end", func(r *Run) { r.All().Each().Runs(Exited).Count().Is(1) }, []string{
			"runtime.main G1: 0 runs up to the exit; exactly 1 is wanted", "also: main.late G7: 0 runs"}},
		{"places", func(r *Run) {
			work(r).Runs(FromRing).Count().Is(3)
			work(r).Runs(FromGlobal).Count().Is(2)
			r.System().Runs(FromSteal).Count().Is(1)
			r.G("main.share").Runs(FromNext, Inherited).Count().Is(1)
			work(r).Runs(Inherited).Count().Is(0)
			work(r).Runs(FromGlobal, Exited).Count().Is(2)
		}, nil},
		{"no such run", func(r *Run) { work(r).Runs(FromSteal).AtMost(time.Hour) }, []string{"main.work: no run from a steal, so there is nothing to measure"}},
		{"no such kind", func(r *Run) { work(r).Runs(Kind(99)).Count().Is(0) }, nil},
		{"ready", func(r *Run) { work(r).Ready().AtMost(17 * ms) }, nil},
		{"ready too long", func(r *Run) { work(r).Ready().AtMost(16 * ms) }, []string{
			"main.work G5 waited 17ms for a CPU between 5.000ms and 22.000ms, and then ran on M0 P0; at most 16ms is allowed"}},
		{"ready at the end", func(r *Run) { r.G("main.late").Ready().AtMost(9 * ms) }, []string{
			"main.late G7 waited 10ms for a CPU between 40.000ms and 50.000ms, and still waited at the end of the recording"}},
		{"ready behind a wrapper", func(r *Run) { r.G("main.share").Ready().AtMost(0) }, []string{"WaitGroup.Go of main.share G6 waited 4ms"}},
		{"blocked", func(r *Run) {
			r.Main().Blocked().Between(8*ms, 14*ms)
			r.Main().Blocked("sleep").Is(8 * ms)
			r.Main().Blocked("chan receive", "sleep").Count().Is(2)
		}, nil},
		{"blocked too short", func(r *Run) { r.Main().Blocked("sleep").AtLeast(9 * ms) }, []string{
			"runtime.main G1 was blocked for 8ms between 27.000ms and 35.000ms (sleep); at least 9ms is wanted"}},
		{"never blocked so", func(r *Run) { r.Main().Blocked("select").Below(time.Hour) }, []string{"runtime.main: no block for select"}},
		{"blocked for ever", func(r *Run) { r.System().Blocked().AtLeast(time.Hour) }, nil},
		{"blocked for too long", func(r *Run) { r.System().Blocked().AtMost(40 * ms) }, []string{
			"runtime.sweeper G2 was blocked for 41ms between 9.000ms and 50.000ms (chan receive), and still blocked at the end of the recording"}},
		{"lives", func(r *Run) { work(r).Lives().Between(23*ms, 31*ms) }, nil},
		{"lives too long", func(r *Run) { work(r).Lives().AtMost(30 * ms) }, []string{"main.work G4 lived for 31ms between 4.000ms and 35.000ms; at most 30ms is allowed"}},
		{"wakes", func(r *Run) { r.Main().Wakes().AtMost(2 * ms); r.Main().Wakes().Count().Is(2) }, nil},
		{"wakes too late", func(r *Run) { r.Main().Wakes().AtMost(1 * ms) }, []string{
			"runtime.main G1 had to wait 2ms after it was woken between 24.000ms and 26.000ms, woken by main.work G3; at most 1ms is allowed"}},
		{"woken by", func(r *Run) { r.Main().WokenBy(work(r)).Count().Is(1); r.Main().WokenByNone().Is(1 * ms) }, nil},
		{"woken by another", func(r *Run) { r.Main().WokenBy(r.G("main.share")).Count().AtLeast(1) }, []string{
			"runtime.main: 0 wake-ups by main.share; at least 1 is wanted"}},
		{"woken by none too often", func(r *Run) { r.Main().WokenByNone().Count().Is(0) }, []string{
			"runtime.main: 1 wake-up by no goroutine, the first between 35.000ms and 36.000ms of runtime.main G1"}},
		{"overlooked", func(r *Run) { work(r).Overlooked().AtMost(3 * ms); work(r).Overlooked().Values() }, nil},
		{"overlooked too long", func(r *Run) { r.All().Overlooked().Below(3 * ms) }, []string{
			"main.late G7 waited 10ms for a CPU while a P was idle between 40.000ms and 50.000ms; less than 3ms is allowed",
			"also: main.work G3 waited 3ms for a CPU while a P was idle between 3.000ms and 6.000ms"}},
	})
}

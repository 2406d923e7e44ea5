package lab

import (
	"testing"
	"time"

	"sched9/record"
)

func TestMachine(t *testing.T) {
	const ms = time.Millisecond
	check(t, story, []assertion{
		{"counts", func(r *Run) {
			r.Steals().Is(1)
			r.Stolen().Is(2)
			r.Overflows().Is(0)
			r.GlobalGets().Is(2)
			r.Events(record.EvIdleP, record.EvBusyP).Is(3)
		}, nil},
		{"steals", func(r *Run) { r.Steals().Is(0) }, []string{"the run has 1 steal, the first at 8.000ms on M1 P1; exactly 0 is wanted"}},
		{"stolen", func(r *Run) { r.Stolen().AtLeast(3) }, []string{"the run has 2 goroutines taken by stealing, the first at 8.000ms on M1 P1; at least 3 is wanted"}},
		{"overflows", func(r *Run) { r.Overflows().AtLeast(1) }, []string{"the run has 0 overflows; at least 1 is wanted"}},
		{"gets", func(r *Run) { r.GlobalGets().Below(2) }, []string{"the run has 2 gets from the global queue, the first at 20.000ms"}},
		{"events", func(r *Run) { r.Events(record.EvHalt).Is(0) }, []string{"the run has 1 event Halt, the first at 31.000ms on M0;"}},
		{"timers", func(r *Run) { r.Timers().AtMost(2 * ms); r.Timers().Count().Is(1) }, nil},
		{"late timers", func(r *Run) { r.Timers().Below(2 * ms) }, []string{"a timer fired 2ms late at 35.000ms on M1 P1; less than 2ms is allowed"}},
		{"stops", func(r *Run) {
			r.Stops().Is(2 * ms)
			r.Stops("GC mark termination").Count().Is(1)
			r.Stops("other").Count().Is(0)
		}, nil},
		{"long stops", func(r *Run) { r.Stops().AtMost(1 * ms) }, []string{
			"runtime.main G1 stopped the world for 2ms between 37.000ms and 39.000ms (GC mark termination); at most 1ms is allowed"}},
		{"waits for stops", func(r *Run) { r.StopWaits().Is(1 * ms) }, nil},
		{"long waits for stops", func(r *Run) { r.StopWaits().Below(1 * ms) }, []string{"runtime.main G1 waited 1ms until the world stood still between 37.000ms and 38.000ms"}},
		{"collections", func(r *Run) { r.Collections().Is(2 * ms) }, nil},
		{"long collections", func(r *Run) { r.Collections().AtMost(1 * ms) }, []string{"the collector worked for 2ms between 37.000ms and 39.000ms"}},
		{"idle", func(r *Run) { r.Idle().Sum().Is(26 * ms) }, nil},
		{"idle too long", func(r *Run) { r.Idle().AtMost(19 * ms) }, []string{
			"a P was idle for 20ms between 30.000ms and 50.000ms on P0, and still idle at the end of the recording; at most 19ms is allowed"}},
		{"halts", func(r *Run) { r.Halts().Count().Is(1) }, nil},
		{"halted too long", func(r *Run) { r.Halts().Below(19 * ms) }, []string{"a vCPU slept for 19ms between 31.000ms and 50.000ms on M0"}},
		{"Ps", func(r *Run) {
			if n := r.Procs(); n != 2 {
				r.t.Errorf("%d Ps", n)
			}
		}, nil},
	})
}

// TestCutOff: a recording that ends in the middle of things.
func TestCutOff(t *testing.T) {
	check(t, []happening{
		{1, 0, 0, record.EvProcs, 0, 3, 0},
		{2, 0, 0, record.EvStop, 0, 1, 0},
		{3, 0, 0, record.EvPhase, 0, 1, 0},
		{9, 0, 0, record.EvTick, 0, 0, 0},
	}, []assertion{
		{"no goroutine", func(r *Run) { r.All().Runs().AtLeast(0) }, []string{"no goroutine is the program's goroutines; the program's are: none"}},
		{"Ps", func(r *Run) { r.Events(record.EvProcs).Is(r.Procs() - 2) }, nil},
		{"stop", func(r *Run) { r.StopWaits().AtMost(6 * time.Millisecond) }, []string{"the scheduler waited 7ms until the world stood still"}},
		{"collection", func(r *Run) { r.Collections().AtMost(5 * time.Millisecond) }, []string{"worked for 6ms between 3.000ms and 9.000ms, and still worked at the end"}},
		{"timers", func(r *Run) { r.Timers().AtMost(time.Hour) }, []string{"the run: no timer, so there is nothing to measure"}},
	})
}

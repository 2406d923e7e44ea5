package main_test

import (
	"testing"
	"time"

	"sched9/tools/lab"
)

// loops are the goroutines that never end, yield or call.
func loops(run *lab.Run) lab.Gs {
	return run.G("main.countForever", "main.sumForever", "main.nothingForever")
}

// TestLoopsGiveWay: only preemption takes a CPU from them [U5, A2], and all make progress [U2].
func TestLoopsGiveWay(t *testing.T) {
	run := lab.Boot(t, ".", lab.VCPUs(4), lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^preempt: done$`)

	forever := loops(run)
	forever.Count().Is(run.Procs() + 2)
	forever.Ended().Count().Is(0)
	forever.Each().Runs(lab.Preempted).Count().AtLeast(1)
	forever.Runs(lab.Yielded).Count().Is(0)
	forever.Runs(lab.Blocking).Count().Is(0)

	others := run.G("main.main").But(forever)
	others.Count().Is(run.Procs() + 1)
	others.Each().Runs().Count().AtLeast(1)
	run.Main().Blocked("sleep").Count().AtLeast(1)
	run.Main().WokenByNone().Count().AtLeast(1)
	run.All().Parallel().Between(2, run.Procs()) // [U3]
}

// TestSlice: on one P, by counted instructions, a slice is 10ms, seen at a tick;
// and a goroutine that is woken runs before each of the others had more than one.
func TestSlice(t *testing.T) {
	const slice = 12 * time.Millisecond // 10, and a tick at either end
	run := lab.Boot(t, ".", lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^preempt: done$`)

	forever := loops(run)
	others := run.G("main.main")
	forever.Count().Is(3)
	others.Count().Is(5)
	forever.Runs().AtMost(slice)
	forever.Runs().Max().AtLeast(slice - 3*time.Millisecond)
	forever.Each().Runs(lab.Preempted).Count().AtLeast(5)
	forever.Each().Runs().Sum().Balance().AtLeast(50)
	run.Main().Wakes().AtMost(5 * slice)
	others.Ready().AtMost(12 * slice)         // those in the global queue give way to the ring's
	run.Timers().AtMost(2 * time.Millisecond) // [S3]: no P is ever idle, so a tick serves them
	run.Steals().Is(0)
}

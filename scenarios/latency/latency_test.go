package main_test

import (
	"testing"
	"time"

	"sched9/tools/lab"
)

const slice = 10 * time.Millisecond

// TestTwoSlices: beside two endless loops per P, a goroutine that becomes runnable has a CPU within
// two slices, in the median [U2]. By counted instructions the vCPUs take turns: each of the three
// others may have one of a slice before a tick is taken, half of it in the mean.
func TestTwoSlices(t *testing.T) {
	run := lab.Boot(t, ".", lab.VCPUs(4), lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^latency: done$`)

	run.G("main.loop").Count().Is(2 * run.Procs())
	run.G("main.loop").Each().Runs(lab.Preempted).Count().AtLeast(1)
	const most = 2*slice + 3*slice/2
	run.G("main.server").Ready().Median().AtMost(most)
	run.Main().Ready().Median().AtMost(most)
	run.G("main.behind").Ready().Median().AtMost(most)
}

// TestExact: on one P all is as exact as the clock: a loop is preempted when its slice ends [A1], a
// timer ends the slice early [T1], and a goroutine that yields waits for one slice of each loop
// [R7].
func TestExact(t *testing.T) {
	run := lab.Boot(t, ".", lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^latency: done$`)

	loops := run.G("main.loop")
	loops.Count().Is(2)
	loops.Runs(lab.Preempted).Max().Between(slice, slice+slice/20)
	run.Timers().AtMost(20 * time.Microsecond)
	run.G("main.server").Ready().AtMost(20 * time.Microsecond)
	run.G("main.behind").Ready().Median().Between(2*slice, 2*slice+slice/20)
}

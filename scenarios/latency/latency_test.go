package main_test

import (
	"testing"
	"time"

	"sched9/tools/lab"
)

// The compiler wraps go statements with arguments: gowrap1 is the server, gowrap2 is behind.
const slice = 10 * time.Millisecond

// TestTwoSlices: beside two endless loops per P, who becomes runnable has a CPU within
// two slices, in the median (U2). By counted instructions the vCPUs take turns.
func TestTwoSlices(t *testing.T) {
	run := lab.Boot(t, ".", lab.VCPUs(4), lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^latency: done$`)

	run.G("main.loop").Count().Is(2 * run.Procs())
	run.G("main.loop").Each().Runs(lab.Preempted).Count().AtLeast(1)
	run.G("main.main.gowrap1").Ready().Median().AtMost(2 * slice)
	run.Main().Ready().Median().AtMost(2 * slice)
	run.G("main.main.gowrap2").Ready().Median().AtMost(2 * slice)
}

// TestExact: on one P all is as exact as the clock: a loop is left when its slice ends
// (A1), a timer ends it early (T1), and who yields waits for one slice of each loop (R7).
func TestExact(t *testing.T) {
	run := lab.Boot(t, ".", lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^latency: done$`)

	loops := run.G("main.loop")
	loops.Count().Is(2)
	loops.Runs(lab.Preempted).Max().Between(slice, slice+slice/20)
	run.Timers().AtMost(20 * time.Microsecond)
	run.G("main.main.gowrap1").Ready().AtMost(20 * time.Microsecond)
	run.G("main.main.gowrap2").Ready().Median().Between(2*slice, 2*slice+slice/20)
}

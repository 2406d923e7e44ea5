package main_test

import (
	"testing"
	"time"

	"sched9/tools/lab"
)

// sleepers is how many goroutines main.crowd makes: idle, and while loops hold
// every P.
const sleepers = 1000 + 100

// TestSleepers: each sleeps once, and a timer wakes it, even while every P is held by a loop [S3].
func TestSleepers(t *testing.T) {
	run := lab.Boot(t, ".", lab.VCPUs(4), lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^timers: done$`)

	crowd := run.G("main.crowd")
	crowd.Count().Is(sleepers)
	crowd.Each().Blocked("sleep").Count().Is(1)
	crowd.Each().WokenByNone().Count().Is(1)
	run.Timers().Count().AtLeast(sleepers)
	run.Timers().AtLeast(0) // [T1]: none fires early

	loops := run.G("main.main.func1")
	loops.Count().Is(run.Procs())
	loops.Runs(lab.Preempted).Count().AtLeast(1)
}

// TestLateness: by counted instructions, a timer is late by the time that it takes to
// serve it, and by a tick at most where loops hold the P.
func TestLateness(t *testing.T) {
	run := lab.Boot(t, ".", lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^timers: done$`)

	run.Timers().Between(0, 2*time.Millisecond)
	run.Timers().Percentile(80).AtMost(50 * time.Microsecond)
	run.G("main.crowd").Blocked("sleep").AtLeast(time.Millisecond)
	run.Halts().Max().AtLeast(20 * time.Millisecond) // [T2]: an idle vCPU sleeps through to the next timer

	// Twenty sleepers with times 10ms apart, the last of 200ms.
	order := run.G("main.order")
	order.Count().Is(20)
	order.Blocked("sleep").Min().Between(9*time.Millisecond, 11*time.Millisecond)
	order.Blocked("sleep").Median().Between(99*time.Millisecond, 101*time.Millisecond)
	order.Blocked("sleep").Max().Between(199*time.Millisecond, 201*time.Millisecond)
	order.WokenByNone().Count().Is(20)
}

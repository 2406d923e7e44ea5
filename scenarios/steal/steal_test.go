package main_test

import (
	"testing"
	"time"

	"sched9/tools/lab"
)

const made = 64 + 20*16 // goroutines: the jobs, and then the rounds of small ones

// TestStealing: main makes every job, so what another P runs it has stolen [R10].
func TestStealing(t *testing.T) {
	run := lab.Boot(t, ".", lab.VCPUs(4), lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^steal: done$`)

	work := run.G("main.share")
	work.Count().AtLeast(made) // the jobs come again until they were shared
	work.But(run.Main().Children()).Count().Is(0)
	work.Each().Runs().Count().AtLeast(1) // [U2]
	work.Ps().Is(4)
	work.Ms().Is(4) // [M8]
	run.Steals().AtLeast(4)
	run.Stolen().AtLeast(8)
	work.Runs(lab.FromSteal).Count().AtLeast(3) // each of the other Ps begins with one
	run.All().Parallel().AtMost(run.Procs())    // [U3]
}

// TestNobodyToStealFrom: one P keeps all work, whatever the number of vCPUs.
func TestNobodyToStealFrom(t *testing.T) {
	run := lab.Boot(t, ".", lab.VCPUs(4), lab.Env("GOMAXPROCS=1"))
	run.Prints(`^steal: done$`)

	work := run.G("main.share")
	work.Count().Is(made)
	work.Each().Runs().Count().AtLeast(1)
	work.Ps().Is(1)
	work.Parallel().Is(1)
	run.Steals().Is(0)
}

// TestNoIdleWhileReady: no goroutine waits long for a CPU while a P is idle; without stealing,
// three Ps would be idle for most of the run. By counted instructions the vCPUs take turns, which
// end with a tick: a wake-up may take two.
func TestNoIdleWhileReady(t *testing.T) {
	run := lab.Boot(t, ".", lab.VCPUs(4), lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^steal: done$`)

	work := run.G("main.share")
	work.Overlooked().AtMost(20 * time.Millisecond)
	work.Ps().Is(4)
	run.Steals().AtLeast(4)
}

// TestAlone: on one vCPU the jobs have their slices in turn.
func TestAlone(t *testing.T) {
	run := lab.Boot(t, ".", lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^steal: done$`)

	jobs := run.G("main.share").First(64)
	jobs.Runs().AtMost(12 * time.Millisecond)              // a slice, and a tick until it is seen
	jobs.Ready().AtMost(64 * 12 * time.Millisecond)        // [U2]: until each of the others had one
	jobs.Each().Runs().Sum().Balance().AtLeast(90)         // the jobs are alike
	run.G("main.share").Each().Runs().Count().AtMost(4)    // only the end of a slice preempts
	run.Main().WokenBy(run.G("main.share")).Count().Is(21) // by the last of each round
}

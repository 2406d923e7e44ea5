package lab_test

import (
	"testing"
	"time"

	"sched9/tools/lab"
)

// TestShare is the worked example of docs/exercises.md, part one: four Ps share
// what one goroutine made.
func TestShare(t *testing.T) {
	run := lab.Boot(t, "testdata/share", lab.VCPUs(4), lab.ICount())
	run.Prints(`^share: done`)

	work := run.G("main.work")
	work.Count().Is(8)
	work.Each().Runs().Count().AtLeast(1)
	work.Ps().AtLeast(2)
	run.Steals().AtLeast(1)
	run.All().Parallel().AtMost(run.Procs())
}

// TestShareOne is part two: one P.
func TestShareOne(t *testing.T) {
	run := lab.Boot(t, "testdata/share", lab.ICount())
	run.Prints(`^share: done`)

	work := run.G("main.work")
	first, last := work.First(7), work.But(work.First(7))
	last.Before(first) // the last one made is in runnext,
	first.Order().Ascend()

	run.Steals().Is(0)
	work.Parallel().Is(1)
	work.Runs().AtMost(12 * time.Millisecond) // a slice is 10ms, a tick 1ms
	work.Each().Runs(lab.Preempted).Count().AtLeast(1)
	work.Ready().AtMost(8 * 12 * time.Millisecond) // until the others had a slice each
	work.Each().Runs().Sum().Balance().AtLeast(95)
	run.Main().WokenBy(work).Count().Is(1)
}

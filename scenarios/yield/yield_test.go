package main_test

import (
	"testing"
	"time"

	"sched9/record"
	"sched9/tools/lab"
)

const (
	yielders = 1000
	turns    = 80
)

// TestTurns: every goroutine yields as often as the program says, and none falls behind [U4, U2],
// not even beside pairs that wake each other for ever [R11].
func TestTurns(t *testing.T) {
	run := lab.Boot(t, ".", lab.VCPUs(4), lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^yield: done$`)

	all := run.G("main.main")
	all.Count().Is(yielders)
	all.Each().Runs(lab.Yielded).Count().Is(turns)
	run.GlobalGets().AtLeast(1) // [R8]: those who yield go there

	pairs := run.G("main.besidePingPong.func1", "main.besidePingPong.func2")
	beside := run.G("main.besidePingPong").But(pairs)
	pairs.Count().Is(2 * run.Procs())
	pairs.Ended().Count().Is(0)
	pairs.WokenBy(pairs).Count().AtLeast(1)
	beside.Count().Is(20)
	beside.Each().Runs(lab.Yielded).Count().Is(2)
}

// TestFair: on one P, by counted instructions, a turn takes the same time for all, and a goroutine
// that yielded is back when the others had their turns.
func TestFair(t *testing.T) {
	run := lab.Boot(t, ".", lab.ICount(), lab.Timeout(2*time.Minute))
	run.Prints(`^yield: done$`)

	all := run.G("main.main")
	round := all.Ready().Median().Values()[0]
	all.Ready().AtMost(4 * round)
	all.Ready().Percentile(99).AtMost(2 * round)
	all.Each().Runs().Sum().Balance().AtLeast(80)
	all.Lives().Balance().AtLeast(80)

	// A pair that wakes each other goes on in one slice [R11]. When that is used up, which a tick mostly sees between two of
	// them, the next of the pair goes to the ring's end, and others have their turn.
	pair := run.G("main.besidePingPong.func1", "main.besidePingPong.func2")
	pair.Runs(lab.Inherited).Count().AtLeast(100)
	// How many slices end there, and how many while one of the pair runs, is a matter of phase, and each image has its own.
	run.Events(record.EvTake).AtLeast(1)
	run.Events(record.EvTake, record.EvPreempt).AtLeast(5)
	run.G("main.besidePingPong").But(pair).Each().Runs(lab.Yielded).Count().Is(2)
}

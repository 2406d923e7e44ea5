// Package lab makes exercises about scheduling, and checks of a scheduler, out
// of ordinary Go tests: a test boots a program on bare metal, records what the
// scheduler did, and asserts over the recording.
//
//	func TestStealing(t *testing.T) {
//		run := lab.Boot(t, ".", lab.VCPUs(4), lab.ICount())
//		run.Prints(`done`)
//		work := run.G("main.work")
//		work.Count().Is(8)
//		work.Ps().AtLeast(2)
//		work.Ready().Percentile(99).Below(20 * time.Millisecond)
//	}
//
// An assertion is a chain of three words. A selection ([Gs]) says of which
// goroutines; a measure ([Measure]) says what of them, and may be reduced to a
// sum, a median and so on; a bound ends the chain, and must hold of every value
// of the measure. A chain that has no bound asserts nothing.
//
// A bound that does not hold is reported with Errorf at the line of the chain,
// and the test goes on: all that is wrong with a run is shown at once. What
// cannot be measured does not hold either: a selection without goroutines,
// or a measure without values, is a failure, save where it is counted.
//
// All times are the guest's, since its boot. The host's clock bounds nothing but
// the run itself. Guest time passes with host time, unless [ICount] makes it
// pass with instructions: then the same run happens every time, and bounds can
// be tight.
package lab

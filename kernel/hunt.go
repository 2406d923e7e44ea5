package kernel

import "sched9/arch"

// What a hunt (package sched/hunt) is to the kernel: options, and what comes of a run that does not end. All of it is called by images
// that are built for hunting only.

// Hunt is what the host wants of the schedule: a seed, and what sched.HuntBegin wants beside. ok is false if nothing is hunted.
func Hunt() (seed uint64, strategy, depth int, limit int64, ok bool) {
	s := Option("hunt")
	if s < 0 {
		return 0, 0, 0, 0, false
	}
	return uint64(s), max(Option("hunthow"), 0), max(Option("huntdepth"), 0), int64(max(Option("huntlimit"), 0)) * 1_000_000, true
}

// HuntSeed makes all random numbers from now on follow from seed.
func HuntSeed(seed uint64) { rng.Store(seed) }

// HuntRandom returns random bits that follow from it.
func HuntRandom() uint64 { return randomBits() }

// HuntOver ends a run whose goroutines have run for longer than they may, and shows where they stand. Interrupt context.
func HuntOver() {
	arch.DisableIRQ()
	claimEnd()
	seize()
	Print("sched9: hunt: no end within ")
	PrintInt(int64(Option("huntlimit")))
	Print("ms of running goroutines\n")
	upDump()
	report(statusOver, false)
	end(statusOver)
}

// statusOver is the status of a run that does not end: the host's for time limits.
const statusOver = 124

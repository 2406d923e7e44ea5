package arch

import "sched9/arch/amd64/step"

// Processors' time-stamp counters run at one rate, but firmware may have set them, and sockets come out of a reset at different times.
// The clock has one offset for all, which the runtime's assembly adds, too. So a counter that is not in step is set.

// What seen of an APArg says. Each side stores it last and reads it first, so the other's ahead, or told, is there.
const (
	stepAnswered = iota // or nothing was asked yet
	stepDone            // set the counter back by ahead, and go on
	stepAsked           // tell the counter
)

// stepTime is how long the counter of a processor is compared with another's, in ns: a hundred rounds of real processors.
const stepTime = 20_000

// inStep returns by how much the counter of the processor that a is for, which waits in tellStep, is ahead of the caller's. The caller's was set
// the same way, so all follow the boot processor's. Interrupts may be on: a round that takes long does no harm.
func inStep(a *APArg) int64 {
	b := step.Unknown()
	for end := Nanotime() + stepTime; Nanotime() < end; {
		before := counter() // has been read when the store is seen
		a.seen.Store(stepAsked)
		for a.seen.Load() != stepAnswered {
			Pause() // the next one, where one thread of QEMU's runs both
		}
		fence()
		b.Add(before, a.told, counter())
	}
	return b.Ahead()
}

// tellStep is the new processor's part of inStep. It returns when its starter has seen it, with its counter in step.
func tellStep(a *APArg) {
	for a.seen.Load() != stepDone {
		if a.seen.Load() == stepAsked {
			fence()
			a.told = counter()
			a.seen.Store(stepAnswered)
		}
		Pause()
	}
	if a.ahead != 0 {
		setBack(a.ahead)
	}
}

// setBack sets this processor's counter back by n, exactly if it has a register for that (SDM 3B, 18.17.3), otherwise by some hundred more.
func setBack(n int64) {
	const has = 1 << 1 // EBX of cpuidMore
	counterSet = true
	if last, _, _, _ := cpuid(cpuidLeaves, 0); last >= cpuidMore {
		if _, b, _, _ := cpuid(cpuidMore, 0); b&has != 0 {
			wrmsr(msrAdjust, rdmsr(msrAdjust)-uint64(n))
			return
		}
	}
	wrmsr(msrCounter, counter()-uint64(n))
}

// counterSet says that a counter was not in step.
var counterSet bool

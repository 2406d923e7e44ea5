package kernel

import (
	"sync/atomic"

	"sched9/arch"
	"sched9/sched"
)

// Machine is the scheduler's machine: M i is processor i.
type Machine struct{}

// CPUs returns the number of processors.
func (Machine) CPUs() int { return numCPU }

// StartM brings up processor m.ID; the runtime makes its own M for it first.
func (Machine) StartM(m *sched.M, p *sched.P) { upStartM(m, p) }

// HaltUntil halts until *word is not 0 or the clock reaches deadline (0: none).
// The window is closed as in futexWait: the last look at *word is with
// interrupts off, and Kick's interrupt then ends the halt.
func (Machine) HaltUntil(word *atomic.Uint32, deadline int64) {
	c := &cpus[arch.ID()]
	for word.Load() == 0 && haltUntil(c, deadline, func() bool { return word.Load() == 0 }) {
	}
}

// Kick ends m's HaltUntil. A processor that is not halted loses some hundred
// instructions by it.
func (Machine) Kick(m *sched.M) {
	sendIPI(int(m.ID), sched.IPIKick)
	arch.Kick(int(m.ID))
}

// Pause spins for about ns nanoseconds.
func (Machine) Pause(ns int64) {
	for end := arch.Nanotime() + ns; arch.Nanotime() < end; {
		arch.Pause()
	}
}

// Now returns the clock.
func (Machine) Now() int64 { return arch.Nanotime() }

// tickNS is the time between two ticks of a processor that runs Gs: a tenth of
// a time slice.
const tickNS = sched.Slice / 10

// TickOn makes sure that this processor's tick runs; called before a G does.
// Scheduler stack.
func TickOn() {
	c := &cpus[arch.ID()]
	if c.ticking {
		// Only this processor's own code and its tick, which runs between
		// two instructions of it, change the field. It turns false only when
		// the processor has no P, which is not so here.
		return
	}
	on := arch.SaveIRQ()
	c.ticking = true
	arch.SetTimer(tickNS)
	arch.RestoreIRQ(on)
}

// trapTimer handles the timer's interrupt. A line that has waited too long for
// its end goes out here, because beside a loop without calls nothing else on
// this processor runs; it does nothing if the console is busy.
func trapTimer(f *arch.Frame) {
	c := &cpus[arch.ID()]
	flushStale()
	if c.ticking {
		c.ticking = upTick(f)
		if c.ticking {
			arch.SetTimer(tickNS)
		}
	}
}

// trapPreempt handles the interrupt that SendPreempt sends.
func trapPreempt(f *arch.Frame) {
	record(sched.EvTakeIPI, 0, uint64(sched.IPIPreempt))
	upPreempt(f)
}

// trapKick handles the interrupt that Kick sends. That a halt has ended is all it
// is for.
func trapKick() { record(sched.EvTakeIPI, 0, uint64(sched.IPIKick)) }

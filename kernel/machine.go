package kernel

import (
	"sched9/arch"
	"sched9/sched"
	"sched9/sched/atomic"
)

// Machine is the scheduler's machine: M i is processor i. The methods are on the pointer,
// because an interface would call those of a value by way of wrappers.
type Machine struct{}

// Processors is the one that there is.
var Processors Machine

// CPUs returns the number of processors.
func (*Machine) CPUs() int { return numCPU }

// StartM brings up processor m.ID; the runtime makes its own M for it first.
func (*Machine) StartM(m *sched.M, p *sched.P) { upStartM(m, p) }

// HaltUntil halts until *word is not 0 or the clock reaches deadline (0: none).
// The window is closed as in futexWait: the last look at *word is with
// interrupts off, and Kick's interrupt then ends the halt.
func (*Machine) HaltUntil(word *atomic.Uint32, deadline int64) {
	c := &cpus[arch.ID()]
	for word.Load() == 0 && haltUntil(c, deadline, func() bool { return word.Load() == 0 }) {
	}
}

// Kick ends m's HaltUntil. A processor that is not halted loses some hundred
// instructions by it.
func (*Machine) Kick(m *sched.M) {
	sendIPI(int(m.ID), sched.IPIKick)
	arch.Kick(int(m.ID))
}

// Pause spins for about ns nanoseconds. It reads the clock all the time, without OSYield's
// instruction: that would often take far longer than what is wanted.
func (*Machine) Pause(ns int64) {
	for end := arch.Nanotime() + ns; arch.Nanotime() < end; {
	}
}

// OSYield executes the instruction for loops that wait. Under QEMU with one thread for
// all processors it ends this one's turn, which may last for milliseconds otherwise.
func (*Machine) OSYield() { arch.Pause() }

// Now returns the clock.
func (*Machine) Now() int64 { return arch.Nanotime() }

// Slice returns the time slice that the host asked for, in nanoseconds, or the usual one.
func Slice() int64 {
	if us := Option("slice"); us > 0 {
		return int64(us) * 1000
	}
	return sched.Slice
}

// TickOn makes sure that processor id, the caller's, will tick; called before a G runs.
// Scheduler stack. It is small enough for the compiler to put it where it is called.
func TickOn(id int32) {
	if cpus[id].tickAt == 0 {
		// Only the processor's own code and its tick, which runs between two
		// instructions of it, change the field. It becomes 0 only when the processor
		// has no P, which is not so here.
		tickOn()
	}
}

// tickOn sets this processor's tick.
func tickOn() { Processors.TickAt(arch.Nanotime() + Slice()) }

// TickAt makes this processor tick at clock when, or earlier.
func (*Machine) TickAt(when int64) {
	c := &cpus[arch.ID()]
	on := arch.SaveIRQ()
	if c.tickAt == 0 || when < c.tickAt {
		c.setTick(when)
	}
	arch.RestoreIRQ(on)
}

// setTick sets the timer for the tick at clock when. On the processor itself,
// interrupts off.
func (c *cpu) setTick(when int64) {
	c.tickAt = when
	arch.SetTimer(when - arch.Nanotime())
}

// trapTimer handles the timer's interrupt. A line that has waited too long for
// its end goes out here, because beside a loop without calls nothing else on
// this processor runs; it does nothing if the console is busy.
func trapTimer(f *arch.Frame) {
	c := &cpus[arch.ID()]
	flushStale()
	if c.tickAt == 0 {
		return
	}
	if next := upTick(f); next != 0 {
		c.setTick(next)
	} else {
		c.tickAt = 0
	}
}

// SendPreempt interrupts processor id, so that it leaves its goroutine.
func SendPreempt(id int) {
	sendIPI(id, sched.IPIPreempt)
	arch.SendPreempt(id)
}

// trapPreempt handles the interrupt that SendPreempt sends.
func trapPreempt(f *arch.Frame) {
	record(sched.EvTakeIPI, 0, uint64(sched.IPIPreempt))
	upPreempt(f)
}

// trapKick handles the interrupt that Kick sends. That a halt has ended is all it
// is for.
func trapKick() { record(sched.EvTakeIPI, 0, uint64(sched.IPIKick)) }

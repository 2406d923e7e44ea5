package kernel

import (
	"sched9/arch"
	"sched9/record"
	"sched9/sched"
	"sched9/sched/atomic"
)

// Machine is the scheduler's machine: M i is processor i. Package sched calls its methods directly
// (sched/bind.go).
type Machine struct{}

var _ sched.Machine = Machine{}

// CPUs returns the number of processors.
func (Machine) CPUs() int { return numCPU }

// StartM brings up processor m.ID; the runtime makes its own M for it first.
func (Machine) StartM(m *sched.M, p *sched.P) { upStartM(m, p) }

// HaltUntil halts processor m.ID, the caller's, until *word is not 0 or the clock reaches
// deadline (0: none). The window is closed as in futexWait: the last look at *word is with
// interrupts off, and Kick's interrupt then ends the halt.
func (Machine) HaltUntil(m *sched.M, word *atomic.Uint32, deadline int64) {
	c := &cpus[m.ID]
	begin := int64(0)
	if sched.Hunting {
		begin = arch.Nanotime()
	}
	for word.Load() == 0 && haltUntil(c, deadline, func() bool { return word.Load() == 0 }) {
	}
	if sched.Hunting {
		if over := upHuntIdle(arch.Nanotime() - begin); over != sched.InTime {
			HuntOver(over)
		}
	}
}

// Kick ends m's HaltUntil. A processor that is not halted loses some hundred
// instructions by it.
func (Machine) Kick(m *sched.M) {
	sendIPI(int(m.ID), record.IPIKick)
	arch.Kick(int(m.ID))
}

// BusyWait spins for about ns nanoseconds. It reads the clock all the time, without OSYield's
// instruction, which would often take far longer than ns.
func (Machine) BusyWait(ns int64) {
	for end := arch.Nanotime() + ns; arch.Nanotime() < end; {
	}
}

// nanosleep holds the processor for ns nanoseconds: the system call. A call of less than
// politeNS is over before its P could be given away, and is as exact as BusyWait; in a longer
// one other processors go first.
func nanosleep(ns int64) {
	const politeNS = 20_000
	if ns < politeNS {
		Machine{}.BusyWait(ns)
		return
	}
	for end := arch.Nanotime() + min(ns, 1<<62); arch.Nanotime() < end; {
		arch.Pause()
	}
}

// OSYield executes the instruction for loops that wait. Under QEMU with one thread for
// all processors it ends this one's turn, which may last for milliseconds otherwise.
func (Machine) OSYield() { arch.Pause() }

// Now returns the clock.
func (Machine) Now() int64 { return arch.Nanotime() }

// Slice returns the time slice that the host asked for, in nanoseconds, or the usual one.
func Slice() int64 {
	if us := Option("slice"); us > 0 {
		return int64(us) * 1000
	}
	return sched.Slice
}

// TickAt makes processor m.ID, the caller's, tick at clock when, or earlier.
func (Machine) TickAt(m *sched.M, when int64) { cpus[m.ID].tickBy(when) }

// TickOff makes processor m.ID, the caller's, tick no more, and returns when it would have; 0:
// not at all.
func (Machine) TickOff(m *sched.M) (when int64) { return cpus[m.ID].tickOff() }

// tickBy is TickAt, tickOff TickOff, on the processor itself.
func (c *cpu) tickBy(when int64) {
	on := arch.SaveIRQ()
	if c.tickAt == 0 || when < c.tickAt {
		c.setTick(when)
	}
	arch.RestoreIRQ(on)
}

// tickOff: see tickBy. The timer may ring once more, without effect. A tick that strikes between
// the load and the store is reported as not yet come.
func (c *cpu) tickOff() (when int64) {
	when = c.tickAt
	c.tickAt = 0
	return when
}

// setTick sets the timer for the tick at clock when, or a sample before it, and returns the clock at which it
// will ring. On the processor itself, interrupts off.
func (c *cpu) setTick(when int64) (rings int64) {
	const least = 1000 // of arch.SetTimer
	now := arch.Nanotime()
	c.tickAt = when
	if at := c.nextSample(now); at != 0 {
		when = min(when, at)
	}
	arch.SetTimer(when - now)
	return max(when, now+least)
}

// trapTimer handles the timer interrupt.
//
// A handler overruns if the tick that it sets is due before it ends: then the interrupt is taken
// again as soon as the handler returns, and the interrupted code executes no instruction. If one
// thread of QEMU's runs all processors in turn, that can go on for ever: setting the timer that
// rings first ends this processor's turn, and the next one may keep its own turn until the timer
// rings (docs/turns.md). So after some overruns in a row, each further one puts the next tick off
// twice as far, until another timer rings first.
func trapTimer(f *arch.Frame) {
	c := &cpus[arch.ID()]
	if c.tickAt == 0 {
		return
	}
	c.trySample(f) // before the tick, which may send f elsewhere
	next := c.tickAt
	if now := arch.Nanotime(); now >= next {
		next = upTick(f, now)
	} // else it rang for a sample, or the deadline of a halt that ended before
	if next == 0 {
		c.tickAt = 0
		return
	}
	if n := c.overruns - fewOverruns; n >= 0 {
		off := arch.Nanotime() + min(Slice()<<n, longestTick)
		next = max(next, off)
		if c.sampleAt != 0 {
			c.sampleAt = max(c.sampleAt, off)
		}
	}
	before := arch.Nanotime()
	rings := c.setTick(next)
	if numCPU > 1 && arch.Nanotime()-before < noTurn {
		arch.Pause()
	}
	if arch.Nanotime() >= rings {
		c.overruns++
	} else {
		c.overruns = 0
	}
}

// noTurn is a time, in nanoseconds, in which a tick is set and nobody else runs. Under -icount setting a timer lets the next processor have its turn
// only if no other timer of the machine rings before: where one always does, as a PC's interval timer may within 28 ms and QEMU's own within 100 ms, a
// processor that computes would have all turns (docs/turns.md). So it gives way then in the other way.
const noTurn = 1000

// fewOverruns is how many in a row may be chance.
const fewOverruns = 3

// longestTick bounds how far overruns put off a tick: beyond QEMU's own 100 ms, after
// which the next processor has its turn in any case.
const longestTick = 200_000_000

// SendPreempt interrupts processor id, so that it leaves its goroutine.
func SendPreempt(id int) {
	sendIPI(id, record.IPIPreempt)
	arch.SendPreempt(id)
}

// trapPreempt handles the interrupt that SendPreempt sends.
func trapPreempt(f *arch.Frame) {
	note(record.EvTakeIPI, 0, uint64(record.IPIPreempt))
	upPreempt(f)
}

// trapKick handles the interrupt that Kick sends. That a halt has ended is all it
// is for.
func trapKick() { note(record.EvTakeIPI, 0, uint64(record.IPIKick)) }

package kernel

import (
	"sched9/arch"
	"sched9/record"
)

// Waiting and waking of whole processors: what futex is to the stock runtime's
// locks and notes. A processor waits on one address at most, so the queue is
// the processors' own records.

// futexWait sleeps while *addr is val, until a wake, or for ns nanoseconds (less than 0: no limit).
// It may return early. Scheduler stack, interrupts on.
//
// No wake-up is lost: we store waits, then read *addr; the waker's caller stores *addr, then the
// waker reads waits. One of the two sees the other's store. After that a pending interrupt keeps
// Halt from sleeping: interrupts are off from before the last look until inside Halt.
//
// If a program calls it, it may last for ever: ticks strike in the halt, and handle the P [S1]. If
// the runtime calls it, for a lock, it is short and ticks could do nothing but come again and
// again; a tick that is due strikes afterwards [S2, T1].
func futexWait(addr uintptr, val uint32, ns int64) (errno int) {
	var deadline int64
	if ns >= 0 {
		deadline = arch.Nanotime() + ns
	}
	if addr%4 != 0 {
		return eINVAL
	}
	c := &cpus[arch.ID()]
	tick := int64(0)
	if !upSyscallBlocks() {
		tick = c.tickOff()
	}
	c.waits.Store(addr)
	var v uint32
	ok := true
	stay := func() bool {
		v, ok = loadWord(addr)
		return ok && v == val && c.waits.Load() == addr
	}
	for stay() {
		if !haltUntil(c, deadline, stay) {
			errno = eTIMEDOUT
			break
		}
	}
	c.waits.Store(0)
	if tick != 0 {
		c.tickBy(tick)
	}
	if !ok {
		errno = eFAULT
	}
	return errno
}

// futexWake wakes up to n processors that wait on addr and returns how many.
func futexWake(addr uintptr, n uint32) (woken uintptr) {
	for id := 0; id < numCPU && woken < uintptr(n); id++ {
		if c := &cpus[id]; c.waits.Load() == addr && c.waits.CompareAndSwap(addr, 0) {
			sendIPI(id, record.IPIKick)
			arch.Kick(id)
			woken++
		}
	}
	return woken
}

// early is how much sooner than a deadline the timer rings, in nanoseconds: more than the interrupt takes, some 400 instructions, and the error of
// QEMU's clock, the instructions from the look at the clock in haltUntil to the halt.
const early = 1500

// haltUntil halts until the next interrupt, if stay is true with interrupts
// off, and at most until deadline (0: none). It reports false if the deadline
// has passed. Interrupts are on, on entry and on return.
//
// The processor has one timer, which is set for the deadline here, or for the tick if that
// comes first. The tick stays as it is: trapTimer sets the timer for it again when it has
// rung for the deadline.
//
// Without a tick the timer is set for a moment before the deadline, and the processor waits for the rest of the time
// itself. So what the interrupt costs is over by then, and how late it came makes no difference (docs/turns.md).
func haltUntil(c *cpu, deadline int64, stay func() bool) bool {
	arch.DisableIRQ()
	now := arch.Nanotime()
	ring := int64(0) // when the timer is to ring, 0: not at all
	if deadline != 0 {
		d := deadline - now
		if d <= 0 {
			arch.EnableIRQ()
			return false
		}
		if d > 2_000_000 {
			// The timer's rate was measured in 10 ms, which is good to about
			// a per cent. Wake that much early and look again: two or three
			// times for a second.
			d -= d >> 6
		}
		ring = now + d
	}
	if c.tickAt != 0 && (ring == 0 || c.tickAt < ring) {
		ring = c.tickAt
	}
	at := uint64(0)
	switch {
	case ring == 0:
		arch.StopTimer()
	case c.tickAt != 0 || ring-now < 2*early:
		arch.SetTimer(ring - now)
	default:
		at = arch.Ahead(ring - now)
		arch.SetTimer(ring - now - early)
	}
	if stay() {
		c.halted.Store(1)
		c.slept.Store(c.slept.Load() - now)
		note(record.EvHalt, uint64(deadline), 0)
		arch.Halt()
		if at != 0 {
			arch.AwaitCounter(at, early)
		}
		note(record.EvHaltEnd, uint64(c.halted.Load()-1), 0)
		c.halted.Store(0)
		awake := arch.Nanotime()
		c.slept.Store(c.slept.Load() + awake)
		if c.sampleAt != 0 {
			c.sampleAt += awake - now
		}
	}
	arch.EnableIRQ()
	return true
}

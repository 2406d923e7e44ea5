package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
)

// Machine is what an M is made of: a virtual CPU on raw hardware, a simulated
// one in the tests. sched calls it on the scheduler's stack, with interrupts
// enabled.
type Machine interface {
	// CPUs returns how many Ms there can ever be, at least 1.
	CPUs() int

	// StartM brings up m's CPU; it will acquire p and call Schedule. The caller has counted m [M8]
	// and gives up p with the call. It must not hold the scheduler lock: an implementation may
	// allocate. StartM does not fail: a CPU that does not come up is a fatal error of the machine.
	StartM(m *M, p *P)

	// HaltUntil lets m, the calling M, sleep until *word is not 0 or the clock reaches
	// deadline (0: none). It may return early. The window between the test of *word
	// and the sleep is closed by the implementation: a Kick that follows
	// the store to *word ends the sleep [M9]. A tick that is set strikes in the sleep
	// too, and ends it.
	HaltUntil(m *M, word *atomic.Uint32, deadline int64)

	// Kick ends a HaltUntil that m is in, or that it is about to enter.
	Kick(m *M)

	// TickAt makes the CPU of m, the calling M, take a tick (Sched.Tick) at clock when, or
	// earlier. Nothing but the tick itself, by its answer, and TickOff make it later.
	TickAt(m *M, when int64)

	// TickOff takes the tick of m, the calling M, away, and returns when it was due, 0: there
	// was none.
	TickOff(m *M) (when int64)

	// BusyWait busy-waits for about ns nanoseconds [R5].
	BusyWait(ns int64)

	// OSYield lets other CPUs go first for a moment, where they share a core or are
	// emulated in turn.
	OSYield()

	// Now returns the clock in nanoseconds; never 0 and never backwards.
	Now() int64

	// Recorder returns M id's recorder, which is ready, or off. Init calls it.
	Recorder(id int32) *record.Recorder
}

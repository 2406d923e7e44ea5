package sched

import "sync/atomic"

// M is a CPU that runs Gs: it needs a P to do so, and sleeps without one.
type M struct {
	// ID is the number of the CPU, set once.
	ID int32

	// Owned by the M itself. An interrupt on this M reads p.
	p        puintptr // the P this M owns, or 0 (P1)
	spinning bool     // looking for work, counted in nmspinning (M2, M3)
	rand     uint32   // state of the random order of stealing

	// Rec is this M's recorder. Set by Init.
	Rec *Recorder

	// link is the next M of the idle list. Guarded by the scheduler lock.
	link muintptr

	// nextp is the P that a parked M is to run when it wakes, as a puintptr.
	// Stored by the waker after spinning and before park (M9).
	nextp atomic.Uintptr
	// park is the token of HaltUntil: set by a waker, cleared by this M.
	park atomic.Uint32

	// Stats are counted by this M alone and read by anybody, as numbers that
	// may be a moment old.
	Stats Stats

	// Lang is the language's own M, opaque here. Set before the M starts.
	Lang uintptr
}

// Stats counts what an M did.
type Stats struct {
	Runs      uint64 // Gs dispatched
	Steals    uint64 // successful steals
	Stolen    uint64 // Gs moved by them
	Globals   uint64 // Gs taken from the global queue
	Overflows uint64 // times half a ring went to the global queue (R6)
	Spins     uint64 // times this M began to spin
	Parks     uint64 // times it parked
	Wakes     uint64 // times it woke another M
	Workers   uint64 // dispatches of the language's own workers
	Ticks     uint64 // timer interrupts while it owned a P
	Preempts  uint64 // slices that a tick found used up
}

// P returns the P that m owns, or nil.
func (m *M) P() *P { return m.p.ptr() }

// Spinning reports whether m looks for work. For dumps.
func (m *M) Spinning() bool { return m.spinning }

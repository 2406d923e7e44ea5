package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
)

// M is a CPU that runs Gs: it needs a P to do so, and sleeps without one.
type M struct {
	// ID is the number of the CPU, set once.
	ID int32

	// p is the P this M owns, or 0, as a puintptr [P1]. Written by the M itself, and
	// while its G is held in a system call by whoever takes the P away [S1].
	p atomic.Uintptr

	// Owned by the M itself.
	spinning bool   // looking for work, counted in nmspinning [M2, M3]
	yields   uint32 // of Gs that gave way
	lent     bool   // it got its P to run others' Gs, though it waited for its own
	LockedGs int32  // how many Gs are tied to it; the runtime counts them
	rand     uint32 // state of the random order of stealing
	lingered int64  // when it last lingered in vain
	looks    int32  // that it has left to linger in this search, lingerAnew: it has slept
	search   uint64 // dispatches before that search

	// Rec is this M's recorder. Set by Init.
	Rec *record.Recorder

	// link is the next M of the idle list, parked whether it is on it [M1]. Guarded
	// by the scheduler lock; parked is read without it as a hint.
	link   muintptr
	parked atomic.Uint32

	// callSince is since when, as far as anybody has noticed, the M's G is in its
	// system call, 0: not noticed. Set by this M, also in an interrupt; cleared by it
	// when the G is back. Read by whoever may take the P [S1].
	callSince atomic.Int64

	// nextp is the P that a parked M is to run when it wakes, as a puintptr.
	// Stored by the waker after spinning and before park [M9].
	nextp atomic.Uintptr
	// park is the token of HaltUntil: set by a waker, cleared by this M.
	park atomic.Uint32

	// lockedq are Gs that are tied to this M and were found by others [M13], nlockedq their
	// number; stopped says that the M waits for one, and runs nothing else. Guarded by
	// the scheduler lock; nlockedq and stopped are read without it as hints.
	lockedq    gList
	nlockedq   atomic.Int32
	lockedWait atomic.Uint32

	// A time slice is one of the M's, with the P that it has, whatever Gs run in it: who takes a P
	// begins one. sliceStart is when the running one began, expired says that it is used up: set by
	// the M's tick, and cleared by the M when the next one begins [R11]. overlooked is since
	// when each tick has seen work that idle Ps should run [S4], 0: the last saw none. All are this
	// M's alone, and its interrupts', which may strike in a system call while the P is taken away.
	sliceStart int64
	slices     int64 // how many of Config's slices it lasts, if the policy says that
	expired    atomic.Uint32
	overlooked int64

	// Level is the policy's own.
	Level atomic.Uint32

	// Stats are counted by this M alone and read by anybody, as numbers that
	// may be a moment old.
	Stats Stats

	// RuntimeM is the runtime's own M, opaque here. Set before the M starts.
	RuntimeM uintptr
}

// P returns the P that m owns, or nil.
func (m *M) P() *P { return puintptr(m.p.Load()).ptr() }

// Asleep reports whether m sleeps without a P. For dumps.
func (m *M) Asleep() bool { return m.parked.Load() != 0 || m.lockedWait.Load() != 0 }

// Spinning reports whether m looks for work. For dumps.
func (m *M) Spinning() bool { return m.spinning }

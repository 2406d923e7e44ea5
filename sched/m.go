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

	// state is what the M does: one of the states below. Written by becomes alone. Read by
	// anybody, as a hint but with the scheduler lock, which whoever falls asleep and whoever
	// wakes it hold.
	state atomic.Uint32

	// Owned by the M itself.
	yields   uint32 // of Gs that gave way
	lent     bool   // it got its P to run others' Gs, though it waited for its own
	LockedGs int32  // how many Gs are tied to it; the runtime counts them
	rand     uint32 // state of the random order of stealing
	lingered int64  // when it last lingered in vain
	looks    int32  // that it has left to linger in this search, lingerAnew: it has slept
	search   uint64 // dispatches before that search

	// Rec is this M's recorder. Set by Init.
	Rec *record.Recorder

	// link is the next M of the idle list [M1]. Guarded by the scheduler lock.
	link muintptr

	// callSince is since when, as far as anybody has noticed, the M's G is in its
	// system call, 0: not noticed. Set by this M, also in an interrupt; cleared by it
	// when the G is back. Read by whoever may take the P [S1].
	callSince atomic.Int64

	// nextp is the P that an M which sleeps is to run when it wakes, as a puintptr.
	// Stored by the waker after state and before park [M9].
	nextp atomic.Uintptr
	// park is the token of HaltUntil: set by a waker, cleared by this M.
	park atomic.Uint32

	// lockedq are Gs that are tied to this M and were found by others [M13], nlockedq their
	// number. Guarded by the scheduler lock; nlockedq is read without it as a hint.
	lockedq  gList
	nlockedq atomic.Int32

	// A time slice is one of the M's, with the P that it has, whatever Gs run in it: who takes a P
	// begins one. sliceStart is when the running one began, expired says that it is used up: set by
	// the M's tick, and cleared by the M when the next one begins [R11]. Both are this
	// M's alone, and its interrupts', which may strike in a system call while the P is taken away.
	sliceStart int64
	slices     int64 // how many of Config's slices it lasts, if the policy says that
	expired    atomic.Uint32

	// Level is the policy's own.
	Level atomic.Uint32

	// Stats are counted by this M alone and read by anybody, as numbers that
	// may be a moment old.
	Stats Stats

	// RuntimeM is the runtime's own M, opaque here. Set before the M starts.
	RuntimeM uintptr
}

// The states of an M. One that is given a P leaves mOff, mIdle or mLockedWait there and then, by the
// hand of whoever gives it, though its CPU may sleep for a while yet.
const (
	mOff        = iota // its CPU was never started
	mForeign           // its CPU runs foreign code, and does not call back just now [M15]
	mRunning           // it has work: a G, a search, a system call, or the way to a P or to sleep
	mSpinning          // it looks for work, and is counted in nmspinning [M2, M3]
	mIdle              // it sleeps on the idle list until somebody gives it a P [M1]
	mLockedWait        // it sleeps until somebody finds a G that is tied to it, and runs nothing else [M13]
	mExited            // it has ended with its G, and its CPU is made like new [M11]
	mStates
)

// edges has, for each state, a bit for each that may follow it.
var edges = [mStates]uint8{
	mOff:        1<<mForeign | 1<<mRunning | 1<<mSpinning,
	mForeign:    1 << mRunning,
	mRunning:    1<<mForeign | 1<<mSpinning | 1<<mIdle | 1<<mLockedWait | 1<<mExited,
	mSpinning:   1 << mRunning,
	mIdle:       1<<mRunning | 1<<mSpinning,
	mLockedWait: 1<<mRunning | 1<<mSpinning,
	mExited:     1 << mRunning,
}

// becomes changes m's state. An M that is awake does so itself. Whoever starts or wakes one
// does it for that, with the scheduler lock, which the M has held as it fell asleep: so no two
// change one state at once.
func (s *Sched) becomes(m *M, state uint32) {
	if edges[m.state.Load()]>>state&1 == 0 {
		s.rt.Throw("M1: an M changes its state in a way that there is not")
	}
	m.state.Store(state)
}

// awake is the state of an M that gets a P, to spin or not.
func awake(spinning bool) uint32 {
	if spinning {
		return mSpinning
	}
	return mRunning
}

// P returns the P that m owns, or nil.
func (m *M) P() *P { return puintptr(m.p.Load()).ptr() }

// Asleep reports whether m sleeps without a P, and nobody has given it one. Any context; a hint.
func (m *M) Asleep() bool {
	state := m.state.Load()
	return state == mIdle || state == mLockedWait
}

// Spinning reports whether m looks for work.
func (m *M) Spinning() bool { return m.state.Load() == mSpinning }

package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
)

// M is a CPU that runs Gs. It needs a P for that, and sleeps without one.
type M struct {
	// ID is the number of the CPU, set once.
	ID int32

	// p is the P that this M owns, or 0, as a puintptr [P1]. Written by the M itself; while its G
	// is held in a system call, by the M that takes the P away [S1].
	p atomic.Uintptr

	// state is the M's state: one of those below. Only becomes writes it. Any M may read it as a
	// hint; it is exact under the scheduler lock, which an M that falls asleep and its waker hold.
	state atomic.Uint32

	// Owned by the M itself.
	yields   uint32 // counts Gs that yielded
	lent     bool   // it waited for a G that is tied to it, and was given a P to run other Gs
	LockedGs int32  // how many Gs are tied to it; the runtime counts them
	rand     uint32 // state of the random order of stealing
	lingered int64  // when it last lingered and found nothing
	looks    int32  // how many looks it has left to linger in this search; lingerAnew: it has slept
	search   uint64 // Stats[Runs] before that search
	ahead    int64  // since when devices have gone before the global queue (devices.go)
	aheadOf  uint64 // Stats[Globals] then: if m has taken from the queue since, ahead says nothing

	// Rec is this M's recorder. Set by Init.
	Rec *record.Recorder

	// link is the next M of the idle list [M1]. Guarded by the scheduler lock.
	link muintptr

	// callSince is when the M's G was first noticed to be in its system call, 0: not noticed. Set
	// by this M, also in an interrupt; cleared by it when the G is back. Read by any M that may
	// take the P [S1].
	callSince atomic.Int64

	// nextp is the P that a sleeping M will run when it wakes, as a puintptr. Stored by the waker
	// after state and before park [M9].
	nextp atomic.Uintptr
	// untimed says that no M slept for the timers when this M was given nextp. Stored by the waker
	// before nextp, read by the M after it.
	untimed bool
	// park is the token of HaltUntil: set by a waker, cleared by this M.
	park atomic.Uint32

	// lockedq holds Gs that are tied to this M and were found by other Ms [M13]; nlockedq is their
	// number. Guarded by the scheduler lock; nlockedq is read without it as a hint.
	lockedq  gList
	nlockedq atomic.Int32

	// A time slice belongs to an M and the P that it has, whichever Gs run in it: an M that
	// acquires a P begins one. sliceStart is when the current slice began. sliceState has the bits
	// below: the M's tick sets sliceUsed, and the M does the rest [R11]. Only this M and its
	// interrupts use these fields. The interrupts may strike in a system call while the P is taken
	// away.
	sliceStart int64
	slices     int64 // its length in Config's slices, if the policy sets it
	sliceState atomic.Uint32

	// Level belongs to the policy.
	Level atomic.Uint32

	// Stats are counted by this M alone and read by any M; the values may be a moment old.
	Stats Stats

	// RuntimeM is the runtime's own M, opaque here. Set before the M starts.
	RuntimeM uintptr
}

// What is unusual about an M's time slice.
const (
	sliceUsed  = 1 << iota // it is used up: the P's runnext does not inherit it, and does not go first
	sliceLeft              // it is over, its last G is on the global queue: what becomes runnext begins a slice
	sliceNext              // sliceLeft, and a runnext is about to do so
	sliceEarly             // it was begun so
)

// The states of an M. The M that gives a P to another changes that M's state from mOff, mIdle or
// mLockedWait at once, though its CPU may sleep for a while yet.
const (
	mOff        = iota // its CPU was never started
	mForeign           // its CPU runs foreign code that is not calling back now [M15]
	mRunning           // it has work: a G, a search, a system call, or the way to a P or to sleep
	mSpinning          // it looks for work, and is counted in nmspinning [M2, M3]
	mIdle              // it sleeps on the idle list until it is given a P [M1]
	mLockedWait        // it sleeps until a G that is tied to it is found, and runs nothing else [M13]
	mExited            // it has ended with its G, and its CPU is made like new [M11]
	mStates
)

// edges has a set of bits for each state: the states that may follow it.
var edges = [mStates]uint8{
	mOff:        1<<mForeign | 1<<mRunning | 1<<mSpinning,
	mForeign:    1 << mRunning,
	mRunning:    1<<mForeign | 1<<mSpinning | 1<<mIdle | 1<<mLockedWait | 1<<mExited,
	mSpinning:   1 << mRunning,
	mIdle:       1<<mRunning | 1<<mSpinning,
	mLockedWait: 1<<mRunning | 1<<mSpinning,
	mExited:     1 << mRunning,
}

// becomes changes m's state. An M that is awake does so itself. An M that starts or wakes another
// does it for that one, holding the scheduler lock, which the other held as it fell asleep. So no
// two Ms change one state at once.
func (s *Sched) becomes(m *M, state uint32) {
	if edges[m.state.Load()]>>(state%8)&1 == 0 {
		s.rt.Throw("M1: an M changes its state in a way that there is not")
	}
	m.state.Store(state)
}

// awake is the state of an M that gets a P.
func awake(spinning bool) uint32 {
	if spinning {
		return mSpinning
	}
	return mRunning
}

// P returns the P that m owns, or nil.
func (m *M) P() *P { return puintptr(m.p.Load()).ptr() }

// Asleep reports whether m sleeps without a P and was not given one. Any context; a hint.
func (m *M) Asleep() bool {
	state := m.state.Load()
	return state == mIdle || state == mLockedWait
}

// Spinning reports whether m is looking for work and counted in nmspinning.
func (m *M) Spinning() bool { return m.state.Load() == mSpinning }

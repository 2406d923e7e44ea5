package sched

import "sched9/sched/atomic"

// P is the right to run Gs, with a queue of runnable ones.
type P struct {
	// ID is the P's number, set once.
	ID int32

	// m is the M that owns this P, as a muintptr, or 0 [P1, P2]. Written by
	// the owner. Thieves and dumps read it as a hint.
	m atomic.Uintptr

	// The ring. Any M advances head with a compare-and-swap; only the owner advances tail [R2, R3].
	// The orderings are argued in ring.go.
	head atomic.Uint32
	tail atomic.Uint32
	ring [RingSize]atomic.Uintptr
	// runnext is a G that goes before the ring [R5]. The owner puts it, any M may take it, each
	// with a compare-and-swap.
	runnext atomic.Uintptr

	// schedtick counts dispatches that began a new time slice [R8]. Written by the owner.
	schedtick uint32
	// used is how much of its slice, in nanoseconds, a P had used when it was stopped with the world
	// while a G was its runnext: its next owner continues with the rest (resumeSlice). Written by the
	// owner, or with the scheduler lock if there is none.
	used int64

	// wiredq holds Gs that are wired to this P and were found by Ms with others [P7]; nwired is their
	// number. Guarded by the scheduler lock; nwired is read without it as a hint.
	wiredq gList
	nwired atomic.Int32

	// link is the next P of the idle list, idle whether it is on it [P2].
	// Guarded by the scheduler lock; idle is read without it as a hint [P6].
	link puintptr
	idle atomic.Uint32

	// RuntimeP is the runtime's own P, opaque here. Set before the P is used.
	RuntimeP uintptr
}

// M returns the M that owns p, or nil.
func (p *P) M() *M { return muintptr(p.m.Load()).ptr() }

// Idle reports whether p is on the idle list.
func (p *P) Idle() bool { return p.idle.Load() != 0 }

// Schedtick returns p's schedtick. For dumps.
func (p *P) Schedtick() uint32 { return p.schedtick }

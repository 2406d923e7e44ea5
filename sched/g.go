package sched

import (
	"sched9/sched/atomic"
	"unsafe"
)

// G is the scheduler's part of a goroutine. It is a field of the runtime's g, which keeps it alive:
// that is why the handles below, which the collector does not see, are safe.
//
// Its 24 bytes are the room that the runtime's g leaves in the allocator's size class. One word more
// would cost each goroutine another 32 bytes.
type G struct {
	// link is the next G of the list that this one is on. Guarded by the list's owner: the
	// scheduler lock for the global queue, the mover for a batch.
	link guintptr

	// queued is not 0 while this G is in a run queue, or an M is moving it between queues [G3]. The M
	// that sets or clears it owns the G's place at that moment; the swap finds a second owner. It is 1,
	// or the auditMark of the last audit that found this G in a queue.
	queued atomic.Uint32

	// Rank belongs to the policy.
	Rank uint32

	// home is the P that this G is wired to [P7], in images where that can be. Stored while the world is stopped, with
	// the scheduler lock, and as the G ends.
	home home

	// ID is the goroutine's number in the runtime, which sets it when it creates the goroutine. For
	// the recorder.
	ID uint64
}

// A guintptr, muintptr or puintptr is a pointer that is hidden from the collector and from write
// barriers: an M without a P stores them, and a write barrier is not allowed there. The things that
// they point to live for ever.
type guintptr uintptr
type muintptr uintptr
type puintptr uintptr

// ptr returns the pointer, nil for 0.
func (h guintptr) ptr() *G { return *(**G)(unsafe.Pointer(&h)) }
func (h muintptr) ptr() *M { return *(**M)(unsafe.Pointer(&h)) }
func (h puintptr) ptr() *P { return *(**P)(unsafe.Pointer(&h)) }

// handleG, handleM and handleP hide a pointer.
func handleG(g *G) guintptr { return guintptr(unsafe.Pointer(g)) }
func handleM(m *M) muintptr { return muintptr(unsafe.Pointer(m)) }
func handleP(p *P) puintptr { return puintptr(unsafe.Pointer(p)) }

// enqueue marks g as queued. [G3]: a G is in at most one queue, so a G that is queued already was
// made runnable twice.
func (s *Sched) enqueue(g *G) {
	if g.queued.Swap(1) != 0 {
		s.rt.Throw("G3: a G was made runnable twice")
	}
}

// dequeue marks g as not queued, for the M that will run it.
func (s *Sched) dequeue(g *G) {
	if g.queued.Swap(0) == 0 {
		s.rt.Throw("G3: a G that was not queued is to run")
	}
}

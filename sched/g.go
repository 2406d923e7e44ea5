package sched

import (
	"sched9/sched/atomic"
	"unsafe"
)

// G is the scheduler's part of a goroutine. The runtime's part lies around
// it (a G is a field of the runtime's g) and keeps it alive: that is why the
// handles below, which a collector does not see, are safe.
type G struct {
	// link is the next G of the list this one is on. Guarded by whoever owns
	// the list: the scheduler lock for the global queue, the mover for a batch.
	link guintptr

	// queued is 1 while this G is in a run queue or in the hands of an M
	// that moves it between queues [G3]. Whoever sets or clears it owns the
	// G's place at that moment; the swap finds the second owner.
	queued atomic.Uint32

	// seen is the last audit that found this G in a queue. The audit's alone.
	seen uint32

	// ID is the runtime's number of the goroutine that this G is. Set by the
	// language when it is created; for the recorder.
	ID uint64

	// Runs counts how often this G was dispatched, LastM says where last.
	// Written by the dispatching M, before the G runs.
	Runs  uint64
	LastM int32

	// Rank is the policy's own.
	Rank uint32

	// Since is when this G last began to wait, by the processor's counter: for what is
	// shown of a hang. Set by the runtime.
	Since uint64
}

// A guintptr, muintptr or puintptr is a pointer that is hidden from the
// collector and from write barriers: an M without a P stores them, and there a
// write barrier is not allowed. What they point to lives for ever.
type guintptr uintptr
type muintptr uintptr
type puintptr uintptr

func (h guintptr) ptr() *G { return *(**G)(unsafe.Pointer(&h)) }
func (h muintptr) ptr() *M { return *(**M)(unsafe.Pointer(&h)) }
func (h puintptr) ptr() *P { return *(**P)(unsafe.Pointer(&h)) }

func handleG(g *G) guintptr { return guintptr(unsafe.Pointer(g)) }
func handleM(m *M) muintptr { return muintptr(unsafe.Pointer(m)) }
func handleP(p *P) puintptr { return puintptr(unsafe.Pointer(p)) }

// enqueue marks g as queued. [G3]: a G is in one queue at most, so finding it
// queued already means that two parties made it runnable.
func (s *Sched) enqueue(g *G) {
	if g.queued.Swap(1) != 0 {
		s.rt.Throw("G3: a G was made runnable twice")
	}
}

// dequeue takes g out of the queues for the M that will run it.
func (s *Sched) dequeue(g *G) {
	if g.queued.Swap(0) != 1 {
		s.rt.Throw("G3: a G that was not queued is to run")
	}
}

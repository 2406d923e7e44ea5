//go:build sched9 && race

package runtime

import (
	nrace "sched9/kernel/race"
	"unsafe"
)

// sched9AtomicSeen does an operation of sync/atomic (zsched9_atomic.go), and the detector sees it.
//
// The operation, its access and its edges are one step under the detector's lock: the order in which others see the operations on an
// address is the order in which the detector sees them. A load acquires, a store releases, what does both has both edges. An exchange
// that did not find what it looked for is a load.
//
// Where the detector is not asked, as on a system stack, in package sync's own parts and on a goroutine's own stack, it is the operation and
// nothing else.
//
//go:nosplit
func sched9AtomicSeen(p unsafe.Pointer, size uintptr, op sched9AtomicOp, a, b uint64) (old uint64) {
	gp := getg()
	if !sched9RaceSees(gp, uintptr(p)) || gp.raceignore != 0 || !sched9Race.Watched(uintptr(p)) {
		return sched9AtomicDo(p, size, op, a, b)
	}
	_ = *(*uint32)(p) // a bad address is the goroutine's fault, here
	systemstack(func() { old = sched9RaceAtomicNote(p, size, op, a, b) })
	return old
}

// sched9RaceAtomicNote is sched9AtomicSeen on the system stack.
func sched9RaceAtomicNote(p unsafe.Pointer, size uintptr, op sched9AtomicOp, a, b uint64) uint64 {
	gp := getg().m.curg
	on := sched9RaceLock.Lock()
	old := sched9AtomicDo(p, size, op, a, b)
	loads, stores := op != sched9AtomicStore, op != sched9AtomicLoad && (op != sched9AtomicCAS || old != 0)
	if loads {
		sched9Race.Acquire(gp.racectx, uintptr(p))
	}
	kind := nrace.Atomic
	if stores {
		kind = nrace.AtomicWrite
	}
	r, found := sched9RaceNoteLocked(gp, uintptr(p), size, kind)
	if stores {
		sched9Race.Release(gp.racectx, uintptr(p), loads)
	}
	sched9RaceLock.Unlock(on)
	if found {
		sched9RaceReport(&r)
	}
	return old
}

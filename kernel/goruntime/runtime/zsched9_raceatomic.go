//go:build sched9 && race

package runtime

import (
	"internal/runtime/atomic"
	nrace "sched9/kernel/race"
	"unsafe"
)

// Package sync/atomic. With -race the compiler makes no instructions of its functions, and these take their places.
//
// The operation, its access and its edges are one step under the detector's lock: the order in which others see the operations on an
// address is the order in which the detector sees them. A load acquires, a store releases, what does both has both edges. An exchange
// that did not find what it looked for is a load.

// sched9RaceOp is what an operation does. With the bits of a word as they are, 32 or 64 of them.
type sched9RaceOp uint8

const (
	sched9RaceLoad sched9RaceOp = iota
	sched9RaceStore
	sched9RaceSwap
	sched9RaceAdd
	sched9RaceAnd
	sched9RaceOr
	sched9RaceCAS
)

// sched9RaceAtomic does an operation with the operands a and b on size bytes, 4 or 8, at p. It returns what was there before; of an
// addition what is there after, of a compare-and-swap whether it was done.
//
// Where the detector is not asked, as on a system stack, in package sync's own parts and on a goroutine's own stack, it is the operation and
// nothing else. When schedules are hunted, another goroutine may be next instead, first.
//
//go:nosplit
func sched9RaceAtomic(p unsafe.Pointer, size uintptr, op sched9RaceOp, a, b uint64) (old uint64) {
	sched9Point()
	gp := getg()
	if !sched9RaceSees(gp, uintptr(p)) || gp.raceignore != 0 || !sched9Race.Watched(uintptr(p)) {
		return sched9RaceDo(p, size, op, a, b)
	}
	_ = *(*uint32)(p) // a bad address is the goroutine's fault, here
	systemstack(func() { old = sched9RaceAtomicNote(p, size, op, a, b) })
	return old
}

// sched9RaceAtomicNote is sched9RaceAtomic on the system stack.
func sched9RaceAtomicNote(p unsafe.Pointer, size uintptr, op sched9RaceOp, a, b uint64) uint64 {
	gp := getg().m.curg
	on := sched9RaceLock.Lock()
	old := sched9RaceDo(p, size, op, a, b)
	loads, stores := op != sched9RaceStore, op != sched9RaceLoad && (op != sched9RaceCAS || old != 0)
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

// sched9RaceDo is the bare operation.
//
//go:nosplit
func sched9RaceDo(p unsafe.Pointer, size uintptr, op sched9RaceOp, a, b uint64) uint64 {
	done := false
	if size == 4 {
		p := (*uint32)(p)
		switch op {
		case sched9RaceLoad:
			return uint64(atomic.Load(p))
		case sched9RaceStore:
			atomic.Store(p, uint32(a))
		case sched9RaceSwap:
			return uint64(atomic.Xchg(p, uint32(a)))
		case sched9RaceAdd:
			return uint64(atomic.Xadd(p, int32(a)))
		case sched9RaceAnd:
			return uint64(atomic.And32(p, uint32(a)))
		case sched9RaceOr:
			return uint64(atomic.Or32(p, uint32(a)))
		case sched9RaceCAS:
			done = atomic.Cas(p, uint32(a), uint32(b))
		}
	} else {
		p := (*uint64)(p)
		switch op {
		case sched9RaceLoad:
			return atomic.Load64(p)
		case sched9RaceStore:
			atomic.Store64(p, a)
		case sched9RaceSwap:
			return atomic.Xchg64(p, a)
		case sched9RaceAdd:
			return atomic.Xadd64(p, int64(a))
		case sched9RaceAnd:
			return atomic.And64(p, a)
		case sched9RaceOr:
			return atomic.Or64(p, a)
		case sched9RaceCAS:
			done = atomic.Cas64(p, a, b)
		}
	}
	if done {
		return 1
	}
	return 0
}

//go:linkname sched9RaceLoadInt32 sync/atomic.LoadInt32
//go:nosplit
func sched9RaceLoadInt32(addr *int32) int32 {
	return int32(sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceLoad, 0, 0))
}

//go:linkname sched9RaceStoreInt32 sync/atomic.StoreInt32
//go:nosplit
func sched9RaceStoreInt32(addr *int32, val int32) {
	sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceStore, uint64(val), 0)
}

//go:linkname sched9RaceSwapInt32 sync/atomic.SwapInt32
//go:nosplit
func sched9RaceSwapInt32(addr *int32, new int32) int32 {
	return int32(sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceSwap, uint64(new), 0))
}

//go:linkname sched9RaceAddInt32 sync/atomic.AddInt32
//go:nosplit
func sched9RaceAddInt32(addr *int32, delta int32) int32 {
	return int32(sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceAdd, uint64(delta), 0))
}

//go:linkname sched9RaceAndInt32 sync/atomic.AndInt32
//go:nosplit
func sched9RaceAndInt32(addr *int32, mask int32) int32 {
	return int32(sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceAnd, uint64(mask), 0))
}

//go:linkname sched9RaceOrInt32 sync/atomic.OrInt32
//go:nosplit
func sched9RaceOrInt32(addr *int32, mask int32) int32 {
	return int32(sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceOr, uint64(mask), 0))
}

//go:linkname sched9RaceCompareAndSwapInt32 sync/atomic.CompareAndSwapInt32
//go:nosplit
func sched9RaceCompareAndSwapInt32(addr *int32, old, new int32) bool {
	return sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceCAS, uint64(old), uint64(new)) != 0
}

//go:linkname sched9RaceLoadUint32 sync/atomic.LoadUint32
//go:nosplit
func sched9RaceLoadUint32(addr *uint32) uint32 {
	return uint32(sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceLoad, 0, 0))
}

//go:linkname sched9RaceStoreUint32 sync/atomic.StoreUint32
//go:nosplit
func sched9RaceStoreUint32(addr *uint32, val uint32) {
	sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceStore, uint64(val), 0)
}

//go:linkname sched9RaceSwapUint32 sync/atomic.SwapUint32
//go:nosplit
func sched9RaceSwapUint32(addr *uint32, new uint32) uint32 {
	return uint32(sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceSwap, uint64(new), 0))
}

//go:linkname sched9RaceAddUint32 sync/atomic.AddUint32
//go:nosplit
func sched9RaceAddUint32(addr *uint32, delta uint32) uint32 {
	return uint32(sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceAdd, uint64(delta), 0))
}

//go:linkname sched9RaceAndUint32 sync/atomic.AndUint32
//go:nosplit
func sched9RaceAndUint32(addr *uint32, mask uint32) uint32 {
	return uint32(sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceAnd, uint64(mask), 0))
}

//go:linkname sched9RaceOrUint32 sync/atomic.OrUint32
//go:nosplit
func sched9RaceOrUint32(addr *uint32, mask uint32) uint32 {
	return uint32(sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceOr, uint64(mask), 0))
}

//go:linkname sched9RaceCompareAndSwapUint32 sync/atomic.CompareAndSwapUint32
//go:nosplit
func sched9RaceCompareAndSwapUint32(addr *uint32, old, new uint32) bool {
	return sched9RaceAtomic(unsafe.Pointer(addr), 4, sched9RaceCAS, uint64(old), uint64(new)) != 0
}

//go:linkname sched9RaceLoadInt64 sync/atomic.LoadInt64
//go:nosplit
func sched9RaceLoadInt64(addr *int64) int64 {
	return int64(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceLoad, 0, 0))
}

//go:linkname sched9RaceStoreInt64 sync/atomic.StoreInt64
//go:nosplit
func sched9RaceStoreInt64(addr *int64, val int64) {
	sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceStore, uint64(val), 0)
}

//go:linkname sched9RaceSwapInt64 sync/atomic.SwapInt64
//go:nosplit
func sched9RaceSwapInt64(addr *int64, new int64) int64 {
	return int64(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceSwap, uint64(new), 0))
}

//go:linkname sched9RaceAddInt64 sync/atomic.AddInt64
//go:nosplit
func sched9RaceAddInt64(addr *int64, delta int64) int64 {
	return int64(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceAdd, uint64(delta), 0))
}

//go:linkname sched9RaceAndInt64 sync/atomic.AndInt64
//go:nosplit
func sched9RaceAndInt64(addr *int64, mask int64) int64 {
	return int64(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceAnd, uint64(mask), 0))
}

//go:linkname sched9RaceOrInt64 sync/atomic.OrInt64
//go:nosplit
func sched9RaceOrInt64(addr *int64, mask int64) int64 {
	return int64(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceOr, uint64(mask), 0))
}

//go:linkname sched9RaceCompareAndSwapInt64 sync/atomic.CompareAndSwapInt64
//go:nosplit
func sched9RaceCompareAndSwapInt64(addr *int64, old, new int64) bool {
	return sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceCAS, uint64(old), uint64(new)) != 0
}

//go:linkname sched9RaceLoadUint64 sync/atomic.LoadUint64
//go:nosplit
func sched9RaceLoadUint64(addr *uint64) uint64 {
	return uint64(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceLoad, 0, 0))
}

//go:linkname sched9RaceStoreUint64 sync/atomic.StoreUint64
//go:nosplit
func sched9RaceStoreUint64(addr *uint64, val uint64) {
	sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceStore, uint64(val), 0)
}

//go:linkname sched9RaceSwapUint64 sync/atomic.SwapUint64
//go:nosplit
func sched9RaceSwapUint64(addr *uint64, new uint64) uint64 {
	return uint64(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceSwap, uint64(new), 0))
}

//go:linkname sched9RaceAddUint64 sync/atomic.AddUint64
//go:nosplit
func sched9RaceAddUint64(addr *uint64, delta uint64) uint64 {
	return uint64(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceAdd, uint64(delta), 0))
}

//go:linkname sched9RaceAndUint64 sync/atomic.AndUint64
//go:nosplit
func sched9RaceAndUint64(addr *uint64, mask uint64) uint64 {
	return uint64(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceAnd, uint64(mask), 0))
}

//go:linkname sched9RaceOrUint64 sync/atomic.OrUint64
//go:nosplit
func sched9RaceOrUint64(addr *uint64, mask uint64) uint64 {
	return uint64(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceOr, uint64(mask), 0))
}

//go:linkname sched9RaceCompareAndSwapUint64 sync/atomic.CompareAndSwapUint64
//go:nosplit
func sched9RaceCompareAndSwapUint64(addr *uint64, old, new uint64) bool {
	return sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceCAS, uint64(old), uint64(new)) != 0
}

//go:linkname sched9RaceLoadUintptr sync/atomic.LoadUintptr
//go:nosplit
func sched9RaceLoadUintptr(addr *uintptr) uintptr {
	return uintptr(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceLoad, 0, 0))
}

//go:linkname sched9RaceStoreUintptr sync/atomic.StoreUintptr
//go:nosplit
func sched9RaceStoreUintptr(addr *uintptr, val uintptr) {
	sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceStore, uint64(val), 0)
}

//go:linkname sched9RaceSwapUintptr sync/atomic.SwapUintptr
//go:nosplit
func sched9RaceSwapUintptr(addr *uintptr, new uintptr) uintptr {
	return uintptr(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceSwap, uint64(new), 0))
}

//go:linkname sched9RaceAddUintptr sync/atomic.AddUintptr
//go:nosplit
func sched9RaceAddUintptr(addr *uintptr, delta uintptr) uintptr {
	return uintptr(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceAdd, uint64(delta), 0))
}

//go:linkname sched9RaceAndUintptr sync/atomic.AndUintptr
//go:nosplit
func sched9RaceAndUintptr(addr *uintptr, mask uintptr) uintptr {
	return uintptr(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceAnd, uint64(mask), 0))
}

//go:linkname sched9RaceOrUintptr sync/atomic.OrUintptr
//go:nosplit
func sched9RaceOrUintptr(addr *uintptr, mask uintptr) uintptr {
	return uintptr(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceOr, uint64(mask), 0))
}

//go:linkname sched9RaceCompareAndSwapUintptr sync/atomic.CompareAndSwapUintptr
//go:nosplit
func sched9RaceCompareAndSwapUintptr(addr *uintptr, old, new uintptr) bool {
	return sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceCAS, uint64(old), uint64(new)) != 0
}

//go:linkname sched9RaceLoadPointer sync/atomic.LoadPointer
//go:nosplit
func sched9RaceLoadPointer(addr *unsafe.Pointer) unsafe.Pointer {
	return unsafe.Pointer(uintptr(sched9RaceAtomic(unsafe.Pointer(addr), 8, sched9RaceLoad, 0, 0)))
}

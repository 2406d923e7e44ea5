//go:build sched9 && (race || sched9hunt)

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// Package sync/atomic, with -race and when schedules are hunted. The compiler makes no instructions of its functions then (it does
// in our own packages), and these take their places: each is a point for the hunter, and the detector sees it.

// sched9AtomicOp is what an operation does. With the bits of a word as they are, 32 or 64 of them.
type sched9AtomicOp uint8

const (
	sched9AtomicLoad sched9AtomicOp = iota
	sched9AtomicStore
	sched9AtomicSwap
	sched9AtomicAdd
	sched9AtomicAnd
	sched9AtomicOr
	sched9AtomicCAS
)

// sched9Atomic does an operation with the operands a and b on size bytes, 4 or 8, at p. It returns what was there before; of an
// addition what is there after, of a compare-and-swap whether it was done. When schedules are hunted another goroutine may be next, before it and
// after it.
//
//go:nosplit
func sched9Atomic(p unsafe.Pointer, size uintptr, op sched9AtomicOp, a, b uint64) (old uint64) {
	sched9Point()
	old = sched9AtomicSeen(p, size, op, a, b)
	sched9Passed()
	return old
}

// Pointers. sched9AtomicStorePointer, sched9AtomicSwapPointer and sched9AtomicCASPointer are the bodies of the functions of atomic_pointer.go. Nobody
// else may be next between a write barrier and its store: a collection could begin, which would know nothing of the barrier. And what was
// loaded is held as a pointer when somebody else is next, or it could be collected.

// sched9AtomicStorePointer: see above.
//
//go:nosplit
func sched9AtomicStorePointer(p *unsafe.Pointer, new unsafe.Pointer) {
	sched9Point()
	sched9AtomicPointer(p, sched9AtomicStore, new, nil, new)
	sched9Passed()
}

// sched9AtomicSwapPointer: see above.
//
//go:nosplit
func sched9AtomicSwapPointer(p *unsafe.Pointer, new unsafe.Pointer) (old unsafe.Pointer) {
	sched9Point()
	old = unsafe.Pointer(sched9AtomicPointer(p, sched9AtomicSwap, new, nil, new))
	sched9Passed()
	return old
}

// sched9AtomicCASPointer: see above.
//
//go:nosplit
func sched9AtomicCASPointer(p *unsafe.Pointer, old, new unsafe.Pointer) (done bool) {
	sched9Point()
	done = sched9AtomicPointer(p, sched9AtomicCAS, old, new, new) != 0
	sched9Passed()
	return done
}

// sched9AtomicLoadPointer: see above.
//
//go:linkname sched9AtomicLoadPointer sync/atomic.LoadPointer
//go:nosplit
func sched9AtomicLoadPointer(p *unsafe.Pointer) (v unsafe.Pointer) {
	sched9Point()
	v = unsafe.Pointer(uintptr(sched9AtomicSeen(unsafe.Pointer(p), goarch.PtrSize, sched9AtomicLoad, 0, 0)))
	sched9Passed()
	return v
}

// sched9AtomicPointer does the operation op on the pointer at p with the operands a and b, which may store new. It is no point.
//
//go:nosplit
func sched9AtomicPointer(p *unsafe.Pointer, op sched9AtomicOp, a, b, new unsafe.Pointer) uintptr {
	if writeBarrier.enabled {
		atomicwb(p, new)
	}
	return uintptr(sched9AtomicSeen(noescape(unsafe.Pointer(p)), goarch.PtrSize, op, uint64(uintptr(a)), uint64(uintptr(b))))
}

// sched9AtomicDo is the bare operation.
//
//go:nosplit
func sched9AtomicDo(p unsafe.Pointer, size uintptr, op sched9AtomicOp, a, b uint64) uint64 {
	done := false
	if size == 4 {
		p := (*uint32)(p)
		switch op {
		case sched9AtomicLoad:
			return uint64(atomic.Load(p))
		case sched9AtomicStore:
			atomic.Store(p, uint32(a))
		case sched9AtomicSwap:
			return uint64(atomic.Xchg(p, uint32(a)))
		case sched9AtomicAdd:
			return uint64(atomic.Xadd(p, int32(a)))
		case sched9AtomicAnd:
			return uint64(atomic.And32(p, uint32(a)))
		case sched9AtomicOr:
			return uint64(atomic.Or32(p, uint32(a)))
		case sched9AtomicCAS:
			done = atomic.Cas(p, uint32(a), uint32(b))
		}
	} else {
		p := (*uint64)(p)
		switch op {
		case sched9AtomicLoad:
			return atomic.Load64(p)
		case sched9AtomicStore:
			atomic.Store64(p, a)
		case sched9AtomicSwap:
			return atomic.Xchg64(p, a)
		case sched9AtomicAdd:
			return atomic.Xadd64(p, int64(a))
		case sched9AtomicAnd:
			return atomic.And64(p, a)
		case sched9AtomicOr:
			return atomic.Or64(p, a)
		case sched9AtomicCAS:
			done = atomic.Cas64(p, a, b)
		}
	}
	if done {
		return 1
	}
	return 0
}

//go:linkname sched9AtomicLoadInt32 sync/atomic.LoadInt32
//go:nosplit
func sched9AtomicLoadInt32(addr *int32) int32 {
	return int32(sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicLoad, 0, 0))
}

//go:linkname sched9AtomicStoreInt32 sync/atomic.StoreInt32
//go:nosplit
func sched9AtomicStoreInt32(addr *int32, val int32) {
	sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicStore, uint64(val), 0)
}

//go:linkname sched9AtomicSwapInt32 sync/atomic.SwapInt32
//go:nosplit
func sched9AtomicSwapInt32(addr *int32, new int32) int32 {
	return int32(sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicSwap, uint64(new), 0))
}

//go:linkname sched9AtomicAddInt32 sync/atomic.AddInt32
//go:nosplit
func sched9AtomicAddInt32(addr *int32, delta int32) int32 {
	return int32(sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicAdd, uint64(delta), 0))
}

//go:linkname sched9AtomicAndInt32 sync/atomic.AndInt32
//go:nosplit
func sched9AtomicAndInt32(addr *int32, mask int32) int32 {
	return int32(sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicAnd, uint64(mask), 0))
}

//go:linkname sched9AtomicOrInt32 sync/atomic.OrInt32
//go:nosplit
func sched9AtomicOrInt32(addr *int32, mask int32) int32 {
	return int32(sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicOr, uint64(mask), 0))
}

//go:linkname sched9AtomicCompareAndSwapInt32 sync/atomic.CompareAndSwapInt32
//go:nosplit
func sched9AtomicCompareAndSwapInt32(addr *int32, old, new int32) bool {
	return sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicCAS, uint64(old), uint64(new)) != 0
}

//go:linkname sched9AtomicLoadUint32 sync/atomic.LoadUint32
//go:nosplit
func sched9AtomicLoadUint32(addr *uint32) uint32 {
	return uint32(sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicLoad, 0, 0))
}

//go:linkname sched9AtomicStoreUint32 sync/atomic.StoreUint32
//go:nosplit
func sched9AtomicStoreUint32(addr *uint32, val uint32) {
	sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicStore, uint64(val), 0)
}

//go:linkname sched9AtomicSwapUint32 sync/atomic.SwapUint32
//go:nosplit
func sched9AtomicSwapUint32(addr *uint32, new uint32) uint32 {
	return uint32(sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicSwap, uint64(new), 0))
}

//go:linkname sched9AtomicAddUint32 sync/atomic.AddUint32
//go:nosplit
func sched9AtomicAddUint32(addr *uint32, delta uint32) uint32 {
	return uint32(sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicAdd, uint64(delta), 0))
}

//go:linkname sched9AtomicAndUint32 sync/atomic.AndUint32
//go:nosplit
func sched9AtomicAndUint32(addr *uint32, mask uint32) uint32 {
	return uint32(sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicAnd, uint64(mask), 0))
}

//go:linkname sched9AtomicOrUint32 sync/atomic.OrUint32
//go:nosplit
func sched9AtomicOrUint32(addr *uint32, mask uint32) uint32 {
	return uint32(sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicOr, uint64(mask), 0))
}

//go:linkname sched9AtomicCompareAndSwapUint32 sync/atomic.CompareAndSwapUint32
//go:nosplit
func sched9AtomicCompareAndSwapUint32(addr *uint32, old, new uint32) bool {
	return sched9Atomic(unsafe.Pointer(addr), 4, sched9AtomicCAS, uint64(old), uint64(new)) != 0
}

//go:linkname sched9AtomicLoadInt64 sync/atomic.LoadInt64
//go:nosplit
func sched9AtomicLoadInt64(addr *int64) int64 {
	return int64(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicLoad, 0, 0))
}

//go:linkname sched9AtomicStoreInt64 sync/atomic.StoreInt64
//go:nosplit
func sched9AtomicStoreInt64(addr *int64, val int64) {
	sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicStore, uint64(val), 0)
}

//go:linkname sched9AtomicSwapInt64 sync/atomic.SwapInt64
//go:nosplit
func sched9AtomicSwapInt64(addr *int64, new int64) int64 {
	return int64(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicSwap, uint64(new), 0))
}

//go:linkname sched9AtomicAddInt64 sync/atomic.AddInt64
//go:nosplit
func sched9AtomicAddInt64(addr *int64, delta int64) int64 {
	return int64(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicAdd, uint64(delta), 0))
}

//go:linkname sched9AtomicAndInt64 sync/atomic.AndInt64
//go:nosplit
func sched9AtomicAndInt64(addr *int64, mask int64) int64 {
	return int64(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicAnd, uint64(mask), 0))
}

//go:linkname sched9AtomicOrInt64 sync/atomic.OrInt64
//go:nosplit
func sched9AtomicOrInt64(addr *int64, mask int64) int64 {
	return int64(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicOr, uint64(mask), 0))
}

//go:linkname sched9AtomicCompareAndSwapInt64 sync/atomic.CompareAndSwapInt64
//go:nosplit
func sched9AtomicCompareAndSwapInt64(addr *int64, old, new int64) bool {
	return sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicCAS, uint64(old), uint64(new)) != 0
}

//go:linkname sched9AtomicLoadUint64 sync/atomic.LoadUint64
//go:nosplit
func sched9AtomicLoadUint64(addr *uint64) uint64 {
	return uint64(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicLoad, 0, 0))
}

//go:linkname sched9AtomicStoreUint64 sync/atomic.StoreUint64
//go:nosplit
func sched9AtomicStoreUint64(addr *uint64, val uint64) {
	sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicStore, uint64(val), 0)
}

//go:linkname sched9AtomicSwapUint64 sync/atomic.SwapUint64
//go:nosplit
func sched9AtomicSwapUint64(addr *uint64, new uint64) uint64 {
	return uint64(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicSwap, uint64(new), 0))
}

//go:linkname sched9AtomicAddUint64 sync/atomic.AddUint64
//go:nosplit
func sched9AtomicAddUint64(addr *uint64, delta uint64) uint64 {
	return uint64(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicAdd, uint64(delta), 0))
}

//go:linkname sched9AtomicAndUint64 sync/atomic.AndUint64
//go:nosplit
func sched9AtomicAndUint64(addr *uint64, mask uint64) uint64 {
	return uint64(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicAnd, uint64(mask), 0))
}

//go:linkname sched9AtomicOrUint64 sync/atomic.OrUint64
//go:nosplit
func sched9AtomicOrUint64(addr *uint64, mask uint64) uint64 {
	return uint64(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicOr, uint64(mask), 0))
}

//go:linkname sched9AtomicCompareAndSwapUint64 sync/atomic.CompareAndSwapUint64
//go:nosplit
func sched9AtomicCompareAndSwapUint64(addr *uint64, old, new uint64) bool {
	return sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicCAS, uint64(old), uint64(new)) != 0
}

//go:linkname sched9AtomicLoadUintptr sync/atomic.LoadUintptr
//go:nosplit
func sched9AtomicLoadUintptr(addr *uintptr) uintptr {
	return uintptr(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicLoad, 0, 0))
}

//go:linkname sched9AtomicStoreUintptr sync/atomic.StoreUintptr
//go:nosplit
func sched9AtomicStoreUintptr(addr *uintptr, val uintptr) {
	sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicStore, uint64(val), 0)
}

//go:linkname sched9AtomicSwapUintptr sync/atomic.SwapUintptr
//go:nosplit
func sched9AtomicSwapUintptr(addr *uintptr, new uintptr) uintptr {
	return uintptr(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicSwap, uint64(new), 0))
}

//go:linkname sched9AtomicAddUintptr sync/atomic.AddUintptr
//go:nosplit
func sched9AtomicAddUintptr(addr *uintptr, delta uintptr) uintptr {
	return uintptr(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicAdd, uint64(delta), 0))
}

//go:linkname sched9AtomicAndUintptr sync/atomic.AndUintptr
//go:nosplit
func sched9AtomicAndUintptr(addr *uintptr, mask uintptr) uintptr {
	return uintptr(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicAnd, uint64(mask), 0))
}

//go:linkname sched9AtomicOrUintptr sync/atomic.OrUintptr
//go:nosplit
func sched9AtomicOrUintptr(addr *uintptr, mask uintptr) uintptr {
	return uintptr(sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicOr, uint64(mask), 0))
}

//go:linkname sched9AtomicCompareAndSwapUintptr sync/atomic.CompareAndSwapUintptr
//go:nosplit
func sched9AtomicCompareAndSwapUintptr(addr *uintptr, old, new uintptr) bool {
	return sched9Atomic(unsafe.Pointer(addr), 8, sched9AtomicCAS, uint64(old), uint64(new)) != 0
}

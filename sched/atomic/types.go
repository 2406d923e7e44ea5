//go:build explore

package atomic

import (
	"sync/atomic"
	"unsafe"
)

// Int32 is atomic.Int32.
type Int32 struct{ w atomic.Int32 }

func (x *Int32) Load() int32        { return load[int32](&x.w, unsafe.Pointer(x)) }
func (x *Int32) Store(v int32)      { store(&x.w, unsafe.Pointer(x), v) }
func (x *Int32) Swap(v int32) int32 { return swap(&x.w, unsafe.Pointer(x), v) }
func (x *Int32) Add(d int32) int32  { return add(&x.w, unsafe.Pointer(x), d) }
func (x *Int32) CompareAndSwap(old, v int32) bool {
	return cas(&x.w, unsafe.Pointer(x), old, v)
}

// Int64 is atomic.Int64.
type Int64 struct{ w atomic.Int64 }

func (x *Int64) Load() int64        { return load[int64](&x.w, unsafe.Pointer(x)) }
func (x *Int64) Store(v int64)      { store(&x.w, unsafe.Pointer(x), v) }
func (x *Int64) Swap(v int64) int64 { return swap(&x.w, unsafe.Pointer(x), v) }
func (x *Int64) Add(d int64) int64  { return add(&x.w, unsafe.Pointer(x), d) }
func (x *Int64) CompareAndSwap(old, v int64) bool {
	return cas(&x.w, unsafe.Pointer(x), old, v)
}

// Uint32 is atomic.Uint32.
type Uint32 struct{ w atomic.Uint32 }

func (x *Uint32) Load() uint32         { return load[uint32](&x.w, unsafe.Pointer(x)) }
func (x *Uint32) Store(v uint32)       { store(&x.w, unsafe.Pointer(x), v) }
func (x *Uint32) Swap(v uint32) uint32 { return swap(&x.w, unsafe.Pointer(x), v) }
func (x *Uint32) Add(d uint32) uint32  { return add(&x.w, unsafe.Pointer(x), d) }
func (x *Uint32) CompareAndSwap(old, v uint32) bool {
	return cas(&x.w, unsafe.Pointer(x), old, v)
}

// Uint64 is atomic.Uint64.
type Uint64 struct{ w atomic.Uint64 }

func (x *Uint64) Load() uint64         { return load[uint64](&x.w, unsafe.Pointer(x)) }
func (x *Uint64) Store(v uint64)       { store(&x.w, unsafe.Pointer(x), v) }
func (x *Uint64) Swap(v uint64) uint64 { return swap(&x.w, unsafe.Pointer(x), v) }
func (x *Uint64) Add(d uint64) uint64  { return add(&x.w, unsafe.Pointer(x), d) }
func (x *Uint64) CompareAndSwap(old, v uint64) bool {
	return cas(&x.w, unsafe.Pointer(x), old, v)
}

// Uintptr is atomic.Uintptr.
type Uintptr struct{ w atomic.Uintptr }

func (x *Uintptr) Load() uintptr          { return load[uintptr](&x.w, unsafe.Pointer(x)) }
func (x *Uintptr) Store(v uintptr)        { store(&x.w, unsafe.Pointer(x), v) }
func (x *Uintptr) Swap(v uintptr) uintptr { return swap(&x.w, unsafe.Pointer(x), v) }
func (x *Uintptr) Add(d uintptr) uintptr  { return add(&x.w, unsafe.Pointer(x), d) }
func (x *Uintptr) CompareAndSwap(old, v uintptr) bool {
	return cas(&x.w, unsafe.Pointer(x), old, v)
}

// Peek is Load that nobody is told of.
func (x *Uintptr) Peek() uintptr { return x.w.Load() }

// Peek is Load that nobody is told of.
func (x *Int32) Peek() int32 { return x.w.Load() }

// Peek is Load that nobody is told of.
func (x *Int64) Peek() int64 { return x.w.Load() }

// Bool is atomic.Bool.
type Bool struct{ w atomic.Uint32 }

// bit is b as a number.
func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func (x *Bool) Load() bool       { return load[uint32](&x.w, unsafe.Pointer(x)) != 0 }
func (x *Bool) Store(v bool)     { store(&x.w, unsafe.Pointer(x), bit(v)) }
func (x *Bool) Swap(v bool) bool { return swap(&x.w, unsafe.Pointer(x), bit(v)) != 0 }
func (x *Bool) CompareAndSwap(old, v bool) bool {
	return cas(&x.w, unsafe.Pointer(x), bit(old), bit(v))
}

// Pointer is atomic.Pointer.
type Pointer[T any] struct{ w atomic.Pointer[T] }

func (x *Pointer[T]) Load() *T {
	before(unsafe.Pointer(x), OpLoad)
	p := x.w.Load()
	after(unsafe.Pointer(x), OpLoad, uint64(uintptr(unsafe.Pointer(p))), 0, false)
	return p
}

func (x *Pointer[T]) Store(p *T) {
	before(unsafe.Pointer(x), OpStore)
	x.w.Store(p)
	after(unsafe.Pointer(x), OpStore, 0, uint64(uintptr(unsafe.Pointer(p))), true)
}

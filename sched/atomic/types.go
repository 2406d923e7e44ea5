//go:build explore

package atomic

import (
	"sync"
	"unsafe"
)

// access makes each access one step where Ms are threads. While hooks are set one M runs at
// a time, and it would only cost.
var access guard

// guard is a mutex that does nothing while hooks are set.
type guard struct{ mu sync.Mutex }

// Lock begins an access.
func (g *guard) Lock() {
	if Before == nil {
		g.mu.Lock()
	}
}

// Unlock ends it.
func (g *guard) Unlock() {
	if Before == nil {
		g.mu.Unlock()
	}
}

// Num is a word that holds a number: what sync/atomic's Int32 and its like are.
type Num[T ~int32 | ~int64 | ~uint32 | ~uint64 | ~uintptr] struct{ v T }

type (
	Int32   = Num[int32]
	Int64   = Num[int64]
	Uint32  = Num[uint32]
	Uint64  = Num[uint64]
	Uintptr = Num[uintptr]
)

// do makes an access: with reads the word and returns the result, the new value, and whether to
// store it.
func (x *Num[T]) do(op Op, with func(v T) (got, put T, write bool)) T {
	before(unsafe.Pointer(x), op)
	access.Lock()
	got, put, write := with(x.v)
	if write {
		x.v = put
	}
	access.Unlock()
	after(unsafe.Pointer(x), op, uint64(got), uint64(put), write)
	return got
}

// Load is sync/atomic's, as are those that follow.
func (x *Num[T]) Load() T {
	return x.do(OpLoad, func(v T) (T, T, bool) { return v, v, false })
}

// Store stores n.
func (x *Num[T]) Store(n T) {
	x.do(OpStore, func(T) (T, T, bool) { return 0, n, true })
}

// Swap stores n and returns the old value.
func (x *Num[T]) Swap(n T) T {
	return x.do(OpSwap, func(v T) (T, T, bool) { return v, n, true })
}

// Add adds d and returns the sum.
func (x *Num[T]) Add(d T) T {
	return x.do(OpAdd, func(v T) (T, T, bool) { return v + d, v + d, true })
}

// Or sets the bits of mask and returns the old value.
func (x *Num[T]) Or(mask T) T {
	return x.do(OpSwap, func(v T) (T, T, bool) { return v, v | mask, true })
}

// CompareAndSwap stores n if old is there, and reports whether it did.
func (x *Num[T]) CompareAndSwap(old, n T) bool {
	return x.do(OpCAS, func(v T) (T, T, bool) {
		if v != old {
			return 0, v, false
		}
		return 1, n, true
	}) != 0
}

// Peek is Load without a call of Before and After.
func (x *Num[T]) Peek() T {
	access.Lock()
	v := x.v
	access.Unlock()
	return v
}

// Bool is sync/atomic's Bool: a word that holds 0 or 1.
type Bool struct{ n Num[uint32] }

// bit is b as a number.
func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// Load is sync/atomic's, as are those that follow.
func (x *Bool) Load() bool { return x.n.Load() != 0 }

// Store stores v.
func (x *Bool) Store(v bool) { x.n.Store(bit(v)) }

// Swap stores v and returns the old value.
func (x *Bool) Swap(v bool) bool { return x.n.Swap(bit(v)) != 0 }

// CompareAndSwap stores v if old is there, and reports whether it did.
func (x *Bool) CompareAndSwap(old, v bool) bool { return x.n.CompareAndSwap(bit(old), bit(v)) }

// Pointer is sync/atomic's Pointer: a word that holds a pointer.
type Pointer[T any] struct{ p *T }

// Load is sync/atomic's, as is Store.
func (x *Pointer[T]) Load() *T {
	before(unsafe.Pointer(x), OpLoad)
	access.Lock()
	p := x.p
	access.Unlock()
	after(unsafe.Pointer(x), OpLoad, uint64(uintptr(unsafe.Pointer(p))), 0, false)
	return p
}

// Store stores p.
func (x *Pointer[T]) Store(p *T) {
	before(unsafe.Pointer(x), OpStore)
	access.Lock()
	x.p = p
	access.Unlock()
	after(unsafe.Pointer(x), OpStore, 0, uint64(uintptr(unsafe.Pointer(p))), true)
}

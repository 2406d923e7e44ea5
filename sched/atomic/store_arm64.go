//go:build !explore

// Package atomic is sync/atomic as the scheduler and the kernel use it, with stores that
// are exchanges: see atomic.go for the package as amd64 has it.
package atomic

import "sync/atomic"

// In the scheduler's protocols each of two sides stores to its own word and then loads the other's,
// and one of the two must see the other's store. sync/atomic promises that: on amd64 its Store is
// an XCHG, on arm64 it is STLR, which a later LDAR does not pass (Arm ARM, B2.3,
// "Barrier-ordered-before"). QEMU's TCG (7.2's translation has a barrier before STLR and one after
// LDAR, none between) lets LDAR pass on hosts with store buffers, such as x86. An exchange is one
// locked instruction there, and on a real processor SWPAL or LDAXR and STLXR: on both, a later load
// is made after it.
//
// So a store here is an exchange, as it is on amd64.

// Bool and the others are sync/atomic's except for Store.
type Bool struct{ atomic.Bool }

// Store sets x to v, and what x's processor loads afterwards it loads later.
func (x *Bool) Store(v bool) { x.Swap(v) }

// Int32: see Bool.
type Int32 struct{ atomic.Int32 }

// Store: see Bool.
func (x *Int32) Store(v int32) { x.Swap(v) }

// Int64: see Bool.
type Int64 struct{ atomic.Int64 }

// Store: see Bool.
func (x *Int64) Store(v int64) { x.Swap(v) }

// Uint32: see Bool.
type Uint32 struct{ atomic.Uint32 }

// Store: see Bool.
func (x *Uint32) Store(v uint32) { x.Swap(v) }

// Uint64: see Bool.
type Uint64 struct{ atomic.Uint64 }

// Store: see Bool.
func (x *Uint64) Store(v uint64) { x.Swap(v) }

// Uintptr: see Bool.
type Uintptr struct{ atomic.Uintptr }

// Store: see Bool.
func (x *Uintptr) Store(v uintptr) { x.Swap(v) }

// Pointer: see Bool.
type Pointer[T any] struct{ atomic.Pointer[T] }

// Store: see Bool.
func (x *Pointer[T]) Store(v *T) { x.Swap(v) }

package arch

import "unsafe"

// Copy moves n bytes from one place to another, in ascending order. It returns how many bytes at
// the end it did not move because an access faulted and Mend was called; this is exact to the byte.
// The places do not overlap. Any stack.
//
//go:noescape
func Copy(to, from unsafe.Pointer, n uintptr) (left uintptr)

// Load reads the aligned word at p, as one access; ok is false if that faulted and Mend was called.
// Later loads are not made before it. Any stack.
//
//go:noescape
func Load(p unsafe.Pointer) (v uint32, ok bool)

package arch

import "unsafe"

// Copy moves n bytes from one place to another, in ascending order, and returns how
// many at the end it did not move: an access faulted and Mend was called. What was
// moved is exact to the byte. The places do not overlap. Any stack.
//
//go:noescape
func Copy(to, from unsafe.Pointer, n uintptr) (left uintptr)

// Load reads the aligned word at p, as one access; ok is false if that faulted and Mend
// was called. What follows it is not seen before it. Any stack.
//
//go:noescape
func Load(p unsafe.Pointer) (v uint32, ok bool)

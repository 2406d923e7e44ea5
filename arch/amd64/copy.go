package amd64

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

// Mend has Copy or Load, if the fault is one of theirs, go on and report it, and
// tells whether it was. Otherwise the frame is unchanged.
func (f *Frame) Mend() bool {
	words, bytes, word := mayFault()
	if pc := f.RIP; pc != words && pc != bytes && pc != word {
		return false
	}
	f.RIP = *(*uintptr)(unsafe.Pointer(f.RSP))
	f.RSP += 8
	return true
}

// mayFault returns the addresses of the instructions that Mend is for.
func mayFault() (words, bytes, word uintptr)

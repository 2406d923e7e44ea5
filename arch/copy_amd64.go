package arch

import "unsafe"

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

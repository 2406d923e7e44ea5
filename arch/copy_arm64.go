package arch

// Mend has Copy or Load, if the fault is one of theirs, go on and report it, and
// tells whether it was. Otherwise the frame is unchanged.
func (f *Frame) Mend() bool {
	const store = 4 // a load is followed by a store
	pairs, bytes, word := mayFault()
	switch f.Next {
	case pairs, pairs + store, bytes, bytes + store, word:
		f.Next = f.R[regLR]
		return true
	}
	return false
}

// mayFault returns the addresses of the instructions that Mend is for.
func mayFault() (pairs, bytes, word uintptr)

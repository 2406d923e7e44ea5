package kernel

// Devices without a device: /dev/null and its kin.

// Their minor numbers, on Linux's major for memory (Documentation/admin-guide/devices.txt).
const (
	charNull    = 3
	charZero    = 5
	charFull    = 7
	charRandom  = 8
	charUrandom = 9

	majorMemory = 1
)

// readChar reads n bytes to p, the program's.
func (f *file) readChar(p, n uintptr) uintptr {
	done := uintptr(0)
	switch f.unit {
	case charNull:
		return 0
	case charZero, charFull:
		done = clearOut(p, n)
	default:
		done = fillRandom(p, n)
	}
	if done == 0 && n > 0 {
		return fail(eFAULT)
	}
	return done
}

// writeChar takes n bytes and forgets them.
func (f *file) writeChar(n uintptr) uintptr {
	if f.unit == charFull && n > 0 {
		return fail(eNOSPC)
	}
	return n
}

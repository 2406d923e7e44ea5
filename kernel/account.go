package kernel

import "unsafe"

// account keeps what a fault is and who called, for a code on the screen that a camera reads: so a person who has no more of the machine than its screen
// can send that on as text. It is used by the processor that ends the run, when it has stopped the others.
var account kept

// kept is the first of what is printed while on is true.
type kept struct {
	on   bool
	n    uintptr
	text [858]byte // as many as a code holds (package qr)
}

// add keeps n bytes at p, if on, as far as there is room.
func (k *kept) add(p, n uintptr) {
	if k.on {
		k.n += uintptr(copy(k.text[k.n:], unsafe.Slice((*byte)(unsafe.Pointer(p)), n)))
	}
}

// show has the screen show it as a code, if there is anything and the screen can.
func (k *kept) show() {
	if k.n > 0 && con.screen.Code != nil {
		con.screen.Code(uintptr(unsafe.Pointer(&k.text)), k.n)
	}
}

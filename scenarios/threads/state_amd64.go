package main

// sse returns the control word of the SIMD unit (MXCSR), with its sticky flags; setSSE sets it. x87
// and setX87 are those of the old unit.
func sse() uint32
func setSSE(v uint32)
func x87() uint16
func setX87(v uint16)

const (
	happened = 0x3f   // the flags
	usualSSE = 0x1f80 // as every program expects it
	otherSSE = 0xff80
	otherX87 = 0x0f7f & mixesX87
	mixesX87 = 0x0f3f // the bits of it that are judged

	otherControl = otherSSE | otherX87<<32
)

// usualControl has what the program began with for the old unit.
var usualControl = usualSSE | uint64(x87()&mixesX87)<<32

// control is both control words.
func control() uint64 { return uint64(sse()&^happened) | uint64(x87()&mixesX87)<<32 }

// setControl sets both.
func setControl(c uint64) {
	setSSE(uint32(c))
	setX87(uint16(c>>32) | x87()&^mixesX87)
}

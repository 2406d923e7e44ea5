// Package pl011 drives a PL011 serial port (Arm DDI 0183): output polled, input by
// interrupts.
package pl011

import (
	"unsafe"

	"sched9/arch"
)

const (
	data       = 0x000
	flags      = 0x018
	line       = 0x02c
	control    = 0x030
	level      = 0x034
	mask       = 0x038
	bits8      = 3 << 5 // of line
	fifoOn     = 1 << 4
	enabled    = 1 | 1<<8 | 1<<9 // of control: port, transmitter, receiver
	empty      = 1 << 4          // of flags: nothing received
	full       = 1 << 5          // no room to send
	busy       = 1 << 3          // something is on its way out
	onReceived = 1<<4 | 1<<6     // of mask: half the queue, or some and then a pause
	half       = 2 << 3          // of level
)

// Attach sets the port to 8 bits, queues, no interrupts, at the rate that the
// firmware chose, and reports whether it is there.
func Attach() bool {
	base := arch.Serial()
	if base == 0 {
		return false
	}
	arch.Write32(base+mask, 0)
	arch.Write32(base+line, bits8|fifoOn)
	arch.Write32(base+level, half)
	arch.Write32(base+control, enabled)
	return true
}

// Present reports whether the port is there, and leaves it as it is.
func Present() bool { return arch.Serial() != 0 }

// Connect has the port's interrupts come to line n, and turns on those for input. It
// reports false if the machine has no way for them. It does nothing to the
// transmitter, which another processor may use at the time.
func Connect(n int) bool {
	if !arch.ConnectSerial(n) {
		return false
	}
	Listen(true)
	return true
}

// Receive returns the next byte that has come in, if there is one.
func Receive() (c byte, ok bool) {
	base := arch.Serial()
	if arch.Read32(base+flags)&empty != 0 {
		return 0, false
	}
	return byte(arch.Read32(base + data)), true
}

// Listen turns interrupts for input on or off. If they were masked while bytes came,
// turning them on interrupts.
func Listen(on bool) {
	v := uint32(0)
	if on {
		v = onReceived
	}
	arch.Write32(arch.Serial()+mask, v)
}

// Write sends as many of n bytes at p as the port has room for, and returns how many. Sent
// reports whether all has left.
func Write(p, n uintptr) (taken uintptr) {
	base := arch.Serial()
	for taken < n && arch.Read32(base+flags)&full == 0 {
		arch.Write32(base+data, uint32(*(*byte)(unsafe.Pointer(p + taken))))
		taken++
	}
	return taken
}

// Sent: see Write.
func Sent() bool { return arch.Read32(arch.Serial()+flags)&busy == 0 }

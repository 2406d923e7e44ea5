// Package uart drives the first 16550 serial port of a PC (National Semiconductor
// PC16550D data sheet): output polled, input by interrupts.
package uart

import (
	"unsafe"

	"sched9/arch"
)

const (
	// Registers, from arch.Serial on.
	data        = 0 // and divisor, low byte
	intEnable   = 1 // and divisor, high byte
	fifoControl = 2
	lineControl = 3
	modem       = 4
	lineStatus  = 5
	scratch     = 7

	divisorAccess = 0x80
	bits8         = 3
	fifoOn        = 7 // enable, clear both
	dtrRTS        = 3
	out2          = 8 // on a PC it lets the port's interrupts through
	thrEmpty      = 0x20
	allSent       = 0x40
	dataReady     = 1
	fifoSize      = 16

	fifoTrigger8 = 0x81 // enabled, clear nothing, interrupt at 8 bytes or a pause
	onReceived   = 1    // of intEnable
)

// read and write access a register.
func read(reg uintptr) uint8     { return arch.Read8(arch.Serial() + reg) }
func write(reg uintptr, v uint8) { arch.Write8(arch.Serial()+reg, v) }

// Attach sets the port to 115,200 baud, 8 bits, no interrupts, and reports
// whether it is there: its scratch register keeps what is written.
func Attach() bool {
	if !Present() {
		return false
	}
	write(intEnable, 0)
	write(lineControl, divisorAccess)
	write(data, 1)
	write(intEnable, 0)
	write(lineControl, bits8)
	write(fifoControl, fifoOn)
	write(modem, dtrRTS)
	return true
}

// Present reports whether the port is there, and leaves it as it is.
func Present() bool {
	write(scratch, 0x5a)
	return read(scratch) == 0x5a
}

// Connect has the port's interrupts come to line, and turns on those for input.
// It reports false if the machine has no way for them. It does nothing to the
// transmitter, which another processor may use at the time.
func Connect(line int) bool {
	if !arch.ConnectSerial(line) {
		return false
	}
	write(fifoControl, fifoTrigger8)
	write(modem, dtrRTS|out2)
	Listen(true)
	return true
}

// Receive returns the next byte that has come in, if there is one.
func Receive() (c byte, ok bool) {
	if read(lineStatus)&dataReady == 0 {
		return 0, false
	}
	return read(data), true
}

// Listen turns interrupts for input on or off. If bytes are there already, turning
// them on interrupts.
func Listen(on bool) {
	v := uint8(0)
	if on {
		v = onReceived
	}
	write(intEnable, v)
}

// Write sends as many of n bytes at p as the port has room for, and returns how many. Sent
// reports whether all has left.
func Write(p, n uintptr) (taken uintptr) {
	if read(lineStatus)&thrEmpty == 0 {
		return 0
	}
	for taken < min(n, fifoSize) {
		write(data, *(*byte)(unsafe.Pointer(p + taken)))
		taken++
	}
	return taken
}

// Sent: see Write.
func Sent() bool { return read(lineStatus)&allSent != 0 }

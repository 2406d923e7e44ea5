// Package uart drives the 16550 serial ports of a PC (National Semiconductor
// PC16550D data sheet): output polled, input of the console's by interrupts.
package uart

import (
	"unsafe"

	"sched9/arch"
)

const (
	// Registers, from a port's base on.
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

// The second and third port, where every PC that has them has them. The host tool's Bochs has: for what a
// debugcon takes in QEMU.
const (
	com2 = 0x2f8
	com3 = 0x3e8
)

// read and write access a register of the console's port.
func read(reg uintptr) uint8     { return arch.Read8(arch.Serial() + reg) }
func write(reg uintptr, v uint8) { arch.Write8(arch.Serial()+reg, v) }

// Attach sets the console's port to its terminal's speed, 115,200 baud if nobody tells, to 8 bits and no interrupts, and reports
// whether it is there: its scratch register keeps what is written.
func Attach() bool { return attach(arch.Serial(), arch.SerialDivisor()) }

// AttachErrors and AttachReport are Attach for the second port and the third, at 115,200 baud.
func AttachErrors() bool { return attach(com2, 1) }
func AttachReport() bool { return attach(com3, 1) }

// attach is Attach for the port at base, with its divisor; 0: as it is.
func attach(base uintptr, divisor uint16) bool {
	if !present(base) {
		return false
	}
	arch.Write8(base+intEnable, 0)
	if divisor != 0 {
		arch.Write8(base+lineControl, divisorAccess)
		arch.Write8(base+data, uint8(divisor))
		arch.Write8(base+intEnable, uint8(divisor>>8))
	}
	arch.Write8(base+lineControl, bits8)
	arch.Write8(base+fifoControl, fifoOn)
	arch.Write8(base+modem, dtrRTS)
	return true
}

// Present reports whether the console's port is there, and leaves it as it is.
func Present() bool { return present(arch.Serial()) }

// present is Present for the port at base.
func present(base uintptr) bool {
	arch.Write8(base+scratch, 0x5a)
	return arch.Read8(base+scratch) == 0x5a
}

// Connect has the console's port's interrupts come to line, and turns on those for input.
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

// Write sends as many of n bytes at p as the console's port has room for, and returns how many. Sent
// reports whether all has left. WriteErrors and WriteReport, SentErrors and SentReport are for the other two.
func Write(p, n uintptr) (taken uintptr)       { return send(arch.Serial(), p, n) }
func WriteErrors(p, n uintptr) (taken uintptr) { return send(com2, p, n) }
func WriteReport(p, n uintptr) (taken uintptr) { return send(com3, p, n) }

// Sent, SentErrors, SentReport: see Write.
func Sent() bool       { return sent(arch.Serial()) }
func SentErrors() bool { return sent(com2) }
func SentReport() bool { return sent(com3) }

// send is Write for the port at base.
func send(base, p, n uintptr) (taken uintptr) {
	if arch.Read8(base+lineStatus)&thrEmpty == 0 {
		return 0
	}
	for taken < min(n, fifoSize) {
		arch.Write8(base+data, *(*byte)(unsafe.Pointer(p + taken)))
		taken++
	}
	return taken
}

// sent is Sent for the port at base.
func sent(base uintptr) bool { return arch.Read8(base+lineStatus)&allSent != 0 }

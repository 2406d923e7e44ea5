// Package uart drives the first 16550 serial port of a PC (National Semiconductor
// PC16550D data sheet): output polled, input by interrupts.
package uart

import (
	"unsafe"

	"sched9/arch/amd64"
)

const (
	com1 = 0x3f8

	data        = com1 + 0 // and divisor, low byte
	intEnable   = com1 + 1 // and divisor, high byte
	fifoControl = com1 + 2
	lineControl = com1 + 3
	modem       = com1 + 4
	lineStatus  = com1 + 5
	scratch     = com1 + 7

	divisorAccess = 0x80
	bits8         = 3
	fifoOn        = 7 // enable, clear both
	dtrRTS        = 3
	out2          = 8 // on a PC it lets the port's interrupts through
	thrEmpty      = 0x20
	dataReady     = 1
	fifoSize      = 16

	fifoTrigger8 = 0x81 // enabled, clear nothing, interrupt at 8 bytes or a pause
	onReceived   = 1    // of intEnable
	irq          = 4    // of the ISA bus
)

// Attach sets the port to 115,200 baud, 8 bits, no interrupts, and reports
// whether it is there: its scratch register keeps what is written.
func Attach() bool {
	if !Present() {
		return false
	}
	amd64.Out8(intEnable, 0)
	amd64.Out8(lineControl, divisorAccess)
	amd64.Out8(data, 1)
	amd64.Out8(intEnable, 0)
	amd64.Out8(lineControl, bits8)
	amd64.Out8(fifoControl, fifoOn)
	amd64.Out8(modem, dtrRTS)
	return true
}

// Present reports whether the port is there, and leaves it as it is.
func Present() bool {
	amd64.Out8(scratch, 0x5a)
	return amd64.In8(scratch) == 0x5a
}

// Connect has the port's interrupts come to line, and turns on those for input.
// It reports false if the machine has no way for them. It does nothing to the
// transmitter, which another processor may use at the time.
func Connect(line int) bool {
	if !amd64.ConnectISA(irq, line) {
		return false
	}
	amd64.Out8(fifoControl, fifoTrigger8)
	amd64.Out8(modem, dtrRTS|out2)
	Listen(true)
	return true
}

// Receive returns the next byte that has come in, if there is one.
func Receive() (c byte, ok bool) {
	if amd64.In8(lineStatus)&dataReady == 0 {
		return 0, false
	}
	return amd64.In8(data), true
}

// Listen turns interrupts for input on or off. If bytes are there already, turning
// them on interrupts.
func Listen(on bool) {
	v := uint8(0)
	if on {
		v = onReceived
	}
	amd64.Out8(intEnable, v)
}

// Write sends n bytes at p. A port that stays busy loses the rest of them
// rather than hang the machine.
func Write(p, n uintptr) {
	for i := uintptr(0); i < n; i++ {
		if i%fifoSize == 0 && !ready() {
			return
		}
		amd64.Out8(data, *(*byte)(unsafe.Pointer(p + i)))
	}
}

// ready waits until the transmitter's queue is empty.
func ready() bool {
	for try := 0; try < 1<<22; try++ {
		if amd64.In8(lineStatus)&thrEmpty != 0 {
			return true
		}
		amd64.Pause()
	}
	return false
}

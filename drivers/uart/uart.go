// Package uart drives the first 16550 serial port of a PC, polled (National
// Semiconductor PC16550D data sheet).
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
	thrEmpty      = 0x20
	fifoSize      = 16
)

// Attach sets the port to 115,200 baud, 8 bits, no interrupts, and reports
// whether it is there: its scratch register keeps what is written.
func Attach() bool {
	amd64.Out8(scratch, 0x5a)
	if amd64.In8(scratch) != 0x5a {
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

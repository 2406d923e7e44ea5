// Package miniuart drives the mini UART of a BCM2835 and its successors (BCM2835 ARM Peripherals, 2.2), a 16550 with registers of 32 bits
// and a clock of its own: output polled, input by interrupts.
package miniuart

import (
	"unsafe"

	"sched9/arch"
)

const (
	data      = 0x00
	interrupt = 0x04
	fifo      = 0x08
	line      = 0x0c
	status    = 0x14
	control   = 0x20

	// enable is a register of the page that the port is in, for it and two more devices.
	page      = 1<<12 - 1
	enable    = 0x04
	enableOne = 1

	bits8      = 3      // of line; the manual's list of errors says that it is two bits
	clearFIFOs = 3 << 1 // of fifo
	onReceived = 1      // of interrupt
	both       = 3      // of control: receiver, transmitter
	ready      = 1 << 0 // of status: a byte has come
	room       = 1 << 5
	idle       = 1 << 6
)

// Attach sets the port to 8 bits and no interrupts, at the rate that the firmware chose, and reports whether it is there and the machine's
// console.
func Attach() bool { return arch.Serial() == 0 && attach() }

// AttachReport is Attach where the console is another port.
func AttachReport() bool { return arch.Serial() != 0 && attach() }

// attach is Attach, whatever the console is.
func attach() bool {
	base := arch.MiniUART()
	if base == 0 {
		return false
	}
	on := base&^page + enable
	arch.Write32(on, arch.Read32(on)|enableOne)
	arch.Write32(base+interrupt, 0)
	arch.Write32(base+line, bits8)
	arch.Write32(base+fifo, clearFIFOs)
	arch.Write32(base+control, both)
	return true
}

// Present reports whether the port is there, and leaves it as it is. It is asked only where no PL011 is the console.
func Present() bool { return arch.MiniUART() != 0 }

// Connect has the port's interrupts come to line n, and turns on those for input. It reports false if the machine has no way for them.
func Connect(n int) bool {
	if !arch.ConnectSerial(n) {
		return false
	}
	Listen(true)
	return true
}

// Receive returns the next byte that has come in, if there is one.
func Receive() (c byte, ok bool) {
	base := arch.MiniUART()
	if arch.Read32(base+status)&ready == 0 {
		return 0, false
	}
	return byte(arch.Read32(base + data)), true
}

// Listen turns interrupts for input on or off. If bytes are there already, turning them on interrupts.
func Listen(on bool) {
	v := uint32(0)
	if on {
		v = onReceived
	}
	arch.Write32(arch.MiniUART()+interrupt, v)
}

// Write sends as many of n bytes at p as the port has room for, and returns how many. Sent
// reports whether all has left.
func Write(p, n uintptr) (taken uintptr) {
	base := arch.MiniUART()
	for taken < n && arch.Read32(base+status)&room != 0 {
		arch.Write32(base+data, uint32(*(*byte)(unsafe.Pointer(p + taken))))
		taken++
	}
	return taken
}

// Sent: see Write.
func Sent() bool { return arch.Read32(arch.MiniUART()+status)&idle != 0 }

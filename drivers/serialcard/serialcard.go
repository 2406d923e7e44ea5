// Package serialcard drives QEMU's pci-serial-2x: a PCI card with two 16550 serial
// ports (National Semiconductor PC16550D data sheet; QEMU,
// docs/specs/pci-serial.rst). The host tool gives it to machines that have but
// one port of their own: the first is the guest's standard error, the second its
// report. Output alone, polled.
package serialcard

import (
	"unsafe"

	"sched9/arch"
)

const (
	card = 0x0003_1b36 // vendor Red Hat, device pci-serial-2x

	// Where in the space of ports the card is put: nothing else is put anywhere.
	port  = 0x1000
	ports = 8 // of each of the two

	data        = 0
	intEnable   = 1
	fifoControl = 2
	lineControl = 3
	modem       = 4
	lineStatus  = 5

	divisorAccess = 0x80
	bits8         = 3
	fifoOn        = 7 // enable, clear both
	dtrRTS        = 3
	thrEmpty      = 0x20
	allSent       = 0x40
	fifoSize      = 16
)

// base is where the first port is mapped; 0: there is no card.
var base uintptr

// AttachErrors finds the card, sets both ports to 115,200 baud, 8 bits, no interrupts,
// and reports whether it is there. AttachReport comes after it.
func AttachErrors() bool {
	f, ok := arch.FindPCI(0, card)
	if !ok {
		return false
	}
	if base = f.Ports(port); base == 0 {
		return false
	}
	for at := base; at <= base+ports; at += ports {
		arch.Write8(at+intEnable, 0)
		arch.Write8(at+lineControl, divisorAccess)
		arch.Write8(at+data, 1)
		arch.Write8(at+intEnable, 0)
		arch.Write8(at+lineControl, bits8)
		arch.Write8(at+fifoControl, fifoOn)
		arch.Write8(at+modem, dtrRTS)
	}
	return true
}

// AttachReport: see AttachErrors.
func AttachReport() bool { return base != 0 }

// WriteErrors and WriteReport send as many of n bytes at p as the port has room for, and return
// how many. SentErrors and SentReport report whether all has left: an emulator that ends
// does not send what a port still has.
func WriteErrors(p, n uintptr) uintptr { return write(base, p, n) }
func WriteReport(p, n uintptr) uintptr { return write(base+ports, p, n) }
func SentErrors() bool                 { return sent(base) }
func SentReport() bool                 { return sent(base + ports) }

// write sends what it can of n bytes at p to the port at base.
func write(base, p, n uintptr) (taken uintptr) {
	if arch.Read8(base+lineStatus)&thrEmpty == 0 {
		return 0
	}
	for taken < min(n, fifoSize) {
		arch.Write8(base+data, *(*byte)(unsafe.Pointer(p + taken)))
		taken++
	}
	return taken
}

// sent reports whether the port at base has nothing more to send.
func sent(base uintptr) bool { return arch.Read8(base+lineStatus)&allSent != 0 }

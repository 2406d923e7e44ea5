// Package debugcon drives QEMU's isa-debugcon: a port that takes bytes at once
// (QEMU, hw/char/debugcon.c). Reading it gives its own number's low byte, which
// tells that it is there.
package debugcon

import (
	"unsafe"

	"sched9/arch"
)

// The ports that the host tool gives to its two debug consoles.
const (
	Errors = 0xe9
	Report = 0xea
)

// AttachErrors and AttachReport report whether the port is there.
func AttachErrors() bool { return arch.Read8(Errors) == Errors }
func AttachReport() bool { return arch.Read8(Report) == Report }

// WriteErrors and WriteReport send n bytes at p, and return n: a port takes all at once. Sent
// reports that all has left.
func WriteErrors(p, n uintptr) uintptr { return write(Errors, p, n) }
func WriteReport(p, n uintptr) uintptr { return write(Report, p, n) }
func Sent() bool                       { return true }

// write sends n bytes at p to port.
func write(port, p, n uintptr) uintptr {
	for i := uintptr(0); i < n; i++ {
		arch.Write8(port, *(*byte)(unsafe.Pointer(p + i)))
	}
	return n
}

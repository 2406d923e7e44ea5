// Package debugexit drives QEMU's isa-debug-exit: a value v written to the port
// ends QEMU with status 2v+1 (QEMU, hw/misc/debugexit.c).
package debugexit

import "sched9/arch"

const port = 0xf4

// Clean and Unclean are the values for a guest's exit status of 0 and for any
// other: QEMU ends with 0x63 or 0x65, which it never does by itself. The status
// itself goes over the report channel.
const (
	Clean   = 0x31
	Unclean = 0x32
)

// Attach has nothing to find: a missing port ignores what is written.
func Attach() bool { return true }

// Exit ends QEMU. It returns if the port is not there.
func Exit(status int) {
	if status == 0 {
		arch.Write32(port, Clean)
	}
	arch.Write32(port, Unclean)
}

// Package poweroff turns the machine off in the architecture's own way.
package poweroff

import "sched9/arch"

// What an emulator ends with for a guest's exit status of 0, and for any other: what
// isa-debug-exit makes of its values for these (package debugexit). The status
// itself goes over the report channel.
const (
	clean   = 0x63
	unclean = 0x65
)

// Attach has nothing to find: where there is no way, Exit returns.
func Attach() bool { return true }

// Exit ends the machine. It returns if that is not possible.
func Exit(status int) {
	if status == 0 {
		arch.PowerOff(clean)
	}
	arch.PowerOff(unclean)
}

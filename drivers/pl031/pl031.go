// Package pl031 reads the wall time of a PL031 (Arm DDI 0224).
package pl031

import "sched9/arch"

const data = 0x000 // seconds since 1970

// Attach reports whether there is a clock.
func Attach() bool { return arch.Clock() != 0 }

// Seconds returns the time since 1970. ok is false if the clock was never set.
func Seconds() (s int64, ok bool) {
	v := arch.Read32(arch.Clock() + data)
	return int64(v), v != 0
}

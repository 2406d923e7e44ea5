// Package firmwareclock has the wall time that firmware told when it started the image: it may keep the clock for itself.
package firmwareclock

import "sched9/arch"

// Attach reports whether it told the time.
func Attach() bool {
	_, ok := arch.BootTime()
	return ok
}

// Seconds returns the time since 1970. It is asked for once, at boot.
func Seconds() (s int64, ok bool) { return arch.BootTime() }

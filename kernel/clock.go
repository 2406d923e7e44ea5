package kernel

import (
	"sched9/arch"
	"sched9/drivers"
)

// wallBase is the time since 1970, in nanoseconds, when the clock stood at 0.
// Without a real-time clock it is 0, so that the year is plainly wrong.
var wallBase int64

// initWall reads the wall time once; from there on it runs with the clock.
func initWall() {
	s := int64(Option("wall"))
	if d := drivers.Find(drivers.Clock); d != nil {
		if told, ok := d.Seconds(); ok {
			s = told
		}
	}
	if s > 0 {
		wallBase = s*1_000_000_000 - arch.Nanotime()
	}
}

// Nanotime returns nanoseconds since about boot; never 0, never backwards. Any
// context. Walltime returns the wall clock.
func Nanotime() int64 { return arch.Nanotime() }

// Walltime: see Nanotime.
func Walltime() (sec int64, nsec int32) {
	t := wallBase + arch.Nanotime()
	return t / 1_000_000_000, int32(t % 1_000_000_000)
}

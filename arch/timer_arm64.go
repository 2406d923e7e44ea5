package arch

import "math/bits"

// Time: the generic timer's virtual counter is the clock, and the virtual timer
// rings (D12). All processors' counters run together, at a rate that a register tells.

// timerMult is counts per nanosecond, times 2^32.
var timerMult uint64

// InitClock starts the clock; false: the firmware did not say how fast it runs.
func InitClock() bool {
	hz := readFrequency()
	if hz < 1000 || hz > 1<<32 || machine.Timer.ID == 0 {
		return false
	}
	countMult = 1_000_000_000 << 32 / hz
	timerMult, _ = bits.Div64(hz>>32, hz<<32, 1_000_000_000)
	countBase = counter()
	return true
}

// ClockError would compare the clock with another one. Here a register says how fast the counter
// is, and nothing else is known to be right.
func ClockError() (ppm uint64, ok bool) { return 0, false }

// SetTimer makes this processor's timer interrupt once, ns nanoseconds from
// now or a little later. It replaces the last one. StopTimer silences it.
func SetTimer(ns int64) {
	if ns < 1000 {
		ns = 1000
	}
	hi, lo := bits.Mul64(uint64(ns), timerMult)
	setCompare(counter() + (hi<<32 | lo>>32) + 1)
}

// StopTimer: see SetTimer.
func StopTimer() { stopTimer() }

package arch

import "math/bits"

// The clock is the processor's counter, which runs at a constant rate and in step with all other processors'.
// InitClock, of timer_*.go, determines the rate. The runtime's assembly reads the two variables as well.
var (
	countBase uint64 // the counter at nanosecond 1
	countMult uint64 // nanoseconds per count, times 2^32
)

// Nanotime returns nanoseconds since about the time of boot; never 0. Any
// context.
//
//go:nosplit
func Nanotime() int64 {
	hi, lo := bits.Mul64(counter()-countBase, countMult)
	return int64(hi<<32|lo>>32) + 1
}

// ClockScale says how to make Nanotime of the counter: its value at nanosecond 1, and
// the nanoseconds per count, times 2^32.
func ClockScale() (base, mult uint64) { return countBase, countMult }

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

// Ahead returns what the counter will be ns nanoseconds from now, or a little more; ns is at most some seconds.
func Ahead(ns int64) uint64 {
	hi, lo := bits.Mul64(uint64(ns), 1<<32)
	n, _ := bits.Div64(hi, lo, countMult)
	return counter() + n + 2
}

// AwaitCounter returns when the counter has reached at, if that is less than ns nanoseconds away; otherwise at once. Interrupts off. Where QEMU counts
// instructions, one a nanosecond, it returns exactly then, so what happened a few instructions sooner or later before it makes no difference after
// it (docs/turns.md).
func AwaitCounter(at uint64, ns int64) {
	perCount := max(countMult>>32, 1) // instructions, where they are counted
	for {
		count, over := countPhase()
		counts := at - count
		hi, lo := bits.Mul64(counts, countMult)
		if int64(counts) <= 0 || hi<<32|lo>>32 > uint64(ns) {
			return
		}
		burn(counts*perCount - over)
	}
}

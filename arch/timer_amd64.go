package arch

import (
	"math/bits"

	"sched9/arch/amd64/rate"
)

// Time: the time-stamp counter is the clock, the local APIC's timer rings. CPUID may tell how
// fast they are (cpuid.go). If not, the counter is measured by one whose rate is known
// (reference.go), and the timer by the counter.

var (
	// apicMult is APIC timer ticks per nanosecond, times 2^32.
	apicMult uint64
	apicMax  int64 // the longest wait the timer's 32 bits hold, in ns
)

// slowTSC is a rate below that of any real processor's time-stamp counter, in Hz. An emulator's may
// be slower; but an emulator that emulates time as well does not hold the processor while it
// passes.
const slowTSC = 400e6

// initClock finds both rates. Boot processor, interrupts off, after ReadLoader. It reports
// false if nothing tells them, and nothing counts that they could be measured by.
func initClock() bool {
	countBase = counter()
	writeLAPIC(lapicTimer, lvtMasked)
	writeLAPIC(lapicInitial, 0xffff_ffff)
	ok := findRates()
	writeLAPIC(lapicInitial, 0)
	writeLAPIC(lapicTimer, vecTimer)
	if !ok {
		return false
	}
	apicMax = int64(0xffff_fff0<<28/apicMult) << 4
	return true
}

// findRates sets countMult and apicMult. The APIC's timer counts down from its greatest count.
func findRates() bool {
	tscHz, apicHz := toldRates()
	if tscHz != 0 {
		countMult = mulDiv(1e9, 1<<32, tscHz)
		if watch = acpiTimer(); watch.hz != 0 {
			watched = watch.best()
		}
		if apicHz != 0 {
			apicMult = mulDiv(apicHz/16, 1<<32, 1e9)
			return apicMult != 0
		}
		return measure(nil)
	}
	if watch = acpiTimer(); watch.hz != 0 && measure(&watch) {
		return true
	}
	watch = reference{}
	if pit := intervalTimer(); measure(&pit) {
		return true
	}
	if tscHz = roughRate(); tscHz == 0 {
		return false
	}
	countMult = mulDiv(1e9, 1<<32, tscHz)
	return measure(nil)
}

// measure measures the time-stamp counter by r, if r is not nil, and the APIC's timer by that
// counter: for a millisecond at least, and until it is known well enough (package rate): 2 to 3 ms in QEMU. A host that holds
// the processor makes it take longer, not wrong. It reports false if
// one of them does not count.
func measure(r *reference) bool {
	const (
		still = 100_000    // readings after which a counter must have moved
		most  = 20_000_000 // readings after which the host is beyond help
	)
	clock := rate.Meter{}
	if r != nil {
		clock = rate.Meter{Mask: r.mask, Gap: mulDiv(r.mask, slowTSC, r.hz), Least: r.hz / 1000}
	}
	timer := rate.Meter{Mask: 0xffff_ffff, Gap: 1 << 63, Least: 1000}
	for n := 0; ; n++ {
		if n == most || n == still && (r != nil && !clock.Moving() || !timer.Moving()) {
			return false
		}
		known := r == nil || clock.Add(r.read())
		before := counter()
		count := 0xffff_ffff - readLAPIC(lapicCurrent)
		if timer.Add(rate.Read(before, uint64(count), counter())) && known {
			break
		}
	}
	if r != nil {
		own, other := clock.Result()
		countMult = mulDiv(other, mulDiv(1e9, 1<<32, r.hz), own)
		watched = clock.First
	}
	own, other := timer.Result()
	apicMult = mulDiv(other, 1<<32, mulDiv(own, countMult, 1<<32))
	return apicMult != 0
}

// mulDiv returns a*b/c, which must fit. It is for boot and end: a call is smaller than its code.
//
//go:noinline
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, _ := bits.Div64(hi, lo, c)
	return q
}

// SetTimer makes this processor's timer interrupt once, ns nanoseconds from
// now or a little later (a shorter wait than asked if the timer cannot count
// so far). It replaces the last one. StopTimer silences it.
func SetTimer(ns int64) {
	if ns < 1000 {
		ns = 1000
	}
	if ns > apicMax {
		ns = apicMax
	}
	hi, lo := bits.Mul64(uint64(ns), apicMult)
	n := uint32(hi<<32 | lo>>32)
	if n == 0 {
		n = 1
	}
	writeLAPIC(lapicInitial, n)
}

// StopTimer: see SetTimer.
func StopTimer() { writeLAPIC(lapicInitial, 0) }

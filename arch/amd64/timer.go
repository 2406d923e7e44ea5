package amd64

import "math/bits"

// Time: the time-stamp counter is the clock, the local APIC's timer rings. Both
// run at rates that nothing tells under emulation, so both are measured
// against the programmable interval timer, whose rate is fixed.

var (
	tscBase uint64 // TSC at ns 1
	tscMult uint64 // nanoseconds per TSC tick, times 2^32
	// apicMult is APIC timer ticks per nanosecond, times 2^32.
	apicMult uint64
	apicMax  int64 // the longest wait the timer's 32 bits hold, in ns
)

const (
	pitHz      = 1193182
	pitChan0   = 0x40
	pitCommand = 0x43

	// calibrate is how long the rates are measured, in PIT ticks: 10 ms.
	calibrate = pitHz / 100
)

// pitCount latches and reads the downward counter of channel 0 (8254 data
// sheet). Channel 0 is the one that every machine has: the others' gates and
// outputs are on a port that a microvm lacks.
func pitCount() uint16 {
	out8(pitCommand, 0x00)
	lo := in8(pitChan0)
	return uint16(lo) | uint16(in8(pitChan0))<<8
}

// initClock measures both rates. Boot processor, interrupts off. It reports
// false if the interval timer does not count.
func initClock() bool {
	out8(pitCommand, 0x34) // channel 0, low and high byte, mode 2: counts for ever
	out8(pitChan0, 0)
	out8(pitChan0, 0) // from 65536
	write32(lapicBase+lapicTimer, lvtMasked)
	start := pitCount()
	for n := 0; pitCount() == start; n++ { // begin with a fresh tick
		if n == 100_000 {
			return false
		}
	}
	start = pitCount()
	write32(lapicBase+lapicInitial, 0xffff_ffff)
	t0 := tsc()
	var ticks uint16
	for n := 0; ticks < calibrate; n++ {
		if n == 10_000_000 {
			return false
		}
		ticks = start - pitCount()
	}
	counted := tsc() - t0
	apic := uint64(0xffff_ffff - read32(lapicBase+lapicCurrent))
	write32(lapicBase+lapicInitial, 0)
	write32(lapicBase+lapicTimer, vecTimer)
	if counted == 0 || apic == 0 {
		return false
	}
	ns := uint64(ticks) * 1_000_000_000 / pitHz
	tscMult = ns << 32 / counted
	apicMult = apic << 32 / ns
	apicMax = int64(0xffff_fff0<<28/apicMult) << 4
	tscBase = t0
	return true
}

// Nanotime returns nanoseconds since about the time of boot; never 0. Any
// context. All processors' counters run together.
//
//go:nosplit
func Nanotime() int64 {
	hi, lo := bits.Mul64(tsc()-tscBase, tscMult)
	return int64(hi<<32|lo>>32) + 1
}

// ClockScale says how to make Nanotime of TSC: its value at nanosecond 1, and
// the nanoseconds per count, times 2^32.
func ClockScale() (base, mult uint64) { return tscBase, tscMult }

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
	write32(lapicBase+lapicInitial, n)
}

// StopTimer: see SetTimer.
func StopTimer() { write32(lapicBase+lapicInitial, 0) }

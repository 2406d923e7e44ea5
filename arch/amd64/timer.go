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
	calibrate  = pitHz / 100 // 10 ms, in PIT ticks
	pitChan2   = 0x42
	pitCommand = 0x43
	pitGate    = 0x61
)

// initClock measures both rates. Boot processor, interrupts off. It reports
// false if the interval timer does not answer.
func initClock() bool {
	// Channel 2, mode 0: its output goes high when it has counted down
	// (8254 data sheet). Speaker off, gate on.
	Out8(pitGate, In8(pitGate)&^2|1)
	Out8(pitCommand, 0xb0)
	Out8(pitChan2, calibrate&0xff)
	Out8(pitChan2, calibrate>>8)
	write32(lapicBase+lapicTimer, lvtMasked)
	write32(lapicBase+lapicInitial, 0xffff_ffff)
	t0 := TSC()
	for n := 0; In8(pitGate)&0x20 == 0; n++ {
		if n == 1<<26 {
			return false
		}
	}
	tsc := TSC() - t0
	apic := uint64(0xffff_ffff - read32(lapicBase+lapicCurrent))
	write32(lapicBase+lapicInitial, 0)
	write32(lapicBase+lapicTimer, vecTimer)
	if tsc == 0 || apic == 0 {
		return false
	}
	const ns = calibrate * 1_000_000_000 / pitHz
	tscMult = ns << 32 / tsc
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
	hi, lo := bits.Mul64(TSC()-tscBase, tscMult)
	return int64(hi<<32|lo>>32) + 1
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
	write32(lapicBase+lapicInitial, n)
}

func StopTimer() { write32(lapicBase+lapicInitial, 0) }

package arch

import (
	"sched9/arch/acpi"
	"sched9/arch/amd64/rate"
)

// Counters whose rate is known: what the processor's are measured by.

// A reference is such a counter: ACPI's timer, or channel 0 of the interval timer.
type reference struct {
	hz   uint64 // 0: there is none
	mask uint64 // it counts modulo mask+1
	port uint16 // of ACPI's timer; 0: the interval timer
}

// watch is the reference that the clock is compared with at the end, and watched its reading at the
// beginning.
var (
	watch   reference
	watched rate.Reading
)

// acpiTimer returns ACPI's power management timer (4.8.3.3), if the machine has one.
func acpiTimer() reference {
	m, rsdp := tables()
	port, wide := acpi.Timer(m, rsdp)
	if port == 0 {
		return reference{}
	}
	mask := uint64(1<<24 - 1)
	if wide {
		mask = 1<<32 - 1
	}
	return reference{hz: 3579545, mask: mask, port: port}
}

// The interval timer (8254 data sheet). Channel 0 is the one that every machine with
// it has: the others' gates and outputs are on a port that a microvm lacks.
const (
	pitHz      = 1193182
	pitChan0   = 0x40
	pitCommand = 0x43
)

// intervalTimer makes channel 0 count down for ever. Whether it counts is tested later.
func intervalTimer() reference {
	out8(pitCommand, 0x34) // low and high byte, mode 2
	out8(pitChan0, 0)
	out8(pitChan0, 0) // from 65536
	return reference{hz: pitHz, mask: 1<<16 - 1}
}

// read reads the counter.
func (r *reference) read() rate.Reading {
	before := counter()
	var count uint64
	if r.port != 0 {
		count = uint64(in32(r.port))
	} else {
		out8(pitCommand, 0x00) // latch channel 0
		low := uint64(in8(pitChan0))
		count = -(low | uint64(in8(pitChan0))<<8)
	}
	return rate.Read(before, count&r.mask, counter())
}

// best reads the counter some times and returns the reading that tells most exactly when it was.
func (r *reference) best() rate.Reading {
	least := r.read()
	for range 15 {
		if next := r.read(); next.Width < least.Width {
			least = next
		}
	}
	return least
}

// ClockError compares the clock with ACPI's timer, over all the time since boot. It returns by how many
// millionths the clock is wrong at least, and whether there is such a timer. It does not see an error of a
// multiple of the time in which the timer comes round, 4.7 s where it has 24 bits.
func ClockError() (ppm uint64, ok bool) {
	if watch.hz == 0 {
		return 0, false
	}
	now := watch.best()
	// All in counts of the timer: its expected count, and the duration of the readings.
	counts := func(own uint64) uint64 { return mulDiv(mulDiv(own, countMult, 1<<32), watch.hz, 1e9) }
	should := counts(now.At - watched.At)
	unsure := counts((now.Width+watched.Width)/2) + 1
	wrong := (now.Other - watched.Other - should) & watch.mask
	wrong = min(wrong, watch.mask+1-wrong)
	if wrong <= unsure {
		return 0, true
	}
	return mulDiv(wrong-unsure, 1e6, max(should, 1)), true
}

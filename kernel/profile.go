package kernel

import (
	"sched9/arch"
	"sched9/sched/atomic"
)

// The CPU profiler's clock. Each processor gives a sample when it was busy for a period: the time of its halts does
// not count, as with Linux's clock of a thread. It shares the processor's timer with the tick.

// leastPeriod is the shortest period, in nanoseconds: a program may ask for less than a sample
// takes.
const leastPeriod = 200_000

// profile is the period in nanoseconds, 0 without a profile, with the number of the profile in the high bits. Only the caller
// of SetProfile, of which there is one at a time, stores it.
var profile atomic.Uint64

// SetProfile begins a profile of hz samples in a second, or ends it if that is 0. Other processors learn of it from their next
// tick, a slice later at most. Scheduler or goroutine's stack, preemption off.
func SetProfile(hz int32) {
	period := uint64(0)
	if hz > 0 {
		period = uint64(max(1_000_000_000/hz, leastPeriod))
	}
	profile.Store((profile.Load()>>32+1)<<32 | period)
	c := &cpus[arch.ID()]
	on := arch.SaveIRQ()
	if c.tickAt != 0 {
		c.setTick(c.tickAt)
	}
	arch.RestoreIRQ(on)
}

// nextSample returns when c gives its next sample, 0 if there is no profile. now is the clock. On the processor itself,
// interrupts off.
func (c *cpu) nextSample(now int64) int64 {
	if p := profile.Load(); p != c.profile {
		c.profile, c.sampleAt = p, 0
		if uint32(p) != 0 {
			c.sampleAt = now + c.period()
		}
	}
	return c.sampleAt
}

// period is how long c is busy until its next sample: the profile's period, up to an eighth more or less, and on average the
// period. A loop whose turns take as long as a period, or a simple part of it, would be met at the same places again and
// again, above all where instructions are counted. How many samples there were decides, so a run can be repeated.
func (c *cpu) period() int64 {
	p := int64(uint32(c.profile))
	c.samples++
	return p - p/8 + int64(uint64(c.samples*0x9e3779b1)*uint64(p/4)>>32)
}

// trySample takes a sample of the code interrupted at f, if one is due. The next period begins when the sample is done, so the
// program always makes progress. A halt that a tick interrupts is no work. Interrupt context.
func (c *cpu) trySample(f *arch.Frame) {
	if c.sampleAt != 0 && arch.Nanotime() >= c.sampleAt && c.halted.Load() == 0 {
		upSample(f)
		c.sampleAt = arch.Nanotime() + c.period()
	}
}

package kernel

import (
	"sched9/arch"
	"sched9/record"
	"sched9/sched/atomic"
)

// flushWanted numbers the requests to flush translations. Only the holder of
// mem.lock makes one.
var flushWanted atomic.Uint64

// flushAll returns when no processor can use a translation that was removed
// before the call. mem.lock is held, so interrupts are off.
//
// Every other running processor gets an interrupt, flushes, and then notes the
// number of the request. The order at each end:
//
//   - here: page tables changed, then flushWanted stored, then flushed read.
//   - there: flushWanted read, then the flush, then flushed stored.
//
// A processor that notes request n has therefore flushed after it had read n,
// which was stored after the tables were changed. It cannot be deaf: with
// interrupts off it is in a handler that ends, or waits for a Spin lock and
// polls (spin.go).
// How a new processor joins is argued at arrive (cpu.go).
func flushAll() {
	arch.FlushTLB()
	me := arch.ID()
	n := flushWanted.Add(1)
	cpus[me].flushed.Store(n)
	sent := false
	for id := 0; id < numCPU; id++ {
		if id != me && cpus[id].online.Load() != 0 && cpus[id].flushed.Load() < n {
			sendIPI(id, record.IPIFlush)
			arch.SendFlush(id)
			sent = true
		}
	}
	if !sent {
		return
	}
	counters.Shootdowns.Add(1)
	for id := 0; id < numCPU; id++ {
		for id != me && cpus[id].online.Load() != 0 && cpus[id].flushed.Load() < n {
			if stopping.Load() != 0 {
				return // processors are being stopped for good
			}
			arch.Pause()
		}
	}
}

// pollFlush carries out a flush request if there is one. Interrupts are off.
func pollFlush() {
	c := &cpus[arch.ID()]
	if n := flushWanted.Load(); c.flushed.Load() != n {
		arch.FlushTLB()
		c.flushed.Store(n)
	}
}

// yield is how the runtime waits for another processor. In a handler, of the profiler's samples, interrupts are off: then
// it looks for a request as a lock's waiter does (spin.go), because the other may wait for a page, and so for this one.
func yield() {
	on := arch.SaveIRQ()
	pollFlush()
	arch.RestoreIRQ(on)
	arch.Pause()
}

// trapFlush handles the interrupt that flushAll sends.
func trapFlush() {
	note(record.EvTakeIPI, 0, uint64(record.IPIFlush))
	pollFlush()
}

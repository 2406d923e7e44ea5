package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/sched"
	"sched9/sched/atomic"
)

// Waiting and waking of whole processors: what futex is to the stock runtime's
// locks and notes. A processor waits on one address at most, so the queue is
// the processors' own records.

// futexWait sleeps while *addr is val, until a wake, or for ns nanoseconds (less
// than 0: no limit). It may return early. Scheduler stack, interrupts on.
//
// No wake-up is lost: we store waits, then read *addr; the waker stores *addr
// (its caller did) and then reads waits. One of the two sees the other's
// store. After that an interrupt that is on its way keeps Halt from sleeping:
// interrupts are off from before the last look until inside it.
func futexWait(addr uintptr, val uint32, ns int64) (errno int) {
	var deadline int64
	if ns >= 0 {
		deadline = arch.Nanotime() + ns
	}
	word := (*atomic.Uint32)(unsafe.Pointer(addr))
	id := arch.ID()
	c := &cpus[id]
	c.waits.Store(addr)
	for word.Load() == val && c.waits.Load() == addr {
		if !haltUntil(c, deadline, func() bool { return word.Load() == val && c.waits.Load() == addr }) {
			errno = eTIMEDOUT
			break
		}
	}
	c.waits.Store(0)
	TickOn(int32(id))
	return errno
}

// futexWake wakes up to n processors that wait on addr and returns how many.
func futexWake(addr uintptr, n uint32) (woken uintptr) {
	for id := 0; id < numCPU && woken < uintptr(n); id++ {
		if c := &cpus[id]; c.waits.Load() == addr && c.waits.CompareAndSwap(addr, 0) {
			sendIPI(id, sched.IPIKick)
			arch.Kick(id)
			woken++
		}
	}
	return woken
}

// haltUntil halts until the next interrupt, if stay is true with interrupts
// off, and at most until deadline (0: none). It reports false if the deadline
// has passed. Interrupts are on, on entry and on return. The tick is off then.
func haltUntil(c *cpu, deadline int64, stay func() bool) bool {
	flushStale()
	arch.DisableIRQ()
	c.tickAt = 0
	switch {
	case deadline == 0:
		if linger := con.out.n+con.err.n > 0; linger {
			arch.SetTimer(lingerNS + 1)
		} else {
			arch.StopTimer()
		}
	default:
		d := deadline - arch.Nanotime()
		if d <= 0 {
			arch.EnableIRQ()
			return false
		}
		if d > 2_000_000 {
			// The timer's rate was measured in 10 ms, which is good to about
			// a per cent. Wake that much early and look again: two or three
			// times for a second.
			d -= d >> 6
		}
		arch.SetTimer(d)
	}
	if stay() {
		c.halted.Store(1)
		record(sched.EvHalt, uint64(deadline), 0)
		arch.Halt()
		record(sched.EvHaltEnd, 0, 0)
		c.halted.Store(0)
	}
	arch.EnableIRQ()
	return true
}

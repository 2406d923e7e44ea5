package kernel

import (
	"sched9/arch"
	"sched9/sched/atomic"
)

// Spin is a lock that is held with interrupts off.
//
// While it waits, a processor has its interrupts off too, and the holder may
// be waiting for it to flush its translations (flush.go). So waiting includes
// looking for such a request: without that, both would wait for ever.
type Spin struct{ held atomic.Uint32 }

// Lock takes the lock and returns what Unlock wants. In a trap handler too.
func (l *Spin) Lock() (on uintptr) {
	on = arch.SaveIRQ()
	for !l.held.CompareAndSwap(0, 1) {
		for l.held.Load() != 0 {
			pollFlush()
			arch.Pause()
		}
	}
	return on
}

// TryLock takes the lock if it is free within some microseconds.
func (l *Spin) TryLock() (on uintptr, ok bool) {
	on = arch.SaveIRQ()
	for try := 0; try < 1000; try++ {
		if l.held.CompareAndSwap(0, 1) {
			return on, true
		}
		pollFlush()
		arch.Pause()
	}
	arch.RestoreIRQ(on)
	return 0, false
}

// Unlock releases the lock. A call is half as long as its code, and there are more than a hundred.
//
//go:noinline
func (l *Spin) Unlock(on uintptr) {
	l.held.Store(0)
	arch.RestoreIRQ(on)
}

package ready

import "sched9/sched/atomic"

// Bell is what a device's interrupt rings for the goroutine that drives the device. That one waits by a note: for each Ring that reports true
// the note is woken, so never twice.
//
// No interrupt is lost: the goroutine calls Heard after it has cleared the note and before it looks at the device. An interrupt that comes later
// finds the bell silent, and has the note woken, which is clear already. One that comes before finds it rung and does nothing; what
// it is about is there when the goroutine looks.
type Bell struct{ rung atomic.Uint32 }

// Ring is the interrupt's. It reports whether the note has to be woken. Any context.
func (b *Bell) Ring() bool { return b.rung.Swap(1) == 0 }

// Heard is the goroutine's.
func (b *Bell) Heard() { b.rung.Swap(0) }

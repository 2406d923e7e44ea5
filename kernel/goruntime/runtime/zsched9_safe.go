//go:build sched9

package runtime

import nsched "sched9/sched"

// Where a goroutine can be left [A3], remembered. The stock isAsyncSafePoint asks two things: whether the
// goroutine and its M may be left now, which it asks first and each time, and whether its code may be left at that
// address, for which it decodes the tables of the text. Those do not change, and a loop is struck at the same few
// addresses again and again.

// sched9SafePoints has, for each M, addresses of the text where code can be left, at an index made of the address: pc, and
// where the goroutine goes on. Written and read by the M's own CPU alone, in interrupts, which do not
// nest. An address where code cannot be left has no entry.
var sched9SafePoints [nsched.MaxProcs][64]struct{ pc, to uintptr }

// sched9SafePoint returns where a goroutine of mp that is left at pc goes on, 0: that is not known. Interrupt context.
func sched9SafePoint(mp *m, pc uintptr) (to uintptr) {
	at := &sched9SafePoints[uint32(mp.nsched.ID)%nsched.MaxProcs][(pc^pc>>6)%64]
	if at.pc != pc {
		return 0
	}
	return at.to
}

// sched9KeepSafePoint notes what isAsyncSafePoint has found out. Interrupt context.
func sched9KeepSafePoint(mp *m, pc, to uintptr) {
	at := &sched9SafePoints[uint32(mp.nsched.ID)%nsched.MaxProcs][(pc^pc>>6)%64]
	at.pc, at.to = pc, to
}

// sched9XRegs gives a P the block to which asyncPreempt saves a goroutine's vector registers, unless it has one. The goroutine
// takes that block with it, and the P another, so that it need not be copied. World stopped, sched.lock held.
func sched9XRegs(have *xRegState) *xRegState {
	if have == nil {
		lock(&xRegAlloc.lock)
		have = (*xRegState)(xRegAlloc.alloc.alloc())
		unlock(&xRegAlloc.lock)
	}
	return have
}

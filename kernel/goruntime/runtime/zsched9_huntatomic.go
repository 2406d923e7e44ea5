//go:build sched9 && sched9hunt && !race

package runtime

import "unsafe"

// sched9AtomicSeen is the bare operation where no races are looked for.
//
//go:nosplit
func sched9AtomicSeen(p unsafe.Pointer, size uintptr, op sched9AtomicOp, a, b uint64) uint64 {
	return sched9AtomicDo(p, size, op, a, b)
}

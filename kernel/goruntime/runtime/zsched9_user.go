//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	"internal/stringslite"
)

// sched9Users remembers entry functions of the program's goroutines. Any M may write a slot, at any
// time, and writes it whole: each slot always holds such a function.
var sched9Users [64]atomic.Uintptr

// sched9IsUser reports whether goroutines that begin at pc are known to be the program's. If it
// reports false, the stock isSystemGoroutine, which calls it first, decides. Any stack, with or
// without a P.
func sched9IsUser(pc uintptr) bool {
	slot := &sched9Users[pc/16%uintptr(len(sched9Users))]
	if pc != 0 && slot.Load() == pc {
		return true
	}
	f := findfunc(pc)
	if !f.valid() || stringslite.HasPrefix(funcname(f), "runtime.") {
		return false
	}
	slot.Store(pc)
	return true
}

//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	"internal/stringslite"
)

// sched9Users remembers functions that goroutines of the program begin with. A slot is
// written whole, by anybody, at any time: whatever it holds is such a function.
var sched9Users [64]atomic.Uintptr

// sched9IsUser reports that goroutines that begin at pc are the program's. It may say no of
// one that is; the stock isSystemGoroutine, which begins with it, decides then. Any
// stack, with or without a P.
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

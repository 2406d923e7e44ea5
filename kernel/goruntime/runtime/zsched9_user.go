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
// reports false, the stock isSystemGoroutine, which calls it first, decides, and asks sched9OfSystem as its last question. Any stack, with or
// without a P.
func sched9IsUser(pc uintptr) bool {
	slot := &sched9Users[pc/16%uintptr(len(sched9Users))]
	if pc != 0 && slot.Load() == pc {
		return true
	}
	f := findfunc(pc)
	if !f.valid() || sched9OfSystem(f) {
		return false
	}
	slot.Store(pc)
	return true
}

// sched9OfSystem reports whether goroutines that begin with f are the system's: the runtime's own, or those of the network stack that is laid
// into an image. Linux has that in its kernel, so a program there does not find them in runtime.Stack, runtime.NumGoroutine or a goroutine profile.
// Our own files (/proc) show them. Any stack, with or without a P.
//
//go:noinline
func sched9OfSystem(f funcInfo) bool {
	name := funcname(f)
	return stringslite.HasPrefix(name, "runtime.") || sched9OfNet(name)
}

// sched9OfNet reports whether a function of that name is the network stack's or its server's (goruntime's OutsideRoot, in two, since paths of our own packages are
// renamed in an image). Any stack, with or without a P.
func sched9OfNet(name string) bool {
	return stringslite.HasPrefix(name, "zsched9"+"/gvisor.dev/") || stringslite.HasPrefix(name, "zsched9"+"/srv/net.") ||
		stringslite.HasPrefix(name, "zsched9"+"/srv/dhcp.")
}

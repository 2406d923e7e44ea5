//go:build sched9 && sched9hunt

package runtime

import (
	"internal/stringslite"
	nkernel "sched9/kernel"
)

// Leaks: a hunt's program has ended well when main has returned, or os.Exit(0) was called, and no goroutine is left that can never run again.
// Which those are the collector finds, as for the profile of leaked goroutines: one that is blocked on channels, locks and the like that
// nothing reaches that can run. The goroutine that ends the program is live, and what its frames still hold.

// How long the other goroutines get before they are judged: so much sleep at most, in steps that grow, and so many nanoseconds in which they run.
const (
	sched9LeakSleep = 10_000_000_000
	sched9LeakRun   = 10_000_000
)

// sched9HuntEnd is called by the goroutine that ends the program with status code, before the program's own exit hooks. If there is a leak it
// shows which goroutines, and ends the program itself. It may block; the goroutine has no locks of the runtime's.
func sched9HuntEnd(code int) {
	if code != 0 || !sched9.Hunter().On() || !nkernel.HuntLeaks() {
		return
	}
	sched9Watch.off = true
	sched9.HuntTail(sched9LeakRun)
	quiet := false
	for slept := int64(0); sched9Others() && !quiet && slept < sched9LeakSleep && sched9.Hunter().On(); {
		step := max(slept, 1_000_000) // while one runs for ever a sleep takes as many instructions
		timeSleep(step)
		slept += step
		quiet = sched9Quiet()
	}
	sched9.Hunter().End()
	if !sched9Others() {
		return
	}
	goroutineLeakGC()
	sched9TellLeaks(quiet)
}

// sched9TellLeaks shows the goroutines that the collector has found leaked, or that are so because only the caller can run (quiet), and ends the program
// if there are any. The goroutine has no locks of the runtime's.
func sched9TellLeaks(quiet bool) {
	n := int64(0)
	forEachG(func(gp *g) {
		if sched9Leaked(gp, quiet) {
			n++
		}
	})
	if n == 0 {
		return
	}
	print("sched9: hunt: ", n, " goroutines can never run again\n")
	forEachG(func(gp *g) {
		if sched9Leaked(gp, quiet) {
			print("\n")
			goroutineheader(gp)
			traceback(^uintptr(0), ^uintptr(0), 0, gp)
		}
	})
	exit(2)
}

// sched9Others reports whether the program has goroutines beside the calling one.
func sched9Others() (yes bool) {
	forEachG(func(gp *g) {
		yes = yes || gp != getg() && readgstatus(gp) != _Gdead && !isSystemGoroutine(gp, false)
	})
	return yes
}

// sched9Quiet reports whether nothing but the calling goroutine can run any more: no other one can, and no timer is set. The network stack's
// can wake the program's, the runtime's own do not.
func sched9Quiet() bool {
	pp := getg().m.p.ptr()
	if pp.timers.wakeTime() != 0 {
		return false
	}
	quiet := true
	forEachG(func(gp *g) {
		switch readgstatus(gp) &^ _Gscan {
		case _Grunnable, _Grunning, _Gpreempted, _Gsyscall:
			quiet = quiet && (gp == getg() || isSystemGoroutine(gp, false) && !sched9OfNet(funcname(findfunc(gp.startpc))))
		}
	})
	return quiet
}

// sched9Leaked reports whether gp is leaked: the collector says so, or, where only the caller can run (quiet), it waits for a lock or a wait group, or to
// send: one that a variable of a package holds is reachable for ever, but whoever has locked it will not unlock it, and so on. One that
// waits to receive, or in a select, may be a servant who has nothing to do.
func sched9Leaked(gp *g, quiet bool) bool {
	switch readgstatus(gp) &^ _Gscan {
	case _Gleaked:
		return !isSystemGoroutine(gp, false)
	case _Gwaiting:
		switch gp.waitreason {
		case waitReasonSyncMutexLock, waitReasonSyncRWMutexLock, waitReasonSyncRWMutexRLock, waitReasonSyncWaitGroupWait, waitReasonChanSend:
			return quiet && !sched9OfImage(gp)
		}
	}
	return false
}

// sched9OfImage reports whether gp was made by what the image has beside the program, as by the network, whose goroutines wait for packets. Such a one is never
// leaked, and the collector must not mark it so: the network stack holds a goroutine that waits as a number, through which no collector finds it, and wakes it
// when a packet comes; one that is marked may not be woken. World stopped, or a goroutine's own stack.
func sched9OfImage(gp *g) bool {
	f := findfunc(gp.gopc)
	return f.valid() && stringslite.HasPrefix(funcname(f), "zsched9"+"/") // in two, since the overlay renames what looks like a path of the kernel's packages
}

//go:build sched9 && sched9hunt

package runtime

import nkernel "sched9/kernel"

// The watch: a program of which main itself can never run again, and in which others run on, as one that ticks, never comes to the end at which leaks
// are looked for (zsched9_leak.go). So while it sleeps and wakes, a goroutine of ours looks now and then.

// sched9Watch is the goroutine that looks while the program goes on.
var sched9Watch struct {
	lock mutex
	g    *g
	idle bool  // g waits to be woken
	off  bool  // the program has ended: who ended it looks
	at   int64 // when to look
	step int64 // and how long after that again, which doubles
}

// sched9WatchStep is when it looks first, in nanoseconds of the program's clock.
const sched9WatchStep = 1_000_000_000

// sched9Watcher looks each time that it is woken.
func sched9Watcher() {
	w := &sched9Watch
	w.g = getg()
	for {
		lock(&w.lock)
		w.idle = true
		goparkunlock(&w.lock, waitReasonForceGCIdle, traceBlockSystemGoroutine, 1)
		goroutineLeakGC()
		if !w.off {
			sched9TellLeaks(false)
		}
	}
}

// sched9WatchDue wakes the watcher if it is time. Of Runtime.Background, on the scheduler's stack with a P: one that has slept gets there.
func sched9WatchDue() {
	w := &sched9Watch
	if !w.idle || w.off || !sched9.Hunter().On() || !nkernel.HuntLeaks() {
		return
	}
	now := nanotime()
	if w.at == 0 {
		w.at, w.step = now+sched9WatchStep, sched9WatchStep
	}
	if now < w.at {
		return
	}
	w.step *= 2
	w.at = now + w.step
	lock(&w.lock)
	w.idle = false
	unlock(&w.lock)
	ready(w.g, 0, true)
}

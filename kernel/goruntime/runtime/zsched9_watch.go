//go:build sched9 && sched9hunt

package runtime

import nkernel "sched9/kernel"

// The watch: a program of which main itself can never run again, and in which others run on, as one that ticks, never comes to the end at which leaks
// are looked for (zsched9_leak.go). So while it sleeps and wakes, or runs on, a goroutine of ours looks now and then.

// sched9Watch is the goroutine that looks while the program goes on.
var sched9Watch struct {
	lock       mutex
	g          *g
	idle       bool // g waits to be woken
	off        bool // the program has ended: who ended it looks
	clock, ran sched9Looks
}

// sched9Looks is when to look, in nanoseconds of some time; the distance doubles. 0: it is not known yet.
type sched9Looks struct{ at, step int64 }

// due reports whether it is time to look, first when now has grown by first.
func (l *sched9Looks) due(now, first int64) bool {
	if l.step == 0 {
		l.at, l.step = now+first, first
	}
	if now < l.at {
		return false
	}
	l.step *= 2
	l.at = now + l.step
	return true
}

// When it looks first: in nanoseconds of the program's clock, and in nanoseconds in which goroutines run. A ticker may keep a program running that
// hardly sleeps.
const (
	sched9WatchStep = 1_000_000_000
	sched9WatchRan  = 5_000_000
)

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

// sched9WatchDue wakes the watcher if it is time. Of Runtime.Background, on the scheduler's stack with a P: whoever has left gets there.
func sched9WatchDue() {
	w := &sched9Watch
	if !w.idle || w.off || !sched9.Hunter().On() || !nkernel.HuntLeaks() {
		return
	}
	slept, ran := w.clock.due(nanotime(), sched9WatchStep), w.ran.due(sched9.HuntRan(), sched9WatchRan)
	if !slept && !ran {
		return
	}
	lock(&w.lock)
	w.idle = false
	unlock(&w.lock)
	ready(w.g, 0, true)
}

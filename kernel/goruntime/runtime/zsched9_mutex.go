//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The runtime's mutex. The stock one keeps a list of the Ms that wait in the lock's own
// word and measures, at every unlock, whether to blame the holder in a profile. Here a
// lock that nobody contends for costs half of that: it is what most of them are,
// several times for each goroutine that another wakes. The runtime's own contention is in
// /sync/mutex/wait/total:seconds as before, and not in the mutex profile.
//
// States of a lock's word. Who has once gone to sleep for a lock takes it as waited for,
// because others may sleep too: that costs one wake-up too many at the end. None is
// lost. An unlock that finds the mark wakes one sleeper; if others are faster and take
// the lock without the mark, the woken one is on its way and sets it again, by its
// exchange, before it sleeps or holds the lock. Between that exchange and its sleep
// the holder may unlock; futexsleep looks at the word once more and returns.
const (
	sched9Free   = 0
	sched9Held   = 1
	sched9Waited = 2 // held, and somebody may sleep until it is not
)

// sched9Spins is how often a lock is looked at before its M sleeps. Holders run with
// preemption off and for a short time, unless the host takes their CPU away.
const sched9Spins = 4

// sched9LockWord is the part of l that is used.
func sched9LockWord(l *mutex) *uint32 { return (*uint32)(unsafe.Pointer(&l.key)) }

// sched9Contended is mutexContended.
func sched9Contended(l *mutex) bool { return atomic.Load(sched9LockWord(l)) == sched9Waited }

// sched9Lock2 is lock2.
func sched9Lock2(l *mutex) {
	mp := getg().m
	if mp.locks < 0 {
		throw("sched9: G5: lock with a negative count of locks")
	}
	mp.locks++
	if !atomic.Cas(sched9LockWord(l), sched9Free, sched9Held) {
		sched9LockSlow(mp, sched9LockWord(l))
	}
}

// sched9LockSlow takes the lock whose word somebody holds.
func sched9LockSlow(mp *m, word *uint32) {
	since := mp.mLockProfile.start()
	for range sched9Spins {
		procyield(mutexActiveSpinSize)
		if atomic.Load(word) == sched9Free && atomic.Cas(word, sched9Free, sched9Held) {
			mp.mLockProfile.end(since)
			return
		}
	}
	for atomic.Xchg(word, sched9Waited) != sched9Free {
		futexsleep(word, sched9Waited, -1)
	}
	mp.mLockProfile.end(since)
}

// sched9Unlock2 is unlock2.
func sched9Unlock2(l *mutex) {
	switch atomic.Xchg(sched9LockWord(l), sched9Free) {
	case sched9Held:
	case sched9Waited:
		futexwakeup(sched9LockWord(l), 1)
	default:
		throw("sched9: G5: unlock of a free lock")
	}
	gp := getg()
	gp.m.locks--
	if gp.m.locks < 0 {
		throw("sched9: G5: unlock with a negative count of locks")
	}
	if gp.m.locks == 0 && gp.preempt {
		gp.stackguard0 = stackPreempt // a request that was put off meanwhile
	}
}

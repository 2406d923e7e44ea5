//go:build sched9

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The runtime's mutex. The stock one keeps a list of the waiting Ms in the lock's own word and
// measures, at every unlock, whether to blame the holder in a profile. An uncontended lock costs
// half as much here, and most are uncontended: each wake-up of a goroutine takes several. The
// runtime's own contention is in /sync/mutex/wait/total:seconds as before, but not in the mutex
// profile.
//
// States of a lock's word. An M that has slept acquires the lock in state Waited, since others may
// still be asleep. The last one therefore causes one spurious wake-up. No wake-up is lost: an
// unlock that finds Waited wakes one sleeper. If a faster M takes the lock in state Held, the woken
// M sets Waited again, by its exchange, before it sleeps or holds the lock. The holder may unlock
// between that exchange and the sleep; futexsleep checks the word once more and then returns at
// once.
const (
	sched9Free   = 0
	sched9Held   = 1
	sched9Waited = 2 // held, and an M may be asleep until it is free
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

// sched9LockSlow takes a lock that is held.
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
		gp.stackguard0 = stackPreempt // a request that arrived while the lock was held
	}
}

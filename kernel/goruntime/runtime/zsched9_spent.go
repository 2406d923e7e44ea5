//go:build sched9 && sched9names

package runtime

import (
	"internal/runtime/atomic"
	nkernel "sched9/kernel"
)

// How long goroutines ran, were ready, were in system calls and waited: what /proc/GOID/status tells.

// sched9Spent is how long a goroutine was in which class of states, by the processor's counter, in which one it is, and since when.
// Written by whoever changes its state, of whom there is one at a time, just before. Any goroutine may read it meanwhile.
//
// No time goes back or is counted twice. seq is odd while the rest is written.
//
//   - A reader takes what it read if seq was even before and is the same afterwards. The writer's stores lie between the two of seq
//     (publicationBarrier, StoreRel), so the reader has all of one writer's and nothing of the next one's.
//   - It adds the time since the last change to the class that the writer has noted, not to that of the goroutine's status: that changes
//     later, and the writer's processor may stand still between the two. The next writer adds the time to the same class.
//   - It reads the clock before it looks at seq again, and a writer reads it after it has made seq odd. So what a writer closes a class with
//     is no less than what any reader has added before. Both change seq by an exchange, behind or before which no processor moves its clock (Xadd).
type sched9Spent struct {
	seq   uint32
	as    uint8 // the class that goes on
	in    [4]uint64
	since uint64
	turns uint64 // how often it was dispatched
	m     int32  // where it was last, if it was
}

// The classes.
const (
	spentReady = iota
	spentRun
	spentCall
	spentWait
)

// sched9Class is the class of each state.
var sched9Class = [16]uint8{_Grunnable: spentReady, _Grunning: spentRun, _Gsyscall: spentCall, _Gwaiting: spentWait, _Gcopystack: spentRun, _Gpreempted: spentWait, _Gleaked: spentWait}

// sched9Account begins a change of gp's state: the time until now belongs to the class that it was in. Any stack, with or without a P.
//
//go:nosplit
func sched9Account(gp *g, from, to uint32) {
	s := &gp.nspent
	seq := atomic.Xadd(&s.seq, 1)
	if seq&1 == 0 {
		throw("G1: two change a goroutine's state at once")
	}
	publicationBarrier()
	now := sched9Clock()
	if from == _Gdead || from == _Gidle {
		s.in, s.turns = [4]uint64{}, 0
		gp.nsched.ID = gp.goid // for /sched/p/N/queue, without a recorder too
	} else {
		s.in[s.as&3] += now - s.since
	}
	s.as, s.since = sched9Class[to&15], now
	if from == _Grunnable && to == _Grunning {
		s.turns++
		s.m = getg().m.nsched.ID
	}
	atomic.StoreRel(&s.seq, seq+1)
}

// sched9SpentOf returns what gp has spent in nanoseconds, up to now, how often it was dispatched and where last, and its state.
func sched9SpentOf(gp *g) (spent [4]int64, turns uint64, m int32, state uint32) {
	for {
		seq := atomic.Load(&gp.nspent.seq)
		s := gp.nspent
		state = readgstatus(gp) &^ _Gscan
		lives := sched9Lives(gp)
		now := sched9Clock()
		if seq&1 != 0 || atomic.Xadd(&gp.nspent.seq, 0) != seq {
			procyield(10) // it changes: the one who does that is on another processor, and is kept from nothing but by that
			continue
		}
		if lives {
			s.in[s.as&3] += now - s.since
		}
		for i, ticks := range s.in {
			spent[i] = nkernel.SpanOf(ticks)
		}
		return spent, s.turns, s.m, state
	}
}

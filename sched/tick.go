package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
)

// retryTick bounds how long, in nanoseconds, after a tick that asked a G to leave the
// next one comes, if the G could not be left where it stood [A3].
const retryTick = 97_000

// retry is how long after this tick of m's the next one comes, if the running G is to be
// left: a slice or retryTick, less up to an eighth of it. A loop takes the same time for
// each of its turns, and where instructions are counted so does everything else: ticks at
// one distance could strike the same few instructions of it for ever, none of which
// the G can be left at. The number of the tick decides, so a run can be repeated.
func (s *Sched) retry(m *M) int64 {
	most := min(retryTick, s.slice)
	return most - int64(uint64(uint32(m.Stats[Ticks])*0x9e3779b1)*uint64(most/8)>>32)
}

// sliceOf returns how long m's slice lasts.
func (s *Sched) sliceOf(m *M) int64 {
	if s.policy.Slices == nil {
		return s.slice
	}
	return s.slice * max(m.slices, 1)
}

// Tick is called by the timer interrupt of m's CPU, at clock now. It reports whether
// the running G should leave the CPU: its slice is used up and something else
// waits [S2, U5], or a timer of its P is due, or a device has something to tell
// [S3], or a G is queued behind another M's system call [S1]. next is when to tick again, at most a Slice from now; 0: m has no P, and
// needs no tick. call says that m's G is in a system call: then it is to leave when it is back.
// g is the number of the running G, 0 if there is none, and pc where it was interrupted.
//
// A G that runs alone is not asked to leave and its CPU not disturbed but by this
// tick, once in a slice [A5]: that is sysmon's longest nap, and how long a G that
// comes to the global queue while all Ps run may have to wait until its right to a
// CPU is seen.
//
// Interrupt context on m's own CPU: it takes no lock. m's P is its own, because m
// itself is interrupted, unless its G is in a system call: then somebody may take it
// meanwhile. What is read of it is a hint then, and what is stored is m's own.
func (s *Sched) Tick(m *M, now int64, call bool, g uint64, pc uintptr) (leave bool, next int64) {
	p := m.P()
	if p == nil {
		return false, 0
	}
	m.Stats[Ticks]++
	if (g == 0 || s.policy.Endless) && m.sliceStart+s.sliceOf(m) <= now {
		// Nobody is made to leave here, but what goes on in the slice is the P's runnext alone, unless that is
		// used up: Gs that wait again and again for something short, each tick of which strikes in
		// the scheduler, would keep one slice for ever [R11, U2].
		atomic.StoreRelUint32(&m.expired, 1)
	}
	if g == 0 {
		// It looks for work, and may have looked at timers and devices already. The G
		// that it finds is to be left for the next of those.
		next = now + s.slice
		orphan := s.orphanTimer()
		if t := earlier(s.rt.NextTimer(p), orphan); t != 0 {
			next = min(next, t)
		}
		// The next search looks at these first, as after a tick that a G leaves for: while there
		// is always a G in the ring, no other does [S1, S3].
		if s.sysmonDue.Load() != 0 && s.behind(p, now) || s.rt.PollReady() || orphan != 0 && orphan <= now {
			s.pollDue.Store(1)
			next = now
		}
		return false, max(next, now+min(retryTick, s.slice))
	}
	if s.policy.Endless { // nobody is made to leave
		if next = now + s.slice; call {
			next = s.callTick(m, p, now)
		}
		return false, next
	}
	flags := uint64(0)
	if t := s.rt.PeriodicAt(); t != 0 && t <= now {
		s.periodic.Store(1)
		flags = record.TickLeave
	}
	waits := !p.runqEmpty() || s.runqsize.Load() != 0
	next = now + s.slice
	if end := m.sliceStart + s.sliceOf(m); now < end {
		next = min(next, end)
	} else if quiet, _ := s.rt.Quiet(p); waits || !quiet {
		// The next slice begins when the G is gone; until then every tick asks
		// again.
		m.Stats[Slices]++
		m.expired.Store(1)
		flags = record.TickLeave | record.TickSlice
	}
	if t := s.rt.NextTimer(p); t != 0 {
		if t <= now {
			flags |= record.TickLeave
		} else if t < next {
			next = t
		}
	}
	orphan := s.orphanTimer()
	if orphan > now {
		next = min(next, orphan)
	}
	if s.rt.PollReady() || orphan != 0 && orphan <= now || s.sysmonDue.Load() != 0 && s.behind(p, now) {
		s.pollDue.Store(1)
		flags |= record.TickLeave
	}
	if flags != 0 {
		next = now + s.retry(m)
	}
	if call {
		// A G that makes one short call after the other is struck in a call by every tick, so
		// what is due is seen to in calls too [S2, S3]. It leaves when it is back, not before:
		// only the call itself needs another look.
		at := s.callTick(m, p, now)
		if flags == 0 {
			at = earlier(at, next)
		}
		next = at
		flags |= record.TickCall
	}
	m.Rec.Record(record.EvTick, g, flags, uint64(pc))
	return flags&record.TickLeave != 0, next
}

// orphanTimer returns when the next timer of an orphaned P is due that no timer M sleeps
// for, because every M runs or waits for a G of its own; 0: there is none.
func (s *Sched) orphanTimer() int64 {
	if s.timerM.Load() != 0 {
		return 0
	}
	var until int64
	for i := int32(0); i < s.procs.Load(); i++ {
		if p := &s.ps[i]; p.orphaned() {
			until = earlier(until, s.rt.NextTimer(p))
		}
	}
	return until
}

// orphaned reports whether nobody looks at p's timers as its owner: p is idle, or its
// M's G is in a system call that somebody has noticed. Any context; a hint.
func (p *P) orphaned() bool {
	if p.idle.Load() != 0 {
		return true
	}
	m := p.M()
	return m != nil && m.callSince.Load() != 0
}

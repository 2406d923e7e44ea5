package sched

import (
	"sched9/record"
	"sched9/sched/atomic"
)

// retryTick is the longest time, in nanoseconds, from a tick that asked a G to leave to the next
// tick, which asks again if the G was at no safe point [A3].
const retryTick = 97_000

// retry is how long after this tick of m the next one comes, if the running G is asked to leave: a
// slice or retryTick, less up to an eighth of it. A loop takes the same time for each iteration,
// and where instructions are counted so does everything else: ticks at a constant distance could
// strike the same few instructions of it for ever, none of which may be a safe point. The number of
// the tick decides, so a run can be repeated.
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

// Tick is called by the timer interrupt of m's CPU, at clock now. It reports whether the running G
// should leave the CPU: its slice is used up and another G waits [S2, U5], or a timer of its P is
// due, or a device has an event [S3], or a G is queued behind another M's system call [S1]. next is
// when to tick again, at most a slice from now; 0: m has no P, and needs no tick. call says that
// m's G is in a system call: then it leaves when it is back. g is the number of the running G, 0 if
// there is none, and pc where it was interrupted.
//
// A G that runs alone is not asked to leave, and its CPU is disturbed only by this tick, once in a
// slice [A5]. A slice is sysmon's longest nap; it is also the longest a G on the global queue can
// go unnoticed while every P is busy.
//
// Interrupt context on m's own CPU: it takes no lock. m's P cannot change, because m itself is
// interrupted, unless its G is in a system call: then another M may take the P at any moment. In
// that case what is read from the P is a hint, and all stores are to m.
func (s *Sched) Tick(m *M, now int64, call bool, g uint64, pc uintptr) (leave bool, next int64) {
	p := m.P()
	if p == nil {
		return false, 0
	}
	m.Stats[Ticks]++
	state := m.sliceState.Load()
	if (g == 0 || s.policy.Endless) && m.sliceStart+s.sliceOf(m) <= now && state&sliceLeft == 0 {
		// No G is preempted here. But the P's runnext is the only G that continues in the slice,
		// and only while the slice is not used up. Otherwise Gs that repeatedly wait for something
		// short, so that each tick strikes in the scheduler, would keep one slice for ever [R11,
		// U2].
		atomic.StoreRelUint32(&m.sliceState, state|sliceUsed)
	}
	if g == 0 {
		// m looks for work, and may have looked at timers and devices already. The G that it finds
		// will be preempted for the next event.
		next = now + s.slice
		orphan := s.orphanTimer(p)
		if t := earlier(s.rt.NextTimer(p), orphan); t != 0 {
			next = min(next, t)
		}
		// The next search looks at these first, as after a tick that makes a G leave: while there
		// is always a G in the ring, no other code does [S1, S3].
		if s.sysmonDue.Load() != 0 && s.behind(p, now) || s.rt.PollReady() || orphan != 0 && orphan <= now {
			s.pollDue.Store(1)
			next = now
		}
		return false, max(next, now+min(retryTick, s.slice))
	}
	if s.policy.Endless { // no G is preempted
		if next = now + s.slice; call {
			next = s.callTick(m, p, now)
		}
		return false, next
	}
	flags := uint64(0)
	if t := s.rt.PeriodicAt(); t != 0 && t <= now {
		s.periodic.CompareAndSwap(periodicNone, periodicDue)
		flags = record.TickLeave | record.TickPeriodic
	}
	waits := !p.runqEmpty() || s.runqsize.Load() != 0 || p.hasPassed()
	next = now + s.slice
	if end := m.sliceStart + s.sliceOf(m); now < end {
		next = min(next, end)
	} else if waits || !s.quiet(p) {
		// The next slice begins when the G is gone; until then every tick asks again.
		m.Stats[Slices]++
		m.sliceState.Store(state | sliceUsed)
		flags |= record.TickLeave | record.TickSlice
	}
	if t := s.rt.NextTimer(p); t != 0 {
		if t <= now {
			flags |= record.TickLeave
		} else if t < next {
			next = t
		}
	}
	own := p
	if call {
		own = nil // it may be orphaned
	}
	orphan := s.orphanTimer(own)
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
		// If a G makes one short call after the other, every tick strikes in a call, so timers and
		// slices are handled in calls too [S2, S3]. The G leaves when it is back, not before: only
		// the call itself needs another look.
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

// Left is told, in a tick that has asked m's G to leave, that the G does so at once: it runs nothing of its own before
// it yields. next is what Tick has returned. It returns when to tick again, 0: not before the next slice.
//
// A tick after this one would be for a G that could not leave [A3]. If the slice is used up there need be none. No G
// continues in such a slice: a runnext goes to the ring first (expireRunnext), or begins a slice (leaveSlice). So what m runs
// next begins one, and that sets the tick (retime); or m gives its P up, and the M that takes it sets one (WireP). No G runs
// without a tick [U5]. If the slice is not used up the next G may continue in it, and the tick stays.
//
// With several Ps it stays too. Where an emulator runs the CPUs in turn, a turn ends at the next timer of any CPU: this tick
// keeps the turns of the others short until m's next slice begins, and without it they last up to a slice each
// (docs/turns.md).
//
// Interrupt context on m's own CPU, as Tick.
func (s *Sched) Left(m *M, next int64) int64 {
	if Hunting || s.procs.Load() > 1 || m.sliceState.Load()&sliceUsed == 0 {
		return next
	}
	return 0
}

// quiet is Runtime.Quiet without the timer.
func (s *Sched) quiet(p *P) bool {
	quiet, _ := s.rt.Quiet(p)
	return quiet
}

// orphanTimer returns when the earliest timer of an orphaned P is due, if there is no timer M to
// sleep for it because every M runs or waits for a G that is tied to it; 0: there is none. own is the P of the
// calling M, which looks at it itself, or nil.
func (s *Sched) orphanTimer(own *P) int64 {
	if s.timerM.Load() != 0 {
		return 0
	}
	set := s.timedPs()
	if own != nil {
		set &^= own.one()
	}
	var until int64
	for set != 0 {
		var p *P
		if p, set = s.next(set); p.orphaned() {
			until = earlier(until, s.rt.NextTimer(p))
		}
	}
	return until
}

// orphaned reports whether p has no owner that looks at its timers: p is idle, or its M's G is in a
// system call that was noticed. Any context; a hint.
func (p *P) orphaned() bool {
	if p.idle.Load() != 0 {
		return true
	}
	m := p.M()
	return m != nil && m.callSince.Load() != 0
}

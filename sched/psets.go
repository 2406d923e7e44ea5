package sched

import "math/bits"

// Sets of Ps: a word, with a bit for each P by its number. Whoever looks at all Ps passes over those
// that have nothing for it, so that a sleep, a search and a tick cost no more on a machine with many
// idle Ps.
//
// idlePs has the Ps on the idle list [P6]: they have no Gs. barePs has those of them that had no
// timers when they went there. They get none on the list: a timer is added to the P of the M that
// sets it, and that P is not idle. A P in idlePs alone may have timers.
//
// Both words are stored with the scheduler lock, in the step that puts a P on the list or takes it
// off, and loaded by any M.
//
// Orderings. Whoever looks for something last of all, before it sleeps, must see a P that has it.
//
//   - A G. The M that puts it owns its P, so the P's bit was cleared before the put, in the step
//     that took the P off the list. A look that comes after the put (find.go, WakeP) finds the bit
//     clear; or set again, and then the queue was empty since the put, so another M has the G.
//   - A timer. The M that sets it owns its P, so the bits were cleared before the timer was stored.
//     The timer M's look comes after that, or else it is kicked (timerSleep). It finds the bits
//     clear; or the P was put on the list since, and PutIdleP, which read the timers after they
//     were stored, left the P out of barePs unless the timer had fired or was stopped.
//
// The bits must therefore be cleared before the P has an owner, and PutIdleP must read the timers
// when the P has none any more.
type pset uint64

// _ is a compile-time check that a word has a bit for each P.
const _ = uint(64 - MaxProcs)

// one is the set of p alone.
func (p *P) one() pset { return 1 << (uint(p.ID) % MaxProcs) }

// allPs is the set of all Ps that there are.
func (s *Sched) allPs() pset { return ^pset(0) >> uint(64-s.procs.Load()) }

// ownedPs is the set of Ps that may have Gs: all but the idle ones. Any context; a hint.
func (s *Sched) ownedPs() pset { return s.allPs() &^ pset(s.idlePs.Load()) }

// timedPs is the set of Ps that may have timers. Any context; a hint.
func (s *Sched) timedPs() pset { return s.allPs() &^ pset(s.barePs.Load()) }

// next returns a P of set, which is not empty, and set without it.
func (s *Sched) next(set pset) (*P, pset) {
	return &s.ps[bits.TrailingZeros64(uint64(set))], set & (set - 1)
}

// markIdle puts p, which is going on the idle list, in the sets. Scheduler lock held.
func (s *Sched) markIdle(p *P) {
	if s.rt.NextTimer(p) == 0 {
		s.barePs.Store(s.barePs.Load() | uint64(p.one()))
	}
	s.idlePs.Store(s.idlePs.Load() | uint64(p.one()))
}

// markOwned takes p, which is leaving the idle list, out of the sets. Scheduler lock held.
func (s *Sched) markOwned(p *P) {
	s.idlePs.Store(s.idlePs.Load() &^ uint64(p.one()))
	s.barePs.Store(s.barePs.Load() &^ uint64(p.one()))
}

package sched

// MLFQ is a multi-level feedback queue: a G that computes sinks, a G that waits rises. The global
// queue has levels, and Gs of a higher level, which has a lower number, go first. A G sinks one
// level for each slice that it has used since it was new, and rises one each time that it has
// waited. The deeper the level, the longer its slices. So a G that answers requests goes before
// those that compute, and no priorities have to be given.
//
// Who has given a G a priority keeps it from rising above that level. New Gs have the priority 0.
//
// No G starves [U2]: a level is an advance of mlfqAdvance. A G goes before a G of the level above
// if that one came later by more than the advance, so what is on the queue now waits at most for
// what comes in the next few advances.
//
// The queue is not first in, first out [R7], and slices are of several lengths [S2, R11].
var MLFQ = Policy{
	Name: "mlfq", Waives: "R7 S2 R11", Shared: true,
	Ranked: mlfqRanked, Before: mlfqBefore, Slices: mlfqSlices, Wake: mlfqWake,
	Pris: mlfqLevels, SetPri: mlfqSetPri, Pri: mlfqLevel,
}

const (
	mlfqLevels = 4

	// A G.Rank has, from bit 8 on, when the G came to the queue plus its level's delay, in units of
	// 1<<mlfqUnit nanoseconds (a millisecond); from bit 6 on, its priority; below that, what it has used, in 16ths of a slice.
	mlfqUnit    = 20
	mlfqUsed    = 16
	mlfqShift   = 8
	mlfqMask    = 1<<mlfqShift - 1
	mlfqPri     = 6
	mlfqUsedAll = 1<<mlfqPri - 1
	mlfqDeepest = (mlfqLevels - 1) * mlfqUsed
)

// mlfqAdvance is how much earlier, in units of Rank, a G of one level goes than one of the next
// level that comes at the same time.
const mlfqAdvance = 200

// mlfqLevel returns g's level.
func mlfqLevel(g *G) uint32 { return g.Rank & mlfqUsedAll / mlfqUsed }

// mlfqRanked is Policy.Ranked.
func mlfqRanked(s *Sched, by *M, g *G, left bool) {
	now := s.machine.Now()
	used, pri := int64(g.Rank&mlfqUsedAll), g.Rank&mlfqMask>>mlfqPri
	if left {
		used = min(used+max((now-by.sliceStart)*mlfqUsed/s.slice, 0), mlfqDeepest)
	} else {
		used = max(used-mlfqUsed, int64(pri)*mlfqUsed)
	}
	at := uint32(now>>mlfqUnit) + uint32(used/mlfqUsed)*mlfqAdvance
	g.Rank = at<<mlfqShift | pri<<mlfqPri | uint32(used)
}

// mlfqSetPri is Policy.SetPri: g is on the level of its priority at once, and sinks and rises from there.
func mlfqSetPri(g *G, n uint32) { g.Rank = g.Rank&^mlfqMask | n<<mlfqPri | n*mlfqUsed }

// mlfqBefore is Policy.Before. Ranks wrap round, but two on the queue are hours apart at most, so
// their difference has a sign.
func mlfqBefore(g, other *G) bool { return int32(g.Rank&^mlfqMask-other.Rank&^mlfqMask) < 0 }

// mlfqSlices is Policy.Slices: twice as many on each level. m's level is noted for mlfqWake.
func mlfqSlices(m *M, g *G) int64 {
	level := mlfqLevel(g)
	m.Level.Store(level)
	return 1 << level
}

// mlfqWake is Policy.Wake: if no M is idle, one that runs a G of a lower level is asked to leave it.
func mlfqWake(s *Sched, by *M, g *G) {
	idle := s.npidle.Load() != 0
	if !s.hasSpinner() {
		s.summon(by)
	}
	if idle {
		return
	}
	var lowest *M
	level := mlfqLevel(g)
	for i := int32(0); i < s.procs.Load(); i++ {
		if m := s.ps[i].M(); m != nil && m.Level.Load() > level {
			lowest, level = m, m.Level.Load()
		}
	}
	if lowest != nil {
		lowest.Level.Store(0) // no other M asks the same
		s.rt.Preempt(lowest)
	}
}

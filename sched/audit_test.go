package sched

import "testing"

// stopped is a scheduler in a stopped world: M 0 owns P 0, P 1 and P 2 have
// stopped, M 1 and M 2 are parked. P 0 has two Gs in its ring and one in runnext,
// P 1 one, the global queue two.
func stopped() (*model, []*task) {
	mdl := newModel(3, 3)
	s := mdl.s
	mdl.started(3)
	for i := range int32(2) {
		s.GetIdleP(s.M(0), 0)
		s.putIdleM(s.M(i + 1))
	}
	ts := mdl.gs(6)
	for _, t := range ts[:3] {
		s.runqPut(s.M(0), s.P(0), &t.G, true)
	}
	s.UnwireP(s.M(0), s.P(0))
	s.WireP(s.M(0), s.P(1))
	s.runqPut(s.M(0), s.P(1), &ts[3].G, false)
	s.UnwireP(s.M(0), s.P(1))
	s.WireP(s.M(0), s.P(0))
	s.GlobrunqPut(s.M(0), &ts[4].G)
	s.GlobrunqPut(s.M(0), &ts[5].G)
	return mdl, ts
}

// audit audits the scheduler and the tasks.
func (mdl *model) audit(ts []*task) {
	mdl.epoch++
	mdl.s.Audit(mdl.s.M(0), mdl.epoch)
	for _, t := range ts {
		mdl.s.AuditG(&t.G, t.status.Load() == runnable, mdl.epoch)
	}
}

func TestAuditOfAGoodWorld(t *testing.T) {
	mdl, ts := stopped()
	mdl.audit(ts)
	mdl.audit(ts)
}

// Each way to spoil the world is found, by its rule.
func TestAuditFindsDamage(t *testing.T) {
	for _, c := range []struct {
		rule  string
		what  string
		spoil func(s *Sched, ts []*task)
	}{
		{"R1", "a long ring", func(s *Sched, ts []*task) { s.P(0).tail.Add(RingSize) }},
		{"P1", "an owned P", func(s *Sched, ts []*task) { s.P(1).m.Store(uintptr(handleM(s.M(1)))) }},
		{"P1", "a P of a forgetful M", func(s *Sched, ts []*task) { s.M(0).p.Store(uintptr(handleP(s.P(2)))) }},
		{"P2", "an idle P", func(s *Sched, ts []*task) { s.P(2).idle.Store(1) }},
		{"P6", "number of idle Ps", func(s *Sched, ts []*task) { s.idlePs.Store(1 << 2) }},
		{"P6", "number of idle Ps", func(s *Sched, ts []*task) { s.barePs.Store(1 << 2) }},
		{"P5", "a P beyond their number", func(s *Sched, ts []*task) { s.P(5).idle.Store(1) }},
		{"P5", "a G beyond their number", func(s *Sched, ts []*task) { s.P(4).runnext.Store(uintptr(handleG(&ts[0].G))) }},
		{"P6", "a count of idle Ps", func(s *Sched, ts []*task) { s.npidle.Add(1) }},
		{"R7", "a short length", func(s *Sched, ts []*task) { s.runq.n-- }},
		{"R7", "a wrong hint", func(s *Sched, ts []*task) { s.runqsize.Add(1) }},
		{"R7", "another end", func(s *Sched, ts []*task) { s.runq.tail = handleG(&ts[4].G) }},
		{"G3", "twice in a ring", func(s *Sched, ts []*task) { s.P(0).ring[0].Store(s.P(0).ring[1].Load()) }},
		{"G3", "runnext in the ring too", func(s *Sched, ts []*task) { s.P(0).runnext.Store(s.P(0).ring[0].Load()) }},
		{"G3", "nothing in the ring", func(s *Sched, ts []*task) { s.P(0).ring[0].Store(0) }},
		{"G3", "not marked", func(s *Sched, ts []*task) { ts[3].queued.Store(0) }},
		{"G3", "not runnable", func(s *Sched, ts []*task) { ts[3].status.Store(waiting) }},
		{"G3", "lost", func(s *Sched, ts []*task) { s.P(1).tail.Add(^uint32(0)) }},
		{"G3", "marked and in no queue", func(s *Sched, ts []*task) {
			s.P(1).tail.Add(^uint32(0))
			ts[3].status.Store(waiting)
		}},
		{"M1", "a parked M with a P", func(s *Sched, ts []*task) { s.M(1).p.Store(uintptr(handleP(s.P(1)))) }},
		{"M1", "a parked M that spins", func(s *Sched, ts []*task) { s.M(2).state.Store(mSpinning) }},
		{"M1", "a wrong count", func(s *Sched, ts []*task) { s.nmidle-- }},
		{"M1", "a circle", func(s *Sched, ts []*task) { s.M(1).link = handleM(s.M(2)) }},
		{"M1", "a timer M that runs", func(s *Sched, ts []*task) { s.timerM.Store(uintptr(handleM(s.M(0)))) }},
		{"M9", "a parked M with a P on its way", func(s *Sched, ts []*task) { s.M(1).nextp.Store(uintptr(handleP(s.P(1)))) }},
		{"M2", "a stopper that spins", func(s *Sched, ts []*task) { s.M(0).state.Store(mSpinning) }},
		{"M1", "an M that waits with a P", func(s *Sched, ts []*task) {
			s.removeIdleM(s.M(1))
			s.M(1).state.Store(mLockedWait)
			s.nmlocked++
			s.M(1).p.Store(uintptr(handleP(s.P(1))))
		}},
		{"M1", "an M that waits and is on the idle list", func(s *Sched, ts []*task) { s.M(1).state.Store(mLockedWait) }},
		{"M1", "an idle M that is not on the list", func(s *Sched, ts []*task) { s.removeIdleM(s.M(1)); s.nmidle++ }},
		{"M1", "an M too many", func(s *Sched, ts []*task) { s.M(7).state.Store(mExited) }},
		{"M8", "an M that was started and is off", func(s *Sched, ts []*task) {
			s.removeIdleM(s.M(1))
			s.M(1).state.Store(mOff)
			s.nms--
		}},
		{"M13", "a count of those", func(s *Sched, ts []*task) { s.nmlocked++ }},
		{"M13", "a count of passed Gs", func(s *Sched, ts []*task) { s.M(2).nlockedq.Add(1) }},
		{"M13", "a passed G that is not counted", func(s *Sched, ts []*task) { s.M(2).lockedq.push(s.runq.pop()); s.runqsize.Add(-1) }},
		{"G3", "passed and in a ring", func(s *Sched, ts []*task) { s.M(2).lockedq.push(&ts[0].G); s.M(2).nlockedq.Add(1) }},
		{"M7", "a count of spinning Ms", func(s *Sched, ts []*task) { s.nmspinning.Add(4) }},
		{"M7", "a spinning M that is not counted", func(s *Sched, ts []*task) {
			s.removeIdleM(s.M(1))
			s.M(1).state.Store(mSpinning)
		}},
		{"M7", "a negative one", func(s *Sched, ts []*task) { s.nmspinning.Add(-1) }},
	} {
		mdl, ts := stopped()
		c.spoil(mdl.s, ts)
		t.Run(c.rule+" "+c.what, func(t *testing.T) {
			mdl.thrown(t, c.rule, func() { mdl.audit(ts) })
		})
	}
}

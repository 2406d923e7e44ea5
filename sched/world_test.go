package sched

import (
	"fmt"
	"testing"
)

// stopWorld stops the world, checks it, sets the number of Ps and restarts it,
// as the runtime does. It reports false if another task does so already.
func (c *cpu) stopWorld(procs int32) bool {
	mdl, s := c.mdl, c.mdl.s
	if !mdl.world.CompareAndSwap(false, true) {
		return false
	}
	mdl.Lock()
	mdl.stopNote.Store(0)
	mdl.stopwait = s.Procs() - 1 // our own is stopped
	mdl.stopping.Store(true)
	for p := s.GetIdleP(s.M(0), 0); p != nil; p = s.GetIdleP(s.M(0), 0) {
		mdl.stopwait--
	}
	wait := mdl.stopwait > 0
	mdl.Unlock()
	for wait && mdl.stopNote.Load() == 0 {
		mdl.host.halt(c, &mdl.stopNote, 0)
	}
	mdl.auditStopped(c)

	mdl.Lock()
	old := s.Procs()
	own := c.m.P()
	if own.ID >= procs {
		s.Disown(c.m, own)
		own = s.P(0)
		s.Own(c.m, own)
	}
	s.SetProcs(procs)
	for i := procs; i < old; i++ {
		s.Drain(s.M(0), s.P(i))
		mdl.timers[i].mu.Lock()
		for _, t := range mdl.timers[i].list {
			mdl.timers[0].add(t)
		}
		mdl.timers[i].list = nil
		mdl.timers[i].next.Store(0)
		mdl.timers[i].mu.Unlock()
	}
	var busy []*P
	for i := procs - 1; i >= 0; i-- {
		switch p := s.P(i); {
		case p == own:
		case s.Empty(p):
			s.PutIdleP(s.M(0), p, 0)
		default:
			busy = append(busy, p)
		}
	}
	mdl.stopping.Store(false)
	mdl.stops++
	mdl.Unlock()
	for _, p := range busy {
		s.StartP(c.m, p)
	}
	s.Wake(c.m)
	mdl.world.Store(false)
	return true
}

// auditStopped audits a stopped world.
func (mdl *model) auditStopped(c *cpu) {
	mdl.Lock()
	defer mdl.Unlock()
	mdl.epoch++
	mdl.s.Audit(c.m, mdl.epoch)
	mdl.mu.Lock()
	tasks := mdl.tasks
	mdl.mu.Unlock()
	for _, t := range tasks {
		mdl.s.AuditG(&t.G, t.status.Load() == runnable, mdl.epoch)
	}
}

// unfair tells what is wrong while every M sleeps or computes and none is about
// to do anything else: work that an idle P should run, or a timer of an idle P
// that nobody sleeps for. Timers of other Ps are their ticks' business.
func (mdl *model) unfair() string {
	s := mdl.s
	if mdl.idle.Load() == 0 || mdl.stopping.Load() {
		return ""
	}
	work := s.runqsize.Load() != 0
	for i := int32(0); i < s.Procs(); i++ {
		p := s.P(i)
		work = work || !p.empty()
		t := mdl.timers[i].next.Load()
		if until := s.keeperUntil.Load(); p.Idle() && t != 0 && (s.keeper.Load() == 0 || until == 0 || until > t) {
			return fmt.Sprintf("T2: a timer of idle P %d is nobody's", i)
		}
	}
	if work {
		return "a G waits while a P is idle and an M is free"
	}
	return ""
}

// checkEnd checks a scheduler that came to rest after all tasks ended.
func (mdl *model) checkEnd(t *testing.T) {
	t.Helper()
	if msg := mdl.failure(); msg != "" {
		t.Fatalf("%s", msg)
	}
	s := mdl.s
	if mdl.live.Load() != 0 {
		t.Errorf("%d tasks never ended", mdl.live.Load())
	}
	if mdl.spinning.Load() != 0 || mdl.idle.Load() != s.Procs() || s.nmidle != s.nms || s.runq.n != 0 || s.runqsize.Load() != 0 || s.keeper.Load() != 0 {
		t.Errorf("counters at rest are wrong")
	}
	if mdl.nparked != s.nmidle {
		t.Errorf("ParkedMs told %d of %d", mdl.nparked, s.nmidle)
	}
	ps := 0
	for p := s.pidle.ptr(); p != nil; p = p.link.ptr() {
		if !p.Idle() || p.M() != nil || !p.empty() {
			t.Errorf("P2: P %d at rest", p.ID)
		}
		ps++
	}
	ms := 0
	for m := s.midle.ptr(); m != nil; m = m.link.ptr() {
		if m.p != 0 || m.spinning {
			t.Errorf("M1: M %d at rest", m.ID)
		}
		ms++
	}
	if int32(ps) != s.Procs() || int32(ms) != s.nms {
		t.Errorf("lists of %d Ps and %d Ms, of %d and %d", ps, ms, s.Procs(), s.nms)
	}
	runs := uint64(0)
	for _, task := range mdl.tasks {
		if task.runs != task.Runs || task.status.Load() != dead || task.queued.Load() != 0 {
			t.Errorf("task %d: %d runs counted as %d, status %d", task.id, task.runs, task.Runs, task.status.Load())
		}
		runs += task.runs
	}
	for i := range s.ms {
		runs -= s.ms[i].Stats.Runs
	}
	if runs != 0 {
		t.Errorf("the Ms' counts of dispatches are off by %d", int64(runs))
	}
	if mdl.deads == 0 {
		t.Errorf("U6: the last M parked and nobody was told")
	}
	if t.Failed() {
		t.Logf("%s", mdl.dump())
	}
}

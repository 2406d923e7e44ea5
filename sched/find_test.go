package sched

import "testing"

// The order of the search, observed by giving every source one G and looking
// which comes when: timers and worker, (61st tick) global, runnext, ring,
// global, steal, idle worker.
func TestFindOrder(t *testing.T) {
	mdl := newModel(2, 2)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	s.GetIdleP(s.M(0), 0) // P 1 is somebody's
	ts := mdl.gs(7)
	worker, next, ring, global, other, idle, timed := ts[0], ts[1], ts[2], ts[3], ts[4], ts[5], ts[6]
	once := func(task *task) func(*P) *G {
		return func(*P) *G {
			if task == nil {
				return nil
			}
			g := &task.G
			task = nil
			return g
		}
	}
	mdl.onWorker, mdl.onIdleWorker = once(worker), once(idle)
	s.RunqPut(m, &next.G, true)
	s.RunqPut(m, &ring.G, false)
	s.runqPut(m, s.P(1), &other.G, false)
	s.GlobrunqPut(s.M(0), &global.G)
	timed.status.Store(waiting)
	mdl.addTimer(0, timer{1, timed})
	p.schedtick = 1

	for i, want := range []struct {
		t       *task
		inherit bool
	}{{worker, false}, {timed, true}, {ring, false}, {next, false}, {global, false}, {other, false}, {idle, false}} {
		d, _ := mdl.schedule(t, m)
		if d.t != want.t || d.inherit != want.inherit {
			t.Fatalf("dispatch %d: got %+v, want task %d", i, d, want.t.id)
		}
	}
	mdl.onDead = func() {}
	if d, _ := mdl.schedule(t, m); d.t != nil || m.P() != nil || !p.Idle() {
		t.Errorf("the M does not sleep at the end")
	}
	if m.Stats[Workers] != 2 || m.Stats[Runs] != 7 {
		t.Errorf("counted %d workers and %d runs", m.Stats[Workers], m.Stats[Runs])
	}
}

// A worker is dispatched and somebody else is woken for the others' work.
func TestFindWorkerWakes(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	w := mdl.gs(1)[0]
	mdl.onWorker = func(*P) *G { return &w.G }
	if d, _ := mdl.schedule(t, s.M(0)); d.t != w {
		t.Errorf("the worker does not run")
	}
	if s.Started() != 2 || !s.M(1).Spinning() || mdl.spinning.Load() != 1 {
		t.Errorf("nobody was woken")
	}
}

// [S3]: what a tick saw that devices have told comes before the queues.
func TestS3FindPollsWhenTold(t *testing.T) {
	mdl := newModel(1, 1)
	s, m := mdl.s, mdl.s.M(0)
	ts := mdl.gs(3)
	ts[0].status.Store(waiting)
	mdl.dev.ended = append(mdl.dev.ended, ts[0])
	mdl.dev.told.Store(1)
	mdl.putAll(s.P(0), ts[1:])
	if d, _ := mdl.schedule(t, m); d.t != ts[1] || mdl.dev.told.Load() != 1 {
		t.Errorf("%+v: polled though there is work", d)
	}
	if leave, _ := mdl.tickOf(m, 5); !leave {
		t.Errorf("not asked to leave")
	}
	s.P(0).schedtick = 1
	mdl.schedule(t, m)
	if m.Stats[Polls] != 1 || mdl.dev.told.Load() != 0 || ts[0].status.Load() != runnable {
		t.Errorf("polled %d times", m.Stats[Polls])
	}
}

// [M13]: Gs that were passed to the M come before all but timers, in their order, and as
// long as there are some the M does not sleep.
func TestM13FindOwn(t *testing.T) {
	mdl := newModel(2, 2)
	m := mdl.s.M(0)
	worker := mdl.gs(1)[0]
	mdl.onWorker = func(*P) *G { return &worker.G }
	first, second := mdl.passed(m), mdl.passed(m)
	for i, want := range []*task{first, second, worker} {
		if d, _ := mdl.schedule(t, m); d.t != want {
			t.Errorf("dispatch %d: %+v", i, d)
		}
	}
	mdl.onWorker = nil
	var own *task
	mdl.onIdleWorker = func(*P) *G {
		if own == nil {
			own = mdl.passed(m)
		}
		return nil
	}
	if d, _ := mdl.schedule(t, m); own == nil || d.t != own || m.Stats[Parks] != 0 {
		t.Errorf("%+v: the M slept over a G of its own", d)
	}
}

// A withheld G is gone; the search goes on.
func TestFindWithhold(t *testing.T) {
	mdl := newModel(1, 1)
	s := mdl.s
	ts := mdl.gs(2)
	mdl.onWithhold = func(g *G) bool { return g == &ts[0].G }
	mdl.putAll(s.P(0), ts)
	if d, _ := mdl.schedule(t, s.M(0)); d.t != ts[1] {
		t.Errorf("the wrong task runs")
	}
	if s.M(0).Stats[Runs] != 1 || ts[0].queued.Load() != 0 {
		t.Errorf("the withheld task ran or is queued")
	}
}

// An M does not sleep over a safe point that was asked for after it passed one.
func TestFindSafePoint(t *testing.T) {
	mdl := newModel(1, 1)
	s := mdl.s
	s.safewait = 3
	asked := 0
	ran := 0
	mdl.onIdleWorker = func(p *P) *G {
		if asked++; asked < 3 {
			mdl.marks[p.ID].Store(1)
		}
		return nil
	}
	mdl.onSafePoint = func(*P) { ran++ }
	mdl.marks[0].Store(1)
	mdl.onDead = func() {}
	if d, _ := mdl.schedule(t, s.M(0)); d.t != nil || ran != 3 || s.safewait != 0 || s.safeNote.Load() != 1 {
		t.Errorf("the safe point ran %d times, and %d are missed", ran, s.safewait)
	}
}

// Background and Periodic may ready a G, which is found at once.
func TestFindBackground(t *testing.T) {
	mdl := newModel(1, 1)
	s := mdl.s
	ts := mdl.gs(2)
	n := 0
	mdl.onBackground = func() {
		if n++; n == 1 {
			s.Ready(s.M(0), &ts[0].G, true)
		}
	}
	mdl.onPeriodic = func() { s.Ready(s.M(0), &ts[1].G, true) }
	if d, _ := mdl.schedule(t, s.M(0)); d.t != ts[0] {
		t.Errorf("Background's task does not run")
	}
	s.periodic.Store(1)
	if d, _ := mdl.schedule(t, s.M(0)); d.t != ts[1] {
		t.Errorf("Periodic's task does not run")
	}
	if s.periodic.Load() != 0 {
		t.Errorf("Periodic was not taken")
	}
}

// [M7]: with half as many spinners as busy Ps an M does not join them. It sleeps
// and leaves the ring of another P alone.
func TestM7EntryBound(t *testing.T) {
	mdl := newModel(4, 4)
	s := mdl.s
	for s.GetIdleP(s.M(0), 0) != nil {
	}
	mdl.putAll(s.P(1), mdl.gs(8))
	mdl.spinning.Store(2) // of 4 busy Ps
	mdl.onDead = func() {}
	if d, _ := mdl.schedule(t, s.M(0)); d.t != nil || s.M(0).Stats[Spins] != 0 {
		t.Errorf("a third M spins on 4 Ps")
	}
	mdl = newModel(4, 4)
	s = mdl.s
	for s.GetIdleP(s.M(0), 0) != nil {
	}
	mdl.putAll(s.P(1), mdl.gs(8))
	mdl.spinning.Store(1)
	if d, _ := mdl.schedule(t, s.M(0)); d.t == nil || s.M(0).Stats[Spins] != 1 {
		t.Errorf("a second M does not spin on 4 Ps")
	}
}

// [M3]: what a spinner finds ends its spinning before it runs.
func TestM3FoundWorkEndsSpinning(t *testing.T) {
	mdl := newModel(2, 2)
	s := mdl.s
	m, p := mdl.spinner()
	mdl.putAll(s.P(0), mdl.gs(3))
	d, _ := mdl.schedule(t, m)
	if d.t == nil || m.Spinning() || mdl.spinning.Load() != 0 || p.Len() != 1 {
		t.Errorf("spinning %v, counted %d", m.Spinning(), mdl.spinning.Load())
	}
	mdl.thrown(t, "M3", func() { s.resetSpinning(m) })
	m.state.Store(mSpinning)
	mdl.thrown(t, "M3", func() { s.Schedule(m) })
	s.UnwireP(m, p)
	mdl.thrown(t, "M2", func() { s.Schedule(m) })
}

// An M that finds work while others may be waiting for more wakes the next one.
func TestM3ChainOfWakes(t *testing.T) {
	mdl := newModel(3, 3)
	s := mdl.s
	m, _ := mdl.spinner()
	mdl.putAll(s.P(0), mdl.gs(4))
	mdl.schedule(t, m)
	if s.Started() != 2 || !s.M(1).Spinning() && !s.M(2).Spinning() {
		t.Errorf("no further M was woken: %d started", s.Started())
	}
	if mdl.spinning.Load() != 1 {
		t.Errorf("%d spin", mdl.spinning.Load())
	}
}

// The M that yields to a wanted spinner looks again before it sleeps.
func TestNeedSpinning(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.s.M(0)
	s.GetIdleP(s.M(0), 0)
	ts := mdl.gs(1)
	mdl.spinning.Store(1) // another spins, so this M does not by itself
	mdl.onIdleWorker = func(*P) *G {
		if m.Spinning() {
			return nil
		}
		// Between its search and its sleep somebody puts work and finds no
		// idle P.
		s.runqPut(m, s.P(1), &ts[0].G, false)
		s.Lock()
		if s.getIdlePSpinning(s.M(0)) != nil {
			t.Errorf("an idle P")
		}
		s.Unlock()
		return nil
	}
	if d, _ := mdl.schedule(t, m); d.t != ts[0] {
		t.Errorf("the wish for a spinner was not met")
	}
	if s.needspinning.Load() != 0 || m.Stats[Spins] != 1 {
		t.Errorf("needspinning %d after %d spins", s.needspinning.Load(), m.Stats[Spins])
	}
}

// Work for an idle worker that comes up late keeps an M from sleeping.
func TestRecheckIdleWorker(t *testing.T) {
	mdl := newModel(1, 1)
	w := mdl.gs(1)[0]
	wanted := false
	mdl.onIdleWanted = func() bool { wanted = true; return true }
	mdl.onIdleWorker = func(*P) *G {
		if wanted {
			return &w.G
		}
		return nil
	}
	if d, _ := mdl.schedule(t, mdl.s.M(0)); d.t != w {
		t.Errorf("the idle worker does not run")
	}
}

// The global queue is looked at again under the lock, before the M sleeps.
func TestR7FindLooksAgain(t *testing.T) {
	mdl := newModel(1, 1)
	s, m := mdl.s, mdl.s.M(0)
	mdl.spinning.Store(1) // another spins, so this M does not
	task := mdl.gs(1)[0]
	mdl.onIdleWorker = func(*P) *G { s.GlobrunqPut(s.M(0), &task.G); return nil }
	if d, _ := mdl.schedule(t, m); d.t != task || m.Stats[Spins] != 0 || m.Stats[Parks] != 0 {
		t.Errorf("the M slept over a G in the global queue, or spun for it")
	}
}

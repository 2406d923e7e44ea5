package sched

import "testing"

// told makes n tasks that wait for a device, which has told of them all.
func (mdl *model) told(n int) []*task {
	ts := mdl.gs(n)
	for _, t := range ts {
		t.status.Store(waiting)
		mdl.dev.ended = append(mdl.dev.ended, t)
	}
	mdl.dev.told.Add(int32(n))
	return ts
}

// [N4]: what devices have told comes after the ring and before the global queue; those that are
// not run at once are others'. A Poll that finds nobody ends nothing.
func TestN4DevicesBeforeGlobal(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.s.M(0)
	devices, ts := mdl.told(2), mdl.gs(2)
	s.RunqPut(m, &ts[0].G, false)
	s.GlobrunqPut(m, &ts[1].G)
	s.P(0).schedtick = 1
	for i, want := range []*task{ts[0], devices[0], devices[1], ts[1]} {
		d, _ := mdl.schedule(t, m)
		if d.t != want || d.inherit {
			t.Fatalf("dispatch %d: %+v, want task %d", i, d, want.id)
		}
		if woken := s.Started() == 2; woken != (i >= 1) {
			t.Errorf("dispatch %d: woken %v", i, woken)
		}
	}
	if m.Stats[Polls] != 1 || mdl.dev.waiters.Load() != -2 {
		t.Errorf("polled %d times", m.Stats[Polls])
	}
}

// [N4, U2]: a flood of devices leaves the global queue a turn once a slice, whatever the 61st dispatch does, and the devices go first again after
// each. Time that passes while the queue is empty does not count.
func TestN4GlobalTurn(t *testing.T) {
	mdl := newModel(1, 1)
	s, m := mdl.s, mdl.s.M(0)
	const steps = 8 // of a slice
	search := func() (device bool) {
		if mdl.dev.told.Load() == 0 {
			mdl.told(1)
		}
		s.P(0).schedtick = 1
		got := m.Stats[Globals]
		mdl.schedule(t, m)
		mdl.clock.Add(s.slice / steps)
		return m.Stats[Globals] == got
	}
	for range 3 * steps {
		if !search() {
			t.Fatal("a device waits for an empty queue")
		}
	}
	for turn := range 3 {
		s.GlobrunqPut(m, &mdl.gs(1)[0].G)
		for i := range steps {
			if !search() {
				t.Fatalf("turn %d: the queue goes first after %d of %d steps", turn, i, steps)
			}
		}
		if search() {
			t.Fatalf("turn %d: the queue has no turn after a slice", turn)
		}
	}
}

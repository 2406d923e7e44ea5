package sched

import "testing"

// [S2, U5]: the new owner of a P ticks. A tick that strikes before it owns the P finds no P and
// ends the ticks; the next one is set after that.
func TestS2OwnerTicks(t *testing.T) {
	mdl := newModel(1, 1)
	s, m := mdl.s, mdl.s.M(0)
	c := mdl.cpus[0]
	p := m.P()
	s.UnwireP(m, p)
	mdl.clock.Store(5000)
	c.tickAt.Store(5000) // of the time before
	c.interrupts()
	if at := c.tickAt.Load(); at != 0 {
		t.Errorf("an M without a P ticks at %d", at)
	}
	set := 0
	mdl.onTickAt = func(when int64) {
		if set++; m.P() != p || p.M() != m {
			t.Error("the tick is set before the P is the M's")
		}
	}
	s.WireP(m, p)
	if at := c.tickAt.Load(); set != 1 || at != 5000+Slice {
		t.Errorf("set %d times, tick at %d", set, at)
	}
}

// [T1]: he ticks for the timers that the P has, too; for one that is due, soon.
func TestT1OwnerTicks(t *testing.T) {
	mdl := newModel(1, 1)
	s, m := mdl.s, mdl.s.M(0)
	p := m.P()
	mdl.clock.Store(10_000)
	for when, want := range map[int64]int64{500_000: 500_000, 7000: 10_000 + retryTick, 10_000 + 2*Slice: 10_000 + Slice} {
		s.UnwireP(m, p)
		s.machine.TickOff(m)
		mdl.timers[0] = timers{}
		mdl.addTimer(0, timer{when: when})
		s.WireP(m, p)
		if at := mdl.cpus[0].tickAt.Load(); at != want {
			t.Errorf("a timer at %d: tick at %d, not %d", when, at, want)
		}
	}
}

// [S2, T1, A5]: an M that waits for the other Ps does not tick in that time, and afterwards ticks when
// it would have; an M that halts without a P has no tick.
func TestWaitKeepsTheTick(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.s.M(0)
	c := mdl.cpus[0]
	for _, tick := range []int64{c.tickAt.Load(), 300} {
		s.machine.TickAt(m, tick)
		s.stopNote.Store(1)
		mdl.onPoint = func(what string) {
			if c.tickAt.Load() != 0 {
				t.Errorf("it waits, and ticks at %d", c.tickAt.Load())
			}
		}
		s.await(m, &s.stopNote, nil)
		mdl.onPoint = nil
		if at := c.tickAt.Load(); at != tick {
			t.Errorf("its tick is at %d, and was at %d", at, tick)
		}
	}
	s.UnwireP(m, m.P())
	if mdl.ends(t, m, func() { s.awaitP(m) }); c.tickAt.Load() != 0 {
		t.Errorf("it halts without a P and ticks at %d", c.tickAt.Load())
	}
}

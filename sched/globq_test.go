package sched

import (
	"slices"
	"testing"
)

func TestR7GlobalQueueKeepsOrder(t *testing.T) {
	mdl := newModel(1, 1)
	s := mdl.s
	ts := mdl.gs(6)
	for _, task := range ts[:4] {
		s.GlobrunqPut(s.M(0), &task.G)
	}
	var l gList
	s.runq.append(&l) // nothing
	l.push(&ts[4].G)
	l.push(&ts[5].G)
	s.runq.append(&l)
	s.runqsize.Add(2)
	if l.n != 0 || l.pop() != nil || s.runq.n != 6 || s.GlobrunqLen() != 6 {
		t.Errorf("lists of %d and %d", l.n, s.runq.n)
	}
	if got := mdl.globalIDs(); !slices.Equal(got, ids(ts)) {
		t.Errorf("came out as %v", got)
	}
	if s.runq.head != 0 || s.runq.tail != 0 || s.runq.n != 0 {
		t.Errorf("an empty list has ends")
	}
	s.runq.push(&ts[0].G)
	if s.runq.pop() != &ts[0].G {
		t.Errorf("a list that was empty does not work again")
	}
}

// min(len, len/procs+1, half a ring): the first to run, the rest into the ring.
func TestR9Share(t *testing.T) {
	for _, c := range []struct{ len, procs, max, want int }{
		{0, 4, 128, 0}, {1, 1, 128, 1}, {1, 8, 128, 1}, {2, 1, 128, 2}, {4, 4, 128, 2},
		{100, 4, 128, 26}, {1000, 4, 128, 128}, {1000, 1, 128, 128}, {127, 1, 128, 127},
		{1000, 64, 128, 16}, {50, 1, 1, 1},
	} {
		mdl := newModel(1, 1)
		s, p := mdl.s, mdl.s.P(0)
		s.SetProcs(int32(c.procs))
		setRing(p, 1<<32-5)
		ts := mdl.gs(c.len)
		for _, task := range ts {
			s.GlobrunqPut(s.M(0), &task.G)
		}
		g := s.globrunqGet(s.M(0), p, int32(c.max))
		var got []int
		if g != nil {
			got = append([]int{taskOf(g).id}, mdl.drainIDs(p)...)
		}
		if !slices.Equal(got, ids(ts[:c.want])) {
			t.Errorf("%+v: got %v", c, got)
		}
		if int(s.GlobrunqLen()) != c.len-c.want || s.GlobrunqLen() != s.runq.n || int(s.M(0).Stats[Globals]) != c.want {
			t.Errorf("%+v: %d left, counted %d", c, s.GlobrunqLen(), s.M(0).Stats[Globals])
		}
	}
}

// A share that the ring has no room for stays where it is.
func TestR9ShareStopsAtFullRing(t *testing.T) {
	mdl := newModel(1, 1)
	s, p := mdl.s, mdl.s.P(0)
	mdl.putAll(p, mdl.gs(RingSize-3))
	for _, task := range mdl.gs(10) {
		s.GlobrunqPut(s.M(0), &task.G)
	}
	if g := s.globrunqGet(s.M(0), p, 128); g == nil || s.GlobrunqLen() != 6 || p.Len() != RingSize {
		t.Errorf("ring %d, global %d", p.Len(), s.GlobrunqLen())
	}
}

// Every 61st tick looks at the global queue first, and takes one G from it.
func TestR8SixtyFirstTick(t *testing.T) {
	mdl := newModel(1, 1)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	mdl.putAll(p, mdl.gs(200))
	global := mdl.gs(10)
	for _, task := range global {
		s.GlobrunqPut(s.M(0), &task.G)
	}
	p.schedtick = 1
	for i := 1; i <= 2*globalTick; i++ {
		tick := p.Schedtick()
		d, _ := mdl.schedule(t, m)
		if fromGlobal := slices.Contains(global, d.t); fromGlobal != (tick%globalTick == 0) {
			t.Fatalf("tick %d: from the global queue: %v", tick, fromGlobal)
		}
		if p.Schedtick() != tick+1 {
			t.Fatalf("tick %d became %d", tick, p.Schedtick())
		}
	}
	if s.GlobrunqLen() != 8 {
		t.Errorf("two such ticks took %d Gs", 10-s.GlobrunqLen())
	}
}

// A hunter takes Gs from anywhere in the queue; what is left keeps its order and its ends.
func TestRemove(t *testing.T) {
	mdl := newModel(1, 1)
	ts := mdl.gs(4)
	for i := range ts {
		var l gList
		for _, task := range ts {
			l.push(&task.G)
		}
		if at := l.index(handleG(&ts[i].G)); at != int32(i) {
			t.Errorf("G %d is at %d", i, at)
		}
		if g := l.remove(int32(i)); g != &ts[i].G || g.link != 0 || l.index(handleG(g)) != -1 {
			t.Errorf("G %d: another was taken, or it is still there", i)
		}
		l.push(&ts[i].G)
		want := append(slices.Delete(slices.Clone(ts), i, i+1), ts[i])
		for _, task := range want {
			if l.pop() != &task.G {
				t.Errorf("without G %d the order is another", i)
			}
		}
		if l.n != 0 || l.head != 0 || l.tail != 0 {
			t.Errorf("an empty list has ends")
		}
	}
}

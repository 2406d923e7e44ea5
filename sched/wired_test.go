package sched

import (
	"fmt"
	"testing"
)

// TestWires runs everything with tasks that are wired to Ps, while those come and go.
func TestWires(t *testing.T) {
	n := seeds(40, 4)
	for _, c := range []struct {
		ncpu  int
		procs int32
	}{{1, 1}, {2, 2}, {3, 2}, {4, 4}} {
		t.Run(fmt.Sprintf("%dMs%dPs", c.ncpu, c.procs), func(t *testing.T) {
			passed := uint64(0)
			for seed := uint64(1); seed <= n; seed++ {
				mdl, tn := newTurns(c.ncpu, c.procs, seed)
				mdl.ops = wireOps
				mdl.root(1, 60, 24)
				tn.start(mdl.cpus[0])
				if msg := tn.play(400_000); msg != "" {
					t.Fatalf("seed %d, step %d: %s", seed, tn.steps, msg)
				}
				if mdl.checkEnd(t); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
				if mdl.s.Wired() != 0 {
					t.Fatalf("seed %d: %d Gs that have ended are wired", seed, mdl.s.Wired())
				}
				for i := range mdl.ncpu {
					passed += mdl.s.M(int32(i)).Stats[Passes]
				}
			}
			if passed == 0 && c.ncpu > 1 {
				t.Error("no G was passed on")
			}
		})
	}
}

// wiredTo makes n runnable tasks that are wired to p.
func (mdl *model) wiredTo(p *P, n int) []*task {
	ts := mdl.gs(n)
	for _, t := range ts {
		mdl.s.Wire(mdl.s.M(0), &t.G, p.ID)
	}
	return ts
}

// passedTo has n tasks that are wired to p wait for it, by hand.
func (mdl *model) passedTo(p *P, n int) []*task {
	ts := mdl.wiredTo(p, n)
	for _, t := range ts {
		mdl.s.enqueue(&t.G)
		p.wiredq.push(&t.G)
		p.nwired.Add(1)
	}
	return ts
}

// [P7]: the short ways are closed while a G is wired, and open again.
func TestP7ShortWays(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.s.M(0)
	ts := mdl.wiredTo(s.P(1), 2)
	s.Wire(m, &ts[0].G, 0)
	if s.Wired() != 2 || s.Unusual(m) == 0 || s.WiredTo(&ts[0].G) != 0 || s.WiredTo(&ts[1].G) != 1 {
		t.Errorf("%d are wired, to %d and %d", s.Wired(), s.WiredTo(&ts[0].G), s.WiredTo(&ts[1].G))
	}
	s.Wire(m, &ts[0].G, -1)
	if s.Unusual(m) == 0 {
		t.Error("the short ways are open while a G is wired")
	}
	s.WireEnds(&ts[1].G)
	s.WireEnds(&ts[1].G)
	if s.setLong(); s.Wired() != 0 || s.Unusual(m) != 0 || s.WiredTo(&ts[1].G) != -1 {
		t.Errorf("%d are wired", s.Wired())
	}
}

// [P7, U2]: what was passed to a P has one slice in three of it, in its order, and the P's own queue the others.
func TestP7Turns(t *testing.T) {
	mdl := newModel(2, 2)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	own := mdl.gs(8)
	mdl.putAll(p, own)
	passed := mdl.passedTo(p, 4)
	var order []bool // whether it was passed
	first := int(p.Schedtick())
	for len(order) < 12 {
		g, inherit, _ := s.findRunnable(m)
		was := len(passed) > 0 && g == &passed[0].G
		switch {
		case inherit:
			t.Fatal("a G of a queue inherits a slice")
		case was:
			passed = passed[1:]
		case len(own) > 0 && g == &own[0].G:
			own = own[1:]
		default:
			t.Fatalf("after %v: not the first of its queue", order)
		}
		s.newSlice(m, g, 1)
		order = append(order, was)
	}
	for at, was := range order {
		if was != ((first+at)%wiredTick == 0) {
			t.Fatalf("turns %v", order)
		}
	}
	if p.nwired.Load() != 0 || len(own) != 0 {
		t.Errorf("left: %d that were passed, %d others\n%s", p.nwired.Load(), len(own), mdl.dump())
	}
}

// [P7]: an M that finds a G of an idle P takes that P, and hands its own on; of a P that is not idle, it leaves the G there; while the world stops, in
// the global queue.
func TestP7Pass(t *testing.T) {
	for _, c := range []string{"idle", "owned", "stopping"} {
		mdl := newModel(3, 2)
		s, m := mdl.s, mdl.s.M(0)
		mdl.sleeping(1)
		mdl.putAll(s.P(0), mdl.gs(1))
		to := s.P(1)
		w := mdl.wiredTo(to, 1)[0]
		switch c {
		case "owned":
			s.GetIdleP(m, 0)
			s.WireP(s.M(2), to)
		case "stopping":
			mdl.stopping.Store(true)
		}
		s.passWired(m, &w.G, to)
		switch {
		case c == "idle" && (m.P() != to || to.nwired.Load() != 1 || puintptr(s.M(1).nextp.Load()).ptr() != s.P(0)),
			c == "owned" && (m.P() != s.P(0) || to.nwired.Load() != 1 || s.GlobrunqLen() != 0),
			c == "stopping" && (m.P() != s.P(0) || to.nwired.Load() != 0 || s.GlobrunqLen() != 1):
			t.Errorf("%s:\n%s", c, mdl.dump())
		}
		if w.queued.Load() == 0 || m.Stats[Passes] != 1 {
			t.Errorf("%s: not queued, or passed %d times", c, m.Stats[Passes])
		}
	}
}

// [S2, S1]: a G that was passed to a P ends the slice of the one that runs there, and has the P taken from a call.
func TestP7Waits(t *testing.T) {
	mdl := newModel(2, 2)
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	if leave, _ := s.Tick(m, 2*Slice, false, 1, 0); leave {
		t.Error("a G that runs alone is asked to leave")
	}
	m.callSince.Store(1)
	s.nmspinning.Store(1)
	if s.retakeDue(m, p, 2*RetakeAfter) || p.behind(2*RetakeAfter) {
		t.Error("a P without work is to be taken from a short call")
	}
	mdl.passedTo(p, 1)
	if !s.retakeDue(m, p, 2*RetakeAfter) || !p.behind(2*RetakeAfter) {
		t.Error("the P is not to be taken from the call")
	}
	m.callSince.Store(0)
	if leave, _ := s.Tick(m, 2*Slice, false, 1, 0); !leave {
		t.Error("the G that runs is not asked to leave")
	}
}

// [P7]: a G that comes back from a call to an M without a P goes to its own P or to a queue, and where it is tied to its M, anywhere.
func TestP7Calls(t *testing.T) {
	mdl := newModel(3, 3)
	s, m := mdl.s, mdl.s.M(0)
	s.UnwireP(m, s.P(0)) // P 1 and P 2 are idle
	w := mdl.wiredTo(s.P(2), 1)[0]
	if p := s.ExitSyscallTryGetP(m, &w.G, s.P(1)); p != nil {
		t.Errorf("it gets P %d at once", p.ID)
	}
	if s.homeOf(&w.G) != s.P(2) {
		t.Error("it is wired to another P")
	}
	s.SetProcs(2)
	if s.homeOf(&w.G) != nil {
		t.Error("it is wired to a P beyond their number")
	}
}

// What must not be is noticed.
func TestP7Throws(t *testing.T) {
	mdl := newModel(2, 2)
	s, m := mdl.s, mdl.s.M(0)
	w := mdl.gs(1)[0]
	for what, wrong := range map[string]func(){
		"a P that there is not": func() { s.Wire(m, &w.G, 2) },
		"a policy without queues": func() {
			s.setPolicy(&Pool)
			defer s.setPolicy(&MToN)
			s.Wire(m, &w.G, 1)
		},
		"an idle P": func() {
			p := s.P(1)
			s.removeIdleP(m, p, 0)
			mdl.passedTo(p, 1)
			s.PutIdleP(m, p, 0)
		},
	} {
		t.Run(what, func(t *testing.T) { mdl.thrown(t, "P7", wrong) })
	}
}

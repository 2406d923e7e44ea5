package sched

import (
	"fmt"
	"slices"
	"testing"
)

// patientOps are what a program can do where nobody is made to leave the CPU.
var patientOps = []op{
	opSpawn, opSpawn, opSpawn, opYield, opYield, opWaker, opPartner, opNap, opNap, opSleep, opHasten, opInject, opBurn, opStop,
	opCall, opLongCall, opVeryLongCall, opTie, opUntie, opLeave, opRead, opRead, opErrand, opErrand, opVisit,
}

// greedy steals all there is in a ring.
var greedy = Policy{Name: "greedy", Waives: "R10", Steal: func(n uint32) uint32 { return n }}

// TestPolicies runs everything under each policy of the lineage.
func TestPolicies(t *testing.T) {
	n := seeds(25, 2)
	for _, c := range []struct {
		policy *Policy
		ops    []op
		ncpu   int
		procs  int32
	}{
		{&NToOne, patientOps, 1, 1}, {&NToOne, patientOps, 4, 1},
		{&OneToOne, allOps, 1, 1}, {&OneToOne, allOps, 2, 2}, {&OneToOne, allOps, 4, 4}, {&OneToOne, foreignOps, 4, 3},
		{&Pool, oldOps, 4, 4}, {&Pool, allOps, 2, 2}, {&Pool, allOps, 3, 2}, {&Pool, allOps, 4, 4},
		{&MLFQ, oldOps, 4, 4}, {&MLFQ, allOps, 1, 1}, {&MLFQ, allOps, 3, 2}, {&MLFQ, allOps, 4, 4}, {&MLFQ, foreignOps, 4, 3},
		{&greedy, oldOps, 4, 4}, {&greedy, allOps, 3, 3},
	} {
		t.Run(fmt.Sprintf("%s/%dMs%dPs", c.policy.Name, c.ncpu, c.procs), func(t *testing.T) {
			for seed := uint64(1); seed <= n; seed++ {
				mdl, tn := newTurns(c.ncpu, c.procs, seed)
				mdl.s.setPolicy(c.policy)
				mdl.ops = c.ops
				mdl.root(1, 60, 24)
				tn.start(mdl.cpus[0])
				if msg := tn.play(400_000); msg != "" {
					t.Fatalf("seed %d, step %d: %s", seed, tn.steps, msg)
				}
				mdl.checkEnd(t)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
				if c.policy == &NToOne && mdl.s.Started() != 1 {
					t.Fatalf("seed %d: %d Ms under N:1", seed, mdl.s.Started())
				}
			}
		})
	}
}

// TestPolicyChanges runs everything under policies that come and go, and with slices of all lengths: no G is lost, and none starves.
func TestPolicyChanges(t *testing.T) {
	all := []*Policy{&Pool, &MToN, &MLFQ, &Pool, &MLFQ, &MToN}
	for _, p := range all {
		if !p.Changeable() {
			t.Fatalf("%s is no policy to change to", p.Name)
		}
	}
	n := seeds(60, 6)
	for seed := uint64(1); seed <= n; seed++ {
		mdl, tn := newTurns(4, 4, seed)
		mdl.ops, mdl.policies = allOps, all
		mdl.root(1, 60, 24)
		tn.start(mdl.cpus[0])
		if msg := tn.play(400_000); msg != "" {
			t.Fatalf("seed %d, step %d: %s", seed, tn.steps, msg)
		}
		if mdl.checkEnd(t); t.Failed() {
			t.Fatalf("seed %d, %d stops", seed, mdl.stops)
		}
	}
}

// What is queued when another policy comes is where that one looks for it, in its order.
func TestPolicyChangeMovesQueues(t *testing.T) {
	mdl := newModelOf(2, 2, Config{})
	s, m := mdl.s, mdl.s.M(0)
	ts := mdl.gs(6)
	for _, task := range ts[:4] {
		s.RunqPut(m, &task.G, true)
	}
	s.GlobrunqPut(m, &ts[4].G)
	mlfqSetPri(&ts[4].G, 2)
	if s.SetPolicy(m, &Pool); s.Unusual(m) == 0 || s.GlobrunqLen() != 5 {
		t.Errorf("pool: %d Gs on the global queue, and the short ways are taken", s.GlobrunqLen())
	}
	if s.SetPolicy(m, &MLFQ); !s.P(0).runqEmpty() || s.GlobrunqLen() != 5 || s.Unusual(m) == 0 {
		t.Errorf("%d Gs on P 0's queue, %d on the global one", s.P(0).Len(), s.GlobrunqLen())
	}
	s.SetPolicy(m, &MToN)
	last := (*G)(nil)
	for range 5 {
		last = s.globrunqGet(m, s.P(0), 1)
	}
	if last != &ts[4].G || s.Unusual(m) != 0 {
		t.Error("the G of the lowest level is not the last")
	}
	if OneToOne.Changeable() || NToOne.Changeable() {
		t.Error("1:1 and N:1 have other Ms")
	}
}

// The recorder has room for a policy's name.
func TestPolicyNames(t *testing.T) {
	for _, p := range Policies {
		if n := p.Packed(); len(p.Name) > MaxPolicyName || byte(n) != p.Name[0] || n>>(8*len(p.Name)) != 0 {
			t.Errorf("%s is packed as %#x", p.Name, n)
		}
	}
}

// A slice that becomes shorter ends in time on the M that made it so, whose tick is set already.
func TestSetSliceTicks(t *testing.T) {
	mdl := newModel(1, 1)
	s, m := mdl.s, mdl.s.M(0)
	mdl.putAll(s.P(0), mdl.gs(2))
	mdl.schedule(t, m)
	s.SetSlice(m, Slice/10)
	if at := mdl.cpus[0].tickAt.Load(); at > m.sliceStart+Slice/10 {
		t.Errorf("a slice that began at %d, of %d, ends at a tick at %d", m.sliceStart, int64(Slice/10), at)
	}
}

// [R10]: a policy says how many of a ring's Gs a thief takes. It is not asked about an empty ring.
func TestR10PolicySteals(t *testing.T) {
	for _, want := range []uint32{1, 4, 5} {
		var asked []uint32
		mdl := newModelOf(2, 2, Config{Policy: &Policy{Name: "taker", Waives: "R10", Steal: func(n uint32) uint32 {
			asked = append(asked, n)
			return want
		}}})
		s, m := mdl.s, mdl.running(1)
		if n := s.runqGrab(m, s.P(0), s.P(1), false); n != 0 || asked != nil {
			t.Errorf("%d of an empty ring are stolen; the policy was asked about %v", n, asked)
		}
		mdl.putAll(s.P(0), mdl.gs(5))
		if n := s.runqGrab(m, s.P(0), s.P(1), false); n != want || !slices.Equal(asked, []uint32{5}) {
			t.Errorf("%d of 5 are stolen, and not the %d that the policy says; it was asked about %v", n, want, asked)
		}
	}
}

// Each policy is found by its name, and the first is in force if none is asked for.
func TestPolicyNamed(t *testing.T) {
	for _, p := range Policies {
		if PolicyNamed(p.Name) != p {
			t.Errorf("%s is not found", p.Name)
		}
	}
	if PolicyNamed("") != nil {
		t.Error("a policy without a name")
	}
	if s := newModel(1, 1).s; s.Policy() != &MToN {
		t.Errorf("%s is in force if none is asked for", s.Policy().Name)
	}
}

// Pool: all Gs go to the global queue, in their order, whoever puts them and however, and
// are taken one by one.
func TestPoolHasNoLocalQueues(t *testing.T) {
	mdl := newModelOf(2, 2, Config{Policy: &Pool})
	s, m, p := mdl.s, mdl.s.M(0), mdl.s.P(0)
	ts := mdl.gs(4)
	for i, task := range ts {
		s.RunqPut(m, &task.G, i%2 == 0)
	}
	if !p.runqEmpty() || s.GlobrunqLen() != 4 {
		t.Errorf("%d Gs are local, %d global", p.Len(), s.GlobrunqLen())
	}
	for i, want := range ts {
		if d, _ := mdl.schedule(t, m); d.t != want || d.inherit || !p.runqEmpty() {
			t.Errorf("dispatch %d: %+v, and %d Gs are local", i, d, p.Len())
		}
	}
}

// N:1: no tick makes a G leave, and no second M is started.
func TestN1NeverPreempts(t *testing.T) {
	mdl := newModelOf(4, 1, Config{Policy: &NToOne})
	s, m := mdl.s, mdl.s.M(0)
	if s.MaxMs() != 1 {
		t.Errorf("%d Ms", s.MaxMs())
	}
	mdl.putAll(s.P(0), mdl.gs(2))
	mdl.schedule(t, m)
	for at := int64(1); at < 5*Slice; at += Slice / 2 {
		if leave, next := mdl.tickOf(m, at); leave || next != at+Slice {
			t.Errorf("at %d: leave %v, next %d", at, leave, next)
		}
	}
}

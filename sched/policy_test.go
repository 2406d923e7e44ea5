package sched

import (
	"fmt"
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

// A policy says how much a thief takes.
func TestPolicySteals(t *testing.T) {
	for policy, want := range map[*Policy]uint32{&MToN: 3, &greedy: 5} {
		mdl := newModelOf(2, 2, Config{Policy: policy})
		s := mdl.s
		mdl.putAll(s.P(0), mdl.gs(5))
		if n := s.runqGrab(mdl.running(1), s.P(0), s.P(1), false); n != want {
			t.Errorf("%s: %d of 5 are stolen", policy.Name, n)
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

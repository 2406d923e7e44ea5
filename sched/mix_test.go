package sched

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// The random program with everything at once, in turns and on threads.

// doomOps end in a deadlock, foreignOps have CPUs of foreign code.
var (
	doomOps    = append([]op{opDoom, opDoom, opDoom}, allOps...)
	foreignOps = append([]op{opForeign, opForeign, opForeign, opTakeCPU, opTakeCPU}, allOps...)
)

// mixes are the programs: what they do, on how many CPUs and Ps.
var mixes = []struct {
	name  string
	ops   []op
	ncpu  int
	procs int32
}{
	{"calls", callOps, 1, 1}, {"calls", callOps, 2, 1}, {"calls", callOps, 2, 2}, {"calls", callOps, 3, 2}, {"calls", callOps, 4, 4},
	{"ties", tieOps, 1, 1}, {"ties", tieOps, 2, 1}, {"ties", tieOps, 2, 2}, {"ties", tieOps, 3, 3}, {"ties", tieOps, 4, 2}, {"ties", tieOps, 4, 4},
	{"all", allOps, 1, 1}, {"all", allOps, 2, 1}, {"all", allOps, 2, 2}, {"all", allOps, 3, 2}, {"all", allOps, 3, 3}, {"all", allOps, 4, 3}, {"all", allOps, 4, 4},
	{"doom", doomOps, 1, 1}, {"doom", doomOps, 2, 2}, {"doom", doomOps, 3, 3}, {"doom", doomOps, 4, 2},
	{"foreign", foreignOps, 2, 2}, {"foreign", foreignOps, 3, 3}, {"foreign", foreignOps, 4, 2}, {"foreign", foreignOps, 4, 4},
}

// seeds is how many schedules of one program are tried: usual, under the race detector
// race, or what the environment's SEEDS says, for a long search.
func seeds(usual, race uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv("SEEDS"), 10, 32); err == nil {
		return n
	}
	if raceEnabled {
		return race
	}
	return usual
}

// TestMixTurns runs each mix under many schedules.
func TestMixTurns(t *testing.T) {
	n := seeds(40, 3)
	for _, mix := range mixes {
		t.Run(fmt.Sprintf("%s%dMs%dPs", mix.name, mix.ncpu, mix.procs), func(t *testing.T) {
			var sum Stats
			for seed := uint64(1); seed <= n; seed++ {
				mdl, tn := newTurns(mix.ncpu, mix.procs, seed)
				mdl.ops = mix.ops
				mdl.root(1, 60, 24)
				if seed%4 == 0 {
					mdl.every(int64(1+seed%7)*3_000_000, 20)
				}
				tn.start(mdl.cpus[0])
				if msg := tn.play(400_000); msg != "" {
					t.Fatalf("seed %d, step %d: %s", seed, tn.steps, msg)
				}
				mdl.checkEnd(t)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
				sum.add(mdl.s)
			}
			t.Logf("%+v", sum)
		})
	}
}

// add adds up what all Ms of s did.
func (sum *Stats) add(s *Sched) {
	for i := range s.ms {
		sum.Add(&s.ms[i].Stats)
	}
}

// TestMixThreads runs everything on Ms that run at the same time.
func TestMixThreads(t *testing.T) {
	n, rounds := 400, 2
	if raceEnabled {
		n, rounds = 150, 1
	}
	for _, mix := range mixes {
		if mix.ncpu == 1 {
			continue
		}
		t.Run(fmt.Sprintf("%s%dMs%dPs", mix.name, mix.ncpu, mix.procs), func(t *testing.T) {
			for round := range rounds {
				mdl, th := newThreads(mix.ncpu, mix.procs, uint32(mix.ncpu)<<8+uint32(mix.procs)+uint32(round)<<16)
				mdl.ops = mix.ops
				mdl.every(5_000_000, 20)
				mdl.root(1, n, 60)
				th.play(t)
			}
		})
	}
}

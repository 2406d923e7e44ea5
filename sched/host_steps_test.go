package sched

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// act makes m's CPU a coroutine that runs f, up to its first point.
func (tn *turns) act(m *M, f func()) *cpu {
	c := tn.mdl.cpus[m.ID]
	tn.seat(c, func() {
		defer func() {
			if r := recover(); r != nil {
				if _, ok := r.(quit); !ok {
					panic(r)
				}
			}
		}()
		f()
	})
	return c
}

// advance lets c go on for n points, or until it has nothing more to do, and returns how many it
// made. A system call ends by itself.
func (tn *turns) advance(c *cpu, n int) (made int) {
	for made < n && c.at != "end" && (c.at == "call" || !tn.calm(c) && tn.ready(c)) {
		tn.resume(c)
		made++
	}
	return made
}

// all is more points than an actor has.
const all = 1000

// settle runs all actors as far as they can go. Then every M sleeps or computes, and no work and no
// timer may be left without an M. name names the schedule.
func (tn *turns) settle(t *testing.T, as []*cpu, name string) {
	t.Helper()
	defer tn.close()
	mdl := tn.mdl
	rounds := 0
	for again := true; again && rounds < all; rounds++ {
		again = false
		for i := range as {
			again = tn.advance(as[len(as)-1-i], all) > 0 || again
		}
	}
	msg := mdl.failure()
	if rounds == all {
		msg = "the Ms never come to rest"
	}
	if msg == "" {
		msg = mdl.unfair()
	}
	if msg == "" && mdl.spinning.Load() != 0 {
		msg = "M7: somebody counts as spinning"
	}
	if msg != "" {
		t.Fatalf("%s: %s\n%s", name, msg, mdl.dump())
	}
}

// explore runs what build makes under all schedules of this form: one actor runs
// up to some point; a second one up to some point; then the others, the first and
// at last the second run as far as they can. After that it draws schedules with more
// changes from seeds.
func explore(t *testing.T, build func() (*turns, []*cpu)) {
	t.Helper()
	exploreBy(t, 1, 1000, build)
}

// exploreBy is explore with every step-th point only, and that many seeds: for actors with many
// points, few of which matter.
func exploreBy(t *testing.T, step int, seeds uint64, build func() (*turns, []*cpu)) {
	t.Helper()
	// run plays a schedule of which begin is the first part.
	run := func(begin func(*turns, []*cpu) string) {
		t.Helper()
		tn, as := build()
		tn.settle(t, as, begin(tn, as))
	}
	if raceEnabled {
		step, seeds = 3*step+1, seeds/10
	}
	tn, as := build()
	tn.close()
	for first := range as {
		for second := range as {
			if first == second {
				continue
			}
			for n1, more1 := 0, true; more1; n1 += step {
				for n2, more2 := 0, true; more2; n2 += step {
					run(func(tn *turns, as []*cpu) string {
						more1 = tn.advance(as[first], n1) == n1
						more2 = tn.advance(as[second], n2) == n2
						for i, a := range as {
							if i != first && i != second {
								tn.advance(a, all)
							}
						}
						tn.advance(as[first], all)
						for i, a := range as {
							if i != second {
								tn.advance(a, all)
							}
						}
						return fmt.Sprintf("actor %d for %d points, then %d for %d", first, n1, second, n2)
					})
				}
			}
		}
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		run(func(tn *turns, as []*cpu) string {
			rnd := rand.New(rand.NewPCG(seed, 9))
			for changes := rnd.IntN(12); changes > 0; changes-- {
				tn.advance(as[rnd.IntN(len(as))], rnd.IntN(1+rnd.IntN(30)))
			}
			return fmt.Sprintf("seed %d", seed)
		})
	}
}

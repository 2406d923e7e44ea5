package suite

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"time"
)

// Course is the way that a soak takes, and where it ends: at the first of its bounds.
type Course struct {
	Seed     uint64    // decides the order of boots, and the guests' seeds
	First    int       // boot of the order to begin with, from 1; 0 is 1
	Boots    int       // boots in all, 0: no bound
	Until    time.Time // no boot begins after it, but one is made; zero: no bound
	Failures int       // boots that may fail, the last one included; 0: no bound
}

// Boot is one boot of a soak.
type Boot struct {
	N      int // of the order, from 1
	Combo  Combo
	Dir    string // of the scenario
	Result Result
}

// planned is a boot that is to be made.
type planned struct {
	combo Combo
	job   job
}

// plan is the order of boots, without an end: every combination in turn, each time
// in another order, and the runs in turn within each combination, each beginning
// elsewhere. The seed decides the orders; it and a boot's number decide the seed that
// the guest gets in its environment (SEED), for programs that want one.
func plan(jobs []job, arch string, seed uint64) iter.Seq2[int, planned] {
	return func(yield func(int, planned) bool) {
		r := rand.New(rand.NewPCG(seed, 0))
		all := Combos(arch)
		next := make([]int, len(all))
		order := make([][]int, len(all))
		for i := range all {
			order[i] = r.Perm(len(jobs))
		}
		for n := 1; ; {
			for _, i := range r.Perm(len(all)) {
				j := jobs[order[i][next[i]%len(jobs)]]
				next[i]++
				guest := rand.New(rand.NewPCG(seed, uint64(n))).Uint64N(maxSeed) + 1
				if !yield(n, planned{all[i], all[i].apply(j, guest)}) {
					return
				}
				n++
			}
		}
	}
}

// maxSeed bounds the guests' seeds, so that they can be typed.
const maxSeed = 1_000_000

// Soak boots the suite's runs that are marked for it, one after another, and calls
// done after each. Bounds on counters are not checked: they are for the machine that
// the run names. A boot whose schedule the host could not read is made again, mostBoots in all, and is then
// no failure but not judged. A program that cannot be built is a failure that ends the soak. The
// error says that no run is marked, or that ctx was cancelled.
func (s Suite) Soak(ctx context.Context, c Course, done func(Boot)) error {
	jobs := slices.DeleteFunc(s.jobs(), func(j job) bool { return !j.run.Soak })
	if len(jobs) == 0 {
		return errors.New("no run is marked with soak = true")
	}
	im := s.images()
	made, failed := 0, 0
	for n, p := range plan(jobs, s.Arch, c.Seed) {
		if n < c.First {
			continue
		}
		r := s.make(ctx, im, p.job, false)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		done(Boot{N: n, Combo: p.combo, Dir: p.job.scenario.Dir, Result: r})
		made++
		if _, err := im.Get(ctx, p.job.scenario.Dir); err != nil {
			return ctx.Err()
		}
		if r.Failed() {
			failed++
		}
		if made == c.Boots || failed == c.Failures && failed > 0 || !c.Until.IsZero() && !time.Now().Before(c.Until) {
			return nil
		}
	}
	return nil
}

// Package hunt looks for a schedule that breaks a program: it boots the program with one seed after another (package
// sched/hunt) and judges what comes of it. docs/hunt.md tells the rest.
package hunt

import (
	"context"
	"errors"
	"sync"
	"time"

	"sched9/tools/internal/guest"
)

// Hunt is a program, and which schedules are tried.
type Hunt struct {
	Guest guest.Guest // with Hunt; its Seed is not looked at

	First    int       // the first seed
	N        int       // so many seeds, 0: no bound
	Until    time.Time // no schedule begins after it; zero: no bound
	Failures int       // so many failing schedules are enough, 0: there is no such number
	Shard    int       // of the seeds, those of this shard, from 0 to Shards-1
	Shards   int       // 0 is 1
	Jobs     int       // machines at a time, 0 is 1

	Fails []int // statuses that count as failure; nil: all but 0
	Same  bool  // an output that differs from the first seed's is a failure
}

// Run tries schedules until a bound is reached, and tells of each, one at a time, in no particular order. The error says why the hunt could not go
// on, or that ctx was cancelled.
func (h Hunt) Run(ctx context.Context, tell func(Verdict)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shards, jobs := max(h.Shards, 1), max(h.Jobs, 1)
	var mu sync.Mutex // guards what follows, and calls of tell
	var errs error
	next, failed := 0, 0
	var first *uint64 // the output to compare with, if Same

	take := func() (seed int, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		for next%shards != h.Shard {
			next++
		}
		seed = h.First + next
		ok = ctx.Err() == nil && errs == nil && (h.N == 0 || next < h.N) && seed <= guest.MaxSeed &&
			(h.Until.IsZero() || time.Now().Before(h.Until)) && (h.Failures == 0 || failed < h.Failures)
		next++
		return seed, ok
	}
	done := func(v Verdict, err error) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil || ctx.Err() != nil:
			errs = errors.Join(errs, err)
			return
		case h.Same && first == nil && !v.Failed && v.Broken == "":
			first = &v.Sum
		case h.Same && !v.Failed && v.Broken == "" && v.Sum != *first:
			v.Failed, v.Title = true, "the output differs between schedules"
		}
		if v.Failed {
			failed++
		}
		tell(v)
		if h.Failures > 0 && failed >= h.Failures {
			cancel()
		}
	}
	var all sync.WaitGroup
	for range jobs {
		all.Go(func() {
			for seed, ok := take(); ok; seed, ok = take() {
				done(h.Boot(ctx, seed))
			}
		})
	}
	all.Wait()
	if errs == nil && failed == 0 {
		return context.Cause(ctx)
	}
	return errs
}

// Boot tries one schedule on a machine of its own.
func (h Hunt) Boot(ctx context.Context, seed int) (Verdict, error) {
	g := h.Guest
	var said buffer
	set := *g.Hunt
	set.Seed = seed
	g.Hunt, g.Stdout, g.Stderr, g.Merged = &set, &said, nil, true
	o, err := guest.Run(ctx, g)
	if err != nil {
		return Verdict{}, err
	}
	return judge(seed, o, said.String(), h.Fails), nil
}

// Package hunt looks for a schedule that breaks a program: it boots the program with one seed after another (package
// sched/hunt) and judges what comes of it. docs/hunt.md tells the rest.
package hunt

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sched9/qemu"
	"sched9/tools/internal/guest"
)

// Hunt is a program, and which schedules are tried.
type Hunt struct {
	Guest guest.Guest // with Hunt; its Seed is not looked at

	First    int         // the first seed
	N        int         // so many seeds, 0: no bound
	Until    time.Time   // no schedule begins after it; zero: no bound
	Failures int         // so many failing schedules are enough, 0: there is no such number
	Shard    int         // of the seeds, those of this shard, from 0 to Shards-1
	Shards   int         // 0 is 1
	Done     func() bool // if not nil, it is asked behind each verdict that is told, and true ends the hunt
	Jobs     int         // machines at a time, 0 is 1
	Batch    int         // seeds that a machine tries one after the other, 0 is 1: a boot for each

	Fails []int // statuses that count as failure; nil: all but 0
	Same  bool  // an output that differs from that of the first seed that ends well is a failure
}

// Run tries schedules until a bound is reached, and tells of each, one at a time, in no particular order. The error says why the hunt could not go
// on, or that ctx was cancelled.
func (h Hunt) Run(ctx context.Context, tell func(Verdict)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shards, jobs := max(h.Shards, 1), max(h.Jobs, 1)
	var mu sync.Mutex // guards what follows, and calls of tell
	var errs error
	next, failed, enough := 0, 0, false
	var first *uint64 // the output to compare with, if Same

	// take returns the next seeds of the shard, at most so many.
	take := func(most int) (seeds []int) {
		mu.Lock()
		defer mu.Unlock()
		for len(seeds) < most {
			for next%shards != h.Shard {
				next++
			}
			seed := h.First + next
			if ctx.Err() != nil || errs != nil || h.N > 0 && next >= h.N || seed > guest.MaxSeed || !h.Until.IsZero() && !time.Now().Before(h.Until) {
				break
			}
			seeds = append(seeds, seed)
			next++
		}
		return seeds
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
		if h.Failures > 0 && failed >= h.Failures || h.Done != nil && h.Done() {
			enough = true
			cancel()
		}
	}
	// The first seed that ends well has the output to compare with, whatever machine would be the fastest.
	for h.Same && first == nil {
		seeds := take(1)
		if len(seeds) == 0 {
			break
		}
		h.try(ctx, seeds, shards, done)
	}
	var all sync.WaitGroup
	for range jobs {
		all.Go(func() {
			most := max(h.Batch, 1)
			for seeds := take(most); len(seeds) > 0; seeds = take(most) {
				h.try(ctx, seeds, shards, done)
			}
		})
	}
	all.Wait()
	if errs == nil && failed == 0 && !enough {
		return context.Cause(ctx)
	}
	return errs
}

// try tries seeds, which are step apart, as many as possible on one machine, and tells done of each. A seed with which that machine ended
// in any other way than well has a machine of its own: it tells why, and that it happens there too.
func (h Hunt) try(ctx context.Context, seeds []int, step int, done func(Verdict, error)) {
	for len(seeds) > 0 && ctx.Err() == nil {
		end := ""
		if len(seeds) > 1 && h.Fails == nil {
			g := h.Guest
			set := *g.Hunt
			set.Seed, set.Runs, set.Step = seeds[0], len(seeds), step
			g.Hunt, g.Record, g.Merged = &set, nil, true
			o, err := guest.Run(ctx, g)
			if err != nil || ctx.Err() != nil {
				done(Verdict{}, err)
				return
			}
			for i, r := range o.Report.Runs {
				if i == len(seeds) || len(r) != len(runWords) {
					done(Verdict{}, errors.New("the kernel's report of its runs makes no sense"))
					return
				}
				v := Verdict{Seed: seeds[i], Sum: r[0], Counters: map[string]uint64{}}
				for k, name := range runWords {
					v.Counters[name] = r[k]
				}
				done(v, nil)
			}
			seeds = seeds[len(o.Report.Runs):]
			end = ended(o)
		}
		if len(seeds) == 0 {
			return
		}
		v, err := h.Boot(ctx, seeds[0])
		if end != "" && err == nil && !v.Failed && v.Broken == "" {
			v.Broken = "behind other runs it ended in another way than by itself: " + end
		}
		done(v, err)
		seeds = seeds[1:]
	}
}

// ended says in which way, other than well, a machine ended during one of several runs. It is "" if that need not happen to the run alone: the
// host's time limit, which the runs of a machine share.
func ended(o guest.Outcome) string {
	switch {
	case o.QEMU.Reason == qemu.TimedOut:
		return ""
	case o.Why == "":
		return fmt.Sprintf("exit status %d", o.Status)
	}
	return o.Why
}

// runWords are what the kernel's report says of each run (kernel/hunt.go).
var runWords = []string{"output", "hunt_strategy", "hunt_choices", "hunt_preempts", "hunt_hash", "hunt_space"}

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

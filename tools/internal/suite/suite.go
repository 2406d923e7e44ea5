// Package suite boots scenarios and checks them: all of them once, or again and
// again on many kinds of machine.
package suite

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"sched9/tools/internal/guest"
	"sched9/tools/internal/scenario"
)

// Suite is a set of runs to make.
type Suite struct {
	Scenarios []scenario.Scenario
	Match     *regexp.Regexp // of SCENARIO/RUN; nil takes all
	Arch      string
	Accel     string
	Jobs      int          // runs at once
	Note      func(string) // is told what is being waited for
}

// Result is a run that was made.
type Result struct {
	Run     scenario.Run
	Outcome guest.Outcome
	Console string // both of the guest's outputs
	Wrong   []string
	Took    time.Duration // on the host, without the build
}

// Passed reports whether all that must hold held.
func (r Result) Passed() bool { return len(r.Wrong) == 0 }

// job is a run that is to be made.
type job struct {
	scenario scenario.Scenario
	run      scenario.Run
}

// jobs are the runs that the suite takes.
func (s Suite) jobs() []job {
	var all []job
	for _, sc := range s.Scenarios {
		for _, r := range sc.Runs {
			if s.Match == nil || s.Match.MatchString(r.FullName()) {
				all = append(all, job{sc, r})
			}
		}
	}
	return all
}

// Runs are the runs that Each would make.
func (s Suite) Runs() []scenario.Run {
	var runs []scenario.Run
	for _, j := range s.jobs() {
		runs = append(runs, j.run)
	}
	return runs
}

// Each makes the suite's runs and calls done with each result as it comes, from
// one goroutine at a time. The error is that of a cancelled ctx; runs that were
// cut short by it have no result.
func (s Suite) Each(ctx context.Context, done func(Result)) error {
	im := &images{arch: s.Arch, note: s.note}
	queue := make(chan job)
	results := make(chan Result)
	var workers sync.WaitGroup
	for range max(s.Jobs, 1) {
		workers.Go(func() {
			for j := range queue {
				r := s.make(ctx, im, j, true)
				if ctx.Err() == nil {
					results <- r
				}
			}
		})
	}
	go func() {
		for _, j := range s.jobs() {
			if ctx.Err() != nil {
				break
			}
			queue <- j
		}
		close(queue)
		workers.Wait()
		close(results)
	}()
	for r := range results {
		done(r)
	}
	return ctx.Err()
}

// note tells the user what is being waited for, if anyone listens.
func (s Suite) note(what string) {
	if s.Note != nil {
		s.Note(what)
	}
}

// make builds and boots one run and compares it with its expectations.
func (s Suite) make(ctx context.Context, im *images, j job, counters bool) Result {
	res := Result{Run: j.run}
	img, err := im.get(ctx, j.scenario)
	if err != nil {
		res.Wrong = []string{err.Error()}
		return res
	}
	s.note("running " + j.run.FullName())
	var c console
	g := j.run.Guest()
	g.Image = img.Data
	if s.Arch != "" {
		g.Arch = s.Arch
	}
	if s.Accel != "" && !g.ICount {
		g.Accel = s.Accel
	}
	g.Stdout, g.Stderr = c.stdout(), c.stderr()
	begin := time.Now()
	res.Outcome, err = guest.Run(ctx, g)
	res.Took = time.Since(begin)
	res.Console = c.both.String()
	if err != nil {
		res.Wrong = []string{err.Error()}
		return res
	}
	res.Wrong = j.run.Check(res.Outcome, c.out.String(), c.err.String())
	if counters {
		res.Wrong = append(res.Wrong, j.run.CheckCounters(res.Outcome.Report)...)
	}
	return res
}

// Summary counts results.
type Summary struct{ Passed, Failed int }

// Add counts a result.
func (s *Summary) Add(r Result) {
	if r.Passed() {
		s.Passed++
	} else {
		s.Failed++
	}
}

// String is the last line of a suite.
func (s Summary) String() string {
	return fmt.Sprintf("%d passed, %d failed", s.Passed, s.Failed)
}

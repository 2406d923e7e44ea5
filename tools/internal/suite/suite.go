// Package suite boots scenarios and checks them: all of them once, or again and
// again on many kinds of machine.
package suite

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
	"time"

	"sched9/sched"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
	"sched9/tools/internal/scenario"
)

// Suite is a set of runs to make.
type Suite struct {
	Scenarios []scenario.Scenario
	Match     *regexp.Regexp // of SCENARIO/RUN; nil takes all
	Arch      string
	Accel     string
	VCPUs     []int         // if not empty: the runs that hold on any machine, with each of these numbers
	Machine   string        // if not empty: the runs that hold on any machine, on one of this type
	CPU       string        // QEMU's model of the processor; the architecture's usual one if empty
	Jobs      int           // runs at once
	NoRecord  bool          // do not record and check the schedule
	Audit     time.Duration // how often the guest checks itself, 0: never
	Keep      string        // directory for the recordings of runs that fail, "" for none
	Note      func(string)  // is told what is being waited for
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
			for _, r := range s.variants(r) {
				if s.Arch != "" && !r.On(s.Arch) {
					continue
				}
				if s.Match == nil || s.Match.MatchString(r.FullName()) {
					all = append(all, job{sc, r})
				}
			}
		}
	}
	return all
}

// variants are the runs that the suite makes of one: on another machine or with other
// numbers of vCPUs its bounds on counters mean nothing.
func (s Suite) variants(r scenario.Run) []scenario.Run {
	if len(s.VCPUs) == 0 && s.Machine == "" {
		return []scenario.Run{r}
	}
	if !r.Soak {
		return nil
	}
	r.Counter = nil
	if s.Machine != "" {
		r.Machine = s.Machine
	}
	if len(s.VCPUs) == 0 {
		return []scenario.Run{r}
	}
	var all []scenario.Run
	for _, n := range s.VCPUs {
		v := r
		v.SMP = n
		v.Name = fmt.Sprintf("%s-smp%d", r.Name, n)
		all = append(all, v)
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
	im := s.images()
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

// images builds each scenario once, when it is first wanted.
func (s Suite) images() *image.Cache {
	return &image.Cache{Options: image.Options{Arch: s.Arch, Note: s.note}}
}

// note tells the user what is being waited for, if anyone listens.
func (s Suite) note(what string) {
	if s.Note != nil {
		s.Note(what)
	}
}

// make builds and boots one run and compares it with its expectations.
func (s Suite) make(ctx context.Context, im *image.Cache, j job, counters bool) Result {
	res := Result{Run: j.run}
	img, err := im.Get(ctx, j.scenario.Dir)
	if err != nil {
		res.Wrong = []string{err.Error()}
		return res
	}
	s.note("running " + j.run.FullName())
	begin := time.Now()
	first := s.boot(ctx, img.Data, j, counters, &res)
	for n := 2; n <= j.run.Boots && res.Passed(); n++ {
		again := Result{Run: j.run}
		c := s.boot(ctx, img.Data, j, counters, &again)
		res.Wrong = append(res.Wrong, again.Wrong...)
		if what := differences(first, c, res.Outcome, again.Outcome); what != "" {
			res.Wrong = append(res.Wrong, fmt.Sprintf("boot %d differs from the first in %s", n, what))
			res.Console = again.Console
		}
	}
	res.Took = time.Since(begin)
	return res
}

// differences names what two boots that should be the same differ in, or "".
func differences(a, b *console, x, y guest.Outcome) string {
	var what []string
	if a.Out() != b.Out() {
		what = append(what, "standard output")
	}
	if a.Err() != b.Err() {
		what = append(what, "standard error")
	}
	if a.trace != nil && !a.trace.Same(b.trace) {
		what = append(what, "the schedule")
	}
	if !maps.Equal(x.Report.Counters, y.Report.Counters) {
		what = append(what, "counters")
	}
	return strings.Join(what, ", ")
}

// boot makes one boot of a run, compares it with the expectations, notes in res
// how it went, and returns what it printed.
func (s Suite) boot(ctx context.Context, img []byte, j job, counters bool, res *Result) *console {
	c := new(console)
	g := j.run.Guest()
	g.Image = img
	if s.Arch != "" {
		g.Arch = s.Arch
	}
	g.CPU = s.CPU
	if s.Accel != "" && !g.ICount {
		g.Accel = s.Accel
	}
	g.Stdout, g.Stderr = c.Stdout(), c.Stderr()
	g.Audit = s.Audit
	if !s.NoRecord {
		g.Record, g.Depth = &c.recording, sched.MaxStack
	}
	var err error
	res.Outcome, err = guest.Run(ctx, g)
	res.Console = c.Both()
	if err != nil {
		res.Wrong = []string{err.Error()}
		return c
	}
	res.Wrong = j.run.Check(res.Outcome, c.Out(), c.Err())
	if counters {
		res.Wrong = append(res.Wrong, j.run.CheckCounters(res.Outcome.Report)...)
	}
	if !s.NoRecord {
		res.Wrong = append(res.Wrong, c.schedule(res.Outcome)...)
		if s.Keep != "" && !res.Passed() {
			res.Wrong = append(res.Wrong, s.keep(j, c))
		}
	}
	return c
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

// Package suite boots scenarios and checks them: all of them once, or again and
// again on many kinds of machine.
package suite

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"sched9/qemu"
	"sched9/record"
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
	Via       string        // guest.Via; if not empty: the runs that hold on any machine
	Short     bool          // one run of each scenario
	Jobs      int           // runs at once
	NoRecord  bool          // do not record and check the schedule
	Audit     time.Duration // how often the guest checks itself, 0: never
	Keep      string        // directory for the recordings of runs that fail, "" for none
	Note      func(string)  // is told what is being waited for

	run func(context.Context, guest.Guest) (guest.Outcome, error) // boots; nil: guest.Run
}

// Result is a run that was made.
type Result struct {
	Run     scenario.Run
	Outcome guest.Outcome
	Console string // both of the guest's outputs
	Wrong   []string
	Took    time.Duration // on the host, without the build

	Again    []string // why it was booted again, each time
	Unjudged string   // why nothing can be said of the last boot's schedule, or ""; all else held, or is in Wrong
}

// Passed reports whether all that must hold held.
func (r Result) Passed() bool { return len(r.Wrong) == 0 && r.Unjudged == "" }

// Failed reports whether something did not hold that must. A run may neither have failed nor passed.
func (r Result) Failed() bool { return len(r.Wrong) > 0 }

// mostBoots bounds how often a run is booted whose schedule cannot be judged.
const mostBoots = 3

// viaPatience is how many times a run's limit on the host one with firmware and GRUB has, or in Bochs.
const viaPatience = 5

// job is a run that is to be made.
type job struct {
	scenario scenario.Scenario
	run      scenario.Run
}

// jobs are the runs that the suite takes.
func (s Suite) jobs() []job {
	var all []job
	for _, sc := range s.Scenarios {
		var of []job
		for _, r := range sc.Runs {
			for _, r := range s.variants(r) {
				if s.Arch != "" && !r.On(s.Arch) {
					continue
				}
				if s.Match == nil || s.Match.MatchString(r.FullName()) {
					of = append(of, job{sc, r})
				}
			}
		}
		if s.Short && len(of) > 1 {
			// Ms that steal from each other show most.
			one := max(0, slices.IndexFunc(of, func(j job) bool { return j.run.SMP == 4 }))
			of = of[one : one+1]
		}
		all = append(all, of...)
	}
	return all
}

// variants are the runs that the suite makes of one: on another machine or with other
// numbers of vCPUs its bounds on counters mean nothing.
func (s Suite) variants(r scenario.Run) []scenario.Run {
	if len(s.VCPUs) == 0 && s.Machine == "" && s.Via == "" {
		return []scenario.Run{r}
	}
	if !r.Soak {
		return nil
	}
	r.Counter = nil
	if s.Machine != "" {
		r.Machine = s.Machine
	}
	if smp, mem := qemu.Fixed(s.Machine); smp != 0 {
		if r.CPU != "" || r.Disk != "" {
			return nil
		}
		r.SMP, r.Mem = smp, mem
		return []scenario.Run{r}
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
	return &image.Cache{Options: image.Options{Arch: s.Arch, Format: guest.Guest{Arch: s.Arch, Via: s.Via}.Format(), Note: s.note}}
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
	first := s.judged(ctx, img.Data, j, counters, &res, nil)
	for n := 2; n <= j.run.Boots && res.Passed(); n++ {
		again := Result{Run: j.run}
		s.judged(ctx, img.Data, j, counters, &again, func(c *console, r *Result) {
			if what := differences(first, c, res.Outcome, r.Outcome); what != "" {
				r.Wrong = append(r.Wrong, fmt.Sprintf("boot %d differs from the first in %s", n, what))
			}
		})
		res.Wrong = append(res.Wrong, again.Wrong...)
		res.Again, res.Unjudged = append(res.Again, again.Again...), again.Unjudged
		if again.Failed() {
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
	if a.trace != nil && b.trace != nil && !a.trace.Same(b.trace) { // without one there is another reason
		what = append(what, "the schedule")
	}
	if !maps.Equal(x.Report.Counters, y.Report.Counters) {
		what = append(what, "counters")
	}
	return strings.Join(what, ", ")
}

// judged makes boots of a run, as boot does, until one has a schedule that can be judged, or fails without it, but at
// most mostBoots. res describes the last, and why there were others. also, if not nil, looks at each boot, and adds to
// its failures.
func (s Suite) judged(ctx context.Context, img []byte, j job, counters bool, res *Result, also func(*console, *Result)) *console {
	for n := 1; ; n++ {
		one := Result{Run: res.Run, Again: res.Again}
		c := s.boot(ctx, img, j, counters, &one)
		if also != nil {
			also(c, &one)
		}
		*res = one
		if one.Unjudged == "" || one.Failed() || n == mostBoots || ctx.Err() != nil {
			return c
		}
		res.Again = append(res.Again, one.Unjudged)
		s.note("booting again " + j.run.FullName() + ": " + one.Unjudged)
	}
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
	if s.CPU != "" {
		g.CPU = s.CPU
	}
	if s.Via != "" {
		g.Via = s.Via
		g.Timeout *= viaPatience
	}
	if s.Via == guest.ViaBochs {
		g.Machine, g.CPU = "", "" // it has its own
	}
	if s.Accel != "" && !g.ICount {
		g.Accel = s.Accel
	}
	g.Stdout, g.Stderr = c.Stdout(), c.Stderr()
	g.Audit = s.Audit
	recorded := !s.NoRecord && !j.run.Unrecorded && s.Via != guest.ViaBochs // whose memory nobody can read
	if recorded {
		g.Record, g.Depth = &c.recording, record.MaxStack
	}
	var err error
	run := s.run
	if run == nil {
		run = guest.Run
	}
	res.Outcome, err = run(ctx, g)
	res.Console = c.Both()
	if err != nil {
		res.Wrong = []string{err.Error()}
		return c
	}
	res.Wrong = j.run.Check(res.Outcome, c.Out(), c.Err())
	if counters {
		res.Wrong = append(res.Wrong, j.run.CheckCounters(res.Outcome.Report)...)
	}
	if recorded {
		wrong, unjudged := c.schedule(res.Outcome)
		res.Wrong, res.Unjudged = append(res.Wrong, wrong...), unjudged
		if s.Keep != "" && res.Failed() {
			res.Wrong = append(res.Wrong, s.keep(j, c))
		}
	}
	return c
}

// Summary counts results.
type Summary struct {
	Passed, Failed int
	Unjudged       int // neither
	Again          int // boots that were made once more
}

// Add counts a result.
func (s *Summary) Add(r Result) {
	s.Again += len(r.Again)
	switch {
	case r.Failed():
		s.Failed++
	case r.Unjudged != "":
		s.Unjudged++
	default:
		s.Passed++
	}
}

// String is the last line of a suite.
func (s Summary) String() string {
	text := fmt.Sprintf("%d passed, %d failed", s.Passed, s.Failed)
	if s.Unjudged > 0 {
		text += fmt.Sprintf(", %d not judged", s.Unjudged)
	}
	if s.Again > 0 {
		text += fmt.Sprintf("; booted again, because the host was too slow: %d times", s.Again)
	}
	return text
}

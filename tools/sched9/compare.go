package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sched9/record"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/progress"
	"sched9/trace"
	"sched9/trace/check"
	"sched9/trace/compare"
)

// newCompare makes the command `sched9 compare`.
func newCompare(s streams) *cobra.Command {
	c := comparer{runner: runner{streams: s}}
	cmd := &cobra.Command{
		Use:   "compare [flags] PKG [ARG...]",
		Short: "runs a program under several policies, slices or numbers of Ps, and compares",
		Long: `Compare boots one program several times, each time under another policy, with another time slice or number of Ps, and prints a table:
how long each run took, how often goroutines were switched, preempted and moved to another P, how long they waited for one, and how
fairly those that are alike shared the Ps. With -o it also writes a page with the runs' timelines one above the other.

    sched9 compare -policy M:N,mlfq,N:1 -o batch.html ./scenarios/compare/batch
    sched9 compare -slice 100us,1ms,10ms -procs 1,4 ./server

With several lists each goes with each. Instructions are counted, unless -icount=false says otherwise, so a run repeats; vCPUs then
take turns, so more Ps do not make a program faster.
The status is 1 if a run ended with another status than 0, or broke a rule of the scheduler's.`,
		Annotations: map[string]string{guestArgs: "yes"},
		RunE:        func(cmd *cobra.Command, args []string) error { return c.compare(cmd.Context(), args) },
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	machineFlags(cmd, &c.guest)
	counted := f.Lookup("icount")
	counted.DefValue = "true"
	c.guest.ICount = true
	goFlags(f, &c.flags)
	f.StringSliceVar(&c.policies, "policy", nil, "`LIST` of policies: M:N, N:1, 1:1, pool, mlfq or of your own (default M:N)")
	f.DurationSliceVar(&c.slices, "slice", nil, "`LIST` of time slices, 10us to 1s (default 10ms)")
	f.IntSliceVar(&c.procs, "procs", nil, "`LIST` of numbers of Ps, with a vCPU for each (default: what -smp says)")
	f.StringVarP(&c.page, "output", "o", "", "write a page to `FILE`, which ends in .html")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "show what the program prints, on standard error")
	f.BoolVar(&c.json, "json", false, "print what was measured as JSON, in nanoseconds, in place of the table")
	return cmd
}

// comparer is one `sched9 compare`.
type comparer struct {
	runner
	policies []string
	slices   []time.Duration
	procs    []int
	page     string
	json     bool
}

// mostRuns bounds a comparison: of more nobody sees anything, and all recordings are in memory.
const mostRuns = 24

// kindsShown is how many kinds of goroutines the table has.
const kindsShown = 4

// way is how a run differs from the others.
type way struct {
	policy string
	slice  time.Duration
	procs  int
}

// ways are all of them, each list with each.
func (c *comparer) ways() (all []way) {
	or := func(n int) int { return max(n, 1) }
	for i := range or(len(c.policies)) {
		for j := range or(len(c.slices)) {
			for k := range or(len(c.procs)) {
				w := way{procs: c.guest.SMP}
				if len(c.policies) > 0 {
					w.policy = c.policies[i]
				}
				if len(c.slices) > 0 {
					w.slice = c.slices[j]
				}
				if len(c.procs) > 0 {
					w.procs = c.procs[k]
				}
				all = append(all, w)
			}
		}
	}
	return all
}

// label names a way by what not all have alike.
func (c *comparer) label(w way) string {
	words := []string{cmp.Or(w.policy, "M:N")}
	if len(c.slices) > 0 {
		words = append(words, strings.Replace(w.slice.String(), "µ", "u", 1))
	}
	if len(c.procs) > 0 {
		words = append(words, strconv.Itoa(w.procs)+"P")
	}
	return strings.Join(words, " ")
}

// check says what is wrong with what was asked for, before anything is built.
func (c *comparer) check(ways []way) error {
	if len(ways) < 2 || len(ways) > mostRuns {
		return fmt.Errorf("%d runs were asked for: 2 to %d can be compared, by lists after -policy, -slice or -procs", len(ways), mostRuns)
	}
	if c.page != "" && !strings.HasSuffix(c.page, ".html") {
		return fmt.Errorf("-o %s: the page's name ends in .html", c.page)
	}
	for _, w := range ways {
		g, err := c.machine(w)
		if err == nil {
			err = g.Check()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// machine is the guest for a way.
func (c *comparer) machine(w way) (g guest.Guest, err error) {
	g = c.guest
	g.SMP = w.procs
	if len(c.policies) > 0 {
		if err := usePolicy(&g, w.policy); err != nil {
			return g, err
		}
	}
	if len(c.slices) > 0 {
		g.Slice = w.slice
		err = g.CheckSlice()
	}
	return g, err
}

// compare runs what args name in each way.
func (c *comparer) compare(ctx context.Context, args []string) error {
	ways := c.ways()
	if err := c.check(ways); err != nil {
		return usageError{err}
	}
	if len(args) == 0 {
		return usageError{errors.New("which program? sched9 compare needs a directory, an import path, .go files or an image")}
	}
	line := progress.New(c.err)
	defer line.Clear()
	n, err := c.load(ctx, args, line)
	if err != nil {
		return err
	}
	c.guest.Args = args[n:]
	var runs []compare.Run
	bad := false
	for i, w := range ways {
		line.Say(fmt.Sprintf("run %d of %d: %s", i+1, len(ways), c.label(w)))
		r, err := c.one(ctx, w)
		if err != nil {
			return fmt.Errorf("%s: %w", c.label(w), err)
		}
		bad = bad || r.Status != 0 || len(r.Broken) > 0
		runs = append(runs, r)
	}
	line.Clear()
	if c.json {
		e := json.NewEncoder(c.out)
		e.SetIndent("", "\t")
		err = e.Encode(runs)
	} else {
		err = compare.Table(c.out, runs, kindsShown)
	}
	if err == nil && c.page != "" {
		var page bytes.Buffer
		if err = compare.Page(&page, c.guest.Name, runs); err == nil {
			err = os.WriteFile(c.page, page.Bytes(), 0o666)
		}
	}
	if err == nil && bad {
		err = ended(statusFailed)
	}
	return err
}

// one runs the program in one way and measures it. What the program says is shown if it fails.
func (c *comparer) one(ctx context.Context, w way) (r compare.Run, err error) {
	g, err := c.machine(w)
	if err != nil {
		return r, usageError{err}
	}
	var said, recording bytes.Buffer
	g.Stdout, g.Merged, g.Record, g.Depth = &said, true, &recording, record.MaxStack
	o, err := guest.Run(ctx, g)
	if err != nil {
		return r, err
	}
	if o.Status != 0 || c.verbose {
		fmt.Fprintf(c.err, "%s:\n%s", c.label(w), said.Bytes())
	}
	if o.Why != "" {
		return r, errors.New(o.Why)
	}
	if o.Record != nil {
		return r, fmt.Errorf("the recording is not whole: %w", o.Record)
	}
	t, err := trace.Read(&recording)
	if err != nil {
		return r, err
	}
	if why := check.Unjudged(t); why != "" {
		return r, errors.New(why)
	}
	var broken []string
	for _, v := range check.Check(t) {
		broken = append(broken, v.Rule)
		fmt.Fprintf(c.err, "%s: %s\n", c.label(w), v)
	}
	return compare.Of(c.label(w), o.Status, broken, t.View()), nil
}

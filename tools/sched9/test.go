package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sched9/qemu"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/progress"
	"sched9/tools/internal/scenario"
	"sched9/tools/internal/suite"
)

// newTest makes the command `sched9 test`.
func newTest(s streams) *cobra.Command {
	t := tester{streams: s}
	cmd := &cobra.Command{
		Use:   "test [flags]",
		Short: "boots the scenarios and checks them",
		Long: `Test boots every run of every scenario and compares exit status, output and counters with what
expect.toml demands. It records each run and replays the recording against the scheduler's rules. Then it runs the
tests in Go that lie beside scenarios. A run's name is SCENARIO/RUN, a test's SCENARIO/TEST. It exits with 1 if
one failed.`,
		RunE: func(cmd *cobra.Command, args []string) error { return t.test(cmd.Context(), args) },
	}
	t.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&t.list, "list", false, "list the runs and boot nothing")
	f.BoolVarP(&t.verbose, "verbose", "v", false, "show every run's console")
	f.StringVar(&t.junit, "junit", "", "write a JUnit report to `file`")
	f.BoolVar(&t.json, "json", false, "write events as go test -json does")
	f.IntSliceVar(&t.vcpus, "smp", nil, "boot only the runs that hold on any machine, with each of these `numbers` of vCPUs")
	f.StringVar(&t.machine, "machine", "", "boot only the runs that hold on any machine, on one of this `type`: "+machineTypes)
	f.StringVar(&t.cpu, "cpu", "", "QEMU's `model` of the processor")
	viaFlag(cmd, &t.via)
	f.DurationVar(&t.audit, "audit", auditEvery, "each guest audits its scheduler every `interval` (stops its world); 0: never")
	f.BoolVar(&t.unrecorded, "norecord", false, "do not record and check the schedule")
	f.StringVar(&t.keep, "keep", "", "keep the recordings of runs that fail in `directory`")
	f.IntVarP(&t.jobs, "jobs", "j", 1, "`N` runs at once")
	f.BoolVar(&t.short, "short", false, "make one run of each scenario, the first with 4 vCPUs if there is one, and no tests in Go")
	return cmd
}

// selection are the flags that choose scenarios and how they are booted.
type selection struct {
	arch, accel, dir, match string
}

// flags adds the selection's flags.
func (c *selection) flags(cmd *cobra.Command) {
	archFlag(cmd, &c.arch)
	accelFlag(cmd, &c.accel, "tcg")
	cmd.Flags().StringVar(&c.match, "run", "", "only runs whose name matches `regexp`")
	cmd.Flags().StringVarP(&c.dir, "dir", "C", "scenarios", "`directory` of the scenarios")
}

// suite reads the scenarios that are chosen. Nothing is booted.
func (c *selection) suite(args []string) (s suite.Suite, err error) {
	if len(args) > 0 {
		return s, usageError{fmt.Errorf("unexpected argument %q: choose runs with -run", args[0])}
	}
	machine := guest.Guest{Arch: c.arch, Accel: c.accel, SMP: 1, Mem: "512M", Timeout: 1}
	if err := machine.Check(); err != nil {
		return s, usageError{err}
	}
	re, err := regexp.Compile(c.match)
	if err != nil {
		return s, usageError{fmt.Errorf("-run: %w", err)}
	}
	s = suite.Suite{Match: re, Arch: c.arch, Accel: c.accel}
	if s.Scenarios, err = scenario.LoadAll(c.dir); err != nil {
		return s, usageError{err}
	}
	return s, nil
}

// tester is one `sched9 test`.
type tester struct {
	streams
	selection
	list, verbose, json bool
	junit               string
	jobs                int
	audit               time.Duration
	unrecorded, short   bool
	keep                string
	vcpus               []int
	machine, cpu, via   string
}

// test makes the runs and tells of them.
func (t *tester) test(ctx context.Context, args []string) error {
	for _, n := range t.vcpus {
		if n < 1 || n > qemu.MaxSMP {
			return usageError{fmt.Errorf("%d vCPUs asked for, 1 to %d are possible", n, qemu.MaxSMP)}
		}
	}
	st, err := t.suite(args)
	if err != nil {
		return err
	}
	most := guest.Guest{Arch: t.arch, Accel: t.accel, Machine: t.machine, CPU: t.cpu, Via: t.via, Mem: "512M", Timeout: 1, Audit: t.audit}
	most.SMP = slices.Max(append([]int{1}, t.vcpus...))
	if smp, mem := qemu.Fixed(t.machine); smp != 0 {
		most.SMP, most.Mem = cmp.Or(slices.Max(append([]int{0}, t.vcpus...)), smp), mem
	}
	if err := most.Check(); err != nil {
		return usageError{err}
	}
	st.VCPUs, st.Machine, st.CPU, st.Via, st.Short = t.vcpus, t.machine, t.cpu, t.via, t.short
	runs := st.Runs()
	expect := suite.GoTests{Scenarios: st.Scenarios, Match: st.Match, Arch: t.arch, Limit: goTestLimit}
	if len(t.vcpus) > 0 || t.machine != "" || t.cpu != "" || t.via != "" || t.unrecorded || t.short {
		expect.Scenarios = nil // they choose their machines, and want recordings
	}
	runs = append(runs, expect.Runs()...)
	switch {
	case t.jobs < 1:
		return usageError{fmt.Errorf("%d runs at once are not possible", t.jobs)}
	case len(runs) == 0:
		return usageError{fmt.Errorf("no run matches %s", t.match)}
	case t.list:
		t.printList(st, runs)
		return nil
	}
	if _, err := qemu.Locate(t.arch); err != nil {
		return err
	}
	if t.keep != "" {
		if err := os.MkdirAll(t.keep, 0o755); err != nil {
			return err
		}
	}
	if err := t.saySources(); err != nil {
		return err
	}
	line := progress.New(t.err)
	defer line.Clear()
	st.Jobs, st.Note, st.NoRecord, st.Keep, st.Audit = t.jobs, line.Say, t.unrecorded, t.keep, t.audit
	var sum suite.Summary
	var results []suite.Result
	var lost error
	expect.Note = line.Say
	each := func(r suite.Result) {
		line.Clear()
		sum.Add(r)
		if t.junit != "" {
			results = append(results, r)
		}
		if t.json {
			lost = errors.Join(lost, suite.PrintJSON(t.out, r))
		} else {
			suite.Print(t.out, r, t.verbose)
		}
	}
	if err = st.Each(ctx, each); err == nil {
		err = expect.Each(ctx, each)
	}
	line.Clear()
	if !t.json {
		fmt.Fprintln(t.out, sum)
	}
	if t.junit != "" {
		var b bytes.Buffer
		lost = errors.Join(lost, suite.WriteJUnit(&b, results), replace(t.junit, b.Bytes()))
	}
	switch {
	case err != nil:
		return err
	case lost != nil:
		return lost
	case sum.Failed > 0:
		return ended(statusFailed)
	case sum.Unjudged > 0:
		return errTooSlow
	}
	return nil
}

// errTooSlow is that nothing failed, and that not all could be judged.
var errTooSlow = errors.New("this host is too slow to read all that its guests record, though each was booted several times")

// auditEvery is how often guests under test audit themselves.
const auditEvery = 20 * time.Millisecond

// goTestLimit bounds the Go expectations of one scenario.
const goTestLimit = 5 * time.Minute

// printList writes each scenario with what it is about and its runs.
func (t *tester) printList(st suite.Suite, runs []scenario.Run) {
	about := map[string]string{}
	for _, s := range st.Scenarios {
		about[s.Name] = s.About
	}
	slices.SortStableFunc(runs, func(a, b scenario.Run) int { return strings.Compare(a.Scenario, b.Scenario) })
	last := ""
	for _, r := range runs {
		if r.Scenario != last {
			fmt.Fprintf(t.out, "# %s: %s\n", r.Scenario, about[r.Scenario])
			last = r.Scenario
		}
		fmt.Fprintln(t.out, r.FullName())
	}
}

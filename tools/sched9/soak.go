package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sched9/qemu"
	"sched9/tools/internal/progress"
	"sched9/tools/internal/suite"
)

// newSoak makes the command `sched9 soak`.
func newSoak(s streams) *cobra.Command {
	k := soaker{streams: s}
	cmd := &cobra.Command{
		Use:   "soak [flags]",
		Short: "boots the scenarios again and again on all kinds of machine",
		Long: `Soak boots the runs that are marked "soak = true" on every combination of 1, 2, 4, 8 and 16 vCPUs, the
machines pc, q35 and microvm (with -arch arm64, virt with either GIC and at EL2), and GOGC=off, 100 and 5, one after another, each with another SEED in its
environment. With -random it boots random programs instead (scenarios/random), each on four random machines, and compares them
with what stock Go makes of them on the host. Guests audit themselves, and recordings are checked, but not bounds on counters. It stops at the first
failure. Console and recording of a failure are kept, and the commands that repeat it are printed.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			k.endless = k.length != 0 && !cmd.Flags().Changed("boots")
			return k.soak(cmd.Context(), args)
		},
	}
	k.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&k.course.Boots, "boots", 200, "`N` boots in all")
	f.DurationVar(&k.length, "for", 0, "boot until this `time` has passed, as in 30m, or until -boots boots if that is given too")
	f.Uint64Var(&k.course.Seed, "seed", 0, "`number` that decides the order and the guests' seeds; 0 chooses one at random")
	f.IntVar(&k.course.First, "first", 1, "begin with boot `N` of the order")
	f.IntVar(&k.course.Failures, "failures", 1, "stop at the `N`th failure; 0: at none")
	f.StringVar(&k.keep, "keep", "", "`directory` for consoles and recordings of failures; a temporary one otherwise")
	f.BoolVar(&k.random, "random", false, "random programs on random machines")
	f.BoolVarP(&k.verbose, "verbose", "v", false, "a line for every boot")
	return cmd
}

// soaker is one `sched9 soak`.
type soaker struct {
	streams
	selection
	course  suite.Course
	length  time.Duration
	endless bool   // no bound on boots: only length ends it
	random  bool   // programs, instead of marked runs
	keep    string // directory for consoles and recordings of failures
	verbose bool
}

// check says what is wrong with the flags.
func (k *soaker) check() error {
	switch {
	case k.course.Boots < 1:
		return fmt.Errorf("%d boots are too few", k.course.Boots)
	case k.length < 0:
		return fmt.Errorf("no soak takes %v", k.length)
	case k.course.First < 1:
		return fmt.Errorf("boots count from 1, not from %d", k.course.First)
	case k.course.Failures < 0:
		return fmt.Errorf("%d failures are not possible", k.course.Failures)
	}
	return nil
}

// soak boots and tells.
func (k *soaker) soak(ctx context.Context, args []string) error {
	st, err := k.suite(args)
	if err != nil {
		return err
	}
	if err := k.check(); err != nil {
		return usageError{err}
	}
	if _, err := qemu.Locate(k.arch); err != nil {
		return err
	}
	if st.Keep, err = k.directory(); err != nil {
		return err
	}
	defer os.Remove(st.Keep) // if it is empty
	if k.course.Seed == 0 {
		k.course.Seed = rand.Uint64N(1_000_000) + 1
	}
	begin := time.Now()
	var ends []string
	if k.endless {
		k.course.Boots = 0
	} else {
		ends = append(ends, fmt.Sprintf("%d boots", k.course.Boots))
	}
	if k.length > 0 {
		k.course.Until = begin.Add(k.length)
		ends = append(ends, k.length.String())
	}
	fmt.Fprintf(k.out, "soak: %s, -seed %d\n", strings.Join(ends, " or "), k.course.Seed)
	if err := k.saySources(); err != nil {
		return err
	}
	line := progress.New(k.err)
	defer line.Clear()
	st.Note, st.Audit = line.Say, auditEvery
	table := suite.Table{}
	var sum suite.Summary
	var lost error
	round := len(suite.Combos(k.arch))
	boot := st.Soak
	if k.random {
		boot, round = st.Random, 100
	}
	err = boot(ctx, k.course, func(b suite.Boot) {
		line.Clear()
		if !k.random {
			table.Add(b)
		}
		sum.Add(b.Result)
		n := sum.Passed + sum.Failed + sum.Unjudged
		switch {
		case b.Result.Failed():
			suite.Print(k.out, b.Result, false)
			lost = errors.Join(lost, k.failed(b, st.Keep))
		case k.verbose || len(b.Result.Again) > 0:
			suite.Print(k.out, b.Result, false)
		case n%round == 0:
			fmt.Fprintf(k.out, "soak: %v after %v", sum, time.Since(begin).Round(time.Second))
			if !k.random {
				fmt.Fprintf(k.out, ", %d boots on each kind of machine", n/round)
			}
			fmt.Fprintln(k.out)
		}
	})
	line.Clear()
	if !k.random {
		table.Print(k.out, k.arch)
	}
	fmt.Fprintf(k.out, "%v in %v\n", sum, time.Since(begin).Round(time.Second))
	switch {
	case err != nil:
		return err
	case lost != nil:
		return lost
	case sum.Failed > 0:
		return ended(statusFailed)
	case sum.Passed == 0 && sum.Unjudged > 0:
		return errTooSlow
	}
	return nil
}

// directory is where failures are kept; it is there.
func (k *soaker) directory() (string, error) {
	if k.keep == "" {
		return os.MkdirTemp("", "sched9-soak-")
	}
	return k.keep, os.MkdirAll(k.keep, 0o755)
}

// failed keeps the console of a failure in dir and says where it is, and how to do it
// again: the same boot with all its checks, and the program alone.
func (k *soaker) failed(b suite.Boot, dir string) error {
	again := k.again(b)
	var text strings.Builder
	fmt.Fprintf(&text, "boot %d of a soak\n%s\n%s\n\n%s\n\n%s", b.N, strings.Join(again, "\n"),
		b.Result.Run.FullName(), strings.Join(b.Result.Wrong, "\n"), b.Result.Console)
	name := filepath.Join(dir, suite.FileName(b.Result.Run)+".txt")
	if err := replace(name, []byte(text.String())); err != nil {
		return err
	}
	fmt.Fprintf(k.out, "     its console: %s\n     again: %s\n", name, strings.Join(again, "\n        or: "))
	return nil
}

// again are command lines that repeat a boot.
func (k *soaker) again(b suite.Boot) []string {
	soak := words("sched9", "soak", "-seed", fmt.Sprint(k.course.Seed), "-first", fmt.Sprint(b.N), "-boots", "1", "-C", k.dir)
	if k.random {
		soak += " -random"
	}
	if k.match != "" {
		soak += " " + words("-run", k.match)
	}
	if k.accel != "tcg" {
		soak += " " + words("-accel", k.accel)
	}
	r := b.Result.Run
	arch := []string(nil)
	if k.arch != "amd64" {
		arch = []string{"-arch", k.arch}
		soak += " " + words(arch...)
	}
	run := append([]string{"sched9", "run"}, arch...)
	run = append(run, "-smp", fmt.Sprint(r.SMP), "-mem", r.Mem, "-machine", r.Machine, "-accel", k.accel)
	if r.ICount {
		run = append(run, "-icount")
	}
	if r.Slice > 0 {
		run = append(run, "-slice", time.Duration(r.Slice).String())
	}
	run = append(run, "-timeout", r.Limit().String(), "-audit", auditEvery.String(), "-trace", "run.s9")
	for _, e := range r.Env {
		run = append(run, "-env", e)
	}
	dir := b.Dir
	if !filepath.IsAbs(dir) && !strings.HasPrefix(dir, ".") {
		dir = "./" + dir
	}
	return []string{soak, words(append(append(run, dir), r.Args...)...)}
}

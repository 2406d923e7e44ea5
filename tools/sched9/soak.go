package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
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
		Long: `Soak boots the runs that are marked "soak = true" on every combination of 1, 2, 4 and 8 vCPUs, the
machines pc, q35 and microvm, and GOGC=off, 100 and 5, one after another. It stops at the first
failure and keeps the console of it in a file. Bounds on counters are not checked.`,
		RunE: func(cmd *cobra.Command, args []string) error { return k.soak(cmd.Context(), args) },
	}
	k.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&k.boots, "boots", 200, "`N` boots in all")
	f.Uint64Var(&k.seed, "seed", 0, "`number` that decides the order; 0 takes another each time")
	f.StringVar(&k.log, "log", "", "`file` for the console of a failure; a temporary one otherwise")
	f.BoolVarP(&k.verbose, "verbose", "v", false, "a line for every boot")
	return cmd
}

// soaker is one `sched9 soak`.
type soaker struct {
	streams
	selection
	boots   int
	seed    uint64
	log     string
	verbose bool
}

// soak boots and tells.
func (k *soaker) soak(ctx context.Context, args []string) error {
	st, err := k.suite(args)
	if err != nil {
		return err
	}
	if k.boots < 1 {
		return usageError{fmt.Errorf("%d boots are too few", k.boots)}
	}
	if _, _, err := qemu.Find(k.arch); err != nil {
		return err
	}
	if k.seed == 0 {
		k.seed = rand.Uint64N(1_000_000) + 1
	}
	fmt.Fprintf(k.out, "soak: %d boots, -seed %d\n", k.boots, k.seed)
	line := progress.New(k.err)
	defer line.Clear()
	st.Note, st.Audit = line.Say, auditEvery
	table, begin := suite.Table{}, time.Now()
	var failed *suite.Boot
	round := len(suite.Combos())
	err = st.Soak(ctx, k.boots, k.seed, func(b suite.Boot) {
		line.Clear()
		table.Add(b)
		switch {
		case !b.Result.Passed():
			failed = &b
			suite.Print(k.out, b.Result, false)
		case k.verbose:
			suite.Print(k.out, b.Result, false)
		case b.N%round == 0 && b.N < k.boots:
			fmt.Fprintf(k.out, "soak: %d of %d boots passed, %d on each kind of machine, after %v\n",
				b.N, k.boots, b.N/round, time.Since(begin).Round(time.Second))
		}
	})
	line.Clear()
	table.Print(k.out)
	var sum suite.Summary
	for _, n := range table {
		sum.Passed += n.Passed
		sum.Failed += n.Failed
	}
	fmt.Fprintf(k.out, "%v in %v\n", sum, time.Since(begin).Round(time.Second))
	if err != nil {
		return err
	}
	if failed != nil {
		return k.keep(*failed)
	}
	return nil
}

// keep writes the console of a failure to a file and says where.
func (k *soaker) keep(b suite.Boot) error {
	var text strings.Builder
	fmt.Fprintf(&text, "boot %d of sched9 soak -boots %d -seed %d\n", b.N, k.boots, k.seed)
	fmt.Fprintf(&text, "%s\n%s\n\n%s", b.Result.Run.FullName(), strings.Join(b.Result.Wrong, "\n"), b.Result.Console)
	name := k.log
	var err error
	if name == "" {
		var f *os.File
		if f, err = os.CreateTemp("", "sched9-soak-*.txt"); err != nil {
			return err
		}
		name = f.Name()
		_, err = f.WriteString(text.String())
		err = errors.Join(err, f.Close())
	} else {
		err = replace(name, []byte(text.String()))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(k.err, "sched9: boot %d failed, its console is in %s\n", b.N, name)
	return ended(statusFailed)
}

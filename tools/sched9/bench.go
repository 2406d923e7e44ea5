package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"sched9/qemu"
	"sched9/tools/internal/bench"
	"sched9/tools/internal/image"
	"sched9/tools/internal/peer"
	"sched9/tools/internal/progress"
)

// newBench makes the command `sched9 bench`.
func newBench(s streams) *cobra.Command {
	b := bencher{streams: s}
	cmd := &cobra.Command{
		Use:   "bench [flags] [PKG]",
		Short: "measures the scheduler beside stock Go on Linux in the same QEMU",
		Long: `Bench boots one program, ./scenarios/bench, on sched9 and on Debian's Linux in turn: with instructions counted
on one vCPU, and with a thread for each of 1, 2 and 4 vCPUs. It prints a table of both, and what was to be
reached. The kernel comes from Debian by apt, once. docs/bench.md tells what is measured, and how.

With PKG it boots that program on each machine and tells the time from QEMU's start to the first byte of its output.
With -profile it counts the instructions of one operation by the functions that they are in; with -listing too it lists
them, with their source, from one call of a function to the next.
With -hot it makes the list of calls anew that the compiler puts in line on the scheduler's short ways.
With -net it measures a web server on both, asked from here through a virtio network card, and by itself over loopback: docs/net.md has the table.
With -recorder it counts what the scheduler's recorder adds.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if (b.profile != "" || b.hotList) && !cmd.Flags().Changed("smp") {
				b.smp = 1 // exactly repeatable
			}
			return b.bench(cmd.Context(), args)
		},
	}
	archFlag(cmd, &b.arch)
	f := cmd.Flags()
	f.BoolVar(&b.quick, "quick", false, "a minute or two, with 4 vCPUs and one round")
	f.BoolVar(&b.peer, "peer", true, "measure Linux too")
	f.StringVar(&b.linux, "linux", "", "kernel `FILE` instead of Debian's")
	f.StringVar(&b.ops, "ops", "", "only operations whose name matches `REGEXP`")
	f.IntVar(&b.rounds, "rounds", 0, "`N` boots of each guest with each number of vCPUs (default 3, or 1 with -quick)")
	f.StringVarP(&b.output, "output", "o", "", "write the results into a `file`, as JSON")
	f.StringVar(&b.page, "html", "", "write a page with plots into a `file`")
	f.BoolVar(&b.markdown, "markdown", false, "print tables for a document")
	f.StringVar(&b.old, "compare", "", "compare with earlier results in a `file`")
	f.StringVar(&b.profile, "profile", "", "count the instructions of operation `OP` by functions, and do nothing else")
	f.StringVar(&b.listing, "listing", "", "with -profile: list the instructions from one call of `FUNC` to the next")
	f.BoolVar(&b.hotList, "hot", false, "make the list of calls that are put in line, in a checkout, and do nothing else")
	f.BoolVar(&b.net, "net", false, "measure a web server, and do nothing else")
	f.BoolVar(&b.recorder, "recorder", false, "count the recorder's cost, and do nothing else")
	accelFlag(cmd, &b.accel, "tcg")
	f.IntVar(&b.smp, "smp", 4, "with PKG or -profile: number `N` of vCPUs, 1 to 64; 1 by default for a profile")
	f.IntVar(&b.boots, "boots", 10, "with PKG: `N` boots on each machine")
	return cmd
}

// bencher is one `sched9 bench`.
type bencher struct {
	streams
	arch, accel       string
	quick, peer       bool
	linux, ops        string
	rounds            int
	output, page, old string
	profile, listing  string
	recorder, hotList bool
	net               bool
	markdown          bool
	smp, boots        int
}

// benchMem is how much memory machines have that are measured.
const benchMem = "512M"

// bench does what the flags say.
func (b *bencher) bench(ctx context.Context, args []string) error {
	if b.listing != "" && b.profile == "" {
		return usageError{errors.New("-listing FUNC is for an operation: -profile OP")}
	}
	if err := b.saySources(); err != nil {
		return err
	}
	line := progress.New(b.err)
	defer line.Clear()
	g, err := b.bootGuest()
	if err != nil {
		return usageError{err}
	}
	if len(args) > 0 {
		return b.boot(ctx, g, args, line)
	}
	if b.recorder {
		return b.costs(ctx, line.Say)
	}
	if b.net {
		return b.network(ctx, line)
	}
	p, err := newPlan(planned{arch: b.arch, quick: b.quick, peer: b.peer, ops: b.ops, rounds: b.rounds})
	if err != nil {
		return usageError{err}
	}
	var old bench.Report
	if b.old != "" {
		if old, err = bench.ReadFile(b.old); err != nil {
			return usageError{err}
		}
	}
	_, version, err := qemu.Find(b.arch)
	if err != nil {
		return err
	}
	src, _, err := image.Find([]string{"./scenarios/bench"})
	if err != nil {
		return usageError{fmt.Errorf("%w: run sched9 bench in a checkout of sched9", err)}
	}
	if b.hotList {
		return b.hot(ctx, src, line)
	}
	img, err := image.Build(ctx, src, image.Options{Arch: b.arch, Note: line.Say, Stderr: line.Writer(b.err)})
	if err != nil {
		line.Clear()
		return err
	}
	if b.profile != "" {
		return b.profileOp(ctx, img, b.profile, b.listing, line)
	}
	m := meter{arch: b.arch, img: img, say: line.Say}
	m.report = bench.Report{
		When: time.Now().UTC().Format(time.RFC3339), Arch: b.arch, QEMU: version, Go: img.Version, Quick: b.quick, Ops: b.ops,
	}
	if b.peer {
		if err := m.findPeer(ctx, src, b.linux); err != nil {
			line.Clear()
			return err
		}
	}
	if err := m.sizes(ctx, line.Writer(b.err)); err != nil {
		line.Clear()
		return err
	}
	failed := m.run(ctx, p)
	line.Clear()
	return errors.Join(b.show(&m.report, old), failed)
}

// show prints and writes the results: also those of a run that was cut short.
func (b *bencher) show(r *bench.Report, old bench.Report) error {
	table := r.Table
	if b.markdown {
		table = r.Markdown
	}
	if err := table(b.out); err != nil {
		return err
	}
	if b.old != "" {
		if err := bench.Compare(b.out, old, *r); err != nil {
			return err
		}
	}
	if b.output != "" {
		data, err := r.JSON()
		if err == nil {
			err = replace(b.output, data)
		}
		if err != nil {
			return err
		}
	}
	if b.page != "" {
		data, err := r.Page()
		if err == nil {
			err = replace(b.page, data)
		}
		return err
	}
	return nil
}

// findPeer gets the other side ready: a kernel, the one in file if that names one, and the program.
func (m *meter) findPeer(ctx context.Context, src image.Source, file string) (err error) {
	m.kernel, m.report.Linux = file, filepath.Base(file)
	if file != "" {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("the kernel to compare with: %w", err)
		}
	}
	if file == "" {
		if m.kernel, m.report.Linux, err = peer.Kernel(ctx, m.arch, m.say); err != nil {
			return err
		}
	}
	exe, err := peer.Program(ctx, src, m.arch, m.say)
	if err != nil {
		return err
	}
	m.archive, err = peer.Archive(exe, nil)
	return err
}

package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"sched9/qemu"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
	"sched9/tools/internal/progress"
)

// bootGuest is the machine for boot, without an image. The error says what of the flags is wrong.
func (b *bencher) bootGuest() (guest.Guest, error) {
	g := guest.Guest{Arch: b.arch, SMP: b.smp, Mem: benchMem, Accel: b.accel, Timeout: time.Minute}
	if err := g.Check(); err != nil {
		return g, err
	}
	if b.boots < 1 {
		return g, fmt.Errorf("%d boots are too few", b.boots)
	}
	return g, nil
}

// boot measures the start of the program that args name on g, and prints a line for each machine. The time
// is that of this host, from QEMU's start to the first byte of the program's output.
func (b *bencher) boot(ctx context.Context, g guest.Guest, args []string, line *progress.Line) error {
	src, n, err := image.Find(args)
	if err != nil {
		return usageError{err}
	}
	if n < len(args) {
		return usageError{fmt.Errorf("unexpected argument %q: one program at a time", args[n])}
	}
	_, version, err := qemu.Find(b.arch)
	if err != nil {
		return err
	}
	img, err := image.Build(ctx, src, image.Options{Arch: b.arch, Note: line.Say, Stderr: line.Writer(b.err)})
	line.Clear()
	if err != nil {
		return err
	}
	g.Name, g.Image = img.Name, img.Data
	fmt.Fprintf(b.out, "%s: %d KiB, %s, QEMU %s, %d vCPUs, %d boots on each machine\n",
		img.Name, len(img.Data)>>10, img.Version, version, b.smp, b.boots)
	for _, g.Machine = range bootMachines(b.arch) {
		var took []time.Duration
		for range b.boots {
			line.Say("booting " + img.Name + " on " + g.Machine)
			d, err := firstLine(ctx, g)
			line.Clear()
			if err != nil {
				return err
			}
			took = append(took, d)
		}
		slices.Sort(took)
		fmt.Fprintf(b.out, "%-20s first line after %v (median; least %v, most %v)\n", g.Machine,
			took[len(took)/2].Round(time.Millisecond), took[0].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
	}
	return nil
}

// bootMachines are those whose start is measured: with SeaBIOS too where the usual machine does without.
func bootMachines(arch string) []string {
	all := slices.DeleteFunc(qemu.Machines(arch), func(m string) bool {
		smp, _ := qemu.Fixed(m)
		return smp != 0 // others are compared with one vCPU
	})
	if arch == "amd64" {
		all = append(all, slowMachine)
	}
	return all
}

// slowMachine has the firmware that most virtual machines have.
const slowMachine = "q35,firmware=seabios"

// firstLine boots g and returns how long it took to its first output. A guest
// that does not end well, or says nothing, is an error.
func firstLine(ctx context.Context, g guest.Guest) (time.Duration, error) {
	w := stopwatch{begin: time.Now()}
	g.Stdout, g.Stderr = &w, &w
	o, err := guest.Run(ctx, g)
	switch {
	case err != nil:
		return 0, err
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case o.Why != "":
		return 0, fmt.Errorf("on %s: %s", g.Machine, o.Why)
	case w.took == 0:
		return 0, fmt.Errorf("%s printed nothing to measure by", g.Name)
	}
	return w.took, nil
}

// stopwatch is a writer that notes when it is first written to.
type stopwatch struct {
	begin time.Time
	mu    sync.Mutex // two outputs
	took  time.Duration
}

// Write stops the watch.
func (w *stopwatch) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.took == 0 {
		w.took = time.Since(w.begin)
	}
	return len(p), nil
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"sched9/qemu"
	"sched9/tools/internal/bench"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
	"sched9/tools/internal/peer"
)

// meter carries out a plan.
type meter struct {
	arch    string
	img     image.Image
	kernel  string // Linux's file
	archive []byte // its files
	say     func(string)
	report  bench.Report
}

// run does all legs of p, and puts what they bring into m.report. It ends with the first that fails.
func (m *meter) run(ctx context.Context, p []leg) error {
	for i, l := range p {
		m.say(fmt.Sprintf("%d of %d: %v", i+1, len(p), l))
		if err := m.leg(ctx, l); err != nil {
			return fmt.Errorf("boot %d of %d (%v): %w", i+1, len(p), l, err)
		}
	}
	return nil
}

// sizes notes how large what is booted is: with a program that prints a few lines, as an example of a
// small one, and with the one that measures.
func (m *meter) sizes(ctx context.Context, stderr io.Writer) error {
	src, _, err := image.Find([]string{"./scenarios/hello"})
	if err != nil {
		return err
	}
	hello, err := image.Build(ctx, src, image.Options{Arch: m.arch, Note: m.say, Stderr: stderr})
	if err != nil {
		return err
	}
	m.report.Add(bench.Build, 0, "image of hello", "bytes", false, float64(len(hello.Data)))
	m.report.Add(bench.Build, 0, "image of this program", "bytes", false, float64(len(m.img.Data)))
	if m.kernel == "" {
		return nil
	}
	kernel, err := os.Stat(m.kernel)
	if err != nil {
		return err
	}
	exe, err := peer.Program(ctx, src, m.arch, m.say)
	if err != nil {
		return err
	}
	small, err := peer.Archive(exe, nil)
	if err != nil {
		return err
	}
	m.report.Add(bench.Build, 0, "image of hello", "bytes", true, float64(int(kernel.Size())+len(small)))
	m.report.Add(bench.Build, 0, "image of this program", "bytes", true, float64(int(kernel.Size())+len(m.archive)))
	return nil
}

// leg boots once. Under Linux the program's first line is the kernel's first, too.
func (m *meter) leg(ctx context.Context, l leg) error {
	var text bytes.Buffer
	var err error
	w := stopwatch{begin: time.Now()}
	to := io.MultiWriter(&w, &text)
	if l.peer {
		err = peer.Machine{
			Kernel: m.kernel, Archive: m.archive, Args: l.args, Arch: m.arch, SMP: l.smp, Mem: benchMem,
			ICount: l.mode == bench.ICount, Timeout: l.limit, Stdout: to,
		}.Run(ctx)
	} else {
		err = m.ours(ctx, l, to)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%w%s", err, tail(text.String()))
	}
	out, err := bench.Parse(text.String())
	if err != nil {
		return fmt.Errorf("%w%s", err, tail(text.String()))
	}
	if l.row == 1 && l.smp == 1 && l.mode == bench.TCG && out.Start.Total != 0 {
		m.memory(l, out.Start)
	}
	if l.mode == bench.TCG {
		m.report.Add(bench.TCG, l.row, "boot"+l.suffix, "ns", l.peer, float64(w.took))
	}
	m.report.AddOutput(l.mode, l.row, l.suffix, l.peer, out)
	for _, r := range out.Results {
		if bytes := r.Samples[0]; r.Op == "parked" && bytes > 0 {
			m.report.Add(l.mode, l.row, "parked-in-1GiB", "goroutines", l.peer, float64(1<<30)/bytes)
		}
	}
	return nil
}

// ours boots sched9. The program's errors go where its output goes.
func (m *meter) ours(ctx context.Context, l leg, to io.Writer) error {
	o, err := guest.Run(ctx, guest.Guest{
		Name: m.img.Name, Image: m.img.Data, Args: l.args, Arch: m.arch, SMP: l.smp, Mem: benchMem, Machine: l.machine,
		Accel: "tcg", ICount: l.mode == bench.ICount, Timeout: l.limit, Slice: l.slice, Stdout: to,
	})
	switch {
	case err != nil:
		return err
	case o.Why != "":
		return fmt.Errorf("%s", o.Why)
	case o.Status != 0:
		return fmt.Errorf("the program ended with status %d", o.Status)
	}
	return nil
}

// memory notes how much of the machine's memory was in use when the program began (kernel, program
// and firmware), and how much of the memory that the kernel can allocate.
func (m *meter) memory(l leg, s bench.Start) {
	mib, err := qemu.ParseMem(benchMem)
	if err != nil {
		panic(err) // a constant
	}
	m.report.Add(bench.TCG, 1, "memory-at-main", "bytes", l.peer, float64(s.Total-s.Free))
	m.report.Add(bench.TCG, 1, "memory-at-main, with the kernel", "bytes", l.peer, float64(uint64(mib)<<20-s.Free))
}

// tail is the end of what the program printed, for a message.
func tail(text string) string {
	const most = 400
	text = strings.TrimSpace(text)
	if text == "" {
		return "; it printed nothing"
	}
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return "; its last words: " + text
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"sched9/qemu"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
	"sched9/tools/internal/profile"
	"sched9/tools/internal/progress"
)

// Bounds of a profile: of the log, and of the time to fill it.
const (
	profileLog   = 128 << 20 // bytes, some 75 for an instruction
	profileLimit = 2 * time.Minute
)

// foreverLine is what the program prints when it has begun to repeat an operation.
var foreverLine = regexp.MustCompile(`bench: \{"op":"forever","n":([0-9]+)\}`)

// watcher is a writer that tells when the program has begun.
type watcher struct {
	mu    sync.Mutex
	text  bytes.Buffer
	began chan int // capacity 1: gets the number of operations between two marks
	found bool
}

// Write looks for the line.
func (w *watcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	if m := foreverLine.FindSubmatch(w.text.Bytes()); m != nil && !w.found {
		w.found = true
		n, _ := strconv.Atoi(string(m[1])) // digits
		w.began <- max(n, 1)
	}
	return len(p), nil
}

// said is what the program printed.
func (w *watcher) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// profileOp counts the instructions of an operation by functions, and prints them. With from it prints what runs from one call of
// that function to the next instead.
func (b *bencher) profileOp(ctx context.Context, img image.Image, op, from string, line *progress.Line) error {
	symbols, err := profile.NewSymbols(img.Exe)
	if err != nil {
		return err
	}
	if from != "" {
		return b.listOp(ctx, img, symbols, op, from, line)
	}
	p, err := b.countOp(ctx, img, symbols, op, line)
	line.Clear()
	if err == nil {
		printProfile(b.out, op, b.smp, p)
	}
	return err
}

// countOp counts the instructions of an operation by functions.
func (b *bencher) countOp(ctx context.Context, img image.Image, symbols profile.Symbols, op string, line *progress.Line) (p profile.Profile, err error) {
	err = b.logOp(ctx, img, op, line, func(log io.Reader, perMark int) error {
		p, err = profile.Read(log, symbols, markFunc, perMark)
		return err
	})
	return p, err
}

// markFunc is what the program calls between its rounds.
const markFunc = "main.mark"

// logOp has the guest repeat an operation, and calls read with the log of its instructions and the number of operations between two
// marks. It has one vCPU or as many as b.smp says. Several vCPUs take turns in one thread of the host, for milliseconds each.
func (b *bencher) logOp(ctx context.Context, img image.Image, op string, line *progress.Line, read func(log io.Reader, perMark int) error) error {
	log, err := os.CreateTemp("", qemu.Scratch("exec"))
	if err != nil {
		return err
	}
	defer os.Remove(log.Name())
	defer log.Close()
	op, slice, err := cutSlice(op)
	if err != nil {
		return usageError{err}
	}
	g := guest.Guest{
		Name: img.Name, Image: img.Data, Args: []string{"-forever", op}, Arch: b.arch, SMP: b.smp, Mem: benchMem,
		Accel: "tcg", ICount: true, Timeout: profileLimit, Slice: slice,
	}
	if err := g.Check(); err != nil {
		return usageError{err}
	}
	w := &watcher{began: make(chan int, 1)}
	g.Stdout, g.Stderr = w, w
	var perMark int
	var failed error
	g.Started = func(vm *qemu.VM) {
		defer vm.Quit()
		line.Say("waiting for " + op)
		select {
		case perMark = <-w.began:
		case <-vm.Done():
			return
		}
		line.Say("counting instructions of " + op)
		failed = fill(vm, log)
	}
	o, err := guest.Run(ctx, g)
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case failed != nil:
		return failed
	case perMark == 0:
		return fmt.Errorf("the program did not begin: %s%s", o.Why, w.said())
	}
	if _, err := log.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return read(log, perMark)
}

// cutSlice takes an operation's name apart that ends with a time slice, as in the tables: "slice-end, slice 10us".
func cutSlice(op string) (name string, slice time.Duration, err error) {
	name, text, ok := strings.Cut(op, ", slice ")
	if ok {
		slice, err = time.ParseDuration(text)
	}
	return name, slice, err
}

// fill lets the guest run an instruction at a time until QEMU's log is long enough, or
// the guest ends.
func fill(vm *qemu.VM, log *os.File) error {
	for _, line := range []string{"stop", "logfile " + log.Name(), "singlestep on", "log exec,nochain", "cont"} {
		if err := vm.Human(line); err != nil {
			return err
		}
	}
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-vm.Done():
			return errors.New("the guest ended before enough was counted")
		case <-look.C:
			if st, err := log.Stat(); err != nil || st.Size() >= profileLog {
				return err
			}
		}
	}
}

// printProfile prints the functions that took most, and what all took.
func printProfile(out io.Writer, op string, smp int, p profile.Profile) {
	fmt.Fprintf(out, "%s: %.1f instructions per operation (vCPUs: %d, rounds counted: %d)\n", op, p.Total, smp, p.Marks)
	calls := 0.0
	for _, c := range p.Counts {
		calls += c.Calls
	}
	fmt.Fprintf(out, "  %.1f calls of functions, which cost QEMU more than other instructions\n", calls)
	sums := p.Owners()
	for _, who := range []string{profile.Ours, profile.Language, profile.Program} {
		fmt.Fprintf(out, "  %-8s %.1f (%.1f %%)\n", who, sums[who], 100*sums[who]/p.Total)
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "instructions\tshare\tcalls\t")
	const (
		least = 0.002
		ours  = "internal/runtime/s9/" // where the overlay puts our packages
	)
	rest := 0.0
	for _, c := range p.Counts {
		if c.Instructions < least*p.Total {
			rest += c.Instructions
			continue
		}
		fmt.Fprintf(w, "%.1f\t%.1f %%\t%.2f\t  %s\n", c.Instructions, 100*c.Instructions/p.Total, c.Calls, strings.TrimPrefix(c.Func, ours))
	}
	fmt.Fprintf(w, "%.1f\t%.1f %%\t\t  all others\n", rest, 100*rest/p.Total)
	w.Flush()
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sched9/boot"
	"sched9/qemu"
	"sched9/sched"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
	"sched9/tools/internal/progress"
)

// newRun makes the command `sched9 run`.
func newRun(s streams) *cobra.Command {
	r := runner{streams: s}
	cmd := &cobra.Command{
		Use:   "run [flags] PKG [ARG...]",
		Short: "boots a program and exits with its status",
		Long: `Run builds a Go program, boots it and streams its output. It exits with the guest's
status. PKG is a directory, an import path, .go files, or an image made by sched9 build.
What follows it goes to the program, and so does standard input, unless that is /dev/null. Ctrl-\ shows where every M, P and G stands, and ends the run.

Statuses that are not the guest's: 1 it does not compile or cannot be booted, 2 wrong usage,
124 the time limit ended the run, 125 sched9 or QEMU failed, 126 the guest's kernel could not go on,
127 the guest was lost, 130 interrupted. A line "sched9: ..." says which and why.`,
		Annotations: map[string]string{guestArgs: "yes"},
		RunE:        func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	cmd.Flags().SetInterspersed(false)
	machineFlags(cmd, &r.guest)
	cmd.Flags().DurationVar(&r.guest.Audit, "audit", 0, "stop the world so `often` and check all that the scheduler holds")
	cmd.Flags().DurationVar(&r.guest.Slice, "slice", 0, "the scheduler's time slice, 10us to 1s; of itself it is `10ms`")
	cmd.Flags().IntVar(&r.guest.Depth, "depth", sched.MaxStack, "with -trace, record `N` callers of where a goroutine stands")
	cmd.Flags().StringVar(&r.trace, "trace", "", "record the schedule into `file`, for sched9 trace")
	cmd.Flags().BoolVar(&r.counters, "counters", false, "print the kernel's counters at the end, on standard error")
	cmd.Flags().BoolVarP(&r.verbose, "verbose", "v", false, "say more about build and machine")
	return cmd
}

// runner is one `sched9 run`.
type runner struct {
	streams
	guest    guest.Guest
	trace    string
	counters bool
	verbose  bool
}

// run makes what args name into an image if it is none, and boots it. What can
// be known to be wrong is said before the build.
func (r *runner) run(ctx context.Context, args []string) error {
	if err := r.guest.Check(); err != nil {
		return usageError{err}
	}
	if len(args) == 0 {
		return usageError{fmt.Errorf("which program? sched9 run wants a directory, an import path, .go files or an image")}
	}
	_, version, err := qemu.Find(r.guest.Arch)
	if err != nil {
		return err
	}
	line := progress.New(r.err)
	defer line.Clear()
	begin := time.Now()
	n, err := r.load(ctx, args, line)
	if err != nil {
		line.Clear()
		return err
	}
	r.guest.Args = args[n:]
	if err := r.guest.Check(); err != nil {
		return usageError{err}
	}
	r.say("%s: %d KiB, ready after %v; QEMU %s", r.guest.Name, len(r.guest.Image)>>10, time.Since(begin).Round(time.Millisecond), version)
	line.Say("booting " + r.guest.Name)
	begin = time.Now()
	tail := &lastByte{w: line.Writer(r.err)}
	r.guest.Stdout, r.guest.Stderr = line.Writer(r.out), tail
	r.guest.Started = dumpOnQuit(ctx)
	r.guest.Input = standardInput(os.Stdin)
	var file *os.File
	if r.trace != "" {
		if file, err = os.Create(r.trace); err != nil {
			return err
		}
		r.guest.Record = file
	}
	o, err := guest.Run(ctx, r.guest)
	line.Clear()
	if file != nil {
		o.Record = errors.Join(o.Record, file.Close())
	}
	if err != nil {
		return err
	}
	if o.Record != nil {
		fmt.Fprintf(r.err, "sched9: %s is not a whole recording: %v\n", r.trace, o.Record)
	}
	r.say("ended (%v) after %v with accelerator %s, QEMU's status %d, events %s",
		o.QEMU.Reason, time.Since(begin).Round(time.Millisecond), o.QEMU.Accel, o.QEMU.Status, strings.Join(o.QEMU.Events, ", "))
	if r.counters {
		o.Report.Print(r.err)
	}
	if o.Why != "" {
		if tail.open() {
			fmt.Fprintln(r.err)
		}
		fmt.Fprintf(r.err, "sched9: %s\n", o.Why)
	}
	if o.Status != 0 {
		return ended(o.Status)
	}
	return nil
}

// standardInput is what the guest gets to read: f, or nil if nothing can come of it.
// That is so with /dev/null, and with a descriptor that is closed or a directory.
func standardInput(f *os.File) io.Reader {
	st, err := f.Stat()
	if err != nil || st.IsDir() {
		return nil
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(st, null) {
		return nil
	}
	return f
}

// dumpOnQuit makes Ctrl-\ (SIGQUIT) ask a running guest where it stands, as it
// does a Go program: an NMI lets the kernel show every M, P and G, and end the run,
// also if the guest hangs with its interrupts off (V4).
func dumpOnQuit(ctx context.Context) func(*qemu.VM) {
	return func(vm *qemu.VM) {
		quit := make(chan os.Signal, 1)
		signal.Notify(quit, syscall.SIGQUIT)
		go func() {
			defer signal.Stop(quit)
			select {
			case <-quit:
				vm.InjectNMI() // an error means that it has ended
			case <-vm.Done():
			case <-ctx.Done():
			}
		}()
	}
}

// load reads or builds the image that args begin with, and returns how many of
// them name it.
func (r *runner) load(ctx context.Context, args []string, line *progress.Line) (n int, err error) {
	if st, err := os.Stat(args[0]); err == nil && st.Mode().IsRegular() && filepath.Ext(args[0]) != ".go" {
		r.guest.Name = filepath.Base(args[0])
		r.guest.Image, err = readImage(args[0])
		return 1, err
	}
	src, n, err := image.Find(args)
	if err != nil {
		return n, usageError{err}
	}
	img, err := image.Build(ctx, src, image.Options{
		Arch: r.guest.Arch, Note: line.Say, Stderr: line.Writer(r.err),
	})
	if err != nil {
		return n, err
	}
	r.guest.Name, r.guest.Image = img.Name, img.Data
	r.say("%s built with %s; functions that the audit could not read in full: %d", img.Name, img.Version, img.Unknown)
	return n, nil
}

// readImage reads an image made by `sched9 build` and makes sure that it is
// one, and whole.
func readImage(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if err := boot.Check(data); err != nil {
		why := strings.TrimPrefix(err.Error(), "boot: ")
		return nil, &image.ProgramError{Source: name, Err: fmt.Errorf("it is no image that can be booted: %s", why)}
	}
	return data, nil
}

// say writes a line for the curious.
func (r *runner) say(format string, args ...any) {
	if r.verbose {
		fmt.Fprintf(r.err, "sched9: "+format+"\n", args...)
	}
}

// lastByte remembers how what was written ended.
type lastByte struct {
	w    io.Writer
	last byte
}

// Write writes p.
func (l *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.last = p[len(p)-1]
	}
	return l.w.Write(p)
}

// open reports whether the last line is without its end.
func (l *lastByte) open() bool { return l.last != 0 && l.last != '\n' }

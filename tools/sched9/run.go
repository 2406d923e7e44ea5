package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sched9/boot"
	"sched9/kernel/goruntime"
	"sched9/qemu"
	"sched9/record"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/image"
	"sched9/tools/internal/nine"
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
What follows it goes to the program, and so does standard input, unless that is /dev/null. Ctrl-C, SIGTERM, SIGHUP and SIGWINCH
reach the program as signals; the second of those that end programs ends the run. Ctrl-\ shows where every M, P and G stands, and ends the run.

Statuses that are not the guest's: 1 it does not compile or cannot be booted, 2 wrong usage,
124 the time limit ended the run, 125 sched9 or QEMU failed, 126 the guest's kernel could not go on,
127 the guest was lost, 130 interrupted, 131 ended by Ctrl-\, 141 the reader of the output has gone away. A line "sched9: ..." gives
the reason. If the program itself exits with 124 to 127, 130, 131 or 141, sched9 does too, and the line is "the program exited
with status N".`,
		Annotations: map[string]string{guestArgs: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("slice") && r.guest.Slice == 0 {
				return usageError{r.guest.CheckSlice()}
			}
			if cmd.Flags().Changed("policy") {
				if err := usePolicy(&r.guest, r.policy); err != nil {
					return usageError{err}
				}
			}
			board(cmd, &r.guest)
			// A debugger stops the guest for as long as its user thinks.
			if r.gdb != "" && !cmd.Flags().Changed("timeout") {
				r.guest.Timeout = debugTimeout
			}
			if r.shell {
				args = append([]string{shellProgram}, args...)
				if !cmd.Flags().Changed("timeout") {
					r.guest.Timeout = debugTimeout
				}
			}
			if cmd.Flags().Changed("9p") {
				relay, err := nine.Listen(r.serve)
				if err != nil {
					return usageError{err}
				}
				defer relay.Close()
				r.relay, r.guest.Wire = relay, func(stream io.ReadWriter) { r.serveFiles(stream) }
			}
			if cmd.Flags().Changed("gdb") {
				d, err := newDebugger(r.gdb)
				if err != nil {
					return err
				}
				defer d.remove()
				r.debugger, r.guest.GDB = &d, d.addr
			}
			return r.run(cmd.Context(), args)
		},
	}
	cmd.Flags().SetInterspersed(false)
	machineFlags(cmd, &r.guest)
	netFlags(cmd, &r.guest)
	rootFlag(cmd, &r.guest)
	cmd.Flags().DurationVar(&r.guest.Audit, "audit", 0, "audit the scheduler every `interval` (stops the world)")
	cmd.Flags().DurationVar(&r.guest.Slice, "slice", 0, "the scheduler's time slice, 10us to 1s (default 10ms)")
	cmd.Flags().StringVar(&r.policy, "policy", "", "the scheduler's policy: M:N, N:1, 1:1, pool or mlfq, or `NAME` of your own (default M:N)")
	cmd.Flags().IntVar(&r.guest.Depth, "depth", record.MaxStack, "with -trace, record up to `N` callers with an event")
	cmd.Flags().StringVar(&r.trace, "trace", "", "record the schedule into `file`, for sched9 trace")
	cmd.Flags().BoolVar(&r.counters, "counters", false, "print the kernel's counters at the end, on standard error")
	cmd.Flags().StringVar(&r.gdb, "gdb", "", "wait for gdb at `ADDRESS`, as in :1234, before the program begins; without -timeout there is then no time limit")
	cmd.Flags().BoolVar(&r.shell, "shell", false, "boot the shell of a checkout of sched9, with lines edited in it: ps, cat /proc/1/stack, echo slice 1ms >/sched/ctl; no time limit without -timeout")
	namesFlag(cmd, &r.parts)
	cmd.Flags().StringVar(&r.serve, "9p", "", "serve the guest's files by 9P at `ADDRESS`, as in :5640 or /tmp/socket; see sched9 ps and sched9 9p")
	viaFlag(cmd, &r.guest.Via)
	goFlags(cmd.Flags(), &r.flags)
	cmd.Flags().BoolVarP(&r.verbose, "verbose", "v", false, "say more about build and machine")
	return cmd
}

// usePolicy has g run under the policy of that name.
func usePolicy(g *guest.Guest, name string) error {
	if name == "" || strings.ContainsAny(name, ",= ") {
		return fmt.Errorf("-policy %q is no policy's name", name)
	}
	g.Debug("schedpolicy=" + name)
	return nil
}

// debugTimeout is the limit on a run with -gdb that has none of its own.
const debugTimeout = 7 * 24 * time.Hour

// runner is one `sched9 run`.
type runner struct {
	streams
	guest    guest.Guest
	trace    string
	flags    []string // for go build
	parts    []goruntime.Part
	counters bool
	gdb      string
	policy   string
	serve    string
	shell    bool
	relay    *nine.Relay // nil without -9p
	debugger *debugger   // nil without -gdb
	verbose  bool
}

// run builds an image of the program that args name, unless it is an image already, and boots it.
// Errors that can be known before the build are reported before it.
func (r *runner) run(ctx context.Context, args []string) error {
	if err := r.guest.Check(); err != nil {
		return usageError{err}
	}
	if len(args) == 0 {
		return usageError{fmt.Errorf("which program? sched9 run needs a directory, an import path, .go files or an image")}
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
	tail := guest.NewTail(line.Writer(r.err))
	r.guest.Stdout, r.guest.Stderr = line.Writer(r.out), tail
	if sameFile(r.out, r.err) {
		r.guest.Stdout, r.guest.Stderr, r.guest.Merged = tail, nil, true
	}
	signals, stop := passSignals()
	defer stop()
	r.guest.Signals = signals
	r.guest.Input = standardInput(os.Stdin)
	if r.shell {
		env, restore, err := editTerminal(os.Stdin)
		if err != nil {
			return err
		}
		defer restore()
		if env != "" {
			r.guest.Env = append(r.guest.Env, env)
		}
	}
	var file *os.File
	if r.trace != "" {
		if file, err = createRecording(r.trace); err != nil {
			return err
		}
		r.guest.Record = file
	}
	r.sayForwards(line)
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
	switch {
	case o.Why != "":
		if !tail.Say("%s", o.Why) {
			fmt.Fprintf(r.err, "sched9: %s\n", o.Why)
		}
	case guest.Reserved(o.Status):
		tail.EndLine()
		fmt.Fprintf(r.err, "the program exited with status %d\n", o.Status)
	}
	if o.Status != 0 {
		return ended(o.Status)
	}
	return nil
}

// serveFiles serves the guest's files until it ends, or sends what makes no sense.
func (r *runner) serveFiles(stream io.ReadWriter) {
	r.say("files are served at %s", r.relay.Address)
	if err := r.relay.Run(stream); nine.IsGarbage(err) {
		fmt.Fprintf(r.err, "sched9: the guest's files are no longer served: %v\n", err)
	}
}

// sayForwards has the user told, once the guest runs, which ports QEMU has chosen for those that were left to it.
func (r *runner) sayForwards(line *progress.Line) {
	n := r.guest.Net
	if n == nil || !slices.ContainsFunc(n.Forward, func(f qemu.Forward) bool { return f.Port == 0 }) {
		return
	}
	before := r.guest.Started
	r.guest.Started = func(vm *qemu.VM) {
		if before != nil {
			before(vm)
		}
		all, err := vm.Forwards()
		line.Clear()
		if err != nil {
			fmt.Fprintf(r.err, "sched9: the forwarded ports are not known: %v\n", err)
		}
		for _, f := range all {
			fmt.Fprintf(r.err, "sched9: %s leads to the guest's port %d\n", f.From(), f.Guest)
		}
	}
}

// createRecording makes or empties the file of a recording, for this run alone.
func createRecording(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.Mode().IsRegular() { // no pipe, and not /dev/null, which any number may write to
		// The lock goes with the process. Readers need none: a recording may be read while it grows.
		// Without locks, as on some file systems, it is the user's affair.
		if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
			err = fmt.Errorf("another run is being recorded into %s", name)
		} else {
			err = f.Truncate(0)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
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

// sameFile reports whether a and b are one file: a terminal, or what 2>&1 makes of them.
func sameFile(a, b io.Writer) bool {
	var st [2]os.FileInfo
	for i, w := range []io.Writer{a, b} {
		f, ok := w.(*os.File)
		if !ok {
			return false
		}
		var err error
		if st[i], err = f.Stat(); err != nil {
			return false
		}
	}
	return os.SameFile(st[0], st[1])
}

// load reads or builds the image that args begin with, and returns how many of
// them name it.
func (r *runner) load(ctx context.Context, args []string, line *progress.Line) (n int, err error) {
	if st, err := os.Stat(args[0]); err == nil && st.Mode().IsRegular() && filepath.Ext(args[0]) != ".go" {
		if len(r.flags) > 0 {
			return 1, usageError{fmt.Errorf("%s is for a build, and %s is an image", r.flags[0], args[0])}
		}
		if r.debugger != nil {
			return 1, usageError{fmt.Errorf("gdb needs the program's source, and %s is an image", args[0])}
		}
		r.guest.Name = filepath.Base(args[0])
		if r.guest.Image, err = readImage(args[0]); err == nil && r.relay != nil && !image.Serves(r.guest.Image) {
			err = usageError{fmt.Errorf("%s serves no files: sched9 build -9p makes an image that does", args[0])}
		} else if err == nil && r.guest.Root != nil && !image.HasRoot(r.guest.Image) {
			err = usageError{fmt.Errorf("%s looks for no folder of the host's: sched9 build -root makes an image that does", args[0])}
		} else if err == nil && r.guest.Net.IsDynamic() && !image.HasDHCP(r.guest.Image) {
			err = usageError{fmt.Errorf("%s asks for no address: sched9 build -dhcp makes an image that does", args[0])}
		}
		return 1, err
	}
	src, n, err := image.Find(args)
	if err != nil {
		return n, usageError{err}
	}
	if err := r.saySources(); err != nil {
		return n, err
	}
	img, err := image.Build(ctx, src, image.Options{
		Arch: r.guest.Arch, Format: r.guest.Format(), Note: line.Say, Stderr: line.Writer(r.err), Flags: r.flags, Parts: r.parts, Serve: r.relay != nil, Root: r.guest.Root != nil,
		DHCP: r.guest.Net.IsDynamic(),
	})
	if err != nil {
		return n, err
	}
	r.guest.Name, r.guest.Image = img.Name, img.Data
	if r.debugger != nil {
		if err := r.debugger.attach(&r.guest, img, line.Writer(r.err)); err != nil {
			return n, err
		}
	}
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

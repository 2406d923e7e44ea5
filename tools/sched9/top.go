package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"sched9/qemu"
	"sched9/record"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/progress"
	"sched9/tools/internal/top"
	"sched9/trace"
)

// How often a terminal's page is made anew, how often a page is printed where
// there is no terminal, and how often a recording is looked at for more.
const (
	refreshEvery = 200 * time.Millisecond
	printEvery   = time.Second
	followEvery  = 50 * time.Millisecond
)

// newTop makes the command `sched9 top`.
func newTop(s streams) *cobra.Command {
	t := topper{runner: runner{streams: s}}
	cmd := &cobra.Command{
		Use:   "top [flags] PKG [ARG...]",
		Short: "boots a program and shows what its scheduler does, while it does it",
		Long: `Top builds and boots a program as sched9 run does, and shows its Ms, Ps and goroutines live: what each does and
for how long, queues, rates, what runs most and where, and the end of the console. It reads the recorder's
rings in the guest's memory and asks nothing of the guest, so it shows where a guest hangs.

Keys: q quits and ends the guest, p pauses the view, tab lists functions instead of goroutines, up and down
scroll the console. After the program's end the view stays until q.

If standard output is no terminal, top prints a page every second and one at the end.

With -http it serves a page instead: a table of the goroutines of a guest that sched9 run -9p started, and its tree of files,
each live, ctl files with a line for commands (docs/names.md).

With -follow it shows a run of another sched9 that records it: sched9 run -trace FILE. Statuses are those
of sched9 run; with -follow, that of the recorded run.`,
		Annotations: map[string]string{guestArgs: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if t.http == "" {
				if t.remote.address != "" {
					return usageError{errors.New("-9p says which guest's files -http shows")}
				}
				return t.top(cmd.Context(), args)
			}
			if len(args) > 0 || t.follow != "" {
				return usageError{errors.New("-http boots nothing: it shows a guest that sched9 run -9p has started")}
			}
			t.remote.streams, t.remote.limit = t.streams, treeTimeout
			return t.remote.web(cmd.Context(), t.http)
		},
	}
	cmd.Flags().SetInterspersed(false)
	machineFlags(cmd, &t.guest)
	netFlags(cmd, &t.guest)
	cmd.Flags().IntVar(&t.guest.Depth, "depth", record.MaxStack, "record `N` callers of where a goroutine stands")
	cmd.Flags().StringVar(&t.http, "http", "", "serve a page at `ADDRESS`, as in :8080, that shows a running guest's goroutines and files live (sched9 run -9p)")
	cmd.Flags().StringVar(&t.remote.address, "9p", "", "with -http, the `ADDRESS` that the guest was started with (default: that of the only guest that runs)")
	cmd.Flags().StringVar(&t.follow, "follow", "", "show the run that another sched9 records into `file`")
	return cmd
}

// topper is one `sched9 top`.
type topper struct {
	runner
	follow string
	http   string
	remote remote
}

// treeTimeout is how long -http's page waits for an answer of the guest's.
const treeTimeout = 10 * time.Second

// top boots, or follows, and shows.
func (t *topper) top(ctx context.Context, args []string) error {
	if t.follow != "" {
		if len(args) > 0 {
			return usageError{fmt.Errorf("unexpected argument %q: -follow boots nothing", args[0])}
		}
		return t.followed(ctx)
	}
	if err := t.guest.Check(); err != nil {
		return usageError{err}
	}
	if len(args) == 0 {
		return usageError{errors.New("which program? sched9 top needs a directory, an import path, .go files or an image")}
	}
	if _, err := qemu.Locate(t.guest.Arch); err != nil {
		return err
	}
	line := progress.New(t.err)
	defer line.Clear()
	n, err := t.load(ctx, args, line)
	line.Clear()
	if err != nil {
		return err
	}
	t.guest.Args = args[n:]
	if err := t.guest.Check(); err != nil {
		return usageError{err}
	}
	feed := top.NewFeed(time.Now)
	t.guest.Record = feed.Record()
	t.guest.Stdout, t.guest.Merged = feed.Console(), true
	var o guest.Outcome
	if err := t.show(ctx, feed, func(ctx context.Context) (err error) {
		o, err = guest.Run(ctx, t.guest)
		return err
	}); err != nil {
		return err
	}
	if o.Record != nil {
		fmt.Fprintf(t.err, "sched9: the view is not whole: %v\n", o.Record)
	}
	if o.Why != "" {
		fmt.Fprintf(t.err, "sched9: %s\n", o.Why)
	}
	return endedWith(o.Status)
}

// followed shows a recording that grows.
func (t *topper) followed(ctx context.Context) error {
	if _, err := os.Stat(t.follow); err != nil {
		return usageError{fmt.Errorf("there is no recording %s: another sched9 run -trace makes one", t.follow)}
	}
	feed := top.NewFeed(time.Now)
	if err := t.show(ctx, feed, func(running context.Context) error {
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		err := top.Follow(running, t.follow, feed, tick.C)
		if errors.Is(err, context.Canceled) && ctx.Err() == nil {
			return nil // the user has seen enough
		}
		if not := trace.NotRecording(""); errors.As(err, &not) {
			return usageError{err}
		}
		return err
	}); err != nil {
		return err
	}
	end, _ := feed.End()
	return endedWith(end.Status)
}

// endedWith is the error that makes status sched9's, nil for 0.
func endedWith(status int) error {
	if status != 0 {
		return ended(status)
	}
	return nil
}

// show shows feed while run runs, and returns run's error. A user who leaves
// ends run.
func (t *topper) show(ctx context.Context, feed *top.Feed, run func(context.Context) error) error {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	shown, leave := context.WithCancel(ctx)
	defer leave()
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		if err = run(running); err != nil {
			leave() // there is nothing to look at
		}
	}()
	if s := screen(t.out); s != nil {
		tick := time.NewTicker(refreshEvery)
		defer tick.Stop()
		top.NewScreen(feed, s).Show(tick.C, done, shown.Done())
		cancel()
		<-done
		width, _ := s.Size()
		s.Fini()
		return errors.Join(err, top.Print(t.out, feed, width))
	}
	tick := time.NewTicker(printEvery)
	defer tick.Stop()
	lost := top.Plain(t.out, feed, tick.C, done)
	cancel() // the run, if nobody can read of it
	<-done
	return errors.Join(err, lost)
}

// screen returns the terminal that w is, ready to be drawn on, or nil.
func screen(w io.Writer) tcell.Screen {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	s, err := tcell.NewScreen()
	if err != nil || s.Init() != nil {
		return nil // a terminal of which nothing is known
	}
	return s
}

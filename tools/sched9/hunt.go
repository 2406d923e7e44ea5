package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sched9/kernel/goruntime"
	"sched9/qemu"
	schedhunt "sched9/sched/hunt"
	"sched9/tools/internal/files"
	"sched9/tools/internal/guest"
	"sched9/tools/internal/hunt"
	"sched9/tools/internal/image"
	"sched9/tools/internal/progress"
)

// newHunt makes the command `sched9 hunt`.
func newHunt(s streams) *cobra.Command { return (&hunter{streams: s}).newCommand() }

// newCommand makes the command that h is of.
func (h *hunter) newCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hunt [flags] PKG [ARG...|flags of go test]",
		Short: "finds the schedule that breaks a program, and replays it",
		Long: `Hunt builds a Go program and runs it under one schedule after another, on a machine with one vCPU that counts instructions. A seed decides
which goroutine is next, where each is preempted, which case of a select is taken, the order of maps and all other chance, so a failure
comes again with its seed: -replay. PKG is a directory, an import path or .go files. If it is no program its tests are run, with the flags of go test
that follow it: sched9 hunt ./queue -run TestClose. docs/hunt.md tells more.

A failure is an exit status that is not 0, as after a panic, a fatal error or a deadlock, and goroutines that run for longer than -limit.

Statuses: 0 no schedule failed, 1 one did, 2 wrong usage, 125 sched9, QEMU or the kernel failed.`,
		Annotations: map[string]string{guestArgs: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			h.noteFlags(cmd.Flags())
			h.testsSet = cmd.Flags().Changed("tests")
			if cmd.Flags().Changed("gdb") {
				if h.replay < 0 {
					return usageError{errors.New("-gdb is for the schedule of -replay")}
				}
				d, err := newDebugger(h.gdb)
				if err != nil {
					return err
				}
				defer d.remove()
				h.debugger, h.Guest.GDB = &d, d.addr
				if !cmd.Flags().Changed("timeout") {
					h.Guest.Timeout = debugTimeout
				}
			}
			if h.replay >= 0 && !cmd.Flags().Changed("page") || h.shrink == 0 {
				h.pages = ""
			}
			return h.hunt(cmd.Context(), cmd.Flags().Changed("n"), args)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	archFlag(cmd, &h.Guest.Arch)
	f.StringVar(&h.Guest.Mem, "mem", "128M", "guest memory, `SIZE` with M or G")
	f.Var(&filesFlag{to: &h.Guest}, "files", "give the guest the file or directory `PATH`, at its own absolute path, or PATH=GUEST's; again for more")
	f.StringArrayVar(&h.Guest.Env, "env", nil, "`KEY=VALUE` for the guest's environment; again for more")
	f.DurationVar(&h.Guest.Timeout, "timeout", time.Minute, "`limit` on a machine's life, on the host; a machine that it ends while it makes one run after the other costs only time")
	f.IntVarP(&h.N, "n", "n", 1000, "try `N` schedules")
	f.DurationVar(&h.length, "for", 0, "try schedules for so much `time`, as in 10m; without -n there is no other bound")
	f.BoolVar(&h.until, "until-found", false, "try schedules until one fails")
	f.IntVar(&h.First, "seed", defaultSeed, "begin with seed `N`; exhaust begins with 0")
	f.IntVar(&h.replay, "replay", -1, "run the one schedule of seed `N`, and show the program's output")
	f.StringVar(&h.set.Moves, "moves", "", "with -replay, the `moves` that decide instead of the strategy, as a hunt tells them")
	f.IntVar(&h.shrink, "shrink", 60, "boot at most `N` times to find the least that makes the program fail; 0: tell only the seed")
	f.StringVar(&h.trace, "trace", "", "with -replay, record the schedule into `file`, for sched9 trace")
	f.StringVar(&h.pages, "page", ".", "write a page of each kind of failure, hunt-XXXX.html, into `directory`; \"\": none, and none with -shrink 0; with -replay only if this is given")
	f.StringVar(&h.gdb, "gdb", "", "with -replay, wait for gdb at `ADDRESS`, as in :1234, before the program begins; without -timeout there is then no time limit")
	f.IntVar(&h.Failures, "failures", 1, "end after `N` failing schedules; 0: after none")
	f.StringVar(&h.strategy, "strategy", schedhunt.Name(0), "`name` of the only strategy: "+strings.Join(strategies()[1:], ", "))
	f.IntVar(&h.set.Depth, "depth", 0, "bound on the preemptions of pct, delay and exhaust, 1 to 16; 0: the seed's, or exhaust's 2")
	f.DurationVar(&h.set.Limit, "limit", huntLimit, "how long goroutines may run, in guest `time`: one nanosecond for an instruction, and none for sleep")
	f.DurationVar(&h.hang, "hang", 0, "how long the program may take, sleep included, in whole seconds of guest `time`; 0: 10m for tests, as for go test, and 24h for a program")
	f.BoolVar(&h.set.Leaks, "leaks", true, "a goroutine that can never run again when the program has ended well is a failure")
	f.IntSliceVar(&h.Fails, "fails", nil, "exit `statuses` that are failures (default all but 0)")
	f.BoolVar(&h.Same, "same-output", false, "an output that differs between schedules is a failure")
	f.IntVarP(&h.Jobs, "j", "j", max(runtime.NumCPU(), 1), "machines at a time")
	f.IntVar(&h.Batch, "batch", 100, "schedules that a machine tries, going back to where main begins after each; 1: a boot for each")
	f.BoolVar(&h.tests, "tests", false, "hunt in the tests of PKG though it is a program; false: in the program though -run follows it")
	f.StringVar(&h.shard, "shard", "", "`I/N`: only every Nth seed, from the Ith on, as one of N machines")
	f.BoolVar(&h.save, "save", false, "save what fails in the package's "+hunt.SavedDir+", which each hunt tries first")
	f.BoolVar(&h.join, "merge", false, "what follows are files of -json, as shards have made them: tell of them as of one hunt")
	f.BoolVar(&h.json, "json", false, "a line of JSON for each schedule, on standard output")
	f.StringVar(&h.junit, "junit", "", "write a JUnit report to `file`")
	goFlags(f, &h.flags)
	return cmd
}

// searching are the flags that say which schedules are tried and how that is told. All others decide what one schedule is and whether it fails, so
// they belong to its replay.
var searching = []string{"help", "n", "for", "until-found", "seed", "replay", "moves", "shrink", "trace", "page", "gdb", "failures", "strategy", "depth", "same-output", "j", "batch", "shard", "save",
	"merge", "json", "junit"}

// ofHost are those of the others that another host has other values for; -arch is said of a saved schedule apart.
var ofHost = []string{"arch", "files", "timeout"}

// noteFlags notes what was set.
func (h *hunter) noteFlags(f *pflag.FlagSet) {
	h.same = setFlags(f, searching...)
	h.lasting = append(setFlags(f, slices.Concat(searching, ofHost)...), h.flags...)
}

// hunter is one `sched9 hunt`.
type hunter struct {
	streams
	hunt.Hunt
	set      guest.Hunt
	length   time.Duration
	until    bool
	replay   int
	trace    string
	pages    string    // where pages go, "": nowhere
	gdb      string    // -gdb
	debugger *debugger // of that; nil without
	shrink   int
	strategy string
	shard    string
	json     bool
	join     bool
	save     bool
	junit    string
	tests    bool
	testsSet bool          // -tests was given
	hang     time.Duration // -hang as given
	dir      string        // the package's
	given    []string      // the program's arguments, as given
	saved    []hunt.Saved  // what is tried first
	same     []string      // the flags that a replay needs too
	lasting  []string      // those that a saved schedule has
	onlyFail bool          // try only what was saved, and tell only what fails
	flags    []string      // for go build
}

// strategies are the names of all strategies, by number.
func strategies() (names []string) {
	for i := range schedhunt.Strategies() {
		names = append(names, schedhunt.Name(i))
	}
	return names
}

// prepare says what is wrong with the flags, and makes the hunt of them. bounded: -n was given.
func (h *hunter) prepare(bounded bool) error {
	h.set.Strategy, h.set.Hang = -1, h.hang
	for i, name := range strategies() {
		if name == h.strategy {
			h.set.Strategy = i
		}
	}
	switch {
	case h.set.Strategy < 0:
		return fmt.Errorf("there is no strategy %q: %s", h.strategy, strings.Join(strategies(), ", "))
	case h.N < 1:
		return fmt.Errorf("%d schedules are too few", h.N)
	case h.length < 0:
		return fmt.Errorf("no hunt takes %v", h.length)
	case h.Failures < 0:
		return fmt.Errorf("%d failures are not possible", h.Failures)
	case h.Batch < 1 || h.Batch > maxBatch:
		return fmt.Errorf("a batch of %d asked for, 1 to %d are possible", h.Batch, maxBatch)
	case h.Jobs < 1:
		return fmt.Errorf("%d machines are too few", h.Jobs)
	case h.shrink < 0:
		return fmt.Errorf("%d boots are too few", h.shrink)
	case h.set.Moves != "" && h.replay < 0:
		return errors.New("-moves are of the schedule of -replay")
	case h.trace != "" && h.replay < 0:
		return errors.New("-trace records the schedule of -replay")
	case h.replay < -1 || h.replay > guest.MaxSeed || h.First < 0 || h.First > guest.MaxSeed:
		return fmt.Errorf("seeds are from 0 to %d", guest.MaxSeed)
	}
	if st, err := os.Stat(h.pages); h.pages != "" && (err != nil || !st.IsDir()) {
		return fmt.Errorf("-page %s is no directory", h.pages)
	}
	if h.shard != "" {
		var i, n int
		if _, err := fmt.Sscanf(h.shard+" ", "%d/%d ", &i, &n); err != nil || i < 1 || i > n {
			return fmt.Errorf("-shard %q is not of the form I/N, from 1/N to N/N", h.shard)
		}
		h.Shard, h.Shards = i-1, n
	}
	if (h.length > 0 || h.until) && !bounded {
		h.N = 0
	}
	if h.set.Strategy == schedhunt.Exhaust && h.First == defaultSeed {
		h.First = 0 // where its schedules begin
	}
	if h.until && h.Failures == 0 {
		return errors.New("-until-found and -failures 0 contradict each other")
	}
	g := &h.Guest
	g.Hunt, g.SMP, g.ICount, g.Accel, g.Slice, g.Depth = &h.set, 1, true, "tcg", huntSlice, huntStack
	if g.Arch == "arm64" {
		g.CPU = huntARM64
	}
	return g.Check()
}

// huntARM64 is QEMU's processor for arm64 with a counter that counts instructions one by one. The usual one counts 62.5 million in a second: how many instructions
// are left of a count at the mark would be part of the schedule.
const huntARM64 = "max,cntfrq=1000000000"

// defaultSeed is -seed's default.
const defaultSeed = 1

// maxBatch bounds -batch: what a machine has told is read when it ends.
const maxBatch = 100_000

// huntLimit is -limit's default.
const huntLimit = 200 * time.Millisecond

// What machines for hunting have: a slice that is long beside what happens between two moments, and short beside the limit;
// and so many callers in records.
const (
	huntSlice = 200 * time.Microsecond
	huntStack = 4
)

// hunt hunts, or replays.
func (h *hunter) hunt(ctx context.Context, bounded bool, args []string) error {
	if err := h.prepare(bounded); err != nil {
		return usageError{err}
	}
	if h.join {
		return h.merge(args)
	}
	if len(args) == 0 {
		return usageError{errors.New("which program? sched9 hunt wants a directory, an import path or .go files")}
	}
	if _, _, err := qemu.Find(h.Guest.Arch); err != nil {
		return err
	}
	src, n, err := image.Find(args)
	if err != nil {
		return usageError{err}
	}
	if err := h.saySources(); err != nil {
		return err
	}
	line := progress.New(h.err)
	defer line.Clear()
	o := image.Options{Arch: h.Guest.Arch, Note: line.Say, Stderr: line.Writer(h.err), Flags: h.flags, Parts: []goruntime.Part{goruntime.Hunt}, Test: image.MaybeTest}
	o.Test = h.wants(args[n:])
	img, err := image.Build(ctx, src, o)
	if err != nil {
		return err
	}
	h.Guest.Name, h.Guest.Image, h.Guest.Args = img.Name, img.Data, args[n:]
	if img.Test {
		if err := h.asTest(img, args[n:]); err != nil {
			return err
		}
	}
	if h.Guest.Files, err = files.Loaded(h.Guest.Files); err != nil { // each machine gets them
		return err
	}
	if h.hang == 0 {
		h.set.Hang = 24 * time.Hour
		if img.Test {
			h.set.Hang = 10 * time.Minute
		}
	}
	if err := h.Guest.Check(); err != nil {
		return usageError{err}
	}
	if h.replay >= 0 {
		if h.debugger != nil {
			if err := h.debugger.attach(&h.Guest, img, h.err); err != nil {
				return err
			}
		}
		line.Clear()
		return h.again(ctx)
	}
	if h.saved, err = hunt.ReadSaved(img.Dir); err != nil {
		return usageError{err}
	}
	h.saved = slices.DeleteFunc(h.saved, func(s hunt.Saved) bool { return !s.Of(h.Guest.Arch, args[n:], h.lasting) })
	h.dir, h.given = img.Dir, args[n:]
	return h.search(ctx, line, args)
}

// search tries schedules and tells what was found. args are the program and its arguments, as given.
func (h *hunter) search(ctx context.Context, line *progress.Line, args []string) error {
	begin := time.Now()
	if h.length > 0 {
		h.Until = begin.Add(h.length)
	}
	var all tally
	tell := func(v hunt.Verdict) {
		all.add(v)
		if h.json && v.Saved == nil {
			writeJSON(h.out, v)
		}
		line.Say(all.progress(time.Since(begin), h.N))
	}
	h.Done = all.exhausted
	err := h.first(ctx, tell)
	if err == nil && !h.onlyFail && (h.Failures == 0 || len(all.failed) < h.Failures) {
		err = h.Run(ctx, tell)
	}
	line.Clear()
	if err != nil && ctx.Err() == nil || h.onlyFail && all.status() == nil {
		return err
	}
	w := h.out
	if h.json {
		w = h.err
	}
	took := time.Since(begin)
	causes := h.causes(ctx, line, all.kinds())
	line.Clear()
	pages := h.paint(ctx, line, all.kinds(), causes)
	line.Clear()
	all.print(w, took, causes, pages, h.command(args))
	if h.save {
		if err := h.keep(w, all.kinds(), causes); err != nil {
			return err
		}
	}
	if h.junit != "" {
		var b bytes.Buffer
		if err := errors.Join(all.writeJUnit(&b, h.Guest.Name, time.Since(begin)), replace(h.junit, b.Bytes())); err != nil {
			return err
		}
	}
	return cmp.Or(all.status(), err) // nil, or it was interrupted
}

// first tries what was saved.
func (h *hunter) first(ctx context.Context, tell func(hunt.Verdict)) error {
	for _, s := range h.saved {
		v, err := h.Again(ctx, s)
		if err != nil || ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
		tell(v)
	}
	return nil
}

// keep is -save.
func (h *hunter) keep(w io.Writer, failed []hunt.Verdict, causes map[int]*hunt.Cause) error {
	for _, v := range failed {
		if v.Saved != nil {
			continue
		}
		s := hunt.Saved{Title: v.Title, Arch: h.Guest.Arch, Args: h.given, Flags: h.lasting, Seed: v.Seed, Strategy: h.set.Strategy, Depth: h.set.Depth}
		if c := causes[v.Seed]; c != nil {
			s.Moves = c.Text()
		}
		name, err := s.Write(h.dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "saved in %s\n", name)
	}
	return nil
}

// causes looks for the causes of failures, by seeds.
func (h *hunter) causes(ctx context.Context, line *progress.Line, failed []hunt.Verdict) map[int]*hunt.Cause {
	causes := map[int]*hunt.Cause{}
	for _, v := range failed {
		if v.Saved != nil {
			continue
		}
		line.Say(fmt.Sprintf("seed %d: %s; what is the least that it needs?", v.Seed, v.Title))
		c, err := h.Shrink(ctx, v, h.shrink)
		if err != nil || ctx.Err() != nil {
			break // what was found is told all the same
		}
		if c != nil {
			causes[v.Seed] = c
		}
	}
	return causes
}

// command makes the command line that replays a verdict's schedule, or a cause of it.
func (h *hunter) command(args []string) func(v hunt.Verdict, cause *hunt.Cause) string {
	return func(v hunt.Verdict, cause *hunt.Cause) string {
		c := []string{"sched9", "hunt", "-replay", fmt.Sprint(v.Seed)}
		how, moves := h.set, ""
		if s := v.Saved; s != nil {
			how.Strategy, how.Depth, moves = s.Strategy, s.Depth, s.Moves
		}
		if cause != nil {
			moves = cause.Text()
		}
		if moves != "" {
			c = append(c, "-moves", moves)
		}
		if how.Strategy != 0 {
			c = append(c, "-strategy", schedhunt.Name(how.Strategy))
		}
		if how.Depth != 0 {
			c = append(c, "-depth", fmt.Sprint(how.Depth))
		}
		return words(slices.Concat(c, h.same, h.flags, args)...)
	}
}

// again is -replay.
func (h *hunter) again(ctx context.Context) error {
	if h.trace != "" {
		file, err := createRecording(h.trace)
		if err != nil {
			return err
		}
		defer file.Close()
		h.Guest.Record = file
	}
	v, err := h.Boot(ctx, h.replay)
	if err != nil {
		return err
	}
	io.WriteString(h.out, v.Output)
	if v.Broken != "" {
		fmt.Fprintf(h.err, "sched9: %s\n", v.Broken)
		return ended(v.Status)
	}
	fmt.Fprintf(h.err, "sched9: seed %d, strategy %s: %d choices, %d preemptions, schedule %016x, exit status %d\n", v.Seed,
		schedhunt.Name(int(v.Counters["hunt_strategy"])), v.Counters["hunt_choices"], v.Counters["hunt_preempts"], v.Counters["hunt_hash"], v.Status)
	if v.Failed {
		fmt.Fprintf(h.err, "sched9: it fails: %s\n", v.Title)
		if h.pages != "" {
			h.Guest.GDB, h.Guest.Started = "", nil
			if name, err := h.page(ctx, v, nil); err != nil {
				fmt.Fprintf(h.err, "sched9: no page: %v\n", err)
			} else {
				fmt.Fprintf(h.err, "sched9: page: %s\n", name)
			}
		}
		return ended(statusFailed)
	}
	return nil
}

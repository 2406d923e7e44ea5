package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sched9/trace"
	"sched9/trace/check"
	"sched9/trace/gotrace"
	"sched9/trace/page"
	"sched9/trace/perfetto"
	"sched9/trace/text"
)

// newTrace makes the command `sched9 trace`.
func newTrace(s streams) *cobra.Command {
	t := tracer{streams: s}
	cmd := &cobra.Command{
		Use:   "trace [flags] FILE",
		Short: "shows a recorded run: a summary, a page, a Go execution trace, a Perfetto file",
		Long: `Trace reads what sched9 run -trace FILE recorded. Without -o it prints a summary. With -o it writes, by the name's end:
.html a page to be opened in a browser, by itself, .trace an execution trace for go tool trace, .pftrace a trace for
Perfetto (ui.perfetto.dev), .txt every event, a line each. With -check it replays the run against the scheduler's
rules, and exits with 1 if one is broken. A .pftrace alone is made in bounded memory, however long the recording is.`,
		RunE: func(cmd *cobra.Command, args []string) error { return t.trace(args) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&t.outputs, "output", "o", nil, "write `file`; again for more")
	f.BoolVar(&t.check, "check", false, "replay the run against the rules")
	f.BoolVar(&t.events, "events", false, "print every event, a line each")
	f.DurationVar(&t.from, "from", 0, "with -events and .txt, begin at this `time` of the guest")
	f.DurationVar(&t.to, "to", 0, "and end at this one")
	return cmd
}

// tracer is one `sched9 trace`.
type tracer struct {
	streams
	outputs       []string
	check, events bool
	from, to      time.Duration
}

// kinds are the kinds of output, by the end of the file's name.
var kinds = []string{".html", ".trace", ".pftrace", ".txt"}

// trace shows the recording that args name.
func (t *tracer) trace(args []string) error {
	if len(args) != 1 {
		return usageError{errors.New("which recording? sched9 trace needs one file, made by sched9 run -trace")}
	}
	for _, o := range t.outputs {
		if !slices.Contains(kinds, filepath.Ext(o)) {
			return usageError{fmt.Errorf("%s is none of %s", o, strings.Join(kinds, ", "))}
		}
	}
	if t.to == 0 {
		t.to = math.MaxInt64
	}
	f, err := os.Open(args[0])
	if err != nil {
		return usageError{err}
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.IsDir() {
		return usageError{fmt.Errorf("%s is a directory, not a recording", args[0])}
	}
	// A .pftrace alone is written while the file is read, without all of it in memory.
	isPerfetto := func(o string) bool { return filepath.Ext(o) == ".pftrace" }
	for _, o := range t.outputs {
		if isPerfetto(o) {
			if err := t.perfetto(o, args[0], f); err != nil {
				return err
			}
		}
	}
	rest := slices.DeleteFunc(slices.Clone(t.outputs), isPerfetto)
	if len(rest) == 0 && len(t.outputs) > 0 && !t.events && !t.check {
		return nil
	}
	if len(rest) < len(t.outputs) {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	tr, err := trace.Read(f)
	if err != nil {
		return unread(args[0], err)
	}
	view := tr.View()
	for _, o := range rest {
		if err := t.write(o, view); err != nil {
			return fmt.Errorf("%s: %w", o, err)
		}
	}
	if t.events {
		if err := t.list(t.out, tr); err != nil {
			return err
		}
	}
	if len(t.outputs) == 0 && !t.events && !t.check {
		if err := text.Summary(t.out, view); err != nil {
			return err
		}
	}
	t.cutOff(args[0], tr)
	if t.check {
		return t.judge(tr)
	}
	return nil
}

// unread is the error of a recording that cannot be read.
func unread(name string, err error) error {
	var not trace.NotRecording
	if errors.As(err, &not) {
		return usageError{fmt.Errorf("%s: %w", name, not)}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// cutOff says so if a recording is not whole.
func (t *tracer) cutOff(name string, tr *trace.Trace) {
	if !tr.Whole {
		fmt.Fprintf(t.err, "sched9: %s is cut off: it shows the run as far as it goes\n", name)
	}
}

// perfetto writes a recording that has a name as a trace for Perfetto.
func (t *tracer) perfetto(output, name string, recording io.ReadSeeker) error {
	if _, err := recording.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("%s: a .pftrace is made in two passes, so the recording must be a file: %w", name, err)
	}
	r, err := trace.NewReader(recording)
	if err != nil {
		return unread(name, err)
	}
	f, err := os.Create(output)
	if err != nil {
		return fmt.Errorf("%s: %w", output, err)
	}
	if err := errors.Join(perfetto.Write(f, r.Trace(), r.Each), f.Close()); err != nil {
		return fmt.Errorf("%s: %w", output, err)
	}
	if len(t.outputs) == 1 {
		t.cutOff(name, r.Trace())
	}
	return nil
}

// write writes one output.
func (t *tracer) write(name string, v *trace.View) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	switch filepath.Ext(name) {
	case ".html":
		err = page.Write(w, v)
	case ".trace":
		err = gotrace.Write(w, v.Trace)
	case ".txt":
		err = t.list(w, v.Trace)
	}
	return errors.Join(err, w.Flush(), f.Close())
}

// list writes the events of the time that was asked for.
func (t *tracer) list(w io.Writer, tr *trace.Trace) error {
	return text.Events(w, tr, t.from.Nanoseconds(), t.to.Nanoseconds())
}

// judge replays the run and tells of the rules that it breaks.
func (t *tracer) judge(tr *trace.Trace) error {
	if why := check.Unjudged(tr); why != "" {
		return fmt.Errorf("the run is not judged: %s", why)
	}
	found := check.Check(tr)
	for _, v := range found {
		fmt.Fprintln(t.out, v)
	}
	if len(found) > 0 {
		return ended(statusFailed)
	}
	fmt.Fprintf(t.out, "%d events keep %d rules\n", len(tr.Events), len(check.Rules))
	return nil
}

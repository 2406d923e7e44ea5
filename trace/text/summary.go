package text

import (
	"bufio"
	"fmt"
	"io"
	"text/tabwriter"

	"sched9/trace"
)

// most is how many rows a table of a Summary has at most, so that all of it
// stays a page.
const most = 8

// Summary writes a page about a run: what the processors did, which goroutines
// ran and what they waited for, how long things took. It is some fifty lines,
// however long the run was.
func Summary(w io.Writer, v *trace.View) error {
	s := summary{v: v, t: v.Trace, out: bufio.NewWriter(w), whole: v.End - v.Start}
	s.header()
	if len(v.Trace.Events) > 0 {
		s.verdict()
		s.count()
		s.processors()
		s.queues()
		s.goroutines()
		s.found()
		s.latencies()
		s.blocks()
		s.calls()
		s.world()
	}
	return s.out.Flush()
}

// summary is a Summary that is being written.
type summary struct {
	v     *trace.View
	t     *trace.Trace
	out   *bufio.Writer
	whole int64 // the run's length
	ms    []mCount
	ps    []pCount
}

// line writes a line.
func (s *summary) line(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

// table begins a table whose cells are at the right, each ended by a tab. What
// comes behind the last tab of a row is text at the left.
func (s *summary) table() *tabwriter.Writer {
	return tabwriter.NewWriter(s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// header says what was recorded.
func (s *summary) header() {
	t := s.t
	what := t.Program
	if what == "" {
		what = "a program without a name"
	}
	s.line("%s", join(what, t.Version, t.Arch, t.Machine, Plural(t.SMP, "vCPU")))
	lost := "none lost"
	if n := t.TotalLost(); n > 0 {
		lost = Count(n) + " LOST, so what follows has gaps"
	}
	s.line("%s of guest time, %s to %s; %s, %s", Duration(s.whole), Duration(s.v.Start), Duration(s.v.End), Plural(len(t.Events), "event"), lost)
	if t.ICount {
		s.line("time counts instructions")
	}
	switch {
	case !t.Whole:
		s.line("the recording has no end")
	case t.Why != "":
		s.line("ended with status %d: %s", t.Status, t.Why)
	default:
		s.line("ended with status %d", t.Status)
	}
}

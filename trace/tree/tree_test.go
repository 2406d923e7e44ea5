package tree

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sched9/names"
	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// recording is a run in which goroutine 2 waits, 3 runs, 4 is ready and wired to P 1, 5 has ended, and M 1 sleeps.
func recording(t *testing.T) *trace.Trace {
	r := tracetest.New(t, trace.Meta{SMP: 2})
	l := tracetest.Named(t, trace.Legend{Reasons: []string{"", "chan receive"}})
	pc := tracetest.Func(t, "sched9/trace/tree.recording")
	none := -1
	r.Add(1000, 0, none, record.EvBoot, 0, 0, 0)
	r.Add(2000, 0, 0, record.EvAcquire, 0, 0, 0)
	for g := uint64(2); g <= 5; g++ {
		r.Add(int64(2000+100*g), 0, 0, record.EvCreate, g, pc, pc+1)
		r.Add(int64(2010+100*g), 0, 0, record.EvPutRing, g, g-2, 0)
	}
	r.Add(3000, 0, 0, record.EvStart, 2, uint64(record.FromRing.At(0)), 0)
	r.Add(4000, 0, 0, record.EvBlock, 2, 1<<record.ReasonShift, pc+1)
	r.Add(5000, 0, 0, record.EvStart, 5, uint64(record.FromRing.At(1)), 0)
	r.Add(6000, 0, 0, record.EvExit, 5, 0, 0)
	r.Add(6500, 0, 0, record.EvWire, 4, 2, 0) // to P 1
	r.Add(7000, 0, 0, record.EvStart, 3, uint64(record.FromRing.At(2)), 0)
	r.Add(8000, 1, none, record.EvBoot, 0, 0, 0)
	r.Add(8500, 1, none, record.EvHalt, 0, 0, 0)
	r.Add(9000, 0, 0, record.EvTick, 3, 0, pc+1)
	return r.Trace(l, nil)
}

// TestMake holds the files of the end, and of a moment, against what was recorded.
func TestMake(t *testing.T) {
	tr := recording(t)
	at := func(ns int64) Tree { return Make(tr, ns) }
	end := at(math.MaxInt64)
	if got := end.Names("/proc"); !slices.Equal(got, []string{"2", "3", "4"}) {
		t.Errorf("/proc has %q", got)
	}
	if got := end.Names("/"); !slices.Equal(got, []string{"dev", "proc", "sched"}) {
		t.Errorf("/ has %q", got)
	}
	for id, want := range map[string][4]string{"2": {"wait", "-", "chan receive", "-"}, "3": {"run", "0", "-", "-"}, "4": {"ready", "-", "-", "1"}} {
		g, ok := names.Parse(end["/proc/"+id+"/status"], end["/proc/"+id+"/wait"])
		if !ok || g.ID != id || [4]string{g.State, g.P, g.Reason, g.Wired} != want || g.Func != "sched9/trace/tree.recording" {
			t.Errorf("goroutine %s: %+v, %v", id, g, ok)
		}
	}
	for path, want := range map[string]string{
		"/proc/2/stack": "sched9/trace/tree.recording ", "/proc/2/wait": "'chan receive' ", "/proc/2/args": "sched9/trace/tree.recording ",
		"/sched/status": "ms 2\nglobal 0\ngoroutines 3\n", "/sched/p/0/status": "0 run 0 - ", "/sched/m/0/status": "0 run 0 3\n", "/sched/m/1/status": "1 sleep - -\n",
	} {
		if !strings.HasPrefix(end[path], want) {
			t.Errorf("%s: %q", path, end[path])
		}
	}
	if end["/proc/3/stack"] != "" || end["/proc/3/wait"] != "" {
		t.Errorf("goroutine 3 runs, and stands in %q, waits for %q", end["/proc/3/stack"], end["/proc/3/wait"])
	}
	first := at(tr.Events[0].Time)
	if len(first.Names("/proc")) != 0 {
		t.Errorf("before any goroutine was made there are %q", first.Names("/proc"))
	}
	i := slices.IndexFunc(tr.Events, func(e trace.Event) bool { return e.Kind == record.EvStart && e.G == 5 })
	if then := at(tr.Events[i].Time); !strings.HasPrefix(then["/proc/5/status"], "5 run 0 0 ") || !strings.HasPrefix(then["/proc/3/status"], "3 ready ") {
		t.Errorf("when goroutine 5 ran: %q, %q", then["/proc/5/status"], then["/proc/3/status"])
	}
	Make(&trace.Trace{}, 0) // a recording without events
}

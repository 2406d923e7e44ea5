package lab

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// fake is a test that notes what is said to it. What it does not have itself is
// the real test's.
type fake struct {
	testing.TB
	errors   []string
	logs     []string
	fatal    bool
	cleanups []func()
}

// ended is what a fake panics with when it is at its end.
type ended struct{}

func (f *fake) Helper()      {}
func (f *fake) Failed() bool { return len(f.errors) > 0 }
func (f *fake) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}
func (f *fake) Logf(format string, args ...any) {
	f.logs = append(f.logs, fmt.Sprintf(format, args...))
}
func (f *fake) Cleanup(c func())         { f.cleanups = append(f.cleanups, c) }
func (f *fake) Context() context.Context { return f.TB.Context() }
func (f *fake) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	f.fatal = true
	panic(ended{})
}

// try runs a test to its end, cleanups included, and returns all that it said was
// wrong.
func (f *fake) try(test func()) string {
	run := func(test func()) {
		defer func() {
			if x := recover(); x != nil && x != (ended{}) {
				panic(x)
			}
		}()
		test()
	}
	run(test)
	for i := len(f.cleanups) - 1; i >= 0; i-- {
		run(f.cleanups[i])
	}
	return strings.Join(f.errors, "\n")
}

const ms = 1_000_000

// happening is an event of a trace that is made by hand, at a millisecond.
type happening tracetest.Event

// reasons of blocks in the trace.
const (
	receive = 1 << record.ReasonShift
	sleep   = 2 << record.ReasonShift
)

// story is a run on two Ps. runtime.main (G1) makes the system's G2, the workers
// G3, G4 and G5, and G6 by a WaitGroup's Go; then it waits for G3, sleeps, stops
// the world, and makes G7, which never runs.
var story = []happening{
	{0, 0, -1, record.EvBoot, 0, 0, 0},
	{0, 0, 0, record.EvAcquire, 0, 0, 0},
	{0, 0, 0, record.EvIdleP, 0, 1, 0},
	{1, 0, 0, record.EvCreate, 1, 0, 0},
	{1, 0, 0, record.EvPutNext, 1, 0, 0},
	{1, 0, 0, record.EvStart, 1, uint64(record.FromNext), 0},
	{2, 0, 0, record.EvCreate, 2, 0, 0},
	{3, 0, 0, record.EvCreate, 3, 0, 0},
	{4, 0, 0, record.EvCreate, 4, 0, 0},
	{5, 0, 0, record.EvCreate, 5, 0, 0},
	{6, 0, 0, record.EvCreate, 6, 0, 0},
	{6, 0, 0, record.EvBusyP, 0, 1, 0},
	{7, 1, -1, record.EvBoot, 0, 0, 0},
	{7, 1, 1, record.EvAcquire, 0, 0, 0},
	{8, 1, 1, record.EvSteal, 0, 2 << record.CountShift, 2 << 8},
	{8, 1, 1, record.EvStart, 2, uint64(record.FromSteal), 0},
	{9, 1, 1, record.EvBlock, 2, receive, 0},
	{9, 1, 1, record.EvStart, 3, uint64(record.FromRing), 0},
	{10, 0, 0, record.EvBlock, 1, receive, 0},
	{10, 0, 0, record.EvStart, 6, uint64(record.FromNext) | record.StartInherit, 0},
	{12, 0, 0, record.EvExit, 6, 0, 0},
	{12, 0, 0, record.EvStart, 4, uint64(record.FromRing), 0},
	{19, 1, 1, record.EvYield, 3, 0, 0},
	{19, 1, 1, record.EvPutGlobal, 3, 0, 0},
	{20, 1, 1, record.EvGetGlobal, 3, 1 << record.CountShift, 0},
	{20, 1, 1, record.EvStart, 3, uint64(record.FromGlobal), 0},
	{22, 0, 0, record.EvPreempt, 4, 0, 0},
	{22, 0, 0, record.EvPutGlobal, 4, 0, 0},
	{22, 0, 0, record.EvStart, 5, uint64(record.FromRing), 0},
	{24, 1, 1, record.EvUnblock, 1, 0, 0},
	{26, 1, 1, record.EvExit, 3, 0, 0},
	{26, 1, 1, record.EvStart, 1, uint64(record.FromNext), 0},
	{27, 1, 1, record.EvBlock, 1, sleep, 0},
	{27, 1, 1, record.EvGetGlobal, 4, 1 << record.CountShift, 0},
	{27, 1, 1, record.EvStart, 4, uint64(record.FromGlobal), 0},
	{30, 0, 0, record.EvExit, 5, 0, 0},
	{30, 0, 0, record.EvRelease, 0, 0, 0},
	{30, 0, -1, record.EvIdleP, 0, 0, 0},
	{31, 0, -1, record.EvHalt, 0, 0, 0},
	{35, 1, 1, record.EvExit, 4, 0, 0},
	{35, 1, 1, record.EvTimer, 0, 2 * ms, 0},
	{35, 1, 1, record.EvUnblock, 1, 0, 0},
	{36, 1, 1, record.EvStart, 1, uint64(record.FromNext), 0},
	{37, 1, 1, record.EvStop, 0, 1, 0},
	{37, 1, 1, record.EvPhase, 0, 1, 0},
	{38, 1, 1, record.EvStopped, 0, 0, 0},
	{39, 1, 1, record.EvPhase, 0, 2, 0},
	{39, 1, 1, record.EvPhase, 0, 0, 0},
	{39, 1, 1, record.EvGo, 0, 0, 0},
	{40, 1, 1, record.EvCreate, 7, 0, 0},
	{50, 1, 1, record.EvEnd, 0, 0, 0},
}

// entries are the entry functions of the story's goroutines, makers who made them.
var (
	entries = map[uint64]string{1: "runtime.main", 2: "runtime.sweeper", 3: "main.work", 4: "main.work", 5: "main.work", 6: "sync.(*WaitGroup).Go.func1", 7: "main.late"}
	makers  = map[uint64]string{3: "main.main", 4: "main.main", 5: "main.main", 6: "main.share", 7: "main.main"}
)

// legend is what the runtime of these traces says.
var legend = trace.Legend{Reasons: []string{"", "chan receive", "sleep"}, Stops: []string{"", "GC mark termination"}}

// recorded makes a recording of what happens.
func recorded(t testing.TB, all []happening) *tracetest.Recording {
	t.Helper()
	return tracetest.Of(t, trace.Meta{Program: "story", SMP: 2}, ms, all)
}

// tell returns the run of what happens, for the fake.
func tell(f *fake, all []happening) *Run {
	r := Of(f, recorded(f.TB, all).Trace(legend, &trace.End{}))
	for _, g := range r.View.Gs {
		g.Entry, g.Site = entries[g.ID], makers[g.ID]
		g.System = g.ID == 2
	}
	return r
}

// assertion is one, with what it must say is wrong: all of the parts, or nothing.
type assertion struct {
	name string
	test func(*Run)
	want []string
}

// check makes the assertions, each over a run of its own.
func check(t *testing.T, all []happening, as []assertion) {
	t.Helper()
	for _, a := range as {
		t.Run(a.name, func(t *testing.T) {
			f := &fake{TB: t}
			said := f.try(func() { a.test(tell(f, all)) })
			if len(a.want) == 0 && said != "" {
				t.Errorf("it says %q", said)
			}
			if len(a.want) > 0 && said == "" {
				t.Fatalf("it says nothing, not %q", a.want)
			}
			for _, w := range a.want {
				if !strings.Contains(said, w) {
					t.Errorf("it says %q, without %q", said, w)
				}
			}
		})
	}
}

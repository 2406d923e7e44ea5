package trace_test

import (
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// e is an event of a recording that a test writes by hand; its time counts microseconds.
type e tracetest.Event

const none = tracetest.NoP

// view is what is made of a recording that begins with M 0 running goroutine 1 on P 0.
func view(t *testing.T, events ...e) *trace.View {
	t.Helper()
	all := append([]e{
		{1, 0, none, record.EvBoot, 0, 0, 0},
		{2, 0, 0, record.EvAcquire, 0, 0, 0},
		{3, 0, 0, record.EvCreate, 1, 0, 0},
		{4, 0, 0, record.EvStart, 1, uint64(record.FromNext), 0},
	}, events...)
	l := trace.Legend{Reasons: []string{"", "sleep", "coroutine"}, Stops: []string{"unknown", "GC"}}
	return tracetest.Of(t, trace.Meta{SMP: 2}, 1000, all).Trace(l, &trace.End{}).View()
}

// does lists what M m does, with the microsecond at which each begins.
func does(v *trace.View, m int) (all []trace.Span) {
	for _, s := range v.MSpans {
		if s.Of == m {
			all = append(all, trace.Span{Doing: s.Doing, Start: s.Start / 1000})
		}
	}
	return all
}

// A system call whose P is taken ends the run; another begins when the goroutine has a
// P again.
func TestViewOfALostP(t *testing.T) {
	v := view(t,
		e{10, 0, 0, record.EvSyscallEnter, 1, 0, 0x77},
		e{40, 1, none, record.EvRetake, 0, 0 | 0<<8, 0},
		e{41, 1, 0, record.EvAcquire, 0, 0, 0},
		e{50, 0, 0, record.EvTick, 1, record.TickCall, 0}, // bears the P that it had
		e{60, 0, none, record.EvSyscallExit, 1, 0, 0x77},
		e{65, 0, 1, record.EvAcquire, 0, 0, 0},
		e{70, 0, 1, record.EvSyscallEnter, 1, 0, 0},
		e{72, 0, 1, record.EvSyscallExit, 1, 0, 0},
		e{80, 0, 1, record.EvBlock, 1, 1 << record.ReasonShift, 0},
	)
	if len(v.Runs) != 2 {
		t.Fatalf("%d runs: %+v", len(v.Runs), v.Runs)
	}
	first, second := v.Runs[0], v.Runs[1]
	if first.Left != record.EvRetake || first.End != 40_000 || len(v.Trace.Stacks[first.Stack]) == 0 || first.P != 0 {
		t.Errorf("the first run is %+v", first)
	}
	if second.Start != 65_000 || second.Ready != 60_000 || second.P != 1 || second.From != record.FromNowhere || second.Left != record.EvBlock {
		t.Errorf("the second run is %+v", second)
	}
	if first.Begin != 3 || first.Finish != 5 || second.Begin != 9 || second.Finish != 12 {
		t.Errorf("the runs are from event %d to %d, and %d to %d", first.Begin, first.Finish, second.Begin, second.Finish)
	}
	g := v.G(1)
	if g.Running != 36_000+15_000 || g.Calling != 20_000 || g.Ready != 1000+5000 || g.Calls != 2 || g.Waiting != 0 {
		t.Errorf("the goroutine is %+v", g)
	}
	want := []trace.Span{
		{Doing: trace.Scheduling, Start: 1}, {Doing: trace.Running, Start: 4}, {Doing: trace.Calling, Start: 40},
		{Doing: trace.Scheduling, Start: 60}, {Doing: trace.Running, Start: 65}, {Doing: trace.Scheduling, Start: 80},
	}
	got := does(v, 0)
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("M 0 does %+v, not %+v", got, want)
		}
	}
	if p := v.PSpans[0]; p.Also != 0 || p.End != 40_000 {
		t.Errorf("P 0 was first held %+v", p)
	}
}

// If there is none it leaves its M, and that is no run's end.
func TestViewOfNoP(t *testing.T) {
	v := view(t,
		e{10, 0, 0, record.EvSyscallEnter, 1, 0, 0},
		e{20, 0, 0, record.EvRelease, 0, 0, 0}, // it gives the P away
		e{21, 0, none, record.EvStartM, 0, 1, 0},
		e{22, 0, 0, record.EvAcquire, 0, 0, 0}, // and borrows it for that
		e{23, 0, 0, record.EvRelease, 0, 0, 0},
		e{24, 1, 0, record.EvAcquire, 0, 0, 0},
		e{30, 0, none, record.EvHalt, 0, 0, 0},
		e{35, 0, none, record.EvHaltEnd, 0, 0, 0},
		e{60, 0, none, record.EvSyscallExit, 1, 0, 0},
		e{61, 0, none, record.EvYield, 1, 0, 0},
		e{62, 0, none, record.EvPutGlobal, 1, 0, 0},
		e{63, 0, none, record.EvPark, 0, 0, 0},
		e{90, 1, 0, record.EvStart, 1, uint64(record.FromGlobal), 0},
	)
	if len(v.Runs) != 2 || v.Runs[0].End != 20_000 || v.Runs[0].Left != record.EvRetake || v.Runs[1].M != 1 || v.Runs[1].Ready != 60_000 {
		t.Fatalf("the runs are %+v", v.Runs)
	}
	if g := v.G(1); g.Calling != 40_000 || g.Ready != 1000+30_000 || g.Running != 16_000 {
		t.Errorf("the goroutine is %+v", g)
	}
	var calling []int64
	for _, s := range does(v, 0) {
		if s.Doing == trace.Calling {
			calling = append(calling, s.Start)
		}
	}
	if len(calling) != 2 || calling[0] != 20 || calling[1] != 35 {
		t.Errorf("M 0 is in a call from %v on", calling)
	}
}

// Ties are told from their beginning to their end, and coroutines hand them on.
func TestViewOfTies(t *testing.T) {
	v := view(t,
		e{10, 0, 0, record.EvLock, 1, 1, 0},
		e{11, 0, 0, record.EvLock, 1, 2, 0},
		e{12, 0, 0, record.EvUnlock, 1, 1, 0},
		e{13, 0, 0, record.EvCreate, 2, record.CreateParked, 0},
		e{20, 0, 0, record.EvBlock, 1, 2 << record.ReasonShift, 0},
		e{21, 0, 0, record.EvUnblock, 2, 0, 0},
		e{22, 0, 0, record.EvStart, 2, uint64(record.FromNowhere), 0},
		e{30, 0, 0, record.EvExit, 2, 0, 0},
		e{31, 0, 0, record.EvUnblock, 1, 0, 0},
		e{32, 0, 0, record.EvStart, 1, uint64(record.FromNowhere), 0},
		e{40, 0, 0, record.EvUnlock, 1, 0, 0},
		e{50, 0, 0, record.EvLock, 1, 1, 0},
		e{60, 0, 0, record.EvBlock, 1, 1 << record.ReasonShift, 0},
		e{61, 0, 0, record.EvLook, 0, 1, 0},
		e{62, 0, 0, record.EvStart, 3, uint64(record.FromNowhere), 0},
		e{70, 0, 0, record.EvEnd, 0, 0, 0},
	)
	for _, c := range []struct {
		g    uint64
		ties [][2]int64
	}{{1, [][2]int64{{10, 22}, {32, 40}, {50, 70}}}, {2, [][2]int64{{22, 30}}}, {3, nil}} {
		got := v.G(c.g).Ties
		for i, want := range c.ties {
			if len(got) != len(c.ties) || got[i].Start/1000 != want[0] || got[i].End/1000 != want[1] || got[i].Of != 0 {
				t.Fatalf("goroutine %d was tied %+v, not %v", c.g, got, c.ties)
			}
		}
		if len(c.ties) == 0 && len(got) > 0 {
			t.Errorf("goroutine %d was tied %+v", c.g, got)
		}
	}
}

// The runtime's reason 0 is an audit's: it has none such itself.
func TestStopReason(t *testing.T) {
	v := view(t, e{10, 0, 0, record.EvStop, 0, 0, 0}, e{11, 0, 0, record.EvGo, 0, 0, 0},
		e{12, 0, 0, record.EvStop, 0, 1, 0}, e{13, 0, 0, record.EvGo, 0, 0, 0}, e{14, 0, 0, record.EvStop, 0, record.StopForGood, 0})
	for i, want := range []string{"audit", "GC", "the program dies"} {
		if got := v.Stops[i].Reason; got != want {
			t.Errorf("stop %d is for %q, not %q", i, got, want)
		}
	}
}

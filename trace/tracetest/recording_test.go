package tracetest

import (
	"runtime"
	"slices"
	"testing"

	"sched9/record"
	"sched9/trace"
)

// What is added is what is read: at its time, with its P or none, and its stack.
func TestRecording(t *testing.T) {
	r := Of(t, trace.Meta{Program: "p", SMP: 2}, 1000, []Event{
		{0, 0, NoP, record.EvBoot, 0, 0, 0},
		{2, 1, 1, record.EvBlock, 7, 1 << record.ReasonShift, 11},
	})
	r.Lost(1, 3)
	r.Add(2500, 0, 0, record.EvYield, 8, 0, 21, 22, 23, 24, 25, 26)
	tr := r.Trace(trace.Legend{Reasons: []string{"", "sleep"}}, &trace.End{Status: 4})
	want := []trace.Event{
		{Time: 0, Stamp: 0, P: NoP, Kind: record.EvBoot},
		{Time: 2000, Stamp: 2000, M: 1, P: 1, G: 7, Kind: record.EvBlock, Arg: 1 << record.ReasonShift, Aux: 11, Stack: 2},
		{Time: 2500, Stamp: 2500, G: 8, Kind: record.EvYield, Aux: 21, Stack: 1},
	}
	if !slices.Equal(tr.Events, want) {
		t.Errorf("got %+v", tr.Events)
	}
	if got := tr.Stacks[tr.Events[2].Stack]; !slices.Equal(got, []uint64{21, 22, 23, 24, 25, 26}) {
		t.Errorf("the stack is %v", got)
	}
	if !tr.Whole || tr.Status != 4 || tr.TotalLost() != 3 || tr.Program != "p" || tr.Reasons[1] != "sleep" {
		t.Errorf("got %+v", tr)
	}
	if New(t, trace.Meta{SMP: 1}).Trace(trace.Legend{}, nil).Whole {
		t.Error("a recording without an end is whole")
	}
}

// Addresses of the test binary's functions are the true ones, and have names.
func TestFunctions(t *testing.T) {
	pc, _, _, _ := runtime.Caller(0)
	here := runtime.FuncForPC(pc)
	if got := Func(t, here.Name()); got != uint64(here.Entry()) {
		t.Errorf("%s is at %#x, want %#x", here.Name(), got, here.Entry())
	}
	r := New(t, trace.Meta{SMP: 1})
	r.Add(1, 0, 0, record.EvYield, 1, 0, uint64(here.Entry())+1)
	tr := r.Trace(Named(t, trace.Legend{}), nil)
	if got := tr.Frames(tr.Events[0].Stack); len(got) != 1 || got[0].Func != here.Name() {
		t.Errorf("the stack is %+v", got)
	}
}

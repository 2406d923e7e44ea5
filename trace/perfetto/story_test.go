package perfetto

import (
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// step is an event of a hand-made recording, at a nanosecond.
type step tracetest.Event

const no = tracetest.NoP

// view records steps and reads them back.
func view(t *testing.T, steps []step) *trace.View {
	t.Helper()
	r := tracetest.Of(t, trace.Meta{Program: "story", SMP: 2}, 1, steps)
	return r.Trace(trace.Legend{Reasons: []string{"", "chan receive"}, Stops: []string{"", "GC mark termination"}}, &trace.End{}).View()
}

// story is a short life on two vCPUs: G1 makes G2, which M1 steals; G2 waits
// and G1 wakes it; a timer wakes G1; G2 is preempted; the world is stopped.
var story = []step{
	{At: 100, M: 0, P: no, Kind: record.EvBoot},
	{At: 200, M: 0, P: 0, Kind: record.EvAcquire},
	{At: 250, M: 0, P: 0, Kind: record.EvCreate, G: 1, Arg: 0x1000},
	{At: 260, M: 0, P: 0, Kind: record.EvPutNext, G: 1},
	{At: 300, M: 0, P: 0, Kind: record.EvStart, G: 1, Arg: uint64(record.FromNext) | record.StartInherit},
	{At: 400, M: 0, P: 0, Kind: record.EvCreate, G: 2, Arg: 0x2000},
	{At: 410, M: 0, P: 0, Kind: record.EvPutNext, G: 2},
	{At: 420, M: 0, P: 0, Kind: record.EvSendIPI, Arg: 1, Aux: uint64(record.IPIKick)},
	{At: 500, M: 1, P: no, Kind: record.EvBoot},
	{At: 510, M: 1, P: 1, Kind: record.EvAcquire},
	{At: 520, M: 1, P: 1, Kind: record.EvSpin, Arg: 1},
	{At: 600, M: 1, P: 1, Kind: record.EvSteal, G: 2, Aux: 0 | 1<<8},
	{At: 610, M: 1, P: 1, Kind: record.EvUnspin},
	{At: 700, M: 1, P: 1, Kind: record.EvStart, G: 2, Arg: uint64(record.FromSteal)},
	{At: 800, M: 1, P: 1, Kind: record.EvBlock, G: 2, Arg: 1 << record.ReasonShift},
	{At: 810, M: 1, P: no, Kind: record.EvHalt},
	{At: 900, M: 0, P: 0, Kind: record.EvUnblock, G: 2},
	{At: 910, M: 0, P: 0, Kind: record.EvPutNext, G: 2},
	{At: 920, M: 0, P: 0, Kind: record.EvBlock, G: 1, Arg: 1 << record.ReasonShift},
	{At: 1000, M: 0, P: 0, Kind: record.EvStart, G: 2, Arg: uint64(record.FromNext)},
	{At: 1500, M: 0, P: 0, Kind: record.EvPreempt, G: 2},
	{At: 1510, M: 0, P: 0, Kind: record.EvPutGlobal, G: 2},
	{At: 1550, M: 1, P: no, Kind: record.EvTakeIPI, Aux: uint64(record.IPIKick)},
	{At: 1560, M: 1, P: no, Kind: record.EvHaltEnd},
	{At: 1570, M: 1, P: 1, Kind: record.EvTimer, Arg: 70},
	{At: 1580, M: 1, P: 1, Kind: record.EvUnblock, G: 1},
	{At: 1590, M: 1, P: 1, Kind: record.EvPutNext, G: 1},
	{At: 1600, M: 1, P: 1, Kind: record.EvStart, G: 1, Arg: uint64(record.FromNext)},
	{At: 1700, M: 1, P: 1, Kind: record.EvStop, Arg: 1},
	{At: 1800, M: 1, P: 1, Kind: record.EvStopped},
	{At: 1810, M: 1, P: 1, Kind: record.EvPhase, Arg: 1},
	{At: 1900, M: 1, P: 1, Kind: record.EvGo},
	{At: 1950, M: 1, P: 1, Kind: record.EvPhase, Arg: 0},
	{At: 2000, M: 1, P: 1, Kind: record.EvExit, G: 1},
	{At: 2100, M: 1, P: 1, Kind: record.EvEnd},
}

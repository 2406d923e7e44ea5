package perfetto

import (
	"bytes"
	"testing"

	"sched9/sched"
	"sched9/trace"
)

// step is a record of a hand-made recording.
type step struct {
	at  uint64
	m   int
	p   uint8
	e   sched.Event
	g   uint64
	arg uint64
	aux uint64
}

// view records steps and reads them back. A stamp is a nanosecond.
func view(t *testing.T, steps []step) *trace.View {
	t.Helper()
	var b bytes.Buffer
	w := trace.NewWriter(&b, trace.Meta{Program: "story", SMP: 2, Mult: 1 << 32})
	for _, s := range steps {
		if err := w.Records(s.m, 0, []sched.Record{sched.Pack(s.at, s.e, s.p, s.g, s.arg, s.aux, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	w.Legend(trace.Legend{Reasons: []string{"", "chan receive"}, Stops: []string{"", "GC mark termination"}})
	if err := w.Close(trace.End{}); err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return tr.View()
}

const no = sched.NoP

// story is a short life on two vCPUs: G1 makes G2, which M1 steals; G2 waits
// and G1 wakes it; a timer wakes G1; G2 is preempted; the world is stopped.
var story = []step{
	{at: 100, m: 0, p: no, e: sched.EvBoot},
	{at: 200, m: 0, p: 0, e: sched.EvAcquire},
	{at: 250, m: 0, p: 0, e: sched.EvCreate, g: 1, arg: 0x1000},
	{at: 260, m: 0, p: 0, e: sched.EvPutNext, g: 1},
	{at: 300, m: 0, p: 0, e: sched.EvStart, g: 1, arg: uint64(sched.FromNext) | sched.StartInherit},
	{at: 400, m: 0, p: 0, e: sched.EvCreate, g: 2, arg: 0x2000},
	{at: 410, m: 0, p: 0, e: sched.EvPutNext, g: 2},
	{at: 420, m: 0, p: 0, e: sched.EvSendIPI, arg: 1, aux: uint64(sched.IPIKick)},
	{at: 500, m: 1, p: no, e: sched.EvBoot},
	{at: 510, m: 1, p: 1, e: sched.EvAcquire},
	{at: 520, m: 1, p: 1, e: sched.EvSpin, arg: 1},
	{at: 600, m: 1, p: 1, e: sched.EvSteal, g: 2, aux: 0 | 1<<8},
	{at: 610, m: 1, p: 1, e: sched.EvUnspin},
	{at: 700, m: 1, p: 1, e: sched.EvStart, g: 2, arg: uint64(sched.FromSteal)},
	{at: 800, m: 1, p: 1, e: sched.EvBlock, g: 2, arg: 1 << sched.ReasonShift},
	{at: 810, m: 1, p: no, e: sched.EvHalt},
	{at: 900, m: 0, p: 0, e: sched.EvUnblock, g: 2},
	{at: 910, m: 0, p: 0, e: sched.EvPutNext, g: 2},
	{at: 920, m: 0, p: 0, e: sched.EvBlock, g: 1, arg: 1 << sched.ReasonShift},
	{at: 1000, m: 0, p: 0, e: sched.EvStart, g: 2, arg: uint64(sched.FromNext)},
	{at: 1500, m: 0, p: 0, e: sched.EvPreempt, g: 2},
	{at: 1510, m: 0, p: 0, e: sched.EvPutGlobal, g: 2},
	{at: 1550, m: 1, p: no, e: sched.EvTakeIPI, aux: uint64(sched.IPIKick)},
	{at: 1560, m: 1, p: no, e: sched.EvHaltEnd},
	{at: 1570, m: 1, p: 1, e: sched.EvTimer, arg: 70},
	{at: 1580, m: 1, p: 1, e: sched.EvUnblock, g: 1},
	{at: 1590, m: 1, p: 1, e: sched.EvPutNext, g: 1},
	{at: 1600, m: 1, p: 1, e: sched.EvStart, g: 1, arg: uint64(sched.FromNext)},
	{at: 1700, m: 1, p: 1, e: sched.EvStop, arg: 1},
	{at: 1800, m: 1, p: 1, e: sched.EvStopped},
	{at: 1810, m: 1, p: 1, e: sched.EvPhase, arg: 1},
	{at: 1900, m: 1, p: 1, e: sched.EvGo},
	{at: 1950, m: 1, p: 1, e: sched.EvPhase, arg: 0},
	{at: 2000, m: 1, p: 1, e: sched.EvExit, g: 1},
	{at: 2100, m: 1, p: 1, e: sched.EvEnd},
}

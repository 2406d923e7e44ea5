package trace

import (
	"bytes"
	"testing"

	"sched9/record"
)

// play makes a View of records of M 0 and P 0, a microsecond apart, that begin
// with goroutine 1 running.
func play(t *testing.T, recs ...record.Record) *View {
	t.Helper()
	head := []record.Record{
		record.Pack(0, record.EvAcquire, 0, 0, 0, 0, 0),
		record.Pack(0, record.EvCreate, 0, 1, 0, 0, 0),
		record.Pack(0, record.EvPutNext, 0, 1, 0, 0, 0),
		record.Pack(0, record.EvStart, 0, 1, uint64(record.FromNext)|record.StartInherit, 0, 0),
	}
	recs = append(head, recs...)
	for i := range recs {
		recs[i].Stamp = uint64(i) * 1000
		recs[i].Tag |= 1 << record.LapShift
	}
	var b bytes.Buffer
	w := NewWriter(&b, Meta{SMP: 2, Mult: 1 << 32})
	w.Records(0, 0, recs)
	w.Legend(Legend{Reasons: []string{"", "sleep"}})
	if err := w.Close(End{}); err != nil {
		t.Fatal(err)
	}
	tr, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return tr.View()
}

// ev is a record without a time.
func ev(e record.Event, g, arg, aux uint64) record.Record {
	return record.Pack(0, e, 0, g, arg, aux, 0)
}

// length is the last length of P 0's queue, or of the global one for -1.
func (v *View) length(p int) int {
	n := 0
	for _, q := range v.Queues {
		if q.P == p {
			n = q.Len
		}
	}
	return n
}

func TestViewOfAWait(t *testing.T) {
	v := play(t,
		ev(record.EvCreate, 2, 0, 0), ev(record.EvPutNext, 2, 0, 0),
		ev(record.EvBlock, 1, 1<<record.ReasonShift, 0),
		ev(record.EvStart, 2, uint64(record.FromNext), 0),
		ev(record.EvUnblock, 1, 0, 0), ev(record.EvPutNext, 1, 0, 0),
		ev(record.EvExit, 2, 0, 0),
		ev(record.EvStart, 1, uint64(record.FromNext), 0),
		ev(record.EvEnd, 0, 0, 0))
	if len(v.Runs) != 3 || len(v.Wakes) != 3 || len(v.Gs) != 2 {
		t.Fatalf("%d runs, %d wakes, %d goroutines", len(v.Runs), len(v.Wakes), len(v.Gs))
	}
	g1, g2 := v.G(1), v.G(2)
	// Times from 1 ns on, a microsecond an event: 1 runs from event 3 to 6,
	// waits until 8, is ready until 11, runs until 12.
	if g1.Running != 4000 || g1.Waiting != 2000 || g1.Ready != 3000+2000 || g1.Blocks["sleep"] != 1 || g1.Ended >= 0 {
		t.Errorf("G 1: %+v", g1)
	}
	if g2.Running != 3000 || g2.Parent != 1 || g2.Ended < 0 || len(g2.Runs) != 1 {
		t.Errorf("G 2: %+v", g2)
	}
	r := v.Runs[0]
	if r.Left != record.EvBlock || r.Reason != "sleep" || !r.Inherit || r.From.Kind() != record.FromNext || r.End-r.Start != 3000 {
		t.Errorf("first run: %+v", r)
	}
	w := v.Wakes[2]
	if w.G != 1 || w.By != 2 || w.New || w.Run != 2 || w.Start != v.Runs[2].Start {
		t.Errorf("wake of 1: %+v", w)
	}
	if v.length(0) != 0 {
		t.Errorf("the queue ends with %d", v.length(0))
	}
	if last := v.Runs[2]; last.Left != record.EvNone || last.End != v.End {
		t.Errorf("last run: %+v", last)
	}
}

func TestViewOfQueues(t *testing.T) {
	many := func(n int) (recs []record.Record) {
		for i := range uint64(n) {
			recs = append(recs, ev(record.EvCreate, 10+i, 0, 0), ev(record.EvPutRing, 10+i, i, 0))
		}
		return recs
	}
	for _, c := range []struct {
		name          string
		recs          []record.Record
		local, global int
	}{
		{"one displaces another", []record.Record{
			ev(record.EvCreate, 2, 0, 0), ev(record.EvPutNext, 2, 0, 0), ev(record.EvCreate, 3, 0, 0), ev(record.EvPutNext, 3, 0, 0), ev(record.EvPutRing, 2, 0, 0),
		}, 2, 0},
		{"overflow", append(many(256), ev(record.EvCreate, 2, 0, 0), ev(record.EvOverflow, 2, 128<<record.CountShift, 0)), 128, 129},
		{"overflow of one displaced", append(many(256),
			ev(record.EvCreate, 2, 0, 0), ev(record.EvPutNext, 2, 0, 0), ev(record.EvCreate, 3, 0, 0), ev(record.EvPutNext, 3, 0, 0),
			ev(record.EvOverflow, 2, 128<<record.CountShift, 0)), 129, 129},
		{"passed on", []record.Record{
			ev(record.EvCreate, 2, 0, 0), ev(record.EvPutRing, 2, 0, 0), ev(record.EvCreate, 3, 0, 0), ev(record.EvPutGlobal, 3, 0, 0),
			ev(record.EvPass, 2, 1, uint64(record.FromRing)), ev(record.EvPutGlobal, 2, 0, 0),
		}, 0, 2},
		{"from the global queue", []record.Record{
			ev(record.EvCreate, 2, 0, 0), ev(record.EvPutGlobal, 2, 0, 0), ev(record.EvCreate, 3, 0, 0), ev(record.EvPutGlobal, 3, 0, 0),
			ev(record.EvGetGlobal, 2, 2<<record.CountShift, 0),
		}, 1, 0},
		{"withheld", []record.Record{
			ev(record.EvCreate, 2, 0, 0), ev(record.EvPutNext, 2, 0, 0), ev(record.EvBlock, 1, 0, 0), ev(record.EvWithhold, 2, uint64(record.FromNext), 0),
		}, 0, 0},
		{"taken", append(many(2), ev(record.EvTake, 10, uint64(record.FromRing), 0), ev(record.EvPutGlobal, 10, 0, 0)), 1, 1},
		{"stolen", append(many(4), record.Pack(0, record.EvSteal, 1, 0, 0, 0|2<<8, 0)), 2, 0},
	} {
		v := play(t, c.recs...)
		if v.length(0) != c.local || v.length(-1) != c.global {
			t.Errorf("%s: %d in the P's queue, %d in the global one, want %d and %d", c.name, v.length(0), v.length(-1), c.local, c.global)
		}
	}
}

// What M 0 does, in order.
func TestViewOfMs(t *testing.T) {
	v := play(t,
		ev(record.EvHalt, 0, 0, 0), ev(record.EvHaltEnd, 0, 0, 0), // in a lock
		ev(record.EvBlock, 1, 0, 0), ev(record.EvSpin, 0, 1, 0), ev(record.EvUnspin, 0, 0, 0), ev(record.EvRelease, 0, 0, 0),
		ev(record.EvHalt, 0, 0, 0), ev(record.EvWakeM, 0, 0, record.WakeSpinning), ev(record.EvHaltEnd, 0, 0, 0),
		ev(record.EvAcquire, 0, 0, 0), ev(record.EvUnspin, 0, 0, 0))
	want := []Doing{Scheduling, Running, Halted, Running, Scheduling, Spinning, Scheduling, Halted, Spinning, Scheduling}
	var got []Doing
	for _, s := range v.MSpans {
		got = append(got, s.Doing)
	}
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	if n := len(v.PSpans); n != 2 || v.PSpans[0].End != v.PSpans[0].Start+9000 || v.PSpans[1].End != v.End {
		t.Errorf("%+v", v.PSpans)
	}
}

func TestViewOfTheWorld(t *testing.T) {
	v := play(t, ev(record.EvStop, 0, 0, 0), ev(record.EvStopped, 0, 0, 0), ev(record.EvPhase, 0, 1, 0), ev(record.EvGo, 0, 0, 0),
		ev(record.EvPhase, 0, 0, 0), ev(record.EvTimer, 0, 42, 0), ev(record.EvStop, 0, record.StopForGood, 0))
	if len(v.Stops) != 2 || v.Stops[0].End-v.Stops[0].Held != 2000 || v.Stops[0].By != 1 || v.Stops[1].Reason != "the program dies" || v.Stops[1].End != v.End {
		t.Errorf("%+v", v.Stops)
	}
	if len(v.Phases) != 2 || v.Phases[0].Name != "mark" || v.Phases[0].End-v.Phases[0].Start != 2000 {
		t.Errorf("%+v", v.Phases)
	}
	if len(v.Timers) != 1 || v.Timers[0] != 42 {
		t.Errorf("%v", v.Timers)
	}
}

// A View of nothing, and of a Trace that was not read, is empty.
func TestViewOfNothing(t *testing.T) {
	v := (&Trace{}).View()
	if len(v.Runs)+len(v.Gs) != 0 {
		t.Errorf("%+v", v)
	}
	v = (&Trace{Events: []Event{{Kind: record.EvCreate, G: 5}}}).View()
	if len(v.Gs) != 1 || v.Gs[0].Name() != "G5" {
		t.Errorf("%+v", v.Gs)
	}
}

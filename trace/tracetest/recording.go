// Package tracetest makes recordings by hand, for tests of what reads them.
package tracetest

import (
	"bytes"
	"testing"

	"sched9/record"
	"sched9/trace"
)

// NoP is the P of an M that has none.
const NoP = -1

// Event is an event of a hand-made recording. At is a moment of the guest's
// clock, in the unit that the recording is made with.
type Event struct {
	At   int64
	M, P int
	Kind record.Event
	G    uint64
	Arg  uint64
	Aux  uint64
}

// Recording is a recording in the making.
type Recording struct {
	t testing.TB
	b bytes.Buffer
	w *trace.Writer
}

// New begins a recording whose stamps are the guest's nanoseconds. m's clock is
// set so.
func New(t testing.TB, m trace.Meta) *Recording {
	m.Base, m.Mult = 1, 1<<32
	r := &Recording{t: t}
	r.w = trace.NewWriter(&r.b, m)
	return r
}

// Add records an event of M m, which owns P p, at nanosecond at. stack are the code
// addresses behind the one in aux.
func (r *Recording) Add(at int64, m, p int, e record.Event, g, arg, aux uint64, stack ...uint64) {
	r.t.Helper()
	id := uint8(record.NoP)
	if p != NoP {
		id = uint8(p)
	}
	recs := []record.Record{record.Pack(uint64(at), e, id, g, arg, aux, (len(stack)+3)/4)}
	for len(stack) > 0 {
		var pc [4]uint64
		stack = stack[copy(pc[:], stack):]
		recs = append(recs, record.Record{Stamp: pc[0], What: 1<<63 | pc[1], Arg: pc[2], Tag: pc[3]})
	}
	r.write(m, 0, recs)
}

// Lost records that n records of M m are lost.
func (r *Recording) Lost(m int, n uint64) {
	r.t.Helper()
	r.write(m, n, nil)
}

// write ends the test if the recording does not take the records.
func (r *Recording) write(m int, lost uint64, recs []record.Record) {
	r.t.Helper()
	if err := r.w.Records(m, lost, recs); err != nil {
		r.t.Fatal(err)
	}
}

// Bytes is the recording with its legend and its end; without an end, if end is nil:
// it is cut off then. Nothing may be added afterwards.
func (r *Recording) Bytes(l trace.Legend, end *trace.End) []byte {
	r.t.Helper()
	r.w.Legend(l)
	err := r.w.Flush()
	if end != nil {
		err = r.w.Close(*end)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return r.b.Bytes()
}

// Trace is what is read of the recording (see Bytes).
func (r *Recording) Trace(l trace.Legend, end *trace.End) *trace.Trace {
	r.t.Helper()
	tr, err := trace.Read(bytes.NewReader(r.Bytes(l, end)))
	if err != nil {
		r.t.Fatal(err)
	}
	return tr
}

// Like is Event, or a test's own type with Event below it: of that a test may
// write literals without the fields' names, which go vet refuses for another
// package's.
type Like interface {
	~struct {
		At   int64
		M, P int
		Kind record.Event
		G    uint64
		Arg  uint64
		Aux  uint64
	}
}

// Of begins a recording with events whose times count units of so many
// nanoseconds.
func Of[E Like](t testing.TB, m trace.Meta, unit int64, events []E) *Recording {
	t.Helper()
	r := New(t, m)
	for _, e := range events {
		e := Event(e)
		r.Add(e.At*unit, e.M, e.P, e.Kind, e.G, e.Arg, e.Aux)
	}
	return r
}

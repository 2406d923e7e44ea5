package gotrace_test

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"errors"
	"os"
	"runtime"
	"sync"
	"testing"

	"sched9/sched"
	"sched9/trace"
)

// row is a record of a recording that a test writes by hand. Rows are 10 ns
// apart, the first is at 10 ns. One of kind EvNone says that arg records of M m were
// lost there.
type row struct {
	m, p  int
	kind  sched.Event
	g     uint64
	arg   uint64
	stack []uint64 // code addresses, the innermost first
}

// none is the P of an M that has none.
const none = -1

// reasons and stops are what the language of these recordings calls its waits
// and stops. why and stop are numbers of theirs, as records have them.
var (
	reasons = []string{"", "chan receive", "sync.Mutex.Lock", "sleep", "preempted", "a reason of its own"}
	stops   = []string{"unknown", "GC sweep termination", "GOMAXPROCS"}
)

const (
	whyChan = (1 + iota) << sched.ReasonShift
	whyMutex
	whySleep
	whyPreempted
	whyOwn

	stopSweep = 1
	stopProcs = 2
)

// read makes a Trace of rows, as it would come from a file. Addresses in it are
// of this test's own functions.
func read(t testing.TB, rows []row) *trace.Trace {
	t.Helper()
	s := own()
	if s.err != nil {
		t.Fatal(s.err)
	}
	return readWith(t, rows, s.text, s.table)
}

// bare is read without names for addresses.
func bare(t testing.TB, rows []row) *trace.Trace { return readWith(t, rows, 0, nil) }

// readWith is read with a table of functions.
func readWith(t testing.TB, rows []row, text uint64, table []byte) *trace.Trace {
	t.Helper()
	var b bytes.Buffer
	w := trace.NewWriter(&b, trace.Meta{Program: "p", SMP: 1, Mult: 1 << 32})
	w.Legend(trace.Legend{Version: "go1.26", Reasons: reasons, Stops: stops, Text: text, Table: table})
	for i, r := range rows {
		lost, recs := uint64(0), r.records(uint64(i+1)*10)
		if r.kind == sched.EvNone {
			lost, recs = r.arg, nil
		}
		if err := w.Records(r.m, lost, recs); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(trace.End{}); err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// records are the slots that r takes in a ring at nanosecond at.
func (r row) records(at uint64) []sched.Record {
	p := uint8(sched.NoP)
	if r.p >= 0 {
		p = uint8(r.p)
	}
	var aux uint64
	rest := r.stack
	if len(rest) > 0 {
		aux, rest = rest[0], rest[1:]
	}
	slots := (len(rest) + 3) / 4
	recs := []sched.Record{sched.Pack(at-1, r.kind, p, r.g, r.arg, aux, slots)}
	for range slots {
		var pc [4]uint64
		rest = rest[copy(pc[:], rest):]
		recs = append(recs, sched.Record{Stamp: pc[0], What: pc[1] | 1<<63, Arg: pc[2], Tag: pc[3]})
	}
	return recs
}

// symbols are this test's own functions, which serve as the guest's.
type symbols struct {
	table []byte
	text  uint64
	names *gosym.Table
	err   error
}

var own = sync.OnceValue(func() (s symbols) {
	exe, err := os.Executable()
	if err != nil {
		return symbols{err: err}
	}
	f, err := elf.Open(exe)
	if err != nil {
		return symbols{err: err}
	}
	defer f.Close()
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if sec := f.Section(name); sec != nil {
			s.table, s.err = sec.Data()
		}
	}
	if s.table == nil {
		return symbols{err: errors.Join(s.err, errors.New("no table of functions"))}
	}
	// Addresses in the table are relative to where code begins, which is
	// found by a function whose address is known.
	if s.names, s.err = gosym.NewTable(nil, gosym.NewLineTable(s.table, 0)); s.err != nil {
		return s
	}
	pc, _, _, _ := runtime.Caller(0)
	here := runtime.FuncForPC(pc)
	s.text = uint64(here.Entry()) - s.names.LookupFunc(here.Name()).Entry
	return s
})

// fn is the address of a function, call of the first call in it, or as good: what
// follows it on a stack.
func fn(t testing.TB, name string) uint64 {
	t.Helper()
	s := own()
	if s.err != nil {
		t.Fatal(s.err)
	}
	f := s.names.LookupFunc(name)
	if f == nil {
		t.Fatalf("no function %s", name)
	}
	return s.text + f.Entry
}

func call(t testing.TB, name string) uint64 { return fn(t, name) + 1 }

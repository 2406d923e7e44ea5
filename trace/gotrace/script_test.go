package gotrace_test

import (
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// row is a record of a recording that a test writes by hand. Rows are 10 ns
// apart, the first is at 10 ns. One of kind EvNone says that arg records of M m were
// lost there.
type row struct {
	m, p  int
	kind  record.Event
	g     uint64
	arg   uint64
	stack []uint64 // code addresses, the innermost first
}

// none is the P of an M that has none.
const none = tracetest.NoP

// reasons and stops are what the runtime of these recordings calls its waits
// and stops. why and stop are numbers of theirs, as records have them.
var (
	reasons = []string{"", "chan receive", "sync.Mutex.Lock", "sleep", "preempted", "a reason of its own"}
	stops   = []string{"unknown", "GC sweep termination", "GOMAXPROCS"}
)

const (
	whyChan = (1 + iota) << record.ReasonShift
	whyMutex
	whySleep
	whyPreempted
	whyOwn

	stopSweep = 1
	stopProcs = 2
)

// legend is what the runtime of these recordings says.
func legend() trace.Legend {
	return trace.Legend{Version: "go1.26", Reasons: reasons, Stops: stops}
}

// read makes a Trace of rows, as it would come from a file. Addresses in it are
// of this test's own functions.
func read(t testing.TB, rows []row) *trace.Trace {
	t.Helper()
	return recorded(t, rows).Trace(tracetest.Named(t, legend()), &trace.End{})
}

// bare is read without names for addresses.
func bare(t testing.TB, rows []row) *trace.Trace {
	t.Helper()
	return recorded(t, rows).Trace(legend(), &trace.End{})
}

// recorded makes a recording of rows.
func recorded(t testing.TB, rows []row) *tracetest.Recording {
	t.Helper()
	rec := tracetest.New(t, trace.Meta{Program: "p", SMP: 1})
	for i, r := range rows {
		if r.kind == record.EvNone {
			rec.Lost(r.m, r.arg)
			continue
		}
		var aux uint64
		rest := r.stack
		if len(rest) > 0 {
			aux, rest = rest[0], rest[1:]
		}
		rec.Add(int64(i+1)*10, r.m, r.p, r.kind, r.g, r.arg, aux, rest...)
	}
	return rec
}

// fn is the address of a function, call of the first call in it, or as good: what
// follows it on a stack.
func fn(t testing.TB, name string) uint64 {
	t.Helper()
	return tracetest.Func(t, name)
}

func call(t testing.TB, name string) uint64 { return fn(t, name) + 1 }

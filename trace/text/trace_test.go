package text

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"os"
	"path"
	"reflect"
	"runtime"
	"strconv"
	"testing"

	"sched9/sched"
	"sched9/trace"
)

// maker writes a recording whose stamps are nanoseconds.
type maker struct {
	t *testing.T
	b bytes.Buffer
	w *trace.Writer
}

// newMaker begins one.
func newMaker(t *testing.T, m trace.Meta) *maker {
	m.Mult = 1 << 32
	mk := &maker{t: t}
	mk.w = trace.NewWriter(&mk.b, m)
	return mk
}

// noP is no P.
const noP = -1

// add records an event on M m at nanosecond at, with code addresses behind aux
// as the stack.
func (mk *maker) add(at int64, m, p int, e sched.Event, g, arg, aux uint64, stack ...uint64) {
	id := uint8(sched.NoP)
	if p != noP {
		id = uint8(p)
	}
	recs := []sched.Record{sched.Pack(uint64(at-1), e, id, g, arg, aux, (len(stack)+3)/4)}
	for len(stack) > 0 {
		var pc [4]uint64
		stack = stack[copy(pc[:], stack):]
		recs = append(recs, sched.Record{Stamp: pc[0], What: 1<<63 | pc[1], Arg: pc[2], Tag: pc[3]})
	}
	if err := mk.w.Records(m, 0, recs); err != nil {
		mk.t.Fatal(err)
	}
}

// lost records that n records of M m are lost.
func (mk *maker) lost(m int, n uint64) {
	if err := mk.w.Records(m, n, nil); err != nil {
		mk.t.Fatal(err)
	}
}

// trace ends the recording and reads it.
func (mk *maker) trace(l trace.Legend, end *trace.End) *trace.Trace {
	mk.t.Helper()
	mk.w.Legend(l)
	err := mk.w.Flush()
	if end != nil {
		err = mk.w.Close(*end)
	}
	if err != nil {
		mk.t.Fatal(err)
	}
	tr, err := trace.Read(&mk.b)
	if err != nil {
		mk.t.Fatal(err)
	}
	return tr
}

// reasons and stops are a legend's.
var (
	someReasons = []string{"", "sleep", "chan receive"}
	someStops   = []string{"unknown", "GC mark termination"}
)

// legend is one with this test's own functions, so that worker has a name.
func legend(t *testing.T) trace.Legend {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := f.Section(".gopclntab").Data()
	if err != nil {
		t.Fatal(err)
	}
	// The table counts from where code begins, which a known function tells.
	tab, err := gosym.NewTable(nil, gosym.NewLineTable(table, 0))
	if err != nil {
		t.Fatal(err)
	}
	const name = "sched9/trace/text.worker"
	fn := tab.LookupFunc(name)
	if fn == nil {
		t.Fatalf("%s is not in the table", name)
	}
	return trace.Legend{Version: "go1.26", Reasons: someReasons, Stops: someStops, Text: entry() - fn.Entry, Table: table}
}

// worker is a function with a name.
//
//go:noinline
func worker() {}

// entry is worker's address.
func entry() uint64 { return uint64(reflect.ValueOf(worker).Pointer()) }

// where is worker as Where writes it.
func where() string {
	file, line := runtime.FuncForPC(uintptr(entry())).FileLine(uintptr(entry()))
	return "sched9/trace/text.worker " + path.Base(file) + ":" + strconv.Itoa(line)
}

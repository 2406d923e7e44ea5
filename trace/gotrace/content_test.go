package gotrace_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	xtrace "golang.org/x/exp/trace"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/gotrace"
)

// TestNames checks what people look for in a trace: the names of goroutines, and whole stacks of
// the code that made, stopped and woke them.
func TestNames(t *testing.T) {
	stack := func(names ...string) (pcs []uint64) {
		for _, n := range names {
			pcs = append(pcs, call(t, n))
		}
		return pcs
	}
	tr := read(t, []row{
		{0, 0, record.EvCreate, 1, fn(t, "runtime.main"), stack("runtime.newproc", "runtime.schedinit")},
		{0, 0, record.EvStart, 1, 0, nil},
		{0, 0, record.EvCreate, 2, fn(t, "testing.tRunner"), stack("runtime.newproc", "testing.(*T).Run", "testing.runTests", "testing.(*M).Run", "runtime.main", "runtime.goexit")},
		{0, 0, record.EvBlock, 1, whyChan, stack("runtime.gopark", "runtime.chanrecv", "runtime.chanrecv1", "runtime.main")},
		{0, 0, record.EvStart, 2, 0, nil},
		{0, 0, record.EvUnblock, 1, 0, stack("runtime.systemstack_switch", "runtime.chansend", "testing.tRunner", "runtime.goexit")},
		{0, 0, record.EvPreempt, 2, 0, stack("testing.tRunner")},
		{0, 0, record.EvStart, 1, 0, nil},
		{0, 0, record.EvPreempt, 1, 0, stack("runtime.goexit")},
	})
	evs := accepted(t, tr)
	names := map[xtrace.GoID]string{}
	var stacks []string
	for _, e := range evs {
		if e.Kind() != xtrace.EventStateTransition || e.StateTransition().Resource.Kind != xtrace.ResourceGoroutine {
			continue
		}
		st := e.StateTransition()
		if from, _ := st.Goroutine(); from == xtrace.GoNotExist {
			names[st.Resource.Goroutine()] = top(st.Stack)
		}
		var fs []string
		for f := range e.Stack().Frames() {
			fs = append(fs, f.Func)
			if f.File == "" || f.Line == 0 || f.PC == 0 {
				t.Errorf("%s is nowhere: %+v", f.Func, f)
			}
		}
		stacks = append(stacks, strings.Join(fs, " "))
	}
	if got, want := fmt.Sprint(names), "map[1:runtime.main 2:testing.tRunner]"; got != want {
		t.Errorf("names are %s, not %s", got, want)
	}
	same(t, strings.Join(stacks, "\n"), `
		runtime.schedinit
		testing.(*T).Run testing.runTests testing.(*M).Run runtime.main
		runtime.chanrecv runtime.chanrecv1 runtime.main
		runtime.chansend testing.tRunner
		testing.tRunner`)
}

// TestUnknownCode has addresses for which there is no name, and a name of more than
// readers take.
func TestUnknownCode(t *testing.T) {
	tr := bare(t, []row{
		{0, 0, record.EvCreate, 1, 0x1234, []uint64{0x2000, 0x3000}},
	})
	tr.Reasons = []string{strings.Repeat("€", 600)}
	tr.Events = append(tr.Events, trace.Event{Time: 20, Kind: record.EvStart, G: 1}, trace.Event{Time: 30, Kind: record.EvBlock, G: 1})
	same(t, lines(accepted(t, tr)), `
		10 M1 - -: P1 Undetermined>Running
		11 M1 P1 -: G1 NotExist>Runnable of 0x1234 by 0x1fff
		20 M1 P1 -: G1 Runnable>Running
		21 M1 P1 G1: /sched/gomaxprocs:threads 1
		30 M1 P1 G1: G1 Running>Waiting (`+strings.Repeat("€", 341)+`)`)
}

// TestManyNames has more stacks and reasons than fit into a batch.
func TestManyNames(t *testing.T) {
	const n = 8000
	rows := []row{{0, 0, record.EvCreate, 1, 0, nil}}
	for i := range uint64(n) {
		stack := []uint64{1<<40 + i, 1<<41 + i, 1<<42 + i, 1<<43 + i, 1<<44 + i, 1<<45 + i}
		rows = append(rows, row{0, 0, record.EvStart, 1, 0, nil}, row{0, 0, record.EvYield, 1, 0, stack})
	}
	seen := map[string]bool{}
	for _, e := range accepted(t, bare(t, rows)) {
		if e.Kind() == xtrace.EventStateTransition {
			seen[top(e.Stack())] = true
		}
	}
	for i := range uint64(n) {
		if name := fmt.Sprintf("%#x", 1<<40+i-1); !seen[name] {
			t.Fatalf("%s is missing", name)
		}
	}
}

// full is a disk that is full after so many bytes.
type full int

var errFull = errors.New("full")

// Write takes what fits.
func (f *full) Write(p []byte) (int, error) {
	if len(p) > int(*f) {
		return int(*f), errFull
	}
	*f -= full(len(p))
	return len(p), nil
}

// TestFull has a writer that fails: Write says so.
func TestFull(t *testing.T) {
	tr := bare(t, history(7))
	data, err := write(tr)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 20, len(data) / 2, len(data) - 1, len(data)} {
		f := full(n)
		err := gotrace.Write(&f, tr)
		if want := n < len(data); errors.Is(err, errFull) != want || !want && err != nil {
			t.Errorf("room for %d of %d bytes: %v", n, len(data), err)
		}
	}
}

// TestReasons compares our words for waits with the toolchain's: every reason that its
// runtime can park for must come out as one that its tracer knows.
func TestReasons(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "src", "runtime")
	waits := table(t, filepath.Join(dir, "runtime2.go"), "waitReasonStrings")
	known := map[string]bool{}
	for _, w := range table(t, filepath.Join(dir, "traceruntime.go"), "traceBlockReasonStrings") {
		known[w] = true
	}
	// These are why a goroutine holds (EvHold), not why it parks, or the tracer has
	// an event of its own for it.
	for _, w := range []string{
		"", "dumping heap", "garbage collection", "garbage collection scan", "GC worker (active)", "GC mark termination", "stopping the world",
		"flushing proc caches", "trace goroutine status", "trace proc status", "page trace flush", "coroutine",
	} {
		known[w] = true
	}
	var rows []row
	for i := range waits {
		rows = append(rows, row{0, 0, record.EvStart, uint64(i + 1), 0, nil}, row{0, 0, record.EvBlock, uint64(i + 1), uint64(i) << record.ReasonShift, nil})
	}
	tr := bare(t, rows)
	tr.Reasons = waits
	n := 0
	for _, e := range accepted(t, tr) {
		if e.Kind() != xtrace.EventStateTransition || e.StateTransition().Resource.Kind != xtrace.ResourceGoroutine {
			continue
		}
		st := e.StateTransition()
		if _, to := st.Goroutine(); to == xtrace.GoWaiting {
			n++
			if !known[st.Reason] {
				t.Errorf("%q comes out as %q", waits[st.Resource.Goroutine()-1], st.Reason)
			}
		}
	}
	if n != len(waits) || n < 20 {
		t.Errorf("of %d reasons %d came out", len(waits), n)
	}
}

// table is the array of strings of that name in a Go file.
func table(t *testing.T, file, name string) (words []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != name {
			return true
		}
		for _, e := range spec.Values[0].(*ast.CompositeLit).Elts {
			s, err := strconv.Unquote(e.(*ast.KeyValueExpr).Value.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, s)
		}
		return false
	})
	return words
}

// BenchmarkWrite measures nanoseconds for an event.
func BenchmarkWrite(b *testing.B) {
	w := newWorld(1, 4, 4)
	for range 200_000 {
		w.step()
	}
	for i := range w.rows {
		w.rows[i].stack = nil
	}
	tr := bare(b, w.rows)
	for b.Loop() {
		if err := gotrace.Write(io.Discard, tr); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(tr.Events)), "ns/event")
}

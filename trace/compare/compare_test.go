package compare

import (
	"bytes"
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// event is a tracetest.Event; At is in microseconds.
type event tracetest.Event

// ran is a run on one P. G1 makes G2 and G3, of one function, at 5 and waits from 10 on. G2 runs from 10 to 40 and is made to leave, G3
// from 40 to 50 and ends, G2 from 50 to 60. At 60 it makes G4, which still waits for the P at the end, at 100, as G2 still runs.
func ran(t *testing.T) *trace.View {
	t.Helper()
	fn := tracetest.Func(t, "sched9/trace/compare.Page")
	ring, next := uint64(record.FromRing), uint64(record.FromNext)
	r := tracetest.Of(t, trace.Meta{Program: "p", SMP: 1}, 1000, []event{
		{0, 0, 0, record.EvAcquire, 0, 0, 0},
		{0, 0, 0, record.EvCreate, 1, 0, 0},
		{0, 0, 0, record.EvPutNext, 1, 0, 0},
		{0, 0, 0, record.EvStart, 1, next, 0},
		{5, 0, 0, record.EvCreate, 2, fn, 0},
		{5, 0, 0, record.EvPutRing, 2, 0, 0},
		{5, 0, 0, record.EvCreate, 3, fn, 0},
		{5, 0, 0, record.EvPutRing, 3, 1, 0},
		{10, 0, 0, record.EvBlock, 1, 0, 0},
		{10, 0, 0, record.EvStart, 2, ring, 0},
		{40, 0, 0, record.EvPreempt, 2, 0, 0},
		{40, 0, 0, record.EvPutGlobal, 2, 0, 0},
		{40, 0, 0, record.EvStart, 3, ring, 0},
		{50, 0, 0, record.EvExit, 3, 0, 0},
		{50, 0, 0, record.EvStart, 2, uint64(record.FromGlobal), 0},
		{60, 0, 0, record.EvCreate, 4, 0, 0},
		{60, 0, 0, record.EvPutRing, 4, 2, 0},
		{100, 0, 0, record.EvEnd, 0, 0, 0},
	})
	return r.Trace(tracetest.Named(t, trace.Legend{Reasons: []string{""}}), &trace.End{}).View()
}

// TestOf: what is counted and measured in a run.
func TestOf(t *testing.T) {
	r := Of("one", 3, []string{"R8"}, ran(t))
	if r.Time != 100_000 || r.Busy != 1 || r.Switches != 4 || r.Preempts != 1 || r.Moves != 0 {
		t.Errorf("%+v", r.Sums)
	}
	// G1 0, G2 5 and 10, G3 35, G4 40 so far.
	if want := (Spread{10_000, 40_000, 40_000}); r.Wait != want {
		t.Errorf("waits %+v, want %+v", r.Wait, want)
	}
	// When G3 ended it had run for 10 and G2 for 30.
	k := r.kind("sched9/trace/compare.Page")
	if want := (Kind{"sched9/trace/compare.Page", 2, 90_000, Spread{10_000, 35_000, 35_000}, 0.8, -1}); k != want {
		t.Errorf("kind %+v, want %+v", k, want)
	}
	if got := r.remark(); got != "status 3; breaks R8" {
		t.Errorf("remark %q", got)
	}
}

// TestFairAmongLate: who was made after the first of a kind had ended is not compared with it.
func TestFairAmongLate(t *testing.T) {
	v := &trace.View{Start: 0, End: 9}
	gs := []*trace.Goroutine{{ID: 1, Made: 0, Ended: 4}, {ID: 2, Made: 5, Ended: 7}}
	if k := kind(v, "f", gs); k.Fair != -1 || k.fair() != "-" || k.Ended != 7 {
		t.Errorf("%+v", k)
	}
}

// TestJain: the index of fairness by its definition.
func TestJain(t *testing.T) {
	for _, c := range []struct {
		had  []float64
		want float64
	}{{[]float64{3, 3, 3}, 1}, {[]float64{4, 0, 0, 0}, 0.25}, {[]float64{0, 0}, 1}, {[]float64{1, 3}, 0.8}} {
		if got := jain(c.had); got != c.want {
			t.Errorf("%v: %v, want %v", c.had, got, c.want)
		}
	}
}

// TestTable: a row a run, and only kinds that all runs have.
func TestTable(t *testing.T) {
	a, b := Of("a", 0, nil, ran(t)), Of("b", 1, nil, ran(t))
	for i, k := range b.Kinds {
		if k.Count == 1 {
			b.Kinds[i].Name = "other"
		}
	}
	var out bytes.Buffer
	if err := Table(&out, []Run{a, b}, 1); err != nil {
		t.Fatal(err)
	}
	const want = "" +
		"      time   busy  switches  preempted  moved  waits for a P: half    99 %   worst\n" +
		"  a  100us  100 %         4          1      0               10.0us  40.0us  40.0us\n" +
		"  b  100us  100 %         4          1      0               10.0us  40.0us  40.0us  status 1\n" +
		"\n" +
		"  compare.Page    runs  ended  fair  waits for a P: half    99 %   worst\n" +
		"             a  90.0us      -  0.80               10.0us  35.0us  35.0us\n" +
		"             b  90.0us      -  0.80               10.0us  35.0us  35.0us\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// TestPage: each run has its picture, on the same scale, and nothing is left to the page's reader to interpret as code.
func TestPage(t *testing.T) {
	a, b := Of("a", 0, nil, ran(t)), Of("<b>", 0, nil, ran(t))
	var out bytes.Buffer
	if err := Page(&out, "p", []Run{a, b}); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for part, n := range map[string]int{
		"<h2>a: 100us": 1, "<h2>&lt;b&gt;: 100us": 1, "<b>": 0, "<polyline": 2,
		"<title>sched9/trace/compare.Page G2</title>": 4, "<title>sched9/trace/compare.Page G3</title>": 2,
		`<rect x="119" y="0" width="357" height="15"`: 2, // from 10 to 40 us, a moment is 84 ns
	} {
		if got := strings.Count(page, part); got != n {
			t.Errorf("%d times %q, want %d", got, part, n)
		}
	}
}

// TestPoints: a curve goes right with the length of waits and down with how few were longer.
func TestPoints(t *testing.T) {
	for _, c := range []struct {
		waits []int64
		want  string
	}{
		{nil, ""},
		{[]int64{1000}, "0.0,-0.0 0.0,260.0"},
		{[]int64{1000, 1_000_000_000}, "0.0,-0.0 0.0,19.6 1028.6,19.6 1028.6,260.0"},
	} {
		if got := points(c.waits); got != c.want {
			t.Errorf("%v: %q, want %q", c.waits, got, c.want)
		}
	}
}

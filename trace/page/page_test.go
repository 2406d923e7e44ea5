package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
)

// reader reads a page's columns back, as js/data.js does.
type reader struct {
	about about
	data  []byte
}

// read takes a page apart.
func read(t *testing.T, v *trace.View) reader {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, v); err != nil {
		t.Fatal(err)
	}
	inside := func(begin string) string {
		_, rest, ok := strings.Cut(b.String(), begin)
		s, _, end := strings.Cut(rest, "</script>")
		if !ok || !end {
			t.Fatalf("the page has no %s", begin)
		}
		return s
	}
	var r reader
	if err := json.Unmarshal([]byte(inside(`id="about">`)), &r.about); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(inside(`id="data">`))))
	if err != nil {
		t.Fatal(err)
	}
	if r.data, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return r
}

// column is a column's numbers.
func (r reader) column(t *testing.T, name string) []int64 {
	t.Helper()
	c, ok := r.about.Columns[name]
	if !ok {
		t.Fatalf("there is no column %s", name)
	}
	var out []int64
	at, prev := c.At, int64(0)
	for range c.N {
		if c.Delta {
			d, n := binary.Varint(r.data[at:])
			prev += d
			at += n
			out = append(out, prev)
		} else {
			u, n := binary.Uvarint(r.data[at:])
			at += n
			out = append(out, int64(u))
		}
	}
	return out
}

// What is read back is what the View says.
func TestColumns(t *testing.T) {
	v := view(t, story())
	r := read(t, v)
	if r.about.Start != v.Start || r.about.Length != v.End-v.Start || r.about.Program != "story" {
		t.Errorf("about is %+v", r.about)
	}
	str := func(i int64) string { return r.about.Strings[i] }
	if len(v.Runs) != 9 || len(v.Gs) != 4 {
		t.Fatalf("the story has %d runs of %d goroutines", len(v.Runs), len(v.Gs))
	}
	g, m, p, start, long := r.column(t, "run.g"), r.column(t, "run.m"), r.column(t, "run.p"), r.column(t, "run.start"), r.column(t, "run.long")
	wait, from, left, reason := r.column(t, "run.wait"), r.column(t, "run.from"), r.column(t, "run.left"), r.column(t, "run.reason")
	begin, finish := r.column(t, "run.begin"), r.column(t, "run.finish")
	id := r.column(t, "g.id")
	for i, run := range v.Runs {
		got := trace.Run{
			G: uint64(id[g[i]-1]), M: int(m[i]), P: int(p[i]) - 1, Start: v.Start + start[i], End: v.Start + start[i] + long[i],
			Ready: v.Start + start[i] - wait[i], From: record.Place(from[i] >> 1), Inherit: from[i]&1 != 0, Left: record.Event(left[i]), Reason: str(reason[i]),
			Begin: int(begin[i]), Finish: int(finish[i]),
		}
		run.Stack, run.From, run.Wake = 0, run.From.Kind(), 0
		if got != run {
			t.Errorf("run %d is %+v, want %+v", i, got, run)
		}
	}
	name, site, running, ready, waiting := r.column(t, "g.name"), r.column(t, "g.site"), r.column(t, "g.running"), r.column(t, "g.ready"), r.column(t, "g.waiting")
	for i, want := range v.Gs {
		if str(name[i]) != want.Name() || str(site[i]) != want.Site || running[i] != want.Running || ready[i] != want.Ready || waiting[i] != want.Waiting {
			t.Errorf("goroutine %d is %s %s %d %d %d", id[i], str(name[i]), str(site[i]), running[i], ready[i], waiting[i])
		}
	}
	if want := "sched9/trace/page.storyWorker G2"; str(name[1]) != want {
		t.Errorf("G2 is called %q, want %q", str(name[1]), want)
	}
	at, kind, lo, hi := r.column(t, "ev.at"), r.column(t, "ev.kind"), r.column(t, "ev.lo"), r.column(t, "ev.hi")
	for i, e := range v.Trace.Events {
		if at[i] != e.Time-v.Start || kind[i] != int64(e.Kind) || uint64(hi[i])<<32|uint64(lo[i]) != e.Arg {
			t.Errorf("event %d is %d %d %#x %#x, want %+v", i, at[i], kind[i], hi[i], lo[i], e)
		}
	}
	wakeAt, run := r.column(t, "wake.at"), r.column(t, "wake.run")
	for i, w := range v.Wakes {
		if wakeAt[i] != w.At-v.Start || run[i] != int64(w.Run)+1 {
			t.Errorf("wake-up %d is %d %d, want %+v", i, wakeAt[i], run[i], w)
		}
	}
	held := r.column(t, "stop.held")
	if len(held) != 1 || held[0] != 30_001 {
		t.Errorf("stops were held after %v", held)
	}
}

// Numbers of all sizes survive, and so do times that are far apart.
func TestNumbers(t *testing.T) {
	want := []int64{0, 1, 127, 128, 1 << 32, 1<<53 - 1, 3, 0}
	var c columns
	c.add("plain", len(want), func(i int) uint64 { return uint64(want[i]) })
	c.addDelta("delta", len(want), func(i int) int64 { return want[i] })
	r := reader{about: about{Columns: c.dir}, data: c.data}
	for _, name := range []string{"plain", "delta"} {
		if got := r.column(t, name); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// An M is never shown as doing something else while it runs a goroutine, and runs of an M are
// disjoint, whatever is missing in the recording.
func TestBesides(t *testing.T) {
	v := view(t, story())
	v.MSpans = []trace.Span{
		{Of: 0, Doing: trace.Halted, Start: v.Start, End: v.End},
		{Of: 1, Doing: trace.Running, Start: v.Start, End: v.End},
	}
	v.Runs[0].End = math.MaxInt64 // its end was lost
	e := &encoder{View: v}
	e.cut()
	at := v.Start
	for _, s := range e.besides() {
		if s.Start < at || s.End <= s.Start || s.Of != 0 {
			t.Errorf("%+v after %d", s, at)
		}
		at = s.End
		for i, r := range v.Runs {
			if r.M == 0 && r.Start < s.End && s.Start < e.ends[i] {
				t.Errorf("%+v while G%d runs from %d to %d", s, r.G, r.Start, e.ends[i])
			}
		}
	}
	if e.ends[0] != v.Runs[2].Start {
		t.Errorf("the run without an end lasts until %d", e.ends[0])
	}
}

// Goroutines of which only odd events tell are there too; numbers that no
// version knows do no harm.
func TestStrange(t *testing.T) {
	v := view(t, []step{
		{1, 0, no, record.EvWithhold, 77, 3, 0},
		{2, 0, 3, record.EvSteal, 0, math.MaxUint64, math.MaxUint64},
		{3, 1, 0, record.NumEvents + 3, 5, 1, 1},
		{4, 1, 0, record.EvBlock, 9, math.MaxUint64, 0},
	})
	r := read(t, v)
	if id := r.column(t, "g.id"); !slices.Equal(id, []int64{5, 9, 77}) {
		t.Errorf("goroutines %v", id)
	}
	if kind := r.column(t, "ev.kind"); kind[2] != int64(record.EvNone) {
		t.Errorf("an event of no version is a %d", kind[2])
	}
	if len(view(t, nil).Trace.Events) != 0 {
		t.Fatal("an empty recording has events")
	}
	read(t, view(t, nil))
}

// The page is whole: every script is in it, and nothing that is not listed.
func TestScripts(t *testing.T) {
	there, err := fs.Glob(files, "js/*.js")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range scripts {
		want = append(want, "js/"+s)
	}
	slices.Sort(want)
	if !slices.Equal(there, want) {
		t.Errorf("there are %v, and listed are %v", there, want)
	}
}

// full takes no byte after the first n.
type full struct{ n int }

// Write takes what there is room for.
func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return 0, errors.New("full")
	}
	f.n -= len(p)
	return len(p), nil
}

func TestFull(t *testing.T) {
	v := view(t, story())
	var b bytes.Buffer
	if err := Write(&b, v); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < b.Len(); n += b.Len()/50 + 1 {
		if err := Write(&full{n}, v); err == nil || err.Error() != "full" {
			t.Errorf("the error of a disk of %d bytes became %v", n, err)
		}
	}
}

package trace

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"sched9/record"
)

// rec is a record of G g at nanosecond at, with as many stack slots behind it.
func rec(at uint64, e record.Event, g, aux uint64, slots int) record.Record {
	return record.Pack(at-1, e, 0, g, 0, aux, slots)
}

// slot is a stack slot of four code addresses from pc on.
func slot(pc uint64) record.Record {
	return record.Record{Stamp: pc, What: 1<<63 | (pc + 1), Arg: pc + 2, Tag: pc + 3}
}

// piece is a chunk of records.
type piece struct {
	m    int
	lost uint64
	recs []record.Record
}

// recording writes pieces, and the end if there is one.
func recording(t *testing.T, end *End, pieces ...piece) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, Meta{Program: "p", SMP: 2, Mult: 1 << 32})
	for i, p := range pieces {
		if err := w.Records(p.m, p.lost, p.recs); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			w.Legend(Legend{Version: "go1.26", Reasons: []string{"", "sleep"}})
		}
	}
	err := w.Flush()
	if end != nil {
		err = w.Close(*end)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// some is a recording in which a stack is cut by a piece's end, one by a gap,
// and one begins behind a gap, and M 1 comes after M 0 though it was earlier.
func some() []piece {
	return []piece{
		{0, 0, []record.Record{rec(10, record.EvStart, 1, 0, 0), rec(30, record.EvBlock, 1, 7, 2), slot(100)}},
		{1, 0, []record.Record{rec(20, record.EvStart, 2, 0, 0)}},
		{0, 0, []record.Record{slot(200), rec(40, record.EvBlock, 3, 8, 2), slot(100)}},
		{0, 5, []record.Record{rec(60, record.EvYield, 3, 7, 1), slot(100)}},
		{1, 0, []record.Record{rec(50, record.EvBlock, 2, 7, 1)}},
		{1, 3, []record.Record{slot(300), rec(70, record.EvExit, 2, 0, 0)}},
	}
}

// TestStream compares a Stream with Read, wherever the bytes are cut.
func TestStream(t *testing.T) {
	all := recording(t, &End{Status: 7}, some()...)
	want, err := Read(bytes.NewReader(all))
	if err != nil {
		t.Fatal(err)
	}
	if len(want.Events) != 7 || want.TotalLost() != 9 {
		t.Fatalf("%d events, %d lost", len(want.Events), want.TotalLost())
	}
	for size := 1; size <= len(all); size++ {
		var got []Event
		s := NewStream(time.Hour, func(es []Event) { got = append(got, es...) })
		for piece := range slices.Chunk(all, size) {
			if n, err := s.Write(piece); n != len(piece) || err != nil {
				t.Fatalf("pieces of %d: %d, %v", size, n, err)
			}
		}
		tr := s.Trace()
		if !tr.Whole || tr.Status != 7 || tr.Program != "p" || tr.Version != "go1.26" || !slices.Equal(tr.Lost, want.Lost) {
			t.Fatalf("pieces of %d: %+v", size, tr)
		}
		if len(got) != len(want.Events) {
			t.Fatalf("pieces of %d: %d events", size, len(got))
		}
		for i, e := range got {
			w := want.Events[i]
			if !slices.Equal(tr.Stacks[e.Stack], want.Stacks[w.Stack]) {
				t.Errorf("pieces of %d: event %d at %#x, want %#x", size, i, tr.Stacks[e.Stack], want.Stacks[w.Stack])
			}
			if e.Stack, w.Stack = 0, 0; !reflect.DeepEqual(e, w) {
				t.Errorf("pieces of %d: event %d is %+v, want %+v", size, i, e, w)
			}
		}
	}
}

// TestStreamOrder follows what is handed over after which piece: what is older
// than the newest by the hold, in order; the rest at a Flush; what comes too
// late at once.
func TestStreamOrder(t *testing.T) {
	at := func(times ...uint64) (rs []record.Record) {
		for _, n := range times {
			rs = append(rs, rec(n, record.EvTick, 1, 0, 0))
		}
		return rs
	}
	var got []int64
	s := NewStream(100, func(es []Event) {
		for _, e := range es {
			got = append(got, e.Time)
		}
	})
	whole := recording(t, nil)
	if _, err := s.Write(whole); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		piece piece
		flush bool
		want  []int64
	}{
		{piece{0, 0, at(1000, 1050, 1099)}, false, nil},
		{piece{1, 0, at(1010, 1120)}, false, []int64{1000, 1010}},
		{piece{0, 4, at(1170)}, false, []int64{1050}},
		{piece{1, 0, nil}, true, []int64{1099, 1120, 1170}},
		{piece{1, 0, at(1130, 1200)}, false, nil},
		{piece{0, 0, at(1300)}, false, []int64{1130, 1200}},
		{piece{1, 0, at(1150, 1290)}, false, []int64{1150}},
		{piece{}, true, []int64{1290, 1300}},
	} {
		got = nil
		more := recording(t, nil, c.piece)[len(whole):]
		if _, err := s.Write(more); err != nil {
			t.Fatal(err)
		}
		if c.flush {
			s.Flush()
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("after %v: %v, want %v", c.piece, got, c.want)
		}
	}
	if n := s.Trace().TotalLost(); n != 4 {
		t.Errorf("%d lost", n)
	}
}

// TestStreamBroken writes what is no recording; the error stays.
func TestStreamBroken(t *testing.T) {
	good := recording(t, nil)
	for _, c := range []struct {
		name, bytes, want string
	}{
		{"another file", "sched9 recall", "no recording"},
		{"a chunk too long", string(good) + "r\xff\xff\xff\xff", "impossible length"},
		{"half a record", string(good) + "r\x11\x00\x00\x00" + strings.Repeat("\x00", 17), "not whole"},
		{"M 200", string(good) + "r\x10\x00\x00\x00\xc8" + strings.Repeat("\x00", 15), "records of M 200"},
		{"a legend that is none", string(good) + "l\x01\x00\x00\x00x", "broken"},
	} {
		s := NewStream(0, func([]Event) { t.Errorf("%s: an event", c.name) })
		_, err := s.Write([]byte(c.bytes))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, again := s.Write([]byte("x")); again != err {
			t.Errorf("%s: then %v", c.name, again)
		}
	}
}

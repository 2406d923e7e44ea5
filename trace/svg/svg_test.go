package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// step is an event of the story.
type step struct {
	At   int64
	M, P int
	Kind record.Event
	G    uint64
	Arg  uint64
	Aux  uint64
}

// story is a run of two goroutines: the first makes the second on P 0, P 1 steals it, and its end wakes the first.
func story(t *testing.T) *trace.View {
	wait := uint64(1) << record.ReasonShift
	r := tracetest.Of(t, trace.Meta{Program: "story", SMP: 2}, 1000, []step{
		{0, 0, 0, record.EvAcquire, 0, 0, 0},
		{1, 0, 0, record.EvCreate, 1, 0, 0},
		{2, 0, 0, record.EvPutNext, 1, 0, 0},
		{3, 0, 0, record.EvStart, 1, uint64(record.FromNext), 0},
		{10, 0, 0, record.EvCreate, 2, 0, 0},
		{11, 0, 0, record.EvPutNext, 2, 0, 0},
		{20, 1, 1, record.EvAcquire, 0, 0, 0},
		{21, 1, 1, record.EvSpin, 0, 1, 0},
		{30, 1, 1, record.EvSteal, 2, 0, 1 << 8},
		{31, 1, 1, record.EvUnspin, 0, 0, 0},
		{32, 1, 1, record.EvStart, 2, uint64(record.FromSteal), 0},
		{40, 0, 0, record.EvBlock, 1, wait, 0},
		{60, 1, 1, record.EvUnblock, 1, 0, 0},
		{61, 1, 1, record.EvPutNext, 1, 0, 0},
		{70, 1, 1, record.EvExit, 2, 0, 0},
		{71, 1, 1, record.EvStart, 1, uint64(record.FromNext), 0},
		{90, 1, 1, record.EvExit, 1, 0, 0},
	})
	return r.Trace(trace.Legend{Reasons: []string{"", "chan receive"}}, &trace.End{}).View()
}

// draw draws the story.
func draw(t *testing.T, p Picture) string {
	t.Helper()
	var b bytes.Buffer
	if err := Draw(&b, story(t), p); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
	}
	return b.String()
}

// TestDraw: each kind of row shows what the recording says, at its place, and a picture repeats.
func TestDraw(t *testing.T) {
	all := Picture{From: 0, To: 100_000, Marks: []record.Event{record.EvSteal}}
	for _, c := range []struct {
		lanes Lanes
		want  []string
	}{
		// From left to the right edge are 842 units: 100 us.
		{Ps, []string{">P0<", ">P1<", `x="379.4" y="58" width="320.0"`, "<title>G2 on M1</title>", "<title>owned by M1</title>", ">Steal<", "up to 1<", "url(#tip)"}},
		{Ms, []string{">M0<", ">M1<", "<title>G2 with P1</title>", "<title>spinning</title>", ">Steal<"}},
		{Gs, []string{">G1<", ">G2<", "<title>ready for 22.0us</title>", "<title>on M1 with P1, for 38.0us</title>", "url(#tip)"}},
	} {
		p := all
		p.Lanes = c.lanes
		got := draw(t, p)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("rows of %s: %q is missing in\n%s", c.lanes, want, got)
			}
		}
		if again := draw(t, p); again != got {
			t.Errorf("rows of %s: drawn twice, the picture differs", c.lanes)
		}
	}
}

// TestDrawPart: what is outside of the stretch of time, or of the kinds that are wanted, is not drawn.
func TestDrawPart(t *testing.T) {
	if got := draw(t, Picture{Lanes: Ps, From: 0, To: 25_000}); strings.Contains(got, "<title>G2") {
		t.Errorf("G2 runs later:\n%s", got)
	}
	var b bytes.Buffer
	for _, p := range []Picture{
		{Lanes: Ps, From: 5, To: 5},
		{Lanes: "Q", From: 0, To: 100},
		{Lanes: Gs, From: 0, To: 100_000, Kinds: []string{"main.nobody"}},
		{Lanes: Ps, From: 200_000, To: 300_000},
	} {
		if err := Draw(&b, story(t), p); err == nil || b.Len() > 0 {
			t.Errorf("%+v: drawn, error %v", p, err)
		}
	}
}

package page

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Moments that are marked stand in the panel, in two columns and in order, and at the axis; each leads to the runs before and behind it.
func TestMarks(t *testing.T) {
	v := view(t, story())
	first, second := v.Runs[1], v.Runs[3]
	b := newBrowser(t, 1280, 800)
	b.open(v,
		Mark{At: second.Start, From: 77, To: second.G, Left: "G77 <b>ends</b>", Right: "G3 begins"},
		Mark{At: first.Start, From: 1, To: first.G, Left: "G1 is stopped at a.go:7", Right: "G2 begins", Forced: true, Moved: true})
	got := b.text("explain")
	one, two := strings.Index(got, "G1 is stopped at a.go:7"), strings.Index(got, "G77 <b>ends</b>")
	if !strings.Contains(got, "Moments") || one < 0 || two < one {
		t.Errorf("the panel says %q", got)
	}
	if n := js[int](b, "sched9.counts().drawn.marks"); n != 2 {
		t.Errorf("%d marks are drawn", n)
	}
	js[bool](b, "(sched9.zoom(0, 6e5), true)") // so that their flags are apart
	at := js[[]float64](b, "sched9.flag(0)")
	b.do(chromedp.MouseClickXY(at[0], at[1]))
	got = b.text("explain")
	for _, want := range []string{"G1 is stopped at a.go:7", "moment 1 of 2", "G2 begins", "a preemption"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	run := js[int](b, "([...document.querySelectorAll('#explain .step')].find((x) => x.textContent === 'the run that began').click(), sched9.chosen().id)")
	if run != 1 {
		t.Errorf("the first mark leads to run %d", run)
	}
	b.keys(kb.Escape)
	if got := js[bool](b, "(sched9.choose({kind: 'mark', id: 1}), [...document.querySelectorAll('#explain .step')].find((x) => x.textContent === 'the run that ended').disabled)"); !got {
		t.Error("a goroutine that was not recorded has a run")
	}
	b.quiet()
}

package page

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// hang is a run that is ended by its time limit: G2 and G3 wait for a lock each, G1
// sleeps and wakes.
func hang(t *testing.T) *trace.View {
	const sleep, lock = 1 << record.ReasonShift, 2 << record.ReasonShift
	steps := []step{{0, 0, 0, record.EvAcquire, 0, 0, 0}}
	for g := uint64(1); g <= 3; g++ {
		steps = append(steps, step{int64(g), 0, 0, record.EvCreate, g, pc(storyWorker), 0})
	}
	steps = append(steps,
		step{10, 0, 0, record.EvStart, 2, 0, 0},
		step{11, 0, 0, record.EvBlock, 2, lock | 0x100, back(storyWorker)},
		step{12, 0, 0, record.EvStart, 3, 0, 0},
		step{13, 0, 0, record.EvBlock, 3, lock | 0x200, back(storySleeper)})
	for at := int64(20); at < 543_000; at += 1000 {
		steps = append(steps,
			step{at, 0, 0, record.EvStart, 1, 0, 0},
			step{at + 1, 0, 0, record.EvBlock, 1, sleep, back(storyMain)},
			step{at + 900, 0, 0, record.EvUnblock, 1, 0, 0})
	}
	r := tracetest.Of(t, trace.Meta{Program: "hang", SMP: 1}, 1000, append(steps, step{543_011, 0, 0, record.EvEnd, 0, 124, 0}))
	l := trace.Legend{Reasons: []string{"", "sleep", "sync.Mutex.Lock"}}
	return r.Trace(tracetest.Named(t, l), &trace.End{Status: 124, Why: "the guest did not end within 1s"}).View()
}

// The page of a hang says first who waits for what since when, and leads there.
func TestVerdict(t *testing.T) {
	b := newBrowser(t, 1280, 800)
	b.open(hang(t))
	got := b.text("explain")
	for _, want := range []string{
		"The run did not end by itself: the guest did not end within 1s. Of 3 goroutines of the program 2 wait, the longest for 543ms",
		"storyWorker G2: waiting (sync.Mutex.Lock) for 543 ms at sched9/trace/page.storyWorker story_test.go:",
		"storyWorker G3: waiting (sync.Mutex.Lock) for 543 ms at sched9/trace/page.storySleeper story_test.go:",
		"wait for 2 different locks, which were never released to a waiter so far",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if strings.Contains(got, "each other") {
		t.Errorf("it claims to know who holds the locks: %q", got)
	}
	b.click(".verdict .link")
	if got := b.text("explain"); !strings.Contains(got, "storyWorker G2") || !strings.Contains(got, "It did not end") {
		t.Errorf("the first goroutine's name leads to %q", got)
	}
	b.keys(kb.Escape)
	if got := b.text("explain"); !strings.Contains(got, "The run did not end by itself") {
		t.Errorf("Escape leads to %q, and not back", got)
	}
	b.quiet()

	v := view(t, story())
	v.Trace.Slice = 1_500_000
	b.open(v)
	if got := js[string](b, "(sched9.choose({kind: 'run', id: 3}), document.getElementById('explain').innerText)"); !strings.Contains(got, "Its slice of 1.50 ms was used up.") {
		t.Errorf("a slice of 1.5 ms that is used up is %q", got)
	}
	b.open(view(t, story()))
	if got := b.text("explain"); !strings.HasPrefix(got, "The program ended by itself") {
		t.Errorf("of a run that ended it says %q", got)
	}
	b.quiet()
}

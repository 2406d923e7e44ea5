package live

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"sched9/record"
	"sched9/trace"
)

// TestRates: what happened in the last second, per second of the guest's time.
func TestRates(t *testing.T) {
	f := newFeed()
	rates := func() string { return strings.TrimPrefix(f.line(f.newest, "a second: "), "a second: ") }
	if got := rates(); got != "dispatches 0, steals 0, wakes 0, preemptions 0, parks 0, retakes 0, IPIs 0, collections 0" {
		t.Error(got)
	}
	f.boots(1000*ms, 0, 0)
	some := func(at int64, n int) { // each of them, and a tick at its end
		for range n {
			f.starts(at, 0, 0, 1)
			f.at(at, 0, 0, record.EvPreempt, 1, 0, 0)
			f.at(at, 0, 0, record.EvSteal, 0, 0, 1|1<<8)
			f.at(at, 0, 0, record.EvWakeM, 0, 1, 1)
			f.at(at, 0, 0, record.EvPark, 0, 0, 0)
			f.at(at, 0, 0, record.EvRetake, 0, 1|1<<8, 0)
			f.at(at, 0, 0, record.EvSendIPI, 0, 1, 1)
			f.at(at, 0, 0, record.EvPhase, 0, 1, 0)
			f.at(at, 0, 0, record.EvPhase, 0, 2, 0)
			f.at(at, 0, 0, record.EvPhase, 0, 0, 0)
		}
		f.at(at, 0, 0, record.EvTick, 0, 0, 0)
	}
	each := func(s string) string {
		return fmt.Sprintf("dispatches %[1]s, steals %[1]s, wakes %[1]s, preemptions %[1]s, parks %[1]s, retakes %[1]s, IPIs %[1]s, collections %[1]s", s)
	}
	for _, c := range []struct {
		at   int64 // of both clocks
		n    int
		want string
	}{
		{1500 * ms, 5, "10"},  // the first sample: since the start
		{2000 * ms, 10, "15"}, // 15 in a second
		{2500 * ms, 1, "11"},
		{3000 * ms, 3, "4.0"}, // the last second only
		{3001 * ms, 0, "4.0"},
		{9000 * ms, 0, "0"}, // nothing since 3001ms, which is the sample before
	} {
		some(c.at, c.n)
		f.sample(c.at)
		if got := rates(); got != each(c.want) {
			t.Errorf("at %dms: %s, want %s", c.at/ms, got, c.want)
		}
	}
	if got := f.line(f.newest, "P0"); !strings.HasSuffix(got, "  0") {
		t.Error(got)
	}
	// A guest that hangs: its clock stands still, and the host's goes on.
	f.sample(12000 * ms)
	if got := rates(); got != each("0") {
		t.Errorf("in silence: %s", got)
	}
	// After the end it is the whole run: 19 in 8 seconds.
	f.tr.Whole = true
	f.sample(13000 * ms)
	if got := rates(); got != each("2.4") {
		t.Errorf("after the end: %s", got)
	}
	if got := f.line(f.newest, "P0"); !strings.HasSuffix(got, "  2.4") {
		t.Error(got)
	}
}

// TestDrops: what the network drops stands on the page from then on, in sum.
func TestDrops(t *testing.T) {
	f := newFeed()
	f.boots(0, 0, 0)
	const title = "the network has dropped packets: "
	if lines := f.page(0, Options{}); slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, title) }) {
		t.Errorf("nothing was dropped: %q", lines)
	}
	f.at(1*ms, 0, 0, record.EvDrop, 0, 64, uint64(record.DropSocket))
	f.at(2*ms, 0, 0, record.EvDrop, 0, 1, uint64(record.DropSend))
	f.at(3*ms, 0, 0, record.EvDrop, 0, 1000, uint64(record.DropSocket))
	f.at(3*ms, 0, 0, record.EvDrop, 0, 1000, uint64(record.NumDrops)) // makes no sense
	if got := f.line(3*ms, title); got != title+"send 1, socket 1,064" {
		t.Error(got)
	}
}

// TestHot lists what runs most, as goroutines and by function.
func TestHot(t *testing.T) {
	f := newFeed()
	for i := range 3 {
		f.boots(0, i, i)
		f.starts(0, i, i, uint64(i+1))
	}
	f.event(trace.Event{Time: 0, M: 0, P: 0, Kind: record.EvCreate, G: 9, Arg: pcGo, Stack: 2})
	f.at(10*ms, 2, 2, record.EvBlock, 3, 1<<record.ReasonShift, 0)
	f.at(20*ms, 1, 1, record.EvExit, 2, 0, 0)
	f.at(100*ms, 0, 0, record.EvTick, 1, 0, pcSpin+4)
	f.at(100*ms, 2, 2, record.EvStart, 9, 0, 0)
	f.at(130*ms, 2, 2, record.EvTick, 9, 0, pcGo+1)
	f.at(200*ms, 0, 0, record.EvTick, 1, 0, pcSpin+5)
	f.sample(200 * ms)
	below := func(title string, kinds bool) []string {
		lines := f.page(200*ms, Options{Kinds: kinds})
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "   CPU") })
		return lines[i+1 : slices.Index(lines, "console")]
	}
	for _, c := range []struct {
		kinds bool
		want  []string
	}{
		{false, []string{
			"  100%    200ms          1  running   main.spin G1, last at main.spin loop.go:5",
			"   15%   30.0ms          1  running   WaitGroup.Go of main.spin G9, last at sync.(*WaitGroup).Go.func1 loop.go:1",
			"  5.0%   10.0ms          1  waiting   main.spin G3, sleep for 190ms, last at main.main loop.go:7",
		}},
		{true, []string{
			"  115%    230ms          3       2  main.spin",
			"   15%   30.0ms          1       1  WaitGroup.Go of main.spin",
		}},
	} {
		if got := below("", c.kinds); !slices.Equal(got, c.want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestPrune: a sample of very many goroutines keeps those that ran most.
func TestPrune(t *testing.T) {
	ran := map[uint64]int64{}
	for i := range uint64(1000) {
		ran[i] = int64(i)
	}
	prune(ran)
	if len(ran) != keep || ran[999] == 0 || ran[1000-keep] == 0 {
		t.Errorf("%d are left: %v", len(ran), ran)
	}
	for i := range uint64(1000) {
		ran[i] = 1
	}
	if prune(ran); len(ran) < keep {
		t.Errorf("of equal ones %d are left", len(ran))
	}
}

// TestWarnings: silence is told, with where the guest was, and so is a world
// that does not stop.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name string
		feed func(f feed)
		wait int64 // of the host's, behind the last event
		want []string
	}{
		{"a hang", func(f feed) {
			f.boots(ms, 0, 0)
			f.boots(ms, 1, 1)
			f.starts(2*ms, 0, 0, 17)
			f.at(3*ms, 1, noP, record.EvHalt, 0, 0, 0)
			f.at(4*ms, 0, 0, record.EvTick, 17, 0, pcSpin+12)
		}, 3200 * ms, []string{"no event for 3.20s (host); M0 was last seen in main.spin G17 at main.spin loop.go:12"}},
		{"no hang yet", func(f feed) { f.starts(2*ms, 0, 0, 17) }, 999 * ms, nil},
		{"a hang in the scheduler", func(f feed) {
			f.boots(ms, 0, 0)
			f.boots(ms, 1, 1)
			f.at(ms, 1, 1, record.EvSpin, 0, 1, 0)
		}, 1000 * ms, []string{"no event for 1.00s (host); M0 was last seen scheduling; M1 was last seen spinning"}},
		{"a hang of many", func(f feed) {
			for i := range 6 {
				f.boots(ms, i, i)
			}
		}, 1000 * ms, []string{"no event for 1.00s (host); M0 was last seen scheduling; M1 was last seen scheduling; " +
			"M2 was last seen scheduling; M3 was last seen scheduling; 2 Ms more are awake"}},
		{"all asleep", func(f feed) {
			f.at(ms, 0, noP, record.EvHalt, 0, 0, 0)
			f.at(ms, 1, noP, record.EvHalt, 0, 5000*ms, 0)
		}, 2000 * ms, []string{"no event for 2.00s (host); every M sleeps, one until 5.00s (guest)"}},
		{"all asleep for ever", func(f feed) { f.at(ms, 0, noP, record.EvHalt, 0, 0, 0) },
			2000 * ms, []string{"no event for 2.00s (host); every M sleeps until it is interrupted"}},
		{"nothing", func(f feed) {}, 5000 * ms, nil},
		{"the end", func(f feed) { f.starts(ms, 0, 0, 1); f.tr.Whole = true }, 5000 * ms, nil},
		{"a world that does not stop", func(f feed) {
			f.starts(ms, 0, 0, 1)
			f.starts(ms, 1, 1, 2)
			f.at(2*ms, 0, 0, record.EvStop, 0, 1, 0)
			f.at(3*ms, 0, 0, record.EvBlock, 1, 0, 0)
			f.at(102*ms, 1, 1, record.EvTick, 2, 0, pcSpin+9)
		}, 0, []string{"the world is to stop since 100ms (GC); M1 runs main.spin G2 at main.spin loop.go:9"}},
		{"a world that stopped", func(f feed) {
			f.at(2*ms, 0, 0, record.EvStop, 0, 1, 0)
			f.at(3*ms, 0, 0, record.EvStopped, 0, 0, 0)
			f.at(300*ms, 0, 0, record.EvTick, 0, 0, 0)
		}, 0, nil},
		{"a world that went on", func(f feed) {
			f.at(2*ms, 0, 0, record.EvStop, 0, 1, 0)
			f.at(3*ms, 0, 0, record.EvGo, 0, 0, 0)
			f.at(300*ms, 0, 0, record.EvTick, 0, 0, 0)
		}, 0, nil},
	} {
		f := newFeed()
		c.feed(f)
		if got := f.Warnings(epoch.Add(time.Duration(f.newest + c.wait))); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
}

// TestLongWarning: a warning that is longer than a line has more of them.
func TestLongWarning(t *testing.T) {
	f := newFeed()
	f.boots(ms, 0, 0)
	f.boots(ms, 1, 1)
	got := f.page(1001*ms, Options{Width: 80})[1:4]
	want := []string{"no event for 1.00s (host)", "  M0 was last seen scheduling", "  M1 was last seen scheduling"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWorld follows the world's line.
func TestWorld(t *testing.T) {
	f := newFeed()
	for _, c := range []struct {
		e    record.Event
		arg  uint64
		want string
	}{
		{record.EvStopped, 0, "the world goes on; the collector is off"}, // at boot nobody wants it
		{record.EvPhase, 1, "the world goes on; the collector marks, since 0"},
		{record.EvStop, 1, "the world is to stop: GC, since 0; the collector marks, since 1.00ms"},
		{record.EvStopped, 0, "the world stands still: GC, since 1.00ms; the collector marks, since 2.00ms"},
		{record.EvPhase, 2, "the world stands still: GC, since 2.00ms; the collector ends its marking, since 0"},
		{record.EvPhase, 0, "the world stands still: GC, since 3.00ms; the collector is off"},
		{record.EvGo, 0, "the world goes on; the collector is off"},
		{record.EvPhase, math.MaxUint64, "the world goes on; the collector is off"},
	} {
		f.at(f.newest+ms, 0, 0, c.e, 0, c.arg, 0)
		if got := f.line(f.newest, "the world "); got != c.want {
			t.Errorf("after %v: %s, want %s", c.e, got, c.want)
		}
	}
}

// TestHead follows the first line.
func TestHead(t *testing.T) {
	f := newFeed()
	head := func() string { return f.page(f.newest, Options{})[0] }
	meta := f.tr.Meta
	f.tr.Meta = trace.Meta{}
	if got, want := head(), "nothing has come of the run yet"; got != want {
		t.Errorf("%s", got)
	}
	f.tr.Meta = meta
	if got, want := head(), "loop go1.26 amd64 q35, 2 vCPUs  guest 0  0 events, 0/s, none lost  has told nothing yet"; got != want {
		t.Errorf("%s", got)
	}
	f.boots(0, 0, 0)
	f.starts(500*ms, 0, 0, 1)
	f.tr.Lost = []uint64{1, 2000}
	f.sample(500 * ms)
	if got, want := head(), "loop go1.26 amd64 q35, 2 vCPUs  guest 500ms  4 events, 8.0/s, 2,001 LOST  runs"; got != want {
		t.Errorf("%s", got)
	}
	f.tr.Whole, f.tr.Lost, f.tr.Status = true, nil, 7
	if got, want := head(), "loop go1.26 amd64 q35, 2 vCPUs  guest 500ms  4 events, 8.0/s, none lost  ended with status 7"; got != want {
		t.Errorf("%s", got)
	}
	f.tr.Why, f.tr.SMP = "the guest is lost", 1
	if got, want := head(), "loop go1.26 amd64 q35, 1 vCPU  guest 500ms  4 events, 8.0/s, none lost  ended with status 7: the guest is lost"; got != want {
		t.Errorf("%s", got)
	}
}

// TestSize: a page has the size that is asked for, whatever there is to tell, and
// says what it left out.
func TestSize(t *testing.T) {
	f := newFeed()
	for i := range record.MaxProcs {
		f.boots(0, i, i)
		f.starts(0, i, i, uint64(i+1))
		f.at(ms, i, i, record.EvTick, uint64(i+1), 0, pcSpin)
	}
	f.sample(ms)
	var console []string
	for i := range 100 {
		console = append(console, fmt.Sprint("line ", i))
	}
	for height := 1; height < 200; height++ {
		for _, width := range []int{1, 40, 80} {
			lines := f.page(5000*ms, Options{Width: width, Height: height, Console: console})
			if len(lines) > height || height >= 20 && len(lines) < height {
				t.Fatalf("%d lines of %d", len(lines), height)
			}
			for _, l := range lines {
				if n := len([]rune(l)); n > width {
					t.Fatalf("a line of %d at a width of %d: %s", n, width, l)
				}
			}
			if height >= 20 && width == 80 {
				if lines[len(lines)-1] != "line 99" {
					t.Errorf("height %d: the console's end is missing:\n%s", height, strings.Join(lines, "\n"))
				}
			}
		}
	}
	text := strings.Join(f.page(0, Options{Width: 80, Height: 40}), "\n")
	for _, want := range []string{"and 53 Ms more", "and 52 Ps more"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestStyles: the colours mark the important lines.
func TestStyles(t *testing.T) {
	f := newFeed()
	f.boots(0, 0, 0)
	f.at(0, 1, noP, record.EvHalt, 0, 0, 0)
	got := map[string]Style{}
	for _, l := range f.Page(Options{Now: epoch.Add(time.Minute)}) {
		word, _, _ := strings.Cut(l.Text, " ")
		got[word] = l.Style
	}
	for word, want := range map[string]Style{"loop": Title, "no": Warning, "M0": Plain, "M1": Faint, "P0": Plain, "goroutines:": Plain, "console": Title} {
		if s, ok := got[word]; !ok || s != want {
			t.Errorf("the line that begins with %q has style %d, want %d", word, s, want)
		}
	}
}

package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sched9/record"
)

// counts is what window.sched9.counts tells.
type counts struct {
	Ms, Ps, Gs, Runs, Wakes, Events, Listed, EventsListed, Rows int
	Drawn                                                       struct {
		Lanes, Curves, Runs, Labels, States, Bins, Chosen, Arrows, Bands, Lives, Pieces, Whys int
	}
}

// TestPage uses a page as a person does, in a real browser.
func TestPage(t *testing.T) {
	b := newBrowser(t, 1280, 800)
	v := view(t, story())
	b.open(v)
	// in runs a test on the tab, from the whole recording on.
	in := func(name string, f func(t *testing.T, b *browser)) {
		t.Run(name, func(t *testing.T) {
			mine := b
			old := mine.T
			mine.T = t
			defer func() { mine.T = old }()
			js[bool](mine, "(sched9.choose(null, false), sched9.all(), true)")
			f(t, mine)
			mine.quiet()
		})
	}

	in("there", func(t *testing.T, b *browser) {
		c := js[counts](b, "sched9.counts()")
		if c.Ms != 2 || c.Ps != 2 || c.Gs != 4 || c.Runs != 9 || c.Wakes != len(v.Wakes) || c.Events != len(v.Trace.Events) {
			t.Errorf("there are %+v", c)
		}
		if d := c.Drawn; d.Lanes != 4 || d.Curves != 3 || d.Runs < 15 || d.States < 3 || d.Arrows < 3 || d.Bands != 3 {
			t.Errorf("drawn are %+v", d)
		}
		list := b.text("gs")
		for _, g := range v.Gs {
			if !strings.Contains(list, strings.TrimPrefix(g.Name(), "sched9/trace/")) {
				t.Errorf("%s is not in the list: %q", g.Name(), list)
			}
		}
		if head := b.text("facts"); !strings.Contains(head, "2 vCPUs · 2 Ps · go1.26") {
			t.Errorf("the head says %q", head)
		}
		if got := js[[]string](b, "sched9.words"); !slices.Equal(sorted(got), sorted(words)) {
			t.Errorf("the page knows the words %v, the notes may use %v", sorted(got), sorted(words))
		}
	})

	in("numbers", func(t *testing.T, b *browser) {
		type times struct{ Running, Ready, Waiting []float64 }
		made, recorded := js[times](b, "sched9.statistics()"), js[times](b, "sched9.recorded()")
		for i, g := range v.Gs {
			want := []float64{float64(g.Running), float64(g.Ready), float64(g.Waiting)}
			for _, got := range []times{made, recorded} {
				if have := []float64{got.Running[i], got.Ready[i], got.Waiting[i]}; !slices.Equal(have, want) {
					t.Errorf("%s has the times %v, want %v", g.Name(), have, want)
				}
			}
		}
		// In a range that lies within a run of G3 on M0, and of G1 on M1.
		part := js[struct {
			Running []float64
			Ms      []struct{ Running float64 }
		}](b, "sched9.statistics(7e6, 9e6)")
		if !slices.Equal(part.Running, []float64{2e6, 0, 2e6, 0}) || part.Ms[0].Running != 1 || part.Ms[1].Running != 1 {
			t.Errorf("of 7 ms to 9 ms: %+v", part)
		}
	})

	in("zoom", func(t *testing.T, b *browser) {
		rangeOf := func() (from, to float64) {
			r := js[[]float64](b, "sched9.range()")
			return r[0], r[1]
		}
		p := where(b, 5, "m")
		length := float64(v.End - v.Start)
		a0, b0 := rangeOf()
		if a0 > 0 || b0 < length {
			t.Errorf("at first %v to %v of %v is in view", a0, b0, length)
		}
		b.mouse(chromedp.MouseWheel, p[0], p[1], func(m *input.DispatchMouseEventParams) { m.DeltaX, m.DeltaY = 1, -300 })
		a1, b1 := rangeOf()
		if b1-a1 >= (b0-a0)*0.9 || a1 < a0 || b1 > b0 {
			t.Errorf("the wheel made %v..%v of %v..%v", a1, b1, a0, b0)
		}
		if q := where(b, 5, "m"); math.Abs(p[0]-q[0]) > 1 {
			t.Errorf("what was under the pointer moved from %v to %v", p[0], q[0])
		}
		b.drag(p[0], p[1], p[0]-100, p[1])
		a2, b2 := rangeOf()
		if a2 <= a1 || math.Abs((b2-a2)-(b1-a1)) > 1 {
			t.Errorf("dragging made %v..%v of %v..%v", a2, b2, a1, b1)
		}
		b.keys(kb.ArrowLeft)
		a3, _ := rangeOf()
		if a3 >= a2 {
			t.Errorf("the left arrow moved from %v to %v", a2, a3)
		}
		b.keys("+")
		a4, b4 := rangeOf()
		b.keys("-")
		a5, b5 := rangeOf()
		if b4-a4 >= b2-a2 || math.Abs((b5-a5)-(b2-a2)) > 1 {
			t.Errorf("+ and - made %v and %v of %v", b4-a4, b5-a5, b2-a2)
		}
		b.click("#minimap")
		if a, z := rangeOf(); math.Abs((a+z)/2-length/2) > length/500 {
			t.Errorf("a click in the minimap's middle shows %v..%v", a, z)
		}
		js[string](b, `location.hash = "#20000-30000"`)
		if !b.until("Math.round(sched9.range()[0]) == 20000") {
			t.Errorf("a link to 20000..30000 shows %v", js[[]float64](b, "sched9.range()"))
		}
		if a, z := rangeOf(); math.Abs(a-20_000) > 1 || math.Abs(z-30_000) > 1 {
			t.Errorf("a link to 20000..30000 shows %v..%v", a, z)
		}
		b.keys("0")
		if a, z := rangeOf(); a != a0 || z != b0 {
			t.Errorf("0 shows %v..%v, not all", a, z)
		}
	})

	in("explained", func(t *testing.T, b *browser) {
		for _, tc := range []struct {
			run  int
			want []string
		}{
			{0, []string{"storyMain G1", "run 1 of 3", "It was found in runnext", "waits: chan receive", "R11", "G4", "story_test.go:"}},
			{1, []string{"storyWorker G2", "storyMain G1 made", "It ran 130 µs later", "It was stolen from P0: a thief takes half of the ring, rounded up, and got 1 G.", "R10", "ended"}},
			{2, []string{"storySleeper G4", "goes on in the time slice", "waits: sleep"}},
			{3, []string{"head of the P's own ring", "was preempted", "Its slice of 10 ms was used up.", "made it call the preempt path there", "S2", "U5", "A2", "storyWorker"}},
			{4, []string{"storyWorker G2 made", "It was found in runnext: ", "left the CPU by itself", "U4"}},
			{5, []string{"It stayed runnable when it left the CPU 20.0 µs before", "because the P's own queue was empty", "The world was to be stopped.", "its stack guard", "P4", "A1"}},
			{6, []string{"on the 61st tick", "R8"}},
			{8, []string{"A timer, an interrupt or the scheduler made", "no goroutine ran on M0 then", "ended"}},
		} {
			js[bool](b, fmt.Sprintf("(sched9.choose(null, false), sched9.choose({kind: 'run', id: %d}), sched9.choose(null, false), true)", tc.run))
			p := where(b, tc.run, "m")
			b.do(chromedp.MouseClickXY(p[0], p[1]))
			got := b.text("explain")
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("run %d: %q is not in %q", tc.run, want, got)
				}
			}
			if p = where(b, tc.run, "p"); tc.run%2 == 1 {
				b.keys(kb.Escape)
				b.do(chromedp.MouseClickXY(p[0], p[1]))
				if again := b.text("explain"); again != got {
					t.Errorf("on its P's lane run %d is %q, and %q on its M's", tc.run, again, got)
				}
			}
		}
	})

	in("hover", func(t *testing.T, b *browser) {
		p := where(b, 3, "m")
		b.mouse(chromedp.MouseMoved, p[0], p[1])
		if tip := b.text("tip"); !strings.Contains(tip, "storyWorker G3") || !strings.Contains(tip, "Its slice of 10 ms was used up") {
			t.Errorf("the words at the pointer are %q", tip)
		}
		if got := b.text("explain"); !strings.Contains(got, "What is what") {
			t.Errorf("pointing already chose: %q", got)
		}
	})

	in("rules", func(t *testing.T, b *browser) {
		js[bool](b, "(sched9.choose({kind: 'run', id: 1}), true)")
		js[bool](b, "([...document.querySelectorAll('.chip')].find(c => c.textContent === 'R10').click(), true)")
		if got := b.text("explain"); !strings.Contains(got, "R10: "+contract["R10"]) {
			t.Errorf("the rule does not open: %q", got)
		}
	})

	in("links", func(t *testing.T, b *browser) {
		chosen := func() int { return js[int](b, "sched9.chosen().id") }
		press := func(text string) {
			js[bool](b, fmt.Sprintf("([...document.querySelectorAll('.step')].find(c => c.textContent.includes(%q)).click(), true)", text))
		}
		js[bool](b, "(sched9.choose({kind: 'run', id: 1}), true)")
		press("waker")
		if chosen() != 0 {
			t.Errorf("the waker of run 1 is run %d", chosen())
		}
		press("next run")
		if chosen() != 4 {
			t.Errorf("after run 0 comes run %d of the same goroutine", chosen())
		}
		press("run before")
		press("woken")
		if chosen() != 1 {
			t.Errorf("run 0 woke run %d first", chosen())
		}
		b.keys("p")
		if chosen() != 1 {
			t.Errorf("before its first run is run %d", chosen())
		}
	})

	in("search", func(t *testing.T, b *browser) {
		b.press("/")
		b.keys("worker")
		if n := js[counts](b, "sched9.counts()").Listed; n != 2 {
			t.Errorf("%d goroutines have worker in their names", n)
		}
		if list := b.text("gs"); strings.Contains(list, "storySleeper") || !strings.Contains(list, "storyWorker G3") {
			t.Errorf("the list shows %q", list)
		}
		b.keys(kb.Enter)
		if got := b.text("explain"); !strings.Contains(got, "storyWorker G2") {
			t.Errorf("Enter chose %q", got)
		}
		if d := js[counts](b, "sched9.counts()").Drawn; d.Lanes != 4 {
			t.Errorf("drawn are %+v", d)
		}
		b.press("/")
		b.keys("g4")
		if n := js[counts](b, "sched9.counts()").Listed; n != 1 {
			t.Errorf("%d goroutines have the number 4", n)
		}
		b.keys(kb.Escape)
		if n, text := js[counts](b, "sched9.counts()").Listed, js[string](b, "document.getElementById('search').value"); n != 4 || text != "" {
			t.Errorf("Escape in the search leaves %q there and %d goroutines", text, n)
		}
		b.press("/")
		b.keys("g4")
		js[bool](b, "(document.activeElement.blur(), true)")
		b.keys(kb.Escape)
		if n := js[counts](b, "sched9.counts()").Listed; n != 4 {
			t.Errorf("Escape beside the search leaves %d goroutines", n)
		}
		b.click("#face-report")
		b.click("#report input")
		b.keys("sleeper")
		list := func() string { return js[string](b, "document.querySelector('#report .rows').innerText") }
		if got := list(); strings.Contains(got, "storyWorker") {
			t.Errorf("the search in the statistics leaves %q", got)
		}
		b.keys(kb.Escape)
		if got := list(); !strings.Contains(got, "storyWorker") {
			t.Errorf("Escape leaves %q", got)
		}
		b.click("#face-timeline")
	})

	in("scales", func(t *testing.T, b *browser) {
		if got, want := js[[]int](b, "sched9.scales()"), []int{5, 2, 2}; !slices.Equal(got, want) {
			t.Errorf("the queues' rows are %v Gs high, want %v", got, want)
		}
	})

	in("events", func(t *testing.T, b *browser) {
		b.click("#tab-events")
		js[bool](b, "(sched9.zoom(185e3, 216e3), true)")
		if !b.until("sched9.counts().eventsListed === 6") {
			t.Fatalf("the list of events: %q", b.text("enote"))
		}
		list := strings.Join(strings.Fields(b.text("ebody")), " ")
		if want := "Steal M1 P1 1 G from P0"; !strings.Contains(list, want) {
			t.Errorf("%q is not in %q", want, list)
		}
		js[bool](b, "([...document.querySelectorAll('#ebody .row')].find(r => r.innerText.includes('Steal')).click(), true)")
		if got := b.text("explain"); !strings.Contains(got, "M1 steals 1 G from P0") {
			t.Errorf("the event is explained by %q", got)
		}
		b.click("#tab-gs")
	})

	in("marked", func(t *testing.T, b *browser) {
		from, to := where(b, 3, "m"), where(b, 7, "m")
		b.drag(from[0], from[1], to[0], to[1], func(p *input.DispatchMouseEventParams) { p.Modifiers = int64(chromedp.ModifierShift) })
		if got := b.text("explain"); !strings.Contains(got, "marked") || !strings.Contains(got, "Running goroutines: M0") {
			t.Errorf("the range is explained by %q", got)
		}
		b.keys("s")
		if got := b.text("report"); !strings.Contains(got, "The marked range, 8.") {
			t.Errorf("the statistics are about %q", strings.SplitN(got, "\n", 2)[0])
		}
		b.keys("s")
		b.keys(kb.Enter)
		if r := js[[]float64](b, "sched9.range()"); r[1]-r[0] > 9e6 {
			t.Errorf("Enter shows %v", r)
		}
		b.keys(kb.Escape)
	})

	in("statistics", func(t *testing.T, b *browser) {
		b.click("#face-report")
		got := b.text("report")
		for _, want := range []string{"The whole recording", "preemptions\n2", "steals\n1", "1 G stolen", "1 preempt", "Length of runs", "Lateness of timers", "90.0 µs", "storySleeper G4", "1 sleep", "1 chan receive"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in %q", want, got)
			}
		}
		if n := js[int](b, "document.querySelectorAll('#report svg').length"); n != 3 {
			t.Errorf("there are %d histograms", n)
		}
		first := func() string {
			return js[string](b, "[...document.querySelectorAll('#report .row:not([hidden])')].find(r => r.dataset.i === '0').innerText")
		}
		if !strings.Contains(first(), "storyMain G1") {
			t.Errorf("most of the time ran %q", first())
		}
		b.click("#report .heads .num:nth-child(5)")
		if !strings.Contains(first(), "storySleeper G4") {
			t.Errorf("for longest waited %q", first())
		}
		b.click("#report .heads .num:nth-child(5)")
		if strings.Contains(first(), "storySleeper G4") {
			t.Errorf("for shortest waited %q", first())
		}
		b.click("#face-timeline")
	})

	in("functions", func(t *testing.T, b *browser) {
		b.click("#face-report")
		b.click("#tab-functions")
		// shown are the cells of the rows that are shown.
		shown := func() (rows [][]string) {
			return js[[][]string](b, "[...document.querySelectorAll('#report .table:not([hidden]) .row:not([hidden])')].sort((a, b) => a.dataset.i - b.dataset.i).map(r => r.cells.map(c => c.innerText))")
		}
		got := shown()
		if len(got) != 3 || !slices.Equal(got[0], []string{"sched9/trace/page.storyWorker", "2", "4", "19.4 ms", "440 µs", "7.50 ms", "0 ns", "1"}) {
			t.Errorf("by function: %q", got)
		}
		b.click("#tab-waits")
		got = shown()
		if len(got) != 3 || !strings.HasPrefix(got[0][0], "sched9/trace/page.storySleeper story_test.go:") || !slices.Equal(got[0][1:], []string{"sleep", "1", "18.7 ms", "18.7 ms", "0"}) {
			t.Errorf("by place: %q", got)
		}
		if len(got) == 3 && (!strings.HasPrefix(got[1][0], "sched9/trace/page.storyWorker ") || !slices.Equal(got[1][1:], []string{"chan receive", "1", "7.50 ms", "7.50 ms", "1"})) {
			t.Errorf("by place: %q", got)
		}
		js[bool](b, "(document.querySelector('#report .table:not([hidden]) .row').click(), true)")
		if got := b.text("explain"); !strings.Contains(got, "storySleeper G4") || !strings.Contains(got, "Where it waits") {
			t.Errorf("the longest wait there is %q", got)
		}
		b.click("#face-report")
		b.click("#tab-functions")
		js[bool](b, "(document.querySelector('#report .table:not([hidden]) .row').click(), true)")
		if got := shown(); len(got) != 2 || !strings.Contains(got[0][0], "storyWorker G") || !strings.Contains(got[1][0], "storyWorker G") {
			t.Errorf("the goroutines of a function are %q", got)
		}
		b.click("#face-timeline")
		b.keys(kb.Escape)
	})

	in("dark", func(t *testing.T, b *browser) {
		const ground = "getComputedStyle(document.body).backgroundColor"
		light := js[string](b, ground)
		b.scheme("dark")
		if dark := js[string](b, ground); dark == light {
			t.Errorf("light and dark are both %s", dark)
		}
		if d := js[counts](b, "sched9.counts()").Drawn; d.Lanes != 4 {
			t.Errorf("drawn are %+v", d)
		}
		b.scheme("light")
	})

	in("help", func(t *testing.T, b *browser) {
		b.press("?")
		if got := b.text("help"); !strings.Contains(got, "zoom around the pointer") {
			t.Errorf("the help says %q", got)
		}
		b.keys(kb.Escape)
		if js[bool](b, "document.getElementById('help').open") {
			t.Error("the help stays open")
		}
	})
}

// where is the middle of a run on the screen, on its M's lane or its P's.
func where(b *browser, run int, lane string) []float64 {
	b.Helper()
	return js[[]float64](b, fmt.Sprintf("sched9.where(%d, %q)", run, lane))
}

// sorted is a sorted copy.
func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

// everything chooses each thing of a page and returns what is wrong with its
// words: that is, what is in braces or undefined, or very short.
const everything = `(() => {
  const bad = [], c = sched9.counts();
  const look = (kind, id, more) => {
    sched9.choose({kind, id, ...more}, false);
    const shown = document.getElementById("explain").cloneNode(true);
    shown.querySelectorAll(".stack").forEach((s) => s.remove()); // functions may have any name
    const text = shown.textContent;
    if (/\{\w+\}|undefined|NaN|null|Infinity/.test(text) || text.length < 30) bad.push(kind + " " + id + ": " + text);
  };
  for (let i = 0; i < c.runs; i++) look("run", i);
  for (let i = 0; i < c.wakes; i++) look("wake", i);
  for (let i = 0; i < c.events; i++) look("event", i);
  for (let i = 0; i < c.gs; i++) look("g", i);
  for (let i = 0; i < c.gs; i++) for (const [, a, b] of sched9.life(i).slice(0, 20)) look("state", i, {at: (a + b) / 2});
  for (let i = 0; i < c.spans; i++) look("span", i);
  for (let i = 0; i < c.stops; i++) look("stop", i);
  for (let i = 0; i < c.phases; i++) look("phase", i);
  for (let i = -1; i < c.ps; i++) look("queue", i, {at: 1000});
  for (let i = 0; i < c.ps; i++) look("free", i, {at: 1000});
  look("range", 0, {from: 100, to: 2000});
  document.getElementById("face-report").click();
  document.getElementById("face-timeline").click();
  document.getElementById("tab-events").click();
  return bad.slice(0, 10);
})()`

// Every event and all else has its words, whatever a recording says: in one
// with every event, in an empty one, and in ones that make no sense.
func TestEverything(t *testing.T) {
	b := newBrowser(t, 1280, 800)
	var all []step
	for e := record.EvNone + 1; e < record.NumEvents; e++ {
		all = append(all, step{At: int64(e), Kind: e, G: 1, Arg: 1, Aux: 1})
	}
	pages := [][]step{all, nil, story()}
	rnd := rand.New(rand.NewPCG(9, 9))
	for range 3 {
		var steps []step
		for i := range 400 {
			s := step{At: int64(i), M: rnd.IntN(3), P: rnd.IntN(4), Kind: record.Event(rnd.IntN(int(record.NumEvents) + 2)), G: rnd.Uint64N(6), Arg: rnd.Uint64() >> rnd.IntN(64), Aux: rnd.Uint64() >> rnd.IntN(64)}
			if s.P == 3 {
				s.P = no
			}
			steps = append(steps, s)
		}
		pages = append(pages, steps)
	}
	for i, steps := range pages {
		b.open(view(t, steps))
		for _, bad := range js[[]string](b, everything) {
			t.Errorf("page %d: %s", i, bad)
		}
		b.quiet()
	}
}

// Where there is more than pixels the page draws bins: as high as the share of
// the time in which somebody ran. Here that is a half; the M schedules in the
// rest.
func TestMany(t *testing.T) {
	b := newBrowser(t, 1280, 800)
	const rounds = 8000
	steps := []step{{0, 0, 0, record.EvAcquire, 0, 0, 0}}
	for i := range int64(rounds) {
		g, at := uint64(1+i%2), 10+i*2
		steps = append(steps,
			step{at, 0, 0, record.EvStart, g, uint64(record.FromNext), 0},
			step{at + 1, 0, 0, record.EvYield, g, 0, 0},
			step{at + 1, 0, 0, record.EvPutNext, g, 0, 0})
	}
	b.open(view(t, steps))
	c := js[counts](b, "sched9.counts()")
	if c.Runs != rounds || c.Drawn.Runs != 0 || c.Drawn.Bins < 700 {
		t.Errorf("of everything there are drawn %+v", c)
	}
	// at is the picture's colour some pixels below the middle of the M's row.
	at := func(below int) []int {
		return js[[]int](b, fmt.Sprintf(`(() => {
			const [x, y] = sched9.where(%d), canvas = document.getElementById("lanes"), box = canvas.getBoundingClientRect();
			return [...canvas.getContext("2d").getImageData(x - box.left, y - box.top + %d, 1, 1).data];
		})()`, rounds/2, below))
	}
	upper, lower := at(-5), at(5)
	if want := []int{0xa3, 0xad, 0xb9, 255}; !slices.Equal(upper, want) {
		t.Errorf("the upper half is %v, want the colour of scheduling, %v", upper, want)
	}
	if slices.Equal(upper, lower) {
		t.Errorf("the lower half is %v, as the upper one", lower)
	}
	js[bool](b, "(sched9.zoom(4e6, 4.1e6), true)")
	if c = js[counts](b, "sched9.counts()"); c.Drawn.Bins != 0 || c.Drawn.Runs < 90 {
		t.Errorf("of 100 µs there are drawn %+v", c.Drawn)
	}
	b.quiet()
}

package page

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sched9/record"
)

// piece is a piece of a goroutine's life, as the page tells of it; times are
// microseconds since the recording's start.
type piece struct {
	state    string
	from, to int
	why      string
}

// life is a goroutine's, by its number in the page.
func life(b *browser, g int) []piece {
	b.Helper()
	var all []piece
	for _, p := range js[[][]any](b, fmt.Sprintf("sched9.life(%d)", g)) {
		all = append(all, piece{p[0].(string), int(p[1].(float64) / 1e3), int(p[2].(float64) / 1e3), p[3].(string)})
	}
	return all
}

// A goroutine's row shows what it did from its making to its end.
func TestLives(t *testing.T) {
	b := newBrowser(t, 1280, 800)
	b.open(view(t, story()))
	for g, want := range [][]piece{
		{{"ready", 15, 20, ""}, {"running", 20, 290, ""}, {"waiting", 290, 5990, "chan receive"}, {"ready", 5990, 6100, ""}, {"running", 6100, 11990, ""}, {"ready", 11990, 12000, ""}, {"running", 12000, 20990, ""}},
		{{"ready", 90, 220, ""}, {"running", 220, 6090, ""}},
		{{"ready", 100, 350, ""}, {"running", 350, 10400, ""}, {"ready", 10400, 10420, ""}, {"running", 10420, 13010, ""}, {"ready", 13010, 13050, ""}, {"running", 13050, 13990, ""}, {"waiting", 13990, 21490, "chan receive"}},
		{{"ready", 105, 295, ""}, {"running", 295, 340, ""}, {"waiting", 340, 18991, "sleep"}, {"ready", 18991, 19040, ""}, {"running", 19040, 19990, ""}},
	} {
		if got := life(b, g); !reflect.DeepEqual(got, want) {
			t.Errorf("G%d lives %v, want %v", g+1, got, want)
		}
	}
	if d := js[counts](b, "sched9.counts()").Drawn; d.Lives != 4 || d.Pieces < 12 || d.Whys < 3 {
		t.Errorf("drawn are %+v", d)
	}
	click := func(g int, at float64) string {
		p := js[[]float64](b, fmt.Sprintf("sched9.lane(%d, %v)", g, at))
		b.do(chromedp.MouseClickXY(p[0], p[1]))
		return b.text("explain")
	}
	for _, tc := range []struct {
		g    int
		at   float64
		want []string
	}{
		{2, 18e6, []string{"storyWorker G3", "waiting", "chan receive", "7.50 ms, to the end", "Nobody made it ready", "Where it waits", "storyWorker"}},
		{3, 10e6, []string{"storySleeper G4", "waiting", "sleep", "18.7 ms", "A timer, an interrupt or the scheduler"}},
		{0, 9e6, []string{"storyMain G1", "run 2 of 3"}},
	} {
		got := click(tc.g, tc.at)
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("G%d at %v: %q is not in %q", tc.g+1, tc.at, want, got)
			}
		}
	}
	b.click("#show-gs")
	if d := js[counts](b, "sched9.counts()").Drawn; d.Lives != 0 || d.Lanes != 4 {
		t.Errorf("without goroutines are drawn %+v", d)
	}
	b.quiet()
}

// Of thousands of goroutines the page draws the rows that are in view, and comes to
// any by scrolling, by the list and by the search.
func TestThousands(t *testing.T) {
	const n = 5000
	b := newBrowser(t, 1280, 800)
	steps := []step{{0, 0, 0, record.EvAcquire, 0, 0, 0}}
	for g := uint64(1); g <= n; g++ {
		at := int64(10 * g)
		steps = append(steps,
			step{at, 0, 0, record.EvCreate, g, pc(storyWorker), 0},
			step{at + 1, 0, 0, record.EvPutNext, g, 0, 0},
			step{at + 2, 0, 0, record.EvStart, g, uint64(record.FromNext), 0},
			step{at + 4, 0, 0, record.EvBlock, g, 1 << record.ReasonShift, back(storyWorker)})
	}
	b.open(view(t, steps))
	rows := func() int { return js[counts](b, "sched9.counts()").Drawn.Lives }
	if got := rows(); got < 10 || got > 60 {
		t.Errorf("%d rows of goroutines are drawn", got)
	}
	lane := func(g int) bool { return js[bool](b, fmt.Sprintf("sched9.lane(%d, 0) !== null", g)) }
	if !lane(0) || lane(n-1) {
		t.Error("the first goroutine is out of view, or the last in view")
	}
	js[bool](b, fmt.Sprintf("(sched9.choose({kind: 'g', id: %d}), true)", n-1))
	if !lane(n-1) || lane(0) {
		t.Error("a goroutine that is chosen does not come into view")
	}
	if got := rows(); got < 10 || got > 60 {
		t.Errorf("%d rows of goroutines are drawn at the end", got)
	}
	b.press("/")
	b.keys("g4321")
	if !lane(4320) || rows() != 1 {
		t.Errorf("the search leaves %d rows", rows())
	}
	b.keys(kb.Escape)
	// In a piece of time only those have rows that live then: here the first hundred.
	js[bool](b, "(sched9.zoom(0, 1e6), true)")
	if got := js[counts](b, "sched9.counts()").Rows; got != 100 {
		t.Errorf("in the first millisecond %d goroutines have rows", got)
	}
	// One that does not live then comes into view when it does.
	js[bool](b, fmt.Sprintf("(sched9.choose({kind: 'g', id: %d}), sched9.all(), true)", n/2))
	if !lane(n / 2) {
		t.Error("a goroutine that was chosen while it had no row is out of view")
	}
	b.quiet()
}

// A life of more runs than pixels is drawn as bins, a broken one in some way.
func TestLifeBins(t *testing.T) {
	b := newBrowser(t, 1280, 800)
	steps := []step{{0, 0, 0, record.EvAcquire, 0, 0, 0}}
	for i := range int64(8000) {
		steps = append(steps,
			step{10 + i*4, 0, 0, record.EvStart, 1, uint64(record.FromNext), 0},
			step{12 + i*4, 0, 0, record.EvBlock, 1, 1 << record.ReasonShift, 0},
			step{13 + i*4, 0, 0, record.EvUnblock, 1, 0, 0})
	}
	b.open(view(t, steps))
	// at is the colour some pixels below the middle of the row.
	at := func(below int) []int {
		return js[[]int](b, fmt.Sprintf(`(() => {
			const [x, y] = sched9.lane(0, 16e6), canvas = document.getElementById("lanes"), box = canvas.getBoundingClientRect();
			return [...canvas.getContext("2d").getImageData(x - box.left, y - box.top + %d, 1, 1).data];
		})()`, below))
	}
	// Half of the time it ran, a quarter each it was ready and waited.
	lower, middle, upper := at(4), at(-2), at(-6)
	if want := []int{0xf2, 0xcc, 0x60, 255}; !reflect.DeepEqual(middle, want) {
		t.Errorf("above the runs is %v, want the colour of ready, %v", middle, want)
	}
	if want := []int{0xc9, 0xdc, 0xf2, 255}; !reflect.DeepEqual(upper, want) {
		t.Errorf("the top is %v, want the colour of waiting for a channel, %v", upper, want)
	}
	if reflect.DeepEqual(lower, middle) {
		t.Errorf("the lower half is %v too", lower)
	}
	b.quiet()
}

// In a list that is too narrow for a name its number stays, and the whole name is told where one
// points at it.
func TestShorten(t *testing.T) {
	b := newBrowser(t, 1280, 800)
	b.open(view(t, story()))
	js[bool](b, "(document.documentElement.style.setProperty('--panel', '290px'), true)")
	row := "document.querySelector('#gs .row[data-i=\"2\"] .name')"
	if got := js[string](b, row+".innerText"); !strings.HasPrefix(got, "page.st") || !strings.HasSuffix(got, "… G3") {
		t.Errorf("the list shows %q", got)
	}
	if got := js[string](b, row+".title"); got != "sched9/trace/page.storyWorker G3" {
		t.Errorf("and tells %q", got)
	}
	if got := js[bool](b, row+".scrollWidth <= "+row+".clientWidth"); !got {
		t.Error("its end is cut off")
	}
	b.quiet()
}

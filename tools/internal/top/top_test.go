package top

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/live"
)

// ms is a millisecond of the guest's.
const ms = 1_000_000

// clock is a host's clock that is set by hand.
type clock struct{ t time.Time }

// newClock returns one that shows some time.
func newClock() *clock { return &clock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

// now is the time.
func (c *clock) now() time.Time { return c.t }

// on sets it forward.
func (c *clock) on(d time.Duration) { c.t = c.t.Add(d) }

// run is a run that is recorded by hand.
type run struct {
	t *testing.T
	w *trace.Writer
}

// newRun begins the recording of one into w.
func newRun(t *testing.T, w io.Writer) run {
	r := run{t, trace.NewWriter(w, trace.Meta{Program: "small", SMP: 1, Mult: 1 << 32})}
	r.flush()
	return r
}

// flush passes on what was recorded.
func (r run) flush() {
	r.t.Helper()
	if err := r.w.Flush(); err != nil {
		r.t.Fatal(err)
	}
}

// tick records a tick at a nanosecond.
func (r run) tick(at uint64) {
	r.t.Helper()
	if err := r.w.Records(0, 0, []record.Record{record.Pack(at-1, record.EvTick, 0, 0, 0, 0, 0)}); err != nil {
		r.t.Fatal(err)
	}
	r.flush()
}

// end ends it.
func (r run) end(status int) {
	r.t.Helper()
	if err := r.w.Close(trace.End{Status: status}); err != nil {
		r.t.Fatal(err)
	}
}

// head is the first line of f's page.
func head(f *Feed) string { return f.Page(live.Options{}, 0)[0].Text }

// TestFeed: what was recorded shows, and the last of it as soon as no more
// comes.
func TestFeed(t *testing.T) {
	c := newClock()
	f := NewFeed(c.now)
	r := newRun(t, f.Record())
	events := func(want string) {
		t.Helper()
		if got := head(f); !strings.Contains(got, "  "+want+" event") {
			t.Errorf("%s; want %s events", got, want)
		}
	}
	events("0")
	r.tick(10 * ms)
	r.tick(50 * ms)
	events("1") // the other is held back
	c.on(settle)
	events("2")
	if _, ok := f.End(); ok {
		t.Error("it has ended")
	}
	r.tick(51 * ms)
	r.end(3)
	events("3")
	if e, ok := f.End(); !ok || e.Status != 3 {
		t.Errorf("the end: %+v, %v", e, ok)
	}
	if _, err := NewFeed(c.now).Record().Write([]byte("nonsense")); err == nil {
		t.Error("nonsense is taken for a recording")
	}
}

// TestConsole: lines of two outputs do not mix, and what they hold does nothing
// to a terminal.
func TestConsole(t *testing.T) {
	f := NewFeed(newClock().now)
	out, errs := f.Console(), f.Console()
	for _, c := range []struct {
		to   io.Writer
		text string
		back int
		want []string
	}{
		{out, "on", 0, []string{"on"}},
		{errs, "bad\r\n", 0, []string{"bad", "on"}},
		{out, "e\ntwo\tdone\n", 0, []string{"bad", "one", "two done"}},
		{out, "\x1b[2J\x07x\n", 0, []string{"bad", "one", "two done", "[2Jx"}},
		{out, "", 2, []string{"bad", "one"}},
		{out, "", 9, []string{"bad"}},
	} {
		if n, err := io.WriteString(c.to, c.text); n != len(c.text) || err != nil {
			t.Errorf("%q: %d, %v", c.text, n, err)
		}
		if got := f.console.lines(c.back); !slices.Equal(got, c.want) {
			t.Errorf("after %q: %q, want %q", c.text, got, c.want)
		}
	}
	for i := range 3 * maxLines {
		fmt.Fprintln(out, "line", i, strings.Repeat("x", 2*maxLine))
	}
	lines := f.console.lines(0)
	if len(lines) != maxLines || !strings.HasPrefix(lines[maxLines-1], fmt.Sprint("line ", 3*maxLines-1)) || len(lines[0]) != maxLine {
		t.Errorf("%d lines are kept, the last is %.20q", len(lines), lines[len(lines)-1])
	}
}

// full is a writer that takes nothing.
type full struct{}

// Write fails.
func (full) Write([]byte) (int, error) { return 0, errFull }

// errFull is how.
var errFull = errors.New("no room")

// TestPlain: a page at each tick and one at the end.
func TestPlain(t *testing.T) {
	f := NewFeed(newClock().now)
	tick, done := make(chan time.Time), make(chan struct{})
	var b bytes.Buffer
	ended := make(chan error)
	go func() { ended <- Plain(&b, f, tick, done) }()
	r := newRun(t, f.Record())
	r.tick(10 * ms)
	r.tick(50 * ms)
	tick <- time.Time{}
	tick <- time.Time{} // the page before is written now
	r.end(0)
	close(done)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	pages := strings.Split(strings.TrimSuffix(b.String(), "\n\n"), "\n\n")
	if len(pages) != 3 || !strings.HasPrefix(pages[0], "small, 1 vCPU  guest 10.0ms  1 event, 0/s, none lost  runs\n") ||
		!strings.HasPrefix(pages[2], "small, 1 vCPU  guest 50.0ms  2 events, 50/s, none lost  ended with status 0\n") {
		t.Errorf("%d pages:\n%s", len(pages), b.String())
	}
	if err := Plain(full{}, f, nil, done); err != errFull {
		t.Errorf("to a full disk: %v", err)
	}
	b.Reset()
	if err := Print(&b, f, 10); err != nil || !strings.HasPrefix(b.String(), "small, 1 v\n") {
		t.Errorf("ten columns: %v\n%s", err, b.String())
	}
}

// TestFollow follows a file that grows.
func TestFollow(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rec")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f := NewFeed(newClock().now)
	tick, ended := make(chan time.Time), make(chan error)
	go func() { ended <- Follow(t.Context(), name, f, tick) }()
	tick <- time.Time{} // nothing is there yet
	r := newRun(t, file)
	r.tick(10 * ms)
	r.tick(50 * ms)
	tick <- time.Time{}
	tick <- time.Time{} // the part of the tick before is read now
	if got := head(f); !strings.Contains(got, "guest 10.0ms  1 event, 0/s, none lost  runs") {
		t.Errorf("halfway: %s", got)
	}
	r.end(5)
	if err := ticks(tick, ended); err != nil {
		t.Fatal(err)
	}
	if got := head(f); !strings.Contains(got, "guest 50.0ms  2 events, 50/s, none lost  ended with status 5") {
		t.Errorf("at the end: %s", got)
	}
}

// ticks ticks until something has ended, and returns its error.
func ticks(tick chan<- time.Time, ended <-chan error) error {
	for {
		select {
		case tick <- time.Time{}:
		case err := <-ended:
			return err
		}
	}
}

// TestFollowEnds: of following without a recording's end.
func TestFollowEnds(t *testing.T) {
	dir := t.TempDir()
	text := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var b bytes.Buffer
	newRun(t, &b).tick(1)
	open := text("open", b.String())

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tick := make(chan time.Time)
	if err := Follow(cancelled, open, NewFeed(newClock().now), tick); err != context.Canceled {
		t.Errorf("a user who leaves: %v", err)
	}
	for _, c := range []struct{ name, want string }{
		{filepath.Join(dir, "nowhere"), "no such file"},
		{text("other", "another file"), "no recording"},
	} {
		if err := Follow(t.Context(), c.name, NewFeed(newClock().now), tick); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	ended := make(chan error)
	go func() { ended <- Follow(t.Context(), open, NewFeed(newClock().now), tick) }()
	tick <- time.Time{} // it has been read
	if err := os.Truncate(open, 3); err != nil {
		t.Fatal(err)
	}
	err := ticks(tick, ended)
	if err == nil || !strings.Contains(err.Error(), "begun anew") {
		t.Errorf("a file that was begun anew: %v", err)
	}
}

// newTerminal returns a Screen of f on a terminal of 100 by 20 that is none.
func newTerminal(t *testing.T, f *Feed) (*Screen, tcell.SimulationScreen) {
	t.Helper()
	sim := tcell.NewSimulationScreen("UTF-8")
	if err := sim.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Fini)
	sim.SetSize(100, 20)
	return NewScreen(f, sim), sim
}

// shown is what the terminal shows.
func shown(sim tcell.SimulationScreen) string {
	cells, width, _ := sim.GetContents()
	var b strings.Builder
	for i, c := range cells {
		if i > 0 && i%width == 0 {
			b.WriteByte('\n')
		}
		b.WriteString(string(c.Runes))
	}
	return b.String()
}

// TestScreen presses every key and looks at what shows then.
func TestScreen(t *testing.T) {
	f := NewFeed(newClock().now)
	r := newRun(t, f.Record())
	fmt.Fprint(f.Console(), "alpha\nomega\n")
	s, sim := newTerminal(t, f)
	key := func(k tcell.Key, c rune) func() {
		return func() {
			if !s.event(tcell.NewEventKey(k, c, tcell.ModNone)) {
				t.Errorf("key %v %q leaves", k, c)
			}
		}
	}
	size := func(w, h int) func() {
		return func() {
			sim.SetSize(w, h)
			s.event(tcell.NewEventResize(w, h))
		}
	}
	for i, c := range []struct {
		do        func()
		want, not string
	}{
		{s.refresh, "small, 1 vCPU  guest 0  0 events, 0/s, none lost  has told nothing yet", "guest 10.0ms"},
		{s.refresh, " q quits   p pauses   tab functions   up/down console ", "PAUSED"},
		{func() { r.tick(10 * ms); r.tick(100 * ms) }, "guest 0", "guest 10.0ms"},
		{s.refresh, "guest 10.0ms", "told nothing"},
		{s.refresh, "does      goroutine", "goroutines of"},
		{key(tcell.KeyTab, 0), "alive  goroutines of", "tab functions"},
		{key(tcell.KeyTab, 0), "tab functions", "goroutines of"},
		{key(tcell.KeyRune, 'x'), "tab functions", "PAUSED"},
		{s.refresh, "omega", "PAUSED"},
		{key(tcell.KeyUp, 0), "alpha", "omega"},
		{key(tcell.KeyUp, 0), "alpha", "omega"},
		{key(tcell.KeyDown, 0), "omega", "PAUSED"},
		{key(tcell.KeyDown, 0), "omega", "PAUSED"},
		{key(tcell.KeyRune, 'p'), "PAUSED, p goes on", "p pauses"},
		{func() { r.tick(200 * ms); s.refresh() }, "guest 10.0ms", "guest 100ms"},
		{size(20, 5), "small, 1 vCPU  guest", "10.0ms"},
		{key(tcell.KeyRune, 'p'), "p pa", "PAUSED"},
		{size(20, 1), "small, 1 vCPU  guest", "quits"},
		{size(100, 30), "guest 100ms", "PAUSED"},
	} {
		c.do()
		if text := shown(sim); !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("step %d: want %q and not %q:\n%s", i, c.want, c.not, text)
		}
	}
	for _, e := range []tcell.Event{
		tcell.NewEventKey(tcell.KeyRune, 'q', tcell.ModNone),
		tcell.NewEventKey(tcell.KeyCtrlC, 0, tcell.ModCtrl),
		tcell.NewEventKey(tcell.KeyEscape, 0, tcell.ModNone),
	} {
		if s.event(e) {
			t.Errorf("%v does not leave", e)
		}
	}
}

// watched returns a Feed that tells when a page is made of it.
func watched() (*Feed, chan struct{}) {
	looked := make(chan struct{}, 1)
	c := newClock()
	return NewFeed(func() time.Time {
		select {
		case looked <- struct{}{}:
		default:
		}
		return c.now()
	}), looked
}

// TestShow: there is a page at once and at every tick, until quit is closed.
func TestShow(t *testing.T) {
	f, looked := watched()
	s, _ := newTerminal(t, f)
	tick, quit, closed := make(chan time.Time), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(closed)
		s.Show(tick, nil, quit)
	}()
	<-looked
	for range 3 {
		tick <- time.Time{}
		<-looked
	}
	close(quit)
	<-closed
}

// TestShowEnd: the end of the run ends a pause, and the last page stays until a
// key.
func TestShowEnd(t *testing.T) {
	f, looked := watched()
	r := newRun(t, f.Record())
	r.tick(10 * ms)
	r.end(4)
	<-looked
	s, sim := newTerminal(t, f)
	s.paused = true
	done, closed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(closed)
		s.Show(nil, done, nil)
	}()
	close(done)
	<-looked
	sim.InjectKey(tcell.KeyRune, 'q', tcell.ModNone)
	<-closed
	if text := shown(sim); !strings.Contains(text, "guest 10.0ms  1 event, 0/s, none lost  ended with status 4") || !strings.Contains(text, "ENDED") {
		t.Errorf("the last page:\n%s", text)
	}
}

package live

import (
	"strings"
	"testing"
	"time"

	"sched9/record"
	"sched9/trace"
)

const (
	us  = 1000
	ms  = 1000 * us
	noP = -1
)

// Code addresses of the tests' program.
const (
	pcMain = 0x100
	pcSpin = 0x200
	pcPark = 0x300
	pcGo   = 0x400
)

// code is the tests' program.
func code(pc uint64) trace.Frame {
	f := trace.Frame{PC: pc, File: "/src/loop.go", Line: int(pc & 0xff)}
	switch pc &^ 0xff {
	case pcMain:
		f.Func = "main.main"
	case pcSpin:
		f.Func = "main.spin"
	case pcPark:
		f.Func = "runtime.gopark"
	case pcGo:
		f.Func = "sync.(*WaitGroup).Go.func1"
	}
	return f
}

// epoch is when the tests' host began.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// feed is a Model that is fed by hand. The host's clock is the guest's.
type feed struct {
	*Model
	tr *trace.Trace
}

// newFeed returns one that knows the tests' program.
func newFeed() feed {
	tr := &trace.Trace{
		Meta:   trace.Meta{Program: "loop", Arch: "amd64", Machine: "q35", SMP: 2},
		Legend: trace.Legend{Version: "go1.26", Reasons: []string{"", "sleep", "chan receive"}, Stops: []string{"unknown", "GC"}},
		Stacks: [][]uint64{nil, {pcPark + 1, pcMain + 8}, {pcGo + 1, pcSpin + 9}},
	}
	m := New(tr)
	m.frames = func(pc uint64) []trace.Frame { return []trace.Frame{code(pc)} }
	m.entry = func(pc uint64) string { return code(pc).Func }
	return feed{m, tr}
}

// at gives the Model an event.
func (f feed) at(at int64, m, p int, e record.Event, g, arg, aux uint64) {
	stack := int32(0)
	if e == record.EvBlock || e == record.EvPreempt || e == record.EvYield {
		stack = 1
	}
	f.event(trace.Event{Time: at, M: int16(m), P: int16(p), Kind: e, G: g, Arg: arg, Aux: aux, Stack: stack})
}

// event gives it one as it is.
func (f feed) event(e trace.Event) {
	f.Events([]trace.Event{e}, epoch.Add(time.Duration(e.Time)))
}

// sample samples at a time of both clocks.
func (f feed) sample(at int64) { f.Sample(epoch.Add(time.Duration(at))) }

// page is the page at a time of the host's clock.
func (f feed) page(at int64, o Options) []string {
	o.Now = epoch.Add(time.Duration(at))
	var lines []string
	for _, l := range f.Page(o) {
		lines = append(lines, l.Text)
	}
	return lines
}

// line is the first line of the page that begins with the words.
func (f feed) line(at int64, words string) string {
	for _, l := range f.page(at, Options{}) {
		if strings.HasPrefix(l, words) {
			return l
		}
	}
	return ""
}

// boots has M m come and take P p.
func (f feed) boots(at int64, m, p int) {
	f.at(at, m, noP, record.EvBoot, 0, 0, 0)
	f.at(at, m, p, record.EvAcquire, 0, 0, 0)
}

// starts has a goroutine of main.spin made and run.
func (f feed) starts(at int64, m, p int, g uint64) {
	f.at(at, m, p, record.EvCreate, g, pcSpin, 0)
	f.at(at, m, p, record.EvStart, g, uint64(record.FromNext), 0)
}

// TestMachine follows an M through all that it does, by its line of the page,
// 5ms after each event.
func TestMachine(t *testing.T) {
	f := newFeed()
	for _, c := range []struct {
		m, p   int
		e      record.Event
		g, arg uint64
		aux    uint64
		want   string // what M 1 does behind it, for how long, and with what
	}{
		{1, noP, record.EvBoot, 0, 0, 0, "M1        scheduling       0  Boot               0  5.00ms"},
		{1, 0, record.EvAcquire, 0, 0, 0, "M1   P0   scheduling  1.00ms  Acquire            0  5.00ms"},
		{1, 0, record.EvSpin, 0, 1, 0, "M1   P0   spinning         0  Spin               0  5.00ms"},
		{1, 0, record.EvUnspin, 0, 0, 0, "M1   P0   scheduling       0  Unspin             0  5.00ms"},
		{1, 0, record.EvCreate, 7, pcSpin, 0, "M1   P0   scheduling  1.00ms  Create             0  5.00ms"},
		{1, 0, record.EvStart, 7, uint64(record.FromNext), 0, "M1   P0   running          0  Start              0  5.00ms  main.spin G7"},
		{1, 0, record.EvTick, 7, 0, pcSpin + 5, "M1   P0   running     1.00ms  Tick               0  5.00ms  main.spin G7 at main.spin loop.go:5"},
		{0, noP, record.EvBoot, 0, 0, 0, "M1   P0   running     2.00ms  Tick          1.00ms  6.00ms  main.spin G7 at main.spin loop.go:5"},
		{1, 0, record.EvHalt, 0, 0, 0, "M1   P0   halted           0  Halt               0  5.00ms  main.spin G7 at main.spin loop.go:5"},
		{1, 0, record.EvHaltEnd, 0, 0, 0, "M1   P0   running          0  HaltEnd            0  5.00ms  main.spin G7 at main.spin loop.go:5"},
		{1, 0, record.EvPreempt, 7, 0, 0, "M1   P0   scheduling       0  Preempt            0  5.00ms"},
		{1, 0, record.EvStart, 7, uint64(record.FromNext), 0, "M1   P0   running          0  Start              0  5.00ms  main.spin G7 went on at main.main loop.go:7"},
		{1, 0, record.EvSyscallEnter, 7, 0, 0, "M1   P0   running     1.00ms  SyscallEnter       0  5.00ms  main.spin G7 in a system call"},
		{1, 0, record.EvSyscallExit, 7, 0, 0, "M1   P0   running     2.00ms  SyscallExit        0  5.00ms  main.spin G7"},
		{1, 0, record.EvExit, 7, 0, 0, "M1   P0   scheduling       0  Exit               0  5.00ms"},
		{1, 0, record.EvRelease, 0, 0, 0, "M1        scheduling  1.00ms  Release            0  5.00ms"},
		{1, noP, record.EvHalt, 0, 90 * ms, 0, "M1        halted           0  Halt               0  5.00ms  until 90.0ms"},
		{0, 1, record.EvWakeM, 0, 1, 0 | record.WakeSpinning, "M1        halted      1.00ms  Halt          1.00ms  6.00ms  until 90.0ms"},
		{1, noP, record.EvHaltEnd, 0, 0, 0, "M1        scheduling       0  HaltEnd            0  5.00ms"},
		{1, 0, record.EvAcquire, 0, 0, 0, "M1   P0   spinning         0  Acquire            0  5.00ms"},
		{1, 0, record.EvUnspin, 0, 0, 0, "M1   P0   scheduling       0  Unspin             0  5.00ms"},
		{1, 0, record.EvStartM, 0, 2, 1 | record.WakeSpinning, "M1   P0   scheduling  1.00ms  StartM             0  5.00ms"},
	} {
		now := f.newest + ms
		f.at(now, c.m, c.p, c.e, c.g, c.arg, c.aux)
		if got := f.line(now+5*ms, "M1"); got != c.want {
			t.Errorf("after %v on M %d:\ngot  %s\nwant %s", c.e, c.m, got, c.want)
		}
	}
	if got, want := f.line(f.newest, "M2"), "M2        not started"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	f.boots(f.newest+ms, 2, 1)
	if got, want := f.line(f.newest, "M2"), "M2   P1   spinning         0  Acquire            0       0"; got != want {
		t.Errorf("an M that was started to spin: %q, want %q", got, want)
	}
}

// TestCalls follows an M whose goroutine loses its P in a system call, and one that is
// tied.
func TestCalls(t *testing.T) {
	f := newFeed()
	f.boots(0, 1, 0)
	f.boots(0, 2, 1)
	f.starts(0, 1, 0, 7)
	for _, c := range []struct {
		m, p int
		e    record.Event
		g    uint64
		arg  uint64
		want string // what M 1 does, and with what
		gs   string // and how many goroutines do what
	}{
		{1, 0, record.EvLock, 7, 1, "running  main.spin G7 (tied to M1)", "1 running, 0 runnable"},
		{1, 0, record.EvSyscallEnter, 7, 0, "running  main.spin G7 (tied to M1) in a system call", "0 running, 0 runnable, 1 in a system call"},
		{2, 1, record.EvRetake, 0, 0 | 1<<8, "in a call  main.spin G7 (tied to M1) in a system call", "0 running, 0 runnable, 1 in a system call"},
		{1, 0, record.EvHalt, 0, 0, "halted  main.spin G7 (tied to M1) in a system call", "0 running, 0 runnable, 1 in a system call"},
		{1, 0, record.EvHaltEnd, 0, 0, "in a call  main.spin G7 (tied to M1) in a system call", "0 running, 0 runnable, 1 in a system call"},
		{1, noP, record.EvSyscallExit, 7, 0, "scheduling  main.spin G7 (tied to M1)", "0 running, 1 runnable"},
		{1, 0, record.EvAcquire, 0, 0, "P0 running  main.spin G7 (tied to M1)", "1 running, 0 runnable"},
		{1, 0, record.EvSyscallEnter, 7, 0, "P0 running  main.spin G7 (tied to M1) in a system call", "0 running, 0 runnable, 1 in a system call"},
		{1, 0, record.EvRelease, 0, 0, "in a call  main.spin G7 (tied to M1) in a system call", "0 running, 0 runnable, 1 in a system call"},
		{1, noP, record.EvSyscallExit, 7, 0, "scheduling  main.spin G7 (tied to M1)", "0 running, 1 runnable"},
		{1, noP, record.EvYield, 7, 0, "scheduling", "0 running, 1 runnable"},
		{1, 0, record.EvAcquire, 0, 0, "P0 scheduling", "0 running, 1 runnable"},
		{1, 0, record.EvStart, 7, 0, "P0 running  main.spin G7 (tied to M1) went on at main.main loop.go:7", "1 running, 0 runnable"},
		{1, 0, record.EvBlock, 7, 1 << record.ReasonShift, "P0 scheduling", "0 running, 0 runnable"},
		{1, 0, record.EvUnblock, 8, 0, "P0 scheduling", "0 running, 1 runnable"},
		{1, 0, record.EvStart, 8, 0, "P0 running  G8 (tied to M1)", "1 running, 0 runnable"}, // a coroutine
		{1, 0, record.EvUnlock, 8, 0, "P0 running  G8", "1 running, 0 runnable"},
	} {
		now := f.newest + ms
		f.at(now, c.m, c.p, c.e, c.g, c.arg, 0)
		line := strings.Fields(f.line(now, "M1"))
		got := strings.Join(line[1:], " ")
		// Between what it does and with what there are times and the last event.
		for _, want := range strings.Split(c.want, "  ") {
			if !strings.Contains(got, want) || !strings.HasSuffix(got, "0 0") && !strings.Contains(c.want, "  ") {
				t.Errorf("after %v on M %d: %q is not in %q", c.e, c.m, want, got)
			}
		}
		if gs := f.line(now, "goroutines: "); !strings.Contains(gs, c.gs) {
			t.Errorf("after %v on M %d: %q, want %q", c.e, c.m, gs, c.gs)
		}
	}
	// It ran for a millisecond before its first call and for one after it was back, in the
	// calls as long as they had the P, and once more; G8 for the rest.
	if g := f.gs[7]; g.running != 6*ms {
		t.Errorf("G7 ran for %dus", g.running/1000)
	}
	if f.line(f.newest, "P0") == "" || f.ps[0].owner != 1 {
		t.Errorf("P0 is M%d's", f.ps[0].owner)
	}
}

// TestStates follows the goroutines' line.
func TestStates(t *testing.T) {
	f := newFeed()
	f.boots(0, 0, 0)
	for _, c := range []struct {
		e      record.Event
		g, arg uint64
		want   string
	}{
		{record.EvCreate, 1, pcMain, "0 running, 1 runnable, 0 dead, 0 waiting"},
		{record.EvCreate, 2, pcMain | record.CreateParked, "0 running, 1 runnable, 0 dead, 1 waiting (to be let go 1)"},
		{record.EvStart, 1, 0, "1 running, 0 runnable, 0 dead, 1 waiting (to be let go 1)"},
		{record.EvUnblock, 2, 0, "1 running, 1 runnable, 0 dead, 0 waiting"},
		{record.EvHold, 1, 2 << record.ReasonShift, "1 running, 1 runnable, 0 dead, 0 waiting"},
		{record.EvBlock, 1, 2<<record.ReasonShift | 0xc000, "0 running, 1 runnable, 0 dead, 1 waiting (chan receive 1)"},
		{record.EvStart, 2, 0, "1 running, 0 runnable, 0 dead, 1 waiting (chan receive 1)"},
		{record.EvYield, 2, 0, "0 running, 1 runnable, 0 dead, 1 waiting (chan receive 1)"},
		{record.EvStart, 2, 0, "1 running, 0 runnable, 0 dead, 1 waiting (chan receive 1)"},
		{record.EvSyscallEnter, 2, 0, "0 running, 0 runnable, 1 in a system call, 0 dead, 1 waiting (chan receive 1)"},
		{record.EvSyscallExit, 2, 0, "1 running, 0 runnable, 0 dead, 1 waiting (chan receive 1)"},
		{record.EvExit, 2, 0, "0 running, 0 runnable, 1 dead, 1 waiting (chan receive 1)"},
		{record.EvUnblock, 1, 0, "0 running, 1 runnable, 1 dead, 0 waiting"},
		{record.EvBlock, 1, 1 << record.ReasonShift, "0 running, 0 runnable, 1 dead, 1 waiting (sleep 1)"},
	} {
		f.at(f.newest+ms, 0, 0, c.e, c.g, c.arg, 0)
		if got := f.line(f.newest, "goroutines: "); got != "goroutines: "+c.want {
			t.Errorf("after %v of G %d:\ngot  %s\nwant goroutines: %s", c.e, c.g, got, c.want)
		}
	}
	for g := range uint64(20) {
		f.at(f.newest, 0, 0, record.EvCreate, 100+g, pcMain, 0)
		f.at(f.newest, 0, 0, record.EvBlock, 100+g, (3+g/4)<<record.ReasonShift, 0)
	}
	want := "goroutines: 0 running, 0 runnable, 1 dead, 21 waiting (unknown 4, unknown 4, unknown 4, unknown 4, ...)"
	if got := f.line(f.newest, "goroutines: "); got != want {
		t.Errorf("many reasons:\ngot  %s\nwant %s", got, want)
	}
}

// TestLost leaves events out; what comes later mends the picture.
func TestLost(t *testing.T) {
	const g = 5
	for _, c := range []struct {
		name  string
		feed  func(f feed)
		words string
		want  string
	}{
		{"the start of another goroutine", func(f feed) {
			f.starts(ms, 0, 0, g)
			f.at(2*ms, 0, 0, record.EvStart, 6, 0, 0)
		}, "goroutines", "goroutines: 1 running, 0 runnable, 1 unknown, 0 dead, 0 waiting"},
		{"where a goroutine left", func(f feed) {
			f.starts(ms, 0, 0, g)
			f.boots(2*ms, 1, 1)
			f.at(3*ms, 1, 1, record.EvStart, g, 0, 0)
		}, "M0", "M0   P0   scheduling       0  Start         2.00ms  2.00ms"},
		{"a start, but it ticks there", func(f feed) {
			f.boots(ms, 0, 0)
			f.at(2*ms, 0, 0, record.EvTick, g, 0, pcSpin+3)
			f.at(3*ms, 0, 0, record.EvTick, g, 0, pcSpin+4)
		}, "M0", "M0   P0   running          0  Tick               0       0  G5 at main.spin loop.go:4"},
		{"nothing: a tick in one that just ended", func(f feed) {
			f.starts(ms, 0, 0, g)
			f.at(2*ms, 0, 0, record.EvTick, g, 0, pcSpin+3)
			f.at(3*ms, 0, 0, record.EvExit, g, 0, 0)
			f.at(3*ms, 0, 0, record.EvTick, g, 0, pcSpin+3)
		}, "goroutines", "goroutines: 0 running, 0 runnable, 1 dead, 0 waiting"},
		{"the end of a halt", func(f feed) {
			f.boots(ms, 0, 0)
			f.at(2*ms, 0, 0, record.EvHalt, 0, 0, 0)
			f.at(3*ms, 0, 0, record.EvTick, 0, 0, pcSpin+3)
		}, "M0", "M0   P0   scheduling       0  Tick               0       0"},
		{"what M it is on", func(f feed) {
			f.event(trace.Event{Time: ms, M: record.MaxProcs, P: -1, Kind: record.EvBoot})
			f.event(trace.Event{Time: ms, M: -1, P: -1, Kind: record.EvBoot})
			f.event(trace.Event{Time: ms, M: 0, P: 200, Kind: record.EvStart, G: 1})
		}, "goroutines", "goroutines: 0 running, 0 runnable, 0 dead, 0 waiting"},
		{"what P it names", func(f feed) {
			f.at(ms, 0, 0, record.EvIdleP, 0, 1<<40, 0)
			f.at(ms, 0, 0, record.EvTake, 1, 0, 1<<40)
			f.at(ms, 0, 0, record.EvWakeM, 0, 1<<40, 0)
			f.at(ms, 0, 0, record.EvSteal, 0, 0, 0xff|1<<8)
		}, "P0", "P0               0  "},
	} {
		f := newFeed()
		c.feed(f)
		if got := f.line(f.newest, c.words); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

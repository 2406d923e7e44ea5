package perfetto

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
)

// wrong looks for what a viewer would refuse or show wrongly. It sorts the ends of slices
// by time, those of one time as they are in the file, and takes for each end the begin that is
// open: that must be its own.
func (r *reader) wrong() []string {
	bad := r.bad
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	type edge struct {
		at    int64
		place int
		begin bool
		e     *event
	}
	edges := map[string][]edge{}
	flows := map[uint64]edge{}
	for _, e := range r.all {
		if e.ph == "X" {
			edges[e.on] = append(edges[e.on], edge{e.at, e.begin, true, e}, edge{e.at + e.long, e.end, false, e})
		}
		for _, id := range e.flow {
			if _, twice := flows[id]; twice {
				say("arrow %d begins twice", id)
			}
			flows[id] = edge{at: e.at, place: e.begin}
		}
	}
	ended := map[uint64]bool{}
	for _, e := range r.all {
		for _, id := range e.ends {
			f, ok := flows[id]
			switch {
			case !ok:
				say("arrow %d ends and did not begin", id)
			case ended[id]:
				say("arrow %d ends twice", id)
			case f.at > e.at || f.at == e.at && f.place > e.begin:
				say("arrow %d goes back in time", id)
			}
			ended[id] = true
		}
	}
	for on, list := range edges {
		slices.SortFunc(list, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.place, b.place)) })
		var open []*event
		for _, x := range list {
			if x.begin {
				open = append(open, x.e)
				continue
			}
			if n := len(open); n == 0 || open[n-1] != x.e {
				say("%s on %s at %d, of %d ns, crosses another", x.e.name, on, x.e.at, x.e.long)
				break
			}
			open = open[:len(open)-1]
		}
	}
	return bad
}

func TestStory(t *testing.T) {
	r := written(t, view(t, story), 1000)
	for _, w := range r.wrong() {
		t.Error(w)
	}
	count := map[string]int{}
	for _, e := range r.all {
		count[e.ph+e.on[:1]]++
		count["arrows"] += len(e.ends)
	}
	// Four runs by P; one arrow for each time a goroutine was made ready and ran.
	for what, n := range map[string]int{"XP": 4, "arrows": 4, "iP": 2, "iM": 6, "Xs": 2, "Xc": 1} {
		if count[what] != n {
			t.Errorf("%d of %s, want %d", count[what], what, n)
		}
	}
	if groups := []string{r.tracks[1], r.tracks[2], r.tracks[3]}; !slices.Equal(groups, []string{"Ps (who may run)", "Ms (vCPUs)", "The world"}) {
		t.Errorf("the groups are %q", groups)
	}
	find(t, r.all, []wanted{
		{"X", "P0", "G1", 300, 620, "goroutine:1 "},
		{"X", "M0 (vCPU 0)", "G1", 300, 620, "found:runnext, in the running slice goroutine:1 left:blocked: chan receive"},
		{"X", "M0 (vCPU 0)", "G1", 300, 620, "waited_ns:50"},
		{"X", "P1", "G2", 700, 100, "M:1"},
		{"X", "M1 (vCPU 1)", "G2", 700, 100, "found:stolen"},
		{"X", "M1 (vCPU 1)", "G2", 700, 100, "waited_ns:300"},
		{"X", "M0 (vCPU 0)", "G2", 1000, 500, "left:preempted"},
		{"X", "M1 (vCPU 1)", "G1", 1600, 400, "left:exited"},
		{"X", "M1 (vCPU 1)", "spinning", 520, 90, ""},
		{"X", "M1 (vCPU 1)", "halted", 810, 750, ""},
		{"X", "M0 (vCPU 0)", "scheduling", 100, 200, ""},
		{"i", "M0 (vCPU 0)", "go", 400, -1, "name:G2"},
		{"i", "M0 (vCPU 0)", "wake", 900, -1, "name:G2"},
		{"i", "M1 (vCPU 1)", "wake", 1580, -1, "name:G1"},
		{"C", "P0 queue", "", 410, -1, "1"},
		{"C", "P0 queue", "", 600, -1, "0"},
		{"C", "global queue", "", 1510, -1, "1"},
		{"C", "goroutines that may run", "", 900, -1, "1"},
		{"C", "goroutines that run", "", 920, -1, "0"},
		{"i", "P0", "preempted", 1500, -1, "goroutine:2"},
		{"i", "P1", "steal", 600, -1, "Gs:1 from_P:0"},
		{"i", "M0 (vCPU 0)", "IPI sent: kick", 420, -1, "to_M:1"},
		{"i", "M1 (vCPU 1)", "IPI taken: kick", 1550, -1, ""},
		{"X", "stop the world", "GC mark termination", 1700, 200, "by:G1"},
		{"X", "stop the world", "stands still", 1800, 100, ""},
		{"X", "collector", "mark", 1810, 140, ""},
	})
}

// However the run is cut into pieces, the picture is the same: nothing that goes on from one
// piece into the next is lost or told twice.
func TestPieces(t *testing.T) {
	halts := []step{
		{100, 0, 0, record.EvAcquire, 0, 0, 0},
		{200, 0, 0, record.EvStart, 1, uint64(record.FromNext), 0},
		{300, 0, 0, record.EvSyscallEnter, 1, 0, 0},
		{350, 0, 0, record.EvHalt, 1, 0, 0},
		{400, 1, no, record.EvRetake, 0, 0 | 0<<8, 0},
		{450, 1, no, record.EvHalt, 0, 0, 0},
		{500, 0, no, record.EvHaltEnd, 1, 0, 0},
		{550, 0, no, record.EvSyscallExit, 1, 0, 0},
		{600, 0, 1, record.EvAcquire, 0, 0, 0},
		{800, 0, 1, record.EvBlock, 1, 0, 0},
	}
	for _, steps := range [][]step{story, calls, halts} {
		v := view(t, steps)
		whole := written(t, v, 1000).said()
		for size := 1; size < len(steps); size++ {
			r := written(t, v, size)
			if got := r.said(); !slices.Equal(got, whole) {
				t.Fatalf("in pieces of %d:\n%s\nwant\n%s", size, strings.Join(got, "\n"), strings.Join(whole, "\n"))
			}
			for _, w := range r.wrong() {
				t.Errorf("in pieces of %d: %s", size, w)
			}
		}
	}
}

// said is all that a file says, sorted.
func (r *reader) said() (lines []string) {
	for _, e := range r.all {
		lines = append(lines, fmt.Sprint(e.at, " ", e.long, " ", e.ph, " ", e.on, " ", e.name, " ", e.args, e.value, e.flow, e.ends))
	}
	slices.Sort(lines)
	return lines
}

// wanted is an event that must be there: its kind, track and name, when and for how
// long (-1: whenever), and words among its arguments, or its value.
type wanted struct {
	ph, on, name string
	at, long     int64
	args         string
}

// find demands events.
func find(t *testing.T, all []*event, list []wanted) {
	t.Helper()
	for _, want := range list {
		if !slices.ContainsFunc(all, func(e *event) bool {
			if e.ph != want.ph || e.on != want.on || e.name != want.name {
				return false
			}
			if want.at >= 0 && e.at != want.at || want.long >= 0 && e.long != want.long {
				return false
			}
			if e.ph == "C" {
				return fmt.Sprint(e.value) == want.args
			}
			return strings.Contains(strings.Trim(fmt.Sprint(e.args), "map[]")+" ", want.args)
		}) {
			t.Errorf("there is no %+v", want)
		}
	}
}

// calls is a run in which a system call loses its P.
var calls = []step{
	{100, 0, 0, record.EvAcquire, 0, 0, 0},
	{100, 0, 0, record.EvCreate, 1, 0, 0},
	{200, 0, 0, record.EvStart, 1, uint64(record.FromNext), 0},
	{300, 0, 0, record.EvSyscallEnter, 1, 0, 0},
	{400, 1, no, record.EvRetake, 0, 0 | 0<<8, 0},
	{500, 0, no, record.EvSyscallExit, 1, 0, 0},
	{600, 0, 1, record.EvAcquire, 0, 0, 0},
	{650, 0, 1, record.EvLock, 1, 1, 0},
	{700, 0, 1, record.EvPass, 2, 1, 0},
	{800, 0, 1, record.EvBlock, 1, 0, 0},
	{850, 1, 2, record.EvAcquire, 0, 0, 0},
	{850, 1, 2, record.EvStart, 2, uint64(record.FromPass), 0},
	{900, 1, 2, record.EvExit, 2, 0, 0},
	{900, 1, 2, record.EvExitM, 0, 0, 0},
}

// A system call that loses its P ends the run on both tracks, the M holds the call, and a
// goroutine that is tied is passed to its M.
func TestCalls(t *testing.T) {
	r := written(t, view(t, calls), 1000)
	for _, w := range r.wrong() {
		t.Error(w)
	}
	find(t, r.all, []wanted{
		{"X", "P0", "G1", 200, 200, ""},
		{"X", "M0 (vCPU 0)", "G1", 200, 200, "left:in a system call, and lost the P"},
		{"X", "M0 (vCPU 0)", "in a call", 400, 100, ""},
		{"X", "M0 (vCPU 0)", "scheduling", 500, 100, ""},
		{"X", "M0 (vCPU 0)", "G1", 600, 200, "found:at hand"},
		{"X", "M0 (vCPU 0)", "G1", 600, 200, "tied_to_M:0"},
		{"X", "M1 (vCPU 1)", "G2", 850, 50, "found:passed to the M it is tied to, or the P it is wired to"},
		{"i", "M1 (vCPU 1)", "P taken from a system call", 400, -1, "P:0 from_M:0"},
		{"i", "P1", "passed to its M", 700, -1, "to_M:1"},
		{"i", "M1 (vCPU 1)", "M ends", 900, -1, ""},
		{"C", "goroutines that run", "", 400, -1, "0"},
		{"C", "goroutines that may run", "", 500, -1, "1"},
		{"C", "goroutines that run", "", 600, -1, "1"},
	})
}

// The finder of wrongs must find them.
func TestWrong(t *testing.T) {
	for _, tc := range []struct {
		add  event
		want string
	}{
		{event{ph: "i", on: "P0", flow: []uint64{1}}, "begins twice"},
		{event{ph: "i", on: "P0", ends: []uint64{99}}, "did not begin"},
		{event{ph: "X", on: "P0", at: 5000, ends: []uint64{1}}, "ends twice"},
		{event{ph: "X", on: "P0", at: 100, long: 300, begin: 900, end: 901}, "crosses"},
	} {
		r := written(t, view(t, story), 1000)
		r.all = append(r.all, &tc.add)
		if bad := strings.Join(r.wrong(), "\n"); !strings.Contains(bad, tc.want) {
			t.Errorf("%v: %q", tc.want, bad)
		}
	}
}

// Whatever the records say, as after some were lost, the file is one that can
// be shown.
func TestAnyRecords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	for round := range 200 {
		var steps []step
		at := int64(0)
		for range 300 {
			at += rnd.Int64N(3) * rnd.Int64N(50)
			s := step{At: at, M: rnd.IntN(3), P: rnd.IntN(4), Kind: record.Event(rnd.IntN(int(record.NumEvents))), G: rnd.Uint64N(6), Arg: rnd.Uint64N(8), Aux: rnd.Uint64N(5)}
			if s.P == 3 {
				s.P = no
			}
			if rnd.IntN(2) == 0 { // mostly runs
				s.Kind = []record.Event{record.EvStart, record.EvBlock, record.EvUnblock, record.EvPreempt}[rnd.IntN(4)]
			}
			steps = append(steps, s)
		}
		size := 1 + rnd.IntN(300)
		if bad := written(t, view(t, steps), size).wrong(); len(bad) > 0 {
			t.Fatalf("round %d, in pieces of %d: %s", round, size, strings.Join(bad, "\n"))
		}
	}
}

func TestNothing(t *testing.T) {
	if bad := written(t, view(t, nil), 1).wrong(); len(bad) > 0 {
		t.Error(bad)
	}
}

// The file is written while it is made: in blocks, and what is kept does not grow with the run.
func TestBlocks(t *testing.T) {
	var steps []step
	for i := range int64(20000) {
		steps = append(steps,
			step{At: 10 * i, M: 0, P: 0, Kind: record.EvStart, G: 1},
			step{At: 10*i + 5, M: 0, P: 0, Kind: record.EvBlock, G: 1})
	}
	v := view(t, steps)
	if r := written(t, v, 1000); r.biggest > blockSize+1000 || r.n < 20000 {
		t.Errorf("a block has %d bytes; %d packets", r.biggest, r.n)
	}
	head := *v.Trace
	head.Events = nil
	pieces := trace.NewPieces(&head)
	for es := range slices.Chunk(v.Trace.Events, 1000) {
		if p := pieces.Add(es); len(p.Runs) > 501 || len(p.MSpans) > 1001 || len(p.Open) > 1 {
			t.Fatalf("a piece has %d runs, %d spans, %d that go on", len(p.Runs), len(p.MSpans), len(p.Open))
		}
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
	v := view(t, story)
	each := func(f func([]trace.Event) error) error { return f(v.Trace.Events) }
	if err := Write(&full{100}, v.Trace, each); err == nil || err.Error() != "full" {
		t.Errorf("the error of a full disk became %v", err)
	}
	gone := errors.New("gone")
	if err := Write(&full{1 << 20}, v.Trace, func(func([]trace.Event) error) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("the error of the recording became %v", err)
	}
}

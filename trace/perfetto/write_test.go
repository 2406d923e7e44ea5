package perfetto

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sched9/sched"
	"sched9/trace"
)

// event is a trace event as a viewer reads it.
type event struct {
	Ph, Name, Cat, Bp, S string
	Pid, Tid             int
	ID                   int
	Ts, Dur              *float64
	Args                 map[string]any
}

// ns is a time in the unit it was recorded in.
func ns(us *float64) int64 { return int64(math.Round(*us * 1000)) }

// written is what Write makes of v.
func written(t *testing.T, v *trace.View) []event {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, v); err != nil {
		t.Fatal(err)
	}
	var file struct {
		DisplayTimeUnit string
		TraceEvents     []event
	}
	if err := json.Unmarshal(b.Bytes(), &file); err != nil {
		t.Fatalf("%v in\n%s", err, b.Bytes())
	}
	return file.TraceEvents
}

// wrong looks for what a viewer would refuse or show wrongly.
func wrong(all []event) (bad []string) {
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	named := map[[2]int]bool{}
	slicesOf := map[[2]int][]event{}
	var begun, ended = map[int]event{}, map[int]event{}
	for _, e := range all {
		on := [2]int{e.Pid, e.Tid}
		if e.Ph != "M" && e.Ts == nil {
			say("%s %s has no time", e.Ph, e.Name)
			continue
		}
		switch e.Ph {
		case "M":
			named[on] = named[on] || e.Name == "thread_name" || e.Name == "process_name"
		case "X":
			if e.Dur == nil || *e.Dur < 0 {
				say("%s has no duration, or one below zero", e.Name)
				continue
			}
			slicesOf[on] = append(slicesOf[on], e)
		case "s":
			if _, twice := begun[e.ID]; twice {
				say("arrow %d begins twice", e.ID)
			}
			begun[e.ID] = e
		case "f":
			if _, twice := ended[e.ID]; twice {
				say("arrow %d ends twice", e.ID)
			}
			ended[e.ID] = e
		case "C", "i":
		default:
			say("what is a %q?", e.Ph)
		}
		if !named[on] {
			say("%s %s is on track %v, which has no name yet", e.Ph, e.Name, on)
		}
	}
	holds := func(e event) bool {
		return slices.ContainsFunc(slicesOf[[2]int{e.Pid, e.Tid}], func(s event) bool {
			from, long, at := ns(s.Ts), ns(s.Dur), ns(e.Ts)
			return from < at && at < from+long || from == at && long < 2
		})
	}
	for id, s := range begun {
		f, ok := ended[id]
		if !ok {
			say("arrow %d does not end", id)
			continue
		}
		if ns(f.Ts) < ns(s.Ts) {
			say("arrow %d goes back in time", id)
		}
		if !holds(s) || !holds(f) {
			say("an end of arrow %d is in no slice", id)
		}
		if f.Cat != s.Cat || f.Name != s.Name || f.Bp != "e" {
			say("the ends of arrow %d do not belong together: %v %v", id, s, f)
		}
	}
	if len(ended) > len(begun) {
		say("an arrow ends that did not begin")
	}
	for on, list := range slicesOf {
		slices.SortStableFunc(list, func(a, b event) int {
			if c := ns(a.Ts) - ns(b.Ts); c != 0 {
				return int(c)
			}
			return int(ns(b.Dur) - ns(a.Dur))
		})
		var open []int64 // where the slices around end
		for _, e := range list {
			from, to := ns(e.Ts), ns(e.Ts)+ns(e.Dur)
			for len(open) > 0 && open[len(open)-1] <= from {
				open = open[:len(open)-1]
			}
			if len(open) > 0 && to > open[len(open)-1] {
				say("%s on %v at %d crosses the end of the slice around it", e.Name, on, from)
			}
			open = append(open, to)
		}
	}
	return bad
}

func TestStory(t *testing.T) {
	all := written(t, view(t, story))
	for _, w := range wrong(all) {
		t.Error(w)
	}
	count := map[string]int{}
	for _, e := range all {
		count[fmt.Sprint(e.Ph, e.Pid)]++
	}
	// Four runs by P; the same by M, with what the Ms do between them; one
	// arrow for each time a goroutine was made ready and ran.
	for what, n := range map[string]int{"X1": 4, "s2": 4, "f2": 4, "i1": 2, "i2": 2, "X3": 3} {
		if count[what] != n {
			t.Errorf("%d of %s, want %d", count[what], what, n)
		}
	}
	find(t, all, []wanted{
		{"M", 101, "thread_name", -1, -1, "name:P0"},
		{"M", 202, "thread_name", -1, -1, "name:M1 (vCPU 1)"},
		{"M", 0, "process_name", -1, -1, "name:Ps (who may run)"},
		{"X", 101, "G1", 300, 620, "found:runnext, in the running slice goroutine:1 left:blocked: chan receive"},
		{"X", 201, "G1", 300, 620, "waited_us:0.05"},
		{"X", 102, "G2", 700, 100, "found:stolen"},
		{"X", 202, "G2", 700, 100, "waited_us:0.3"},
		{"X", 101, "G2", 1000, 500, "left:preempted"},
		{"X", 202, "G1", 1600, 400, "left:exited"},
		{"X", 202, "spinning", 520, 90, ""},
		{"X", 202, "halted", 810, 750, ""},
		{"X", 201, "scheduling", 100, 200, ""},
		{"s", 201, "go", 400, -1, ""},
		{"f", 202, "go", 701, -1, ""},
		{"s", 201, "wake", 900, -1, ""},
		{"f", 201, "wake", 1001, -1, ""},
		{"s", 202, "wake", 1580, -1, ""},
		{"C", 0, "P0 queue", 410, -1, "Gs:1"},
		{"C", 0, "P0 queue", 600, -1, "Gs:0"},
		{"C", 0, "global queue", 1510, -1, "Gs:1"},
		{"C", 0, "all Gs", 900, -1, "runnable:1 running:1"},
		{"i", 101, "preempted: G2", 1500, -1, "goroutine:2"},
		{"i", 102, "steal", 600, -1, "Gs:1 from_P:0"},
		{"i", 201, "IPI sent: kick", 420, -1, "to_M:1"},
		{"i", 202, "IPI taken: kick", 1550, -1, ""},
		{"X", 301, "GC mark termination", 1700, 200, "by:G1"},
		{"X", 301, "stands still", 1800, 100, ""},
		{"X", 302, "mark", 1810, 140, ""},
	})
}

// wanted is an event that must be there: its kind, track and name, when and for how
// long (-1: whenever), and words among its arguments.
type wanted struct {
	ph       string
	tid      int
	name     string
	at, long int64
	args     string
}

// find demands events.
func find(t *testing.T, all []event, list []wanted) {
	t.Helper()
	for _, want := range list {
		if !slices.ContainsFunc(all, func(e event) bool {
			if e.Ph != want.ph || e.Tid != want.tid || e.Name != want.name {
				return false
			}
			if want.at >= 0 && ns(e.Ts) != want.at || want.long >= 0 && ns(e.Dur) != want.long {
				return false
			}
			args := strings.Trim(fmt.Sprint(e.Args), "map[]")
			return strings.Contains(args, want.args)
		}) {
			t.Errorf("there is no %+v", want)
		}
	}
}

// A system call that loses its P ends the run on both tracks, the M holds the call, and a
// goroutine that is tied is passed to its M.
func TestCalls(t *testing.T) {
	all := written(t, view(t, []step{
		{100, 0, 0, sched.EvAcquire, 0, 0, 0},
		{100, 0, 0, sched.EvCreate, 1, 0, 0},
		{200, 0, 0, sched.EvStart, 1, uint64(sched.FromNext), 0},
		{300, 0, 0, sched.EvSyscallEnter, 1, 0, 0},
		{400, 1, no, sched.EvRetake, 0, 0 | 0<<8, 0},
		{500, 0, no, sched.EvSyscallExit, 1, 0, 0},
		{600, 0, 1, sched.EvAcquire, 0, 0, 0},
		{650, 0, 1, sched.EvLock, 1, 1, 0},
		{700, 0, 1, sched.EvPass, 2, 1, 0},
		{800, 0, 1, sched.EvBlock, 1, 0, 0},
		{850, 1, 2, sched.EvAcquire, 0, 0, 0},
		{850, 1, 2, sched.EvStart, 2, uint64(sched.FromPass), 0},
		{900, 1, 2, sched.EvExit, 2, 0, 0},
		{900, 1, 2, sched.EvExitM, 0, 0, 0},
	}))
	for _, w := range wrong(all) {
		t.Error(w)
	}
	find(t, all, []wanted{
		{"X", 101, "G1", 200, 200, "left:in a system call, and lost the P"},
		{"X", 201, "G1", 200, 200, "left:in a system call, and lost the P"},
		{"X", 201, "in a call", 400, 100, ""},
		{"X", 201, "scheduling", 500, 100, ""},
		{"X", 102, "G1", 600, 200, "found:at hand"},
		{"X", 102, "G1", 600, 200, "tied_to_M:0"},
		{"X", 202, "G2", 850, 50, "found:passed to the M it is tied to"},
		{"i", 202, "P taken from a system call", 400, -1, "P:0 from_M:0"},
		{"i", 102, "passed to its M: G2", 700, -1, "to_M:1"},
		{"i", 202, "M ends", 900, -1, ""},
		{"C", 0, "all Gs", 400, -1, "runnable:0 running:0"},
		{"C", 0, "all Gs", 500, -1, "runnable:1 running:0"},
		{"C", 0, "all Gs", 600, -1, "runnable:0 running:1"},
	})
}

// The finder of wrongs must find them.
func TestWrong(t *testing.T) {
	good := written(t, view(t, story))
	us := func(f float64) *float64 { return &f }
	for _, tc := range []struct {
		add  event
		want string
	}{
		{event{Ph: "s", Pid: 2, Tid: 201, ID: 99, Ts: us(1)}, "does not end"},
		{event{Ph: "f", Pid: 2, Tid: 201, ID: 99, Ts: us(1)}, "did not begin"},
		{event{Ph: "X", Pid: 1, Tid: 101, Ts: us(0.5), Dur: us(1)}, "crosses"},
		{event{Ph: "X", Pid: 1, Tid: 101, Ts: us(0.5), Dur: us(-1)}, "below zero"},
		{event{Ph: "X", Pid: 1, Tid: 199, Ts: us(0.5), Dur: us(1)}, "no name"},
		{event{Ph: "C", Pid: 1, Tid: 101}, "no time"},
	} {
		bad := wrong(append(slices.Clone(good), tc.add))
		if !strings.Contains(strings.Join(bad, "\n"), tc.want) {
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
			s := step{At: at, M: rnd.IntN(3), P: rnd.IntN(4), Kind: sched.Event(rnd.IntN(int(sched.NumEvents))), G: rnd.Uint64N(6), Arg: rnd.Uint64N(8), Aux: rnd.Uint64N(5)}
			if s.P == 3 {
				s.P = no
			}
			if rnd.IntN(2) == 0 { // mostly runs
				s.Kind = []sched.Event{sched.EvStart, sched.EvBlock, sched.EvUnblock, sched.EvPreempt}[rnd.IntN(4)]
			}
			steps = append(steps, s)
		}
		if bad := wrong(written(t, view(t, steps))); len(bad) > 0 {
			t.Fatalf("round %d: %s", round, strings.Join(bad, "\n"))
		}
	}
}

func TestNothing(t *testing.T) {
	if bad := wrong(written(t, view(t, nil))); len(bad) > 0 {
		t.Error(bad)
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
	if err := Write(&full{100}, view(t, story)); err == nil || err.Error() != "full" {
		t.Errorf("the error of a full disk became %v", err)
	}
}

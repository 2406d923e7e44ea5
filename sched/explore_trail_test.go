//go:build explore

package sched

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sched9/sched/interleave"
)

// A trail is one run of a program, step by step, for people who want to choose themselves who goes on. tools/book makes a page of it.
type trail struct {
	Program, Rules string
	Schedule       string // as far as it fitted
	Failure        string // which rule the run broke, or why there is none; "": it went well
	Rows           []trailRow
	Views          []trailView
	Choices        map[int]trailChoice // by step
}

// trailRow is a thing that was done: an access to a shared word, an event of the recorder, or a jump of the clock.
type trailRow struct {
	Step int
	M    int
	Text string
	View int // of Views: how it was afterwards
}

// trailChoice is who could go on at a step, and who did. Time: the clock could jump.
type trailChoice struct {
	Able []interleave.Move
	Time bool
	Took interleave.Move
}

// trailView is what the queues hold and what everybody does.
type trailView struct {
	Ps       []trailP
	Ms       []trailM
	Gs       []string // their statuses
	Global   []string
	Spinning int32 // nmspinning
	Wanted   bool  // needspinning
}

// trailP is a P. Slots are the ring's, as many as it has: what lies in them, though it may have been taken.
type trailP struct {
	Owner, Next string
	Head, Tail  uint32
	Slots       []string
	Idle        bool
}

// trailM is an M. At is where it stands: "" if it is the one that goes on.
type trailM struct{ State, P, G, At string }

// view is how it is now.
func (w *walk) view() trailView {
	was := w.muted
	w.muted = true // these looks are nobody's
	defer func() { w.muted = was }()
	s := w.mdl.s
	name := func(handle uintptr) string {
		if handle == 0 {
			return ""
		}
		return w.value(uint64(handle))
	}
	v := trailView{Spinning: w.mdl.spinning.Peek(), Wanted: s.needspinning.Peek() != 0}
	for i := range s.procs.Peek() {
		p := &s.ps[i]
		row := trailP{Owner: name(p.m.Peek()), Next: name(p.runnext.Peek()), Head: p.head.Peek(), Tail: p.tail.Peek(), Idle: p.idle.Peek() != 0}
		for j := range p.ring {
			row.Slots = append(row.Slots, name(p.ring[j].Peek()))
		}
		v.Ps = append(v.Ps, row)
	}
	for _, c := range w.mdl.cpus[:w.mdl.ncpu] {
		row := trailM{State: trailStates[c.m.state.Peek()], P: name(c.m.p.Peek()), At: c.at}
		if t := c.cur.Load(); t != nil {
			row.G = fmt.Sprintf("G%d", t.ID)
		}
		v.Ms = append(v.Ms, row)
	}
	for _, t := range w.mdl.tasks {
		v.Gs = append(v.Gs, trailStatuses[t.status.Peek()&^scan])
	}
	for g := s.runq.head; g != 0; g = g.ptr().link {
		v.Global = append(v.Global, name(uintptr(g)))
	}
	return v
}

// trailStates and trailStatuses are the words for an M's states and a task's statuses.
var (
	trailStates   = map[uint32]string{mOff: "off", mForeign: "foreign", mRunning: "running", mSpinning: "spinning", mIdle: "idle", mLockedWait: "waits for its G", mExited: "exited"}
	trailStatuses = map[int32]string{fresh: "new", runnable: "ready", running: "running", syscall: "in a call", waiting: "waiting", dead: "ended"}
)

// chooser is a strategy that notes at each step who could go on.
type chooser struct {
	interleave.Strategy
	choices map[int]trailChoice
}

// Move asks the strategy.
func (c *chooser) Move(p *interleave.Point) (interleave.Move, bool) {
	m, ok := c.Strategy.Move(p)
	c.choices[p.Step] = trailChoice{slices.Clone(p.Able), p.Time, m}
	return m, ok
}

// useNamed is the use that a schedule, or a name, begins with.
func useNamed(name string) (*use, error) {
	name, _, _ = strings.Cut(name, "/")
	for _, p := range uses {
		if p.name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("there is no program %q", name)
}

// walkTrail runs a schedule, in the form that a failure prints it: PROGRAM/DECISIONS.
func walkTrail(text string) *trail {
	p, err := useNamed(text)
	if err != nil {
		return &trail{Failure: err.Error()}
	}
	t := &trail{Program: p.name, Rules: p.rules, Choices: map[int]trailChoice{}}
	_, decisions, _ := strings.Cut(text, "/")
	schedule, err := interleave.Parse(decisions)
	if err != nil {
		t.Failure = err.Error()
		return t
	}
	x := newExplorer(p)
	x.everything = true
	r := interleave.NewReplay(schedule)
	x.shown = func(w *walk, step, m int, text string) {
		v := w.view()
		if n := len(t.Views); n == 0 || !same(t.Views[n-1], v) {
			t.Views = append(t.Views, v)
		}
		t.Rows = append(t.Rows, trailRow{step, m, text, len(t.Views) - 1})
	}
	w, msg := x.run(&chooser{r, t.Choices}, true)
	t.Schedule = p.name + "/" + w.schedule.String()
	t.Failure = strings.TrimSpace(r.Bad + "\n" + msg)
	return t
}

// same reports whether two views are equal.
func same(a, b trailView) bool {
	x, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	return string(x) == string(y)
}

// searchTrail runs a program in orders drawn from seeds, and returns the schedule of the first that breaks a rule, "" if none does.
func searchTrail(name string, first, n uint64) (string, error) {
	p, err := useNamed(name)
	if err != nil {
		return "", err
	}
	x := newExplorer(p)
	steps := 200
	for seed := first; seed < first+n; seed++ {
		w, msg := x.run(interleave.NewPCT(seed, 1+int(seed)%(p.bound+3), steps), false)
		if msg != "" {
			return p.name + "/" + w.schedule.String(), nil
		}
		steps = w.step
		x.learn()
	}
	return "", nil
}

// TestTrail: a trail shows the run that its schedule names, with the queues after each step; who is chosen goes on.
func TestTrail(t *testing.T) {
	usual := walkTrail("ring/-")
	if usual.Failure != "" || usual.Schedule != "ring/-" || len(usual.Rows) < 100 {
		t.Fatalf("the usual run has %d rows, schedule %s: %s", len(usual.Rows), usual.Schedule, usual.Failure)
	}
	end := usual.Views[len(usual.Views)-1]
	if len(end.Ps) != 2 || len(end.Ms) != 2 || len(end.Gs) != 7 || slices.ContainsFunc(end.Gs, func(s string) bool { return s != "ended" }) {
		t.Errorf("in the end there are %+v", end)
	}
	overflows := false
	for i, r := range usual.Rows {
		v := usual.Views[r.View]
		for _, p := range v.Ps {
			if p.Tail-p.Head > RingSize || len(p.Slots) != RingSize {
				t.Errorf("after row %d %q there is %+v", i, r.Text, p)
			}
		}
		if strings.HasPrefix(strings.TrimSpace(r.Text), "Overflow") {
			overflows = overflows || len(v.Global) == RingSize/2+1
		}
	}
	if !overflows {
		t.Error("no half of a ring is seen in the global queue")
	}
	step := -1
	for at, c := range usual.Choices {
		if len(c.Able) > 1 && (step < 0 || at < step) {
			step = at
		}
	}
	other := usual.Choices[step].Able[1]
	mine := walkTrail(fmt.Sprintf("ring/%d>%v", step, other))
	if mine.Failure != "" || mine.Choices[step].Took != other || mine.Schedule != fmt.Sprintf("ring/%d>%v", step, other) {
		t.Errorf("M %v goes on at step %d: %s, took %v: %s", other, step, mine.Schedule, mine.Choices[step].Took, mine.Failure)
	}
	i := slices.IndexFunc(mine.Rows, func(r trailRow) bool { return r.Step >= step })
	if i < 0 || mine.Rows[i].M != int(other) {
		t.Errorf("at step %d M %v does not go on", step, other)
	}
	for _, bad := range []string{"gone/-", "ring/x", "ring/", "ring/1>9"} {
		if walkTrail(bad).Failure == "" {
			t.Errorf("%s: no failure", bad)
		}
	}
	if found, err := searchTrail("ring", 0, 20); found != "" || err != nil {
		t.Errorf("random orders of ring find %q, %v", found, err)
	}
	if _, err := searchTrail("gone", 0, 1); err == nil {
		t.Error("there is a program gone")
	}
}

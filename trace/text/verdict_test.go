package text

import (
	"slices"
	"strings"
	"testing"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/tracetest"
)

// scene is a recording in which every goroutine runs on M 0, one after another, a
// microsecond each.
type scene struct {
	*tracetest.Recording
	at   int64
	args map[uint64]uint64 // of the last EvBlock, by goroutine
}

// Reasons of a scene.
const (
	toSleep = 1 << record.ReasonShift
	toRecv  = 2 << record.ReasonShift
	toLock  = 3 << record.ReasonShift
)

// newScene begins one with goroutines 1 to n, which all wait for no known thing.
func newScene(t *testing.T, n uint64) *scene {
	s := &scene{Recording: tracetest.New(t, trace.Meta{Program: "scene", SMP: 1}), args: map[uint64]uint64{}}
	s.Add(0, 0, 0, record.EvAcquire, 0, 0, 0)
	for g := range n {
		s.does(0, record.EvCreate, g+1, entry())
	}
	for g := range n {
		s.blocks(g+1, toSleep)
	}
	return s
}

// does records what happens a microsecond later, while by runs, which waits for the
// same as before afterwards.
func (s *scene) does(by uint64, e record.Event, g, arg uint64) {
	s.at += us
	if by != 0 {
		s.Add(s.at, 0, 0, record.EvStart, by, 0, 0)
	}
	s.Add(s.at+1, 0, 0, e, g, arg, entry()+1)
	if by != 0 {
		s.Add(s.at+2, 0, 0, record.EvBlock, by, s.args[by], entry()+1)
	}
}

// blocks lets g run and wait for something.
func (s *scene) blocks(g, arg uint64) {
	s.at += us
	s.args[g] = arg
	s.Add(s.at, 0, 0, record.EvStart, g, 0, 0)
	s.Add(s.at+us/2, 0, 0, record.EvBlock, g, arg, entry()+1)
}

// judge is the Verdict, with short names of goroutines, a millisecond later.
func (s *scene) judge(t *testing.T, end *trace.End) Verdict {
	t.Helper()
	s.Add(s.at+1000*us, 0, 0, record.EvEnd, 0, 0, 0)
	l := tracetest.Named(t, trace.Legend{Reasons: []string{"", "sleep", "chan receive", "sync.Mutex.Lock"}})
	v := s.Trace(l, end).View()
	for _, g := range v.Gs {
		g.Entry = "f"
	}
	return Judge(v)
}

// has fails the test if text is in none of the notes.
func (v Verdict) has(t *testing.T, text string) {
	t.Helper()
	if !slices.ContainsFunc(v.Notes, func(n string) bool { return strings.Contains(n, text) }) {
		t.Errorf("%q is in none of %q", text, v.Notes)
	}
}

// Two goroutines that wait for a mutex each, which was never released to a waiter: the recording
// does not know the owners, and the Verdict does not say that it does.
func TestJudgeLocks(t *testing.T) {
	s := newScene(t, 3)
	s.blocks(2, toLock|0x100)
	s.blocks(3, toLock|0x200)
	s.blocks(1, toRecv|0x300)
	v := s.judge(t, &trace.End{Status: 2})
	if want := "Deadlock: all 3 goroutines of the program wait, the longest for 1.00ms, and the runtime ended the program"; v.Title != want || !v.Bad {
		t.Errorf("the title is %q, bad is %v", v.Title, v.Bad)
	}
	if len(v.Stands) != 3 || v.Stands[0].What != "waiting (sync.Mutex.Lock)" || v.Stands[0].Gs[0] != 2 || v.Stands[0].Where != where() || v.Stands[0].Wakes != "" {
		t.Errorf("they stand %+v", v.Stands)
	}
	v.has(t, "wait for 2 different locks")
	v.has(t, "does not show which goroutine took a lock while it was free")
	if strings.Contains(strings.Join(v.Notes, ""), "each other") {
		t.Errorf("it claims to know who holds the locks: %q", v.Notes)
	}
}

// Goroutines that wait for the same object are listed together, with those that released it so far.
func TestJudgeSame(t *testing.T) {
	s := newScene(t, 4)
	s.blocks(2, toLock|0x100)
	s.does(4, record.EvUnblock, 2, 0)
	s.blocks(2, toLock|0x100)
	s.blocks(3, toLock|0x100)
	v := s.judge(t, &trace.End{Status: 124, Why: "the guest did not end within 8s"})
	if want := "The run did not end by itself: the guest did not end within 8s. Of 4 goroutines of the program 2 wait, the longest for "; !strings.HasPrefix(v.Title, want) {
		t.Errorf("the title is %q", v.Title)
	}
	if len(v.Stands) != 2 || !slices.Equal(v.Stands[0].Gs, []uint64{2, 3}) || !strings.HasPrefix(v.Stands[0].Wakes, "ended so far by f G4 1 time, last 1.00ms before the end (it waits)") {
		t.Errorf("they stand %+v", v.Stands)
	}
	if !slices.Equal(v.Stands[1].Gs, []uint64{1, 4}) || v.Stands[1].What != "waiting (sleep)" {
		t.Errorf("those who sleep come last: %+v", v.Stands)
	}
	v.has(t, "f G2 and f G3 wait for the same.")
}

// Goroutines that only woke each other, and that all wait: they wait for each other, as far as the
// recording shows. Not so if one of the wakers may still come.
func TestJudgeRing(t *testing.T) {
	scene := func() *scene {
		s := newScene(t, 4)
		for range 2 {
			s.blocks(1, toRecv|0x100)
			s.blocks(2, toRecv|0x200)
			s.does(2, record.EvUnblock, 1, 0)
			s.does(1, record.EvUnblock, 2, 0)
		}
		s.blocks(1, toRecv|0x100)
		s.blocks(2, toRecv|0x200)
		return s
	}
	v := scene().judge(t, &trace.End{Status: 124, Why: "late"})
	v.has(t, "f G1 and f G2 wait for each other, as far as the recording shows")
	s := scene()
	s.does(3, record.EvUnblock, 1, 0) // G3, which sleeps, may do so again
	s.blocks(1, toRecv|0x100)
	v = s.judge(t, &trace.End{Status: 124, Why: "late"})
	if len(v.Notes) != 0 {
		t.Errorf("G3 is forgotten: %q", v.Notes)
	}
	s = scene()
	s.does(3, record.EvUnblock, 1, 0)
	s.blocks(1, toRecv|0x100)
	s.blocks(3, toLock|0x500)
	v = s.judge(t, &trace.End{Status: 124, Why: "late"})
	v.has(t, "f G3 waits for a lock that was never released to a waiter")
	if strings.Contains(strings.Join(v.Notes, ""), "each other") {
		t.Errorf("what G3 waits for is not known to be of G1 and G2: %q", v.Notes)
	}
}

// Running and ready goroutines are listed too; a run that ended well is not bad, whatever
// goroutines were left waiting.
func TestJudgeOthers(t *testing.T) {
	s := newScene(t, 3)
	s.blocks(1, toRecv|0x100)
	s.does(0, record.EvUnblock, 2, 0)
	s.Add(s.at+us, 0, 0, record.EvStart, 3, 0, 0)
	end := &trace.End{}
	v := s.judge(t, end)
	var whats []string
	for _, st := range v.Stands {
		whats = append(whats, st.What)
	}
	if want := []string{"waiting (chan receive)", "ready, without a P", "running"}; !slices.Equal(whats, want) {
		t.Errorf("they are %q, want %q", whats, want)
	}
	if v.Bad || !strings.HasPrefix(v.Title, "The program ended by itself. Of 3 goroutines of the program 1 waits") {
		t.Errorf("it is bad: %v, %q", v.Bad, v.Title)
	}
	v = newScene(t, 1).judge(t, nil)
	if !v.Bad || v.Title != "The recording is cut off" {
		t.Errorf("of a cut recording: %+v", v)
	}
	s = newScene(t, 40)
	for g := range uint64(40) {
		s.blocks(g+1, toRecv|0x1000+g)
	}
	v = s.judge(t, end)
	if len(v.Stands) != mostStands || v.Rest != 40-mostStands || v.Title[:57] != "The program ended by itself. All 40 goroutines of the pro" {
		t.Errorf("of 40 places %d are told and %d not: %s", len(v.Stands), v.Rest, v.Title)
	}
}

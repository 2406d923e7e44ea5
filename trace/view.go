package trace

import (
	"cmp"
	"slices"
	"strings"

	"sched9/record"
)

// View is a Trace as people look at it: goroutines, the stretches in which they ran, which woke
// which, and what processors did. It is made in one pass that believes the events; package check
// judges whether they can be believed.
type View struct {
	Trace *Trace
	Start int64 // time of the first event
	End   int64 // and of the last

	Gs     []*Goroutine // by number
	Runs   []Run        // in order of their start
	Wakes  []Wake       // in order of their time
	PSpans []Span       // a P owned by an M: Of is the P, Also the M
	MSpans []Span       // what an M does: Of is the M, Doing says what
	Queues []Queue      // lengths, as they change
	Stops  []Stop
	Phases []Phase
	Timers []int64 // lateness of every timer that fired, in nanoseconds
	Open   []Run   // of Pieces: runs that go on

	byID map[uint64]*Goroutine
}

// Goroutine is one G's life.
type Goroutine struct {
	ID      uint64
	Entry   string // the function it was made of (Trace.Entry), "G12" if unknown
	Site    string // the function that made it: the first on the go statement's stack that is not package runtime's or sync's, "" if unknown
	System  bool   // one of the runtime's own
	Parent  uint64 // the goroutine that made it, 0: none
	Made    int64
	Ended   int64          // -1 if it did not end
	Runs    []int          // of View.Runs
	Running int64          // time on a processor with a P, system calls included
	Ready   int64          // time runnable, and waiting for one
	Waiting int64          // time blocked
	Calling int64          // time in system calls after the P was taken
	Calls   int            // system calls
	Ties    []Span         // when it was tied to an M: Of is the M
	Home    int            // the P that it was wired to last, plus one; 0: none
	Stack   int32          // of the go statement
	Blocks  map[string]int // by reason
	State   Life           // what it does when the recording ends, if it has not ended
	Since   int64          // and since when
}

// Life is what a goroutine does.
type Life uint8

const (
	Waits   Life = iota
	Readies      // may run, and has no P
	Calls        // is in a system call whose P was taken
	Runs
)

// Run is a stretch in which a goroutine ran. A system call belongs to it as long as its M has its
// P. If the P is taken the run ends, and another begins when the goroutine is back and there is a
// P.
type Run struct {
	G          uint64
	M, P       int
	Start, End int64
	Ready      int64        // since when it was runnable
	Wake       uint64       // the ID of the Wake that made it so, 0: none
	From       record.Place // where it was found
	Inherit    bool         // it went on in the slice of the one before
	Left       record.Event // how it left: EvBlock, EvYield, EvPreempt, EvExit; EvRetake: it is in a system call and its P was taken; EvNone: it still ran at the end
	Reason     string       // of EvBlock
	Stack      int32        // where it left
	Begin      int          // of Trace.Events: with which it begins
	Finish     int          // and ends, -1: it does not
}

// Wake says that a goroutine became runnable. ID counts them from 1.
type Wake struct {
	ID    uint64
	At    int64
	G     uint64
	By    uint64 // the goroutine whose doing it was, 0: a timer, an interrupt, the scheduler
	M     int    // where
	New   bool   // it was made then
	Start int64  // when it ran, -1 if it did not
	Run   int    // of View.Runs, -1
	Stack int32  // the waker's
}

// Doing is what an M does.
type Doing uint8

const (
	Scheduling Doing = iota // in the scheduler, with or without a P
	Running                 // runs a goroutine
	Spinning                // looks for work
	Halted                  // its processor sleeps
	Calling                 // holds a system call, and has no P
	NumDoings
)

// String is the word for it.
func (d Doing) String() string {
	return [...]string{"scheduling", "running", "spinning", "halted", "in a call"}[d]
}

// Span is a stretch of something's life.
type Span struct {
	Of, Also   int
	Doing      Doing
	Start, End int64
}

// Queue is a length from At on. P is -1 for the global queue.
type Queue struct {
	At  int64
	P   int
	Len int
}

// Stop is a stop of the world: it was wanted at Start, held from Held (0: never)
// to End.
type Stop struct {
	Start, Held, End int64
	Reason           string
	By               uint64
}

// Phase is a phase of the collector.
type Phase struct {
	Start, End int64
	Name       string
}

// phases are the collector's, by their numbers.
var phases = []string{"off", "mark", "mark termination"}

// G returns the goroutine with the number, or nil.
func (v *View) G(id uint64) *Goroutine { return v.byID[id] }

// viewer makes a View.
type viewer struct {
	*View
	gs map[uint64]*gState
	ms [record.MaxProcs]mState
	r  Replay
	q  map[int]int // lengths by P, -1: global
	i  int         // of the event at hand

	wakes uint64 // how many there were
}

// gState is what a G does now.
type gState struct {
	*Goroutine
	since int64
	ready bool
	call  bool // in a system call, without a P
	run   int  // of Runs, -1
	wake  int  // of Wakes, -1

	wakeID uint64 // its ID, 0: it ran since
	next   bool   // in a runnext
	tied   bool   // the last of Ties goes on
}

// mState is what an M does now.
type mState struct {
	*Carrier
	span     int // of MSpans, -1
	spinning bool
	p        int   // of PSpans, -1
	stack    int32 // where its goroutine entered a system call
}

// awake is what an M does whose processor does not halt. One may halt while it
// runs a goroutine, in a lock of the runtime's.
func (m *mState) awake() Doing {
	switch {
	case m.Lost:
		return Calling
	case m.Back:
		return Scheduling
	case m.G != 0:
		return Running
	case m.spinning:
		return Spinning
	}
	return Scheduling
}

// newViewer begins a View of t.
func newViewer(t *Trace) *viewer {
	v := &viewer{View: &View{Trace: t, byID: map[uint64]*Goroutine{}}, gs: map[uint64]*gState{}, q: map[int]int{}}
	for i := range v.ms {
		v.ms[i] = mState{Carrier: v.r.M(i), span: -1, p: -1}
	}
	return v
}

// View makes a View of t.
func (t *Trace) View() *View {
	v := newViewer(t)
	if n := len(t.Events); n > 0 {
		v.Start, v.End = t.Events[0].Time, t.Events[n-1].Time
	}
	for i, e := range t.Events {
		v.i = i
		v.event(e)
	}
	v.finish()
	return v.View
}

// g returns the state of a G, which is made if the trace does not tell of its
// creation.
func (v *viewer) g(id uint64, at int64) *gState {
	s := v.gs[id]
	if s == nil {
		s = &gState{Goroutine: &Goroutine{ID: id, Entry: Name("", id), Made: at, Ended: -1, Blocks: map[string]int{}}, since: at, run: -1, wake: -1}
		v.gs[id] = s
		v.byID[id] = s.Goroutine
		v.Gs = append(v.Gs, s.Goroutine)
	}
	return s
}

// doing begins another span of M m, if it does something else than before.
func (v *viewer) doing(m int, d Doing, at int64) {
	s := &v.ms[m]
	if s.span >= 0 {
		old := &v.MSpans[s.span]
		if old.Doing == d {
			return
		}
		old.End = at
	}
	s.span = len(v.MSpans)
	v.MSpans = append(v.MSpans, Span{Of: m, Also: -1, Doing: d, Start: at, End: -1})
}

// queue notes that a queue's length changes by n.
func (v *viewer) queue(p, n int, at int64) {
	if n != 0 {
		v.q[p] += n
		v.Queues = append(v.Queues, Queue{at, p, v.q[p]})
	}
}

// life is what s does.
func (s *gState) life() Life {
	switch {
	case s.call:
		return Calls
	case s.run >= 0:
		return Runs
	case s.ready:
		return Readies
	}
	return Waits
}

// becomes accounts for the state that s leaves.
func (s *gState) becomes(at int64, ready bool) {
	d := at - s.since
	switch s.life() {
	case Calls:
		s.Calling += d
	case Runs:
		s.Running += d
	case Readies:
		s.Ready += d
	default:
		s.Waiting += d
	}
	s.since, s.ready = at, ready
}

// wakeup notes that s becomes runnable.
func (v *viewer) wakeup(s *gState, e Event, isNew bool) {
	s.wake = len(v.Wakes)
	v.wakes++
	s.wakeID = v.wakes
	v.Wakes = append(v.Wakes, Wake{ID: v.wakes, At: e.Time, G: s.ID, By: v.ms[e.M].G, M: int(e.M), New: isNew, Start: -1, Run: -1, Stack: e.Stack})
}

// leave ends the run of the G that e is about.
func (v *viewer) leave(e Event, ready bool) {
	if m := &v.ms[e.M]; m.Back && m.G == e.G {
		return // it has been ready since it came back
	}
	s := v.g(e.G, e.Time)
	s.becomes(e.Time, ready)
	if s.run >= 0 {
		r := &v.Runs[s.run]
		r.End, r.Left, r.Stack, r.Finish = e.Time, e.Kind, e.Stack, v.i
		if e.Kind == record.EvBlock {
			r.Reason = v.Trace.Reason(e)
			s.Blocks[r.Reason]++
		}
		s.run = -1
	}
	v.doing(int(e.M), Scheduling, e.Time)
}

// begin begins a run of s on e's M.
func (v *viewer) begin(s *gState, e Event, from record.Place, inherit bool) {
	ready := s.since
	s.becomes(e.Time, false)
	s.run = len(v.Runs)
	s.Runs = append(s.Runs, s.run)
	v.Runs = append(v.Runs, Run{G: s.ID, M: int(e.M), P: int(e.P), Start: e.Time, End: -1, Ready: ready, From: from, Inherit: inherit, Begin: v.i, Finish: -1})
	v.doing(int(e.M), Running, e.Time)
}

// event takes an event.
func (v *viewer) event(e Event) {
	v.alone(e)
	v.turn(e)
}

// alone takes what an event says by itself.
func (v *viewer) alone(e Event) {
	m := &v.ms[e.M]
	switch e.Kind {
	case record.EvCreate:
		// A number that is used again is another goroutine of a G that died:
		// numbers are not used again, so this is its only creation.
		s := v.g(e.G, e.Time)
		s.Made, s.Parent, s.Stack, s.since = e.Time, m.G, e.Stack, e.Time
		s.ready = e.Arg&record.CreateParked == 0
		if name := v.Trace.Entry(e.Entry()); name != "" {
			s.Entry = name
			s.System = isSystem(v.Trace.Frame(e.Entry()).Func)
		}
		s.Site = v.Trace.Site(e.Stack)
		if s.ready {
			v.wakeup(s, e, true)
		}
	case record.EvStart:
		s := v.g(e.G, e.Time)
		v.begin(s, e, e.Place(), e.Inherit())
		if s.wake >= 0 {
			v.Wakes[s.wake].Start, v.Wakes[s.wake].Run = e.Time, s.run
			s.wake = -1
		}
		v.Runs[s.run].Wake, s.wakeID = s.wakeID, 0
		switch e.Place().Kind() {
		case record.FromNext, record.FromRing:
			v.queue(int(e.P), -1, e.Time)
		}
		s.next = false
	case record.EvYield, record.EvPreempt:
		v.leave(e, true)
	case record.EvBlock:
		v.leave(e, false)
	case record.EvWire:
		v.g(e.G, e.Time).Home = int(e.Arg)
	case record.EvExit:
		v.leave(e, false)
		v.g(e.G, e.Time).Ended = e.Time
	case record.EvUnblock:
		s := v.g(e.G, e.Time)
		s.becomes(e.Time, true)
		v.wakeup(s, e, false)
	case record.EvPutNext:
		v.g(e.G, e.Time).next = true
		v.queue(int(e.P), 1, e.Time)
	case record.EvPutRing:
		// One that was in runnext stays in the queue.
		if s := v.g(e.G, e.Time); s.next {
			s.next = false
		} else {
			v.queue(int(e.P), 1, e.Time)
		}
	case record.EvPutGlobal:
		v.queue(-1, 1, e.Time)
	case record.EvOverflow:
		n := e.Count()
		if s := v.g(e.G, e.Time); s.next { // its place there was taken
			s.next = false
			n++
		}
		v.queue(int(e.P), -n, e.Time)
		v.queue(-1, e.Count()+1, e.Time)
	case record.EvGetGlobal:
		v.queue(-1, -e.Count(), e.Time)
		v.queue(int(e.P), e.Count()-1, e.Time)
	case record.EvTake:
		v.g(e.G, e.Time).next = false
		v.queue(int(e.Aux), -1, e.Time)
	case record.EvWithhold, record.EvPass, record.EvPassP:
		if k := e.Place().Kind(); k == record.FromNext || k == record.FromRing {
			v.g(e.G, e.Time).next = false
			v.queue(int(e.P), -1, e.Time)
		}
	case record.EvSteal:
		if e.G != 0 {
			v.g(e.G, e.Time).next = false
		}
		v.queue(e.Victim(), -e.Count(), e.Time)
		v.queue(int(e.P), e.Count()-1, e.Time)
	case record.EvSyscallEnter:
		v.g(e.G, e.Time).Calls++
		m.stack = e.Stack
	case record.EvAcquire:
		m.p = len(v.PSpans)
		v.PSpans = append(v.PSpans, Span{Of: int(e.P), Also: int(e.M), Start: e.Time, End: -1})
		v.doing(int(e.M), m.awake(), e.Time)
	case record.EvRelease:
		v.unowned(m, e.Time)
	case record.EvRetake:
		if from := e.From(); from < record.MaxProcs {
			v.unowned(&v.ms[from], e.Time)
		}
	case record.EvWakeM, record.EvStartM:
		if e.Arg < record.MaxProcs {
			v.ms[e.Arg].spinning = e.Aux&record.WakeSpinning != 0
		}
	case record.EvSpin, record.EvUnspin:
		m.spinning = e.Kind == record.EvSpin
		v.doing(int(e.M), m.awake(), e.Time)
	case record.EvHalt:
		v.doing(int(e.M), Halted, e.Time)
	case record.EvHaltEnd:
		v.doing(int(e.M), m.awake(), e.Time)
	case record.EvBoot:
		v.doing(int(e.M), Scheduling, e.Time)
	case record.EvStop:
		v.Stops = append(v.Stops, Stop{Start: e.Time, End: -1, Reason: v.Trace.StopReason(e), By: m.G})
	case record.EvStopped:
		if n := len(v.Stops); n > 0 && v.Stops[n-1].Held == 0 {
			v.Stops[n-1].Held = e.Time
		}
	case record.EvGo:
		if n := len(v.Stops); n > 0 && v.Stops[n-1].End < 0 {
			v.Stops[n-1].End = e.Time
		}
	case record.EvPhase:
		if n := len(v.Phases); n > 0 && v.Phases[n-1].End < 0 {
			v.Phases[n-1].End = e.Time
		}
		v.Phases = append(v.Phases, Phase{Start: e.Time, End: -1, Name: pick(phases, e.Arg)})
	case record.EvTimer:
		v.Timers = append(v.Timers, int64(e.Arg))
	}
}

// finish ends what is open at the trace's end, and sorts.
func (v *viewer) finish() {
	for _, s := range v.gs {
		if s.Ended < 0 {
			s.State, s.Since = s.life(), s.since
			s.becomes(v.End, s.ready)
		}
	}
	for i := range v.Runs {
		if v.Runs[i].End < 0 {
			v.Runs[i].End = v.End
		}
	}
	for _, spans := range [][]Span{v.PSpans, v.MSpans} {
		for i := range spans {
			if spans[i].End < 0 {
				spans[i].End = v.End
			}
		}
	}
	for i := range v.Stops {
		if v.Stops[i].End < 0 {
			v.Stops[i].End = v.End
		}
	}
	for _, s := range v.gs {
		if s.tied {
			s.Ties[len(s.Ties)-1].End = v.End
		}
	}
	for i := range v.Phases {
		if v.Phases[i].End < 0 {
			v.Phases[i].End = v.End
		}
	}
	slices.SortFunc(v.Gs, func(a, b *Goroutine) int { return cmp.Compare(a.ID, b.ID) })
}

// isSystem reports whether a goroutine made of function name is the runtime's
// own, as isSystemGoroutine has it.
func isSystem(name string) bool {
	return strings.HasPrefix(name, "runtime.") && name != "runtime.main"
}

package live

import (
	"time"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/text"
)

// State is what a goroutine does.
type State uint8

const (
	Unknown State = iota // what was recorded of it does not fit together
	Runnable
	Running
	Waiting
	Syscall
	numStates
)

// String is the word for it.
func (s State) String() string {
	return [...]string{"unknown", "runnable", "running", "waiting", "in a system call"}[s]
}

// Model is what is known of a run. It is not safe for concurrent use.
type Model struct {
	t      *trace.Trace
	frames func(pc uint64) []trace.Frame // Trace.At
	entry  func(pc uint64) string        // Trace.Entry

	events  uint64
	start   int64 // guest's time of the first event
	newest  int64 // and of the newest
	arrived time.Time

	replay trace.Replay
	ms     [record.MaxProcs]machine
	ps     [record.MaxProcs]processor
	nms    int // of which so many were heard of
	nps    int
	global int // length of the global queue
	gs     map[uint64]*goroutine
	states [numStates]int
	waits  map[uint64]int // waiting goroutines by reason
	dead   uint64
	kinds  map[kind]*tally

	drops [record.NumDrops]uint64 // what the network has dropped
	stop  stop
	phase uint64 // the collector's
	since int64  // of the phase

	counts  counts
	ran     map[uint64]int64 // by goroutine, since the last sample
	samples samples
}

// machine is an M.
type machine struct {
	booted bool
	doing  trace.Doing
	since  int64
	p      int // its P, -1: none
	*trace.Carrier
	from    int64  // up to here its goroutine's time is accounted for
	until   int64  // it sleeps, 0: for ever
	ticked  uint64 // the goroutine that ticks struck, and nothing since
	last    trace.Event
	arrived time.Time // when last was heard of
	spin    bool      // it was woken to spin
	looked  bool      // under the lock, the global queue was empty
}

// goroutine is a living one.
type goroutine struct {
	id      uint64
	kind    kind
	state   State
	reason  uint64 // why it waits
	m       int    // where it runs
	tied    int    // the M that it is tied to, -1: none
	since   int64
	running int64
	runs    uint64
	pc      uint64 // where it was seen last, exactly
	stack   int32  // or where it left
}

// kind says of which function a goroutine is made and where. Names are found
// when they are wanted: the Legend may come after the first events.
type kind struct {
	entry uint64
	stack int32
}

// tally is what the goroutines of a kind did.
type tally struct {
	alive   int
	runs    uint64
	running int64
	ran     int64 // since the last sample
}

// stop is a stop of the world.
type stop struct {
	wanted, held bool
	start        int64
	reason       string
}

// New makes the Model of a run of which nothing has been heard. t is what is
// known beside the events, and may grow.
func New(t *trace.Trace) *Model {
	m := &Model{
		t: t, frames: t.At, entry: t.Entry,
		gs: map[uint64]*goroutine{}, waits: map[uint64]int{}, kinds: map[kind]*tally{}, ran: map[uint64]int64{},
	}
	for i := range m.ms {
		m.ms[i].p, m.ms[i].Carrier, m.ps[i].owner = -1, m.replay.M(i), -1
	}
	return m
}

// Events takes events that came at host's time now, in the guest's order or
// nearly so.
func (m *Model) Events(es []trace.Event, now time.Time) {
	for _, e := range es {
		if e.M < 0 || e.M >= record.MaxProcs || e.P >= record.MaxProcs {
			continue
		}
		if m.events == 0 {
			m.start, m.newest = e.Time, e.Time
		}
		m.events++
		m.newest = max(m.newest, e.Time)
		c := m.m(int(e.M))
		if !c.booted {
			c.booted, c.since = true, e.Time
		}
		c.last, c.arrived = e, now
		m.arrived = now
		m.event(c, e)
	}
}

// m and p return an M and a P.
func (m *Model) m(id int) *machine {
	m.nms = max(m.nms, id+1)
	return &m.ms[id]
}
func (m *Model) p(id int) *processor {
	m.nps = max(m.nps, id+1)
	return &m.ps[id]
}

// g returns a goroutine, which is made if nothing told of its creation.
func (m *Model) g(id uint64) *goroutine {
	g := m.gs[id]
	if g == nil {
		g = &goroutine{id: id, m: -1, tied: -1}
		m.gs[id] = g
		m.states[Unknown]++
		m.tally(g.kind).alive++
	}
	return g
}

// tally returns what the goroutines of a kind did.
func (m *Model) tally(k kind) *tally {
	t := m.kinds[k]
	if t == nil {
		t = &tally{}
		m.kinds[k] = t
	}
	return t
}

// becomes changes g's state. reason is for Waiting.
func (m *Model) becomes(g *goroutine, s State, reason uint64, at int64) {
	m.forget(g)
	g.state, g.reason, g.since = s, reason, at
	m.states[s]++
	if s == Waiting {
		m.waits[reason]++
	}
}

// forget takes g out of the numbers of its state.
func (m *Model) forget(g *goroutine) {
	m.states[g.state]--
	if g.state == Waiting {
		if m.waits[g.reason]--; m.waits[g.reason] == 0 {
			delete(m.waits, g.reason)
		}
	}
}

// does begins something else on an M.
func (c *machine) does(d trace.Doing, at int64) {
	if c.doing != d {
		c.doing, c.since = d, at
	}
}

// account adds the time up to at to the goroutine that runs on c.
func (m *Model) account(c *machine, at int64) {
	if c.G == 0 || c.NoP() || at <= c.from {
		return
	}
	d := at - c.from
	c.from = at
	if g := m.gs[c.G]; g != nil {
		g.running += d
		t := m.tally(g.kind)
		t.running += d
		t.ran += d
		m.ran[g.id] += d
	}
}

// name is what people call goroutine g: "main.worker G17".
func (m *Model) name(g *goroutine) string { return trace.Name(m.kindName(g.kind), g.id) }

// kindName is the name of a kind, "" if it has none yet.
func (m *Model) kindName(k kind) string {
	entry := m.entry(k.entry)
	if entry == "" {
		return ""
	}
	var fs []trace.Frame
	for _, pc := range m.stack(k.stack) {
		fs = append(fs, m.frames(pc-1)...)
	}
	return trace.Kind(entry, trace.SiteOf(fs))
}

// stack is a stack by its number, nil if there is none.
func (m *Model) stack(id int32) []uint64 {
	if id < 0 || int(id) >= len(m.t.Stacks) {
		return nil
	}
	return m.t.Stacks[id]
}

// where says where g was seen last, "" if that is not known: the code that a
// tick struck, else its stack; there the first place that is not the runtime's.
func (m *Model) where(g *goroutine) string {
	var fs []trace.Frame
	if g.pc != 0 {
		fs = m.frames(g.pc)
	} else {
		for _, pc := range m.stack(g.stack) {
			for _, f := range m.frames(pc - 1) {
				if f.Func != "runtime.gopark" && f.Func != "runtime.goparkunlock" { // so do all that wait
					fs = append(fs, f)
				}
			}
		}
	}
	return text.Innermost(fs)
}

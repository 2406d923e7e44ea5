package perfetto

import (
	"io"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/events"
	"sched9/trace/text"
)

// Write writes a run. each hands the events over, in order, some at a time (as
// trace.Reader.Each does); t is what is known beside them. Times are the guest's, since
// its boot. What is written is forgotten.
func Write(w io.Writer, t *trace.Trace, each func(func([]trace.Event) error) error) error {
	p := picture{out: newOut(w), Trace: t, described: map[uuid]bool{}, until: map[uuid]int64{}, ready: map[uint64]bool{}, running: map[uint64]bool{}}
	for _, group := range []uuid{groupPs, groupMs, groupWorld} {
		p.on(group)
	}
	pieces := trace.NewPieces(t)
	err := each(func(es []trace.Event) error {
		p.piece(pieces.Add(es), es)
		return p.err
	})
	if err != nil {
		return err
	}
	p.piece(pieces.End(), nil)
	return p.close()
}

// picture is a file that is being written.
type picture struct {
	*out
	*trace.Trace
	v         *trace.View // the piece at hand
	described map[uuid]bool
	until     map[uuid]int64   // to where slices have been written, on tracks of Ps and Ms
	tops      map[int32]string // where stacks begin

	// For the counters of goroutines.
	ready, running map[uint64]bool
	replay         trace.Replay
}

// piece writes a piece of the run. Where an arrow's two ends are at one time the viewer
// takes the one that comes first in the file for its begin, so wake-ups come before runs.
func (p *picture) piece(v *trace.View, es []trace.Event) {
	p.v = v
	p.wakes()
	ps, ms := tracks(v)
	for id, list := range ps {
		p.stretches(onP(id), list)
	}
	for id, list := range ms {
		p.stretches(onM(id), list)
	}
	p.counters(es)
	p.instants(es)
	p.world()
}

// stretches writes what ended on a track. Part of it may have been written already: an M can halt
// in a system call, lose its P there, which ends the run, and halt on.
func (p *picture) stretches(on uuid, list []slice) {
	for _, s := range list {
		if s.open {
			continue
		}
		s.start = max(s.start, p.until[on])
		s.end = max(s.end, s.start)
		p.until[on] = s.end
		switch {
		case s.run != nil:
			p.run(on, s)
		case s.end > s.start:
			p.slice(on, s.doing.String(), s.start, s.end, nil)
		}
	}
}

// slice writes a stretch, with what args adds.
func (p *picture) slice(on uuid, name string, start, end int64, args func()) {
	p.begin(typeBegin, p.on(on), start, name)
	if args != nil {
		args()
	}
	p.end()
	p.begin(typeEnd, on, end, "")
	p.end()
}

// run writes the run of a goroutine. All that is known of it is on the M's track.
func (p *picture) run(on uuid, s slice) {
	r := s.run
	p.slice(on, p.name(r.G), s.start, s.end, func() {
		p.num("goroutine", int64(r.G))
		if on < firstM {
			p.num("M", int64(r.M))
			return
		}
		p.word("left", left(r))
		p.num("waited_ns", max(0, r.Start-r.Ready))
		p.word("found", found(r))
		if r.P >= 0 {
			p.num("P", int64(r.P))
		}
		if g := p.v.G(r.G); g != nil {
			for _, t := range g.Ties {
				if t.Start <= s.end && (s.end <= t.End || t.End < 0) {
					p.num("tied_to_M", int64(t.Of))
					break
				}
			}
		}
		if top := p.top(r.Stack); top != "" {
			p.word("stack", top)
		}
		if r.Wake != 0 {
			p.flow(eventFlowEnd, r.Wake)
		}
	})
}

// name is what people call the goroutine.
func (p *picture) name(id uint64) string {
	if g := p.v.G(id); g != nil {
		return g.Name()
	}
	return trace.Name("", id)
}

// top is where a goroutine was that left a stack: a line of the program, if one is known;
// "" if nothing is.
func (p *picture) top(stack int32) string {
	if stack <= 0 {
		return ""
	}
	s, ok := p.tops[stack]
	if !ok {
		s = text.Site(p.Trace, stack)
		if p.tops == nil {
			p.tops = map[int32]string{}
		}
		p.tops[stack] = s
	}
	return s
}

// left says why a run ended.
func left(r *trace.Run) string {
	switch r.Left {
	case record.EvBlock:
		return "blocked: " + r.Reason
	case record.EvYield:
		return "yielded"
	case record.EvPreempt:
		return "preempted"
	case record.EvExit:
		return "exited"
	case record.EvRetake:
		return "in a system call, and lost the P"
	}
	return "still ran at the end"
}

// found says where the goroutine of a run was found.
func found(r *trace.Run) string {
	if r.Inherit {
		return events.At(r.From).Track + ", in the running slice"
	}
	return events.At(r.From).Track
}

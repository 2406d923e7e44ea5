package perfetto

import (
	"strings"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/events"
)

// wakes writes where goroutines were made ready, each the begin of an arrow that ends at the
// resulting run. They are on the Ms' tracks: an M always does something, while a P may have no
// owner when a timer or an interrupt wakes a goroutine.
func (p *picture) wakes() {
	for _, w := range p.v.Wakes {
		name := "wake"
		if w.New {
			name = "go"
		}
		p.begin(typeInstant, p.on(onM(w.M)), w.At, name)
		p.word("name", p.name(w.G))
		p.flow(eventFlow, w.ID)
		p.end()
	}
}

// counters writes the lengths of queues, and how many goroutines run and are
// ready to.
func (p *picture) counters(es []trace.Event) {
	for _, q := range p.v.Queues {
		p.value(p.on(onQueue(q.P)), q.At, int64(max(0, q.Len)))
	}
	ready, running := p.ready, p.running
	for _, e := range es {
		a, b := len(ready), len(running)
		switch t := p.replay.Event(e); t.What {
		case trace.Loses:
			delete(running, t.G)
		case trace.Returns:
			ready[t.G] = true
		case trace.Resumes:
			delete(ready, t.G)
			running[t.G] = true
		}
		switch e.Kind {
		case record.EvCreate:
			if e.Arg&record.CreateParked == 0 {
				ready[e.G] = true
			}
		case record.EvUnblock:
			ready[e.G] = true
		case record.EvStart:
			delete(ready, e.G)
			running[e.G] = true
		case record.EvYield, record.EvPreempt:
			delete(running, e.G)
			ready[e.G] = true
		case record.EvBlock, record.EvExit:
			delete(running, e.G)
		}
		if len(ready) != a {
			p.value(p.on(onReady), e.Time, int64(len(ready)))
		}
		if len(running) != b {
			p.value(p.on(onRunning), e.Time, int64(len(running)))
		}
	}
}

// instants writes what has a moment but no length: preemptions, steals, Ps that are
// taken from system calls, goroutines that are passed to their Ms, Ms that end, and
// interrupts from one CPU to another.
func (p *picture) instants(es []trace.Event) {
	for _, e := range es {
		if e.Kind >= record.NumEvents || events.Table[e.Kind].Mark == "" {
			continue
		}
		row, on := events.Table[e.Kind], onM(int(e.M))
		if e.P >= 0 && !row.OfM {
			on = onP(int(e.P))
		}
		p.begin(typeInstant, p.on(on), e.Time, strings.Replace(row.Mark, "{ipi}", events.IPI(e.Aux), 1))
		if e.G != 0 {
			p.num("goroutine", int64(e.G))
		}
		if top := p.top(e.Stack); e.Kind == record.EvPreempt && top != "" {
			p.word("stack", top)
		}
		for _, n := range row.Numbers {
			p.num(n.Name, int64(n.Of(e)))
		}
		p.end()
	}
}

// world writes the stops of the world, with the time in which it stood still
// inside each, and the collector's phases.
func (p *picture) world() {
	for _, s := range p.v.Stops {
		p.begin(typeBegin, p.on(onStops), s.Start, s.Reason)
		if s.By != 0 {
			p.word("by", p.name(s.By))
		}
		p.end()
		if s.Held >= s.Start && s.Held <= s.End {
			p.slice(onStops, "stands still", s.Held, s.End, nil)
		}
		p.begin(typeEnd, onStops, max(s.Start, s.End), "")
		p.end()
	}
	for _, s := range p.v.Phases {
		if s.Name != "off" {
			p.slice(onPhases, s.Name, s.Start, max(s.Start, s.End), nil)
		}
	}
}

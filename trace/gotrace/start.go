package gotrace

import (
	"fmt"

	"sched9/record"
	"sched9/trace"
)

// maxP bounds P numbers: a record holds no larger ones.
const maxP = record.NoP

// start is what was so before a trace begins, as far as what comes first of
// each P, M and G tells.
type start struct {
	procs   int // 1 more than the largest number of a P
	ms      []startM
	gs      []startG // in the order in which they are met
	marking bool     // the collector is in a cycle
}

// startM is what an M has at first.
type startM struct {
	p    int16 // -1: none
	g    uint64
	call bool // g is in a system call
}

// startG is a goroutine whose creation is not in the trace, and which no M runs
// at first.
type startG struct {
	id     uint64
	status uint64
}

// looker looks for it.
type looker struct {
	start
	seen  [record.MaxProcs]bool   // Ms that have told something
	ran   [record.MaxProcs]bool   // Ms of which it is known what they ran
	tick  [record.MaxProcs]uint64 // what an interrupt struck on an M
	known map[uint64]bool         // Gs that were met
	ps    [maxP]bool              // Ps that were met
	phase bool                    // one of the collector's was told

	absent bool // see look
}

// look makes a start of t. With absent false nothing was there at the beginning: a
// goroutine whose creation is not told, or a cycle of the collector's, began in a
// gap. An error says that there is no place for an event.
func look(t *trace.Trace, absent bool) (start, error) {
	l := looker{known: map[uint64]bool{}, absent: absent}
	last := int64(0)
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Time < last:
			return l.start, fmt.Errorf("event %d is at %d ns, before the one that precedes it, or the boot", i, e.Time)
		case e.M < 0 || e.M >= record.MaxProcs:
			return l.start, fmt.Errorf("event %d is of M%d", i, e.M)
		case e.P < -1 || e.P >= maxP:
			return l.start, fmt.Errorf("event %d bears P%d", i, e.P)
		}
		last = e.Time
		l.m(e.M)
		l.proc(e)
		if e.Kind == record.EvPhase && !l.phase {
			l.phase, l.marking = true, absent && e.Arg != 1
		}
		if absent && e.G != 0 {
			l.goroutine(e)
		}
	}
	for m := range l.ms {
		if g := l.tick[m]; !l.ran[m] && g != 0 && !l.known[g] && l.ms[m].p >= 0 {
			l.known[g] = true
			l.ms[m].g = g
		}
	}
	return l.start, nil
}

// m is an M, which there is from now on.
func (l *looker) m(id int16) *startM {
	for len(l.ms) <= int(id) {
		l.ms = append(l.ms, startM{p: -1})
	}
	return &l.ms[id]
}

// proc takes an event's information on Ps. An M has a P from the beginning if its first record has
// one that was not met with another M.
func (l *looker) proc(e *trace.Event) {
	if e.Kind == record.EvTick && e.Arg&record.TickCall != 0 {
		return // its P may have been taken
	}
	if e.P >= 0 {
		if !l.seen[e.M] && e.Kind != record.EvAcquire && !l.ps[e.P] {
			l.ms[e.M].p = e.P
		}
		l.meet(uint64(e.P))
	}
	l.seen[e.M] = true
	switch e.Kind {
	case record.EvIdleP, record.EvBusyP, record.EvStopP:
		l.meet(e.Arg)
	case record.EvRetake:
		p, from := retaken(e)
		if p < 0 {
			return
		}
		if m := l.m(from); l.absent && !l.seen[from] && !l.ps[p] {
			m.p, m.call = p, true
		}
		l.seen[from] = true
		l.meet(uint64(p))
	}
}

// meet notes that there is a P of that number.
func (l *looker) meet(p uint64) {
	if p < maxP {
		l.ps[p] = true
		l.procs = max(l.procs, int(p)+1)
	}
}

// goroutine takes what an event tells of its G. One that leaves an M ran there
// from the beginning if nothing else did, and the M has had a P as long;
// otherwise its start is missing, and that is not for us to judge.
func (l *looker) goroutine(e *trace.Event) {
	m := &l.ms[e.M]
	known, ran := l.known[e.G], l.ran[e.M]
	waits := func(status uint64) {
		if !known {
			l.gs = append(l.gs, startG{e.G, status})
		}
	}
	switch e.Kind {
	case record.EvCreate:
	case record.EvStart:
		l.ran[e.M] = true
		waits(goRunnable)
	case record.EvUnblock:
		waits(goWaiting)
	case record.EvYield, record.EvPreempt, record.EvBlock, record.EvExit, record.EvSyscallEnter, record.EvSyscallExit:
		l.ran[e.M] = true
		call := e.Kind == record.EvSyscallExit
		if ran || m.p < 0 && !call {
			waits(goRunnable)
		} else if !known {
			m.g, m.call = e.G, call
		}
	case record.EvTick:
		// It runs, or is just about to: its start may not be told yet. So this
		// counts only if nothing else is told of what the M runs.
		l.tick[e.M] = e.G
		return
	default:
		return
	}
	l.known[e.G] = true
}

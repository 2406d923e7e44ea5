package trace

import "sched9/record"

// Replay puts together what several events say in turn of an M's goroutine and its system calls, and of ties:
// a goroutine in a call loses its P, comes back without one, and gets another; a coroutine that is switched to takes over
// the tie of the one before. Views, package live and Perfetto's counters follow a run by it. Package check does not: it judges, and
// has its own. Package gotrace does not either: what it has to follow is what it told, which a reader checks.
type Replay struct {
	ms   [record.MaxProcs]Carrier
	tied map[uint64]bool
}

// Carrier is an M with what it runs.
type Carrier struct {
	G      uint64 // 0: none
	InCall bool   // G is in a system call
	Lost   bool   // and the P was taken, or given away
	Back   bool   // G came back from that and has no P yet

	gone   uint64 // the G that left last
	handed bool   // was tied, and nothing has happened since but that another was readied
}

// NoP reports whether the M has a goroutine, but no P for it.
func (m *Carrier) NoP() bool { return m.Lost || m.Back }

// Turn is what an event of several turns out to be.
type Turn struct {
	What Change
	M    int    // whose
	G    uint64 // its goroutine

	Untied, Tied uint64 // goroutines that are tied no longer, or from now on to the event's M; 0: none
}

// Change is what becomes of a goroutine in a system call.
type Change uint8

const (
	Unchanged Change = iota
	Loses            // it has no P any more
	Returns          // it is back, and runnable
	Resumes          // and runs, on the M's new P
)

// M is an M by its number. It is good for good, and changes with events.
func (r *Replay) M(id int) *Carrier { return &r.ms[id] }

// Event takes the next event, whose M is one that there may be.
func (r *Replay) Event(e Event) (t Turn) {
	m := &r.ms[e.M]
	r.tie(m, e, &t)
	t.M = int(e.M)
	switch e.Kind {
	case record.EvStart:
		m.G, m.InCall, m.Lost, m.Back = e.G, false, false, false
	case record.EvYield, record.EvPreempt, record.EvBlock, record.EvExit:
		if m.G == e.G {
			m.G, m.InCall, m.Lost, m.Back = 0, false, false, false
		}
	case record.EvSyscallEnter:
		m.InCall = true
	case record.EvSyscallExit:
		// That the P was taken may be an event that was lost.
		if m.InCall = false; m.G == e.G && (m.Lost || e.P < 0) {
			m.Lost, m.Back, t.What = false, true, Returns
		}
	case record.EvAcquire:
		if m.Back {
			m.Back, t.What = false, Resumes
		}
	case record.EvRetake:
		if t.M = e.From(); t.M >= record.MaxProcs {
			return Turn{}
		}
		fallthrough
	case record.EvRelease:
		if m = &r.ms[t.M]; m.InCall && !m.Lost && m.G != 0 {
			m.Lost, t.What = true, Loses
		}
	}
	t.G = r.ms[t.M].G
	return t
}

// tie takes what an event tells of ties. m is its M.
func (r *Replay) tie(m *Carrier, e Event, t *Turn) {
	switch e.Kind {
	case record.EvLock, record.EvUnlock, record.EvNeedM:
		// Foreign code's goroutine was tied when it was made.
		if e.Arg > 0 || e.Kind == record.EvNeedM {
			r.to(e.G, t)
		} else {
			r.off(e.G, t)
		}
		m.handed = false
	case record.EvBlock, record.EvYield, record.EvPreempt, record.EvExit:
		m.gone, m.handed = e.G, r.tied[e.G]
		if e.Kind == record.EvExit {
			r.off(e.G, t)
		}
	case record.EvUnblock, record.EvTick, record.EvTakeIPI, record.EvSendIPI, record.EvKick, record.EvHalt, record.EvHaltEnd:
		// In the middle of such a switch, or an interrupt.
	case record.EvStart:
		if m.handed && m.gone != e.G && e.Place().Kind() == record.FromNowhere {
			r.off(m.gone, t)
			r.to(e.G, t)
		}
		m.handed = false
	default:
		m.handed = false
	}
}

// to and off note that g is tied, or no longer.
func (r *Replay) to(g uint64, t *Turn) {
	if r.tied == nil {
		r.tied = map[uint64]bool{}
	}
	if !r.tied[g] {
		r.tied[g], t.Tied = true, g
	}
}
func (r *Replay) off(g uint64, t *Turn) {
	if r.tied[g] {
		delete(r.tied, g)
		t.Untied = g
	}
}

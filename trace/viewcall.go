package trace

import "sched9/record"

// What a viewer makes of system calls and of goroutines that are tied to Ms.

// unowned ends an M's hold of its P.
func (v *viewer) unowned(m *mState, at int64) {
	if m.p >= 0 {
		v.PSpans[m.p].End = at
		m.p = -1
	}
}

// call takes what an event tells of system calls. m is its M.
func (v *viewer) call(m *mState, e Event) {
	switch e.Kind {
	case record.EvSyscallEnter:
		s := v.g(e.G, e.Time)
		s.Calls++
		m.inCall, m.stack = true, e.Stack
	case record.EvRelease:
		if m.inCall {
			v.loses(int(e.M), e.Time)
		}
	case record.EvRetake:
		if from := e.From(); from < record.MaxProcs && v.ms[from].inCall {
			v.loses(from, e.Time)
		}
	case record.EvSyscallExit:
		m.inCall = false
		if s := v.g(e.G, e.Time); m.lost && m.g == e.G {
			s.becomes(e.Time, true)
			s.call = false
			m.lost, m.back = false, true
			v.doing(int(e.M), Scheduling, e.Time)
		}
	case record.EvAcquire:
		if m.back {
			m.back = false
			v.begin(v.g(m.g, e.Time), e, record.FromNowhere, false)
		}
	}
}

// loses notes that M id, whose goroutine is in a system call, has no P any more.
func (v *viewer) loses(id int, at int64) {
	m := &v.ms[id]
	s := v.gs[m.g]
	if m.lost || s == nil {
		return
	}
	s.becomes(at, false)
	if s.run >= 0 {
		r := &v.Runs[s.run]
		r.End, r.Left, r.Stack, r.Finish = at, record.EvRetake, m.stack, v.i
		s.run = -1
	}
	s.call, m.lost = true, true
	if m.span < 0 || v.MSpans[m.span].Doing != Halted {
		v.doing(id, Calling, at)
	}
}

// tie takes what an event tells of ties. A coroutine that is switched to takes over that
// of the one that it was switched from.
func (v *viewer) tie(m *mState, e Event) {
	switch e.Kind {
	case record.EvLock, record.EvUnlock, record.EvNeedM:
		// Foreign code's goroutine was tied when it was made.
		v.tied(v.g(e.G, e.Time), int(e.M), e.Time, e.Arg > 0 || e.Kind == record.EvNeedM)
	case record.EvBlock, record.EvYield, record.EvPreempt, record.EvExit:
		s := v.g(e.G, e.Time)
		m.gone, m.handed = e.G, s.tied
		if e.Kind == record.EvExit {
			v.tied(s, int(e.M), e.Time, false)
		}
	case record.EvUnblock, record.EvTick, record.EvTakeIPI, record.EvSendIPI, record.EvKick, record.EvHalt, record.EvHaltEnd:
		// In the middle of such a switch, or an interrupt.
	case record.EvStart:
		if m.handed && m.gone != e.G && e.Place().Kind() == record.FromNowhere {
			if old := v.gs[m.gone]; old != nil {
				v.tied(old, int(e.M), e.Time, false)
			}
			v.tied(v.g(e.G, e.Time), int(e.M), e.Time, true)
		}
		m.handed = false
	default:
		m.handed = false
	}
}

// tied notes that s is tied to M id from at on, or no longer.
func (v *viewer) tied(s *gState, id int, at int64, so bool) {
	if s.tied == so {
		return
	}
	if s.tied = so; so {
		s.Ties = append(s.Ties, Span{Of: id, Also: -1, Doing: Running, Start: at, End: -1})
	} else {
		s.Ties[len(s.Ties)-1].End = at
	}
}

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

// turn takes what an event turns out to be after those before it.
func (v *viewer) turn(e Event) {
	t := v.r.Event(e)
	m, s := &v.ms[t.M], v.gs[t.G]
	switch {
	case s == nil:
	case t.What == Loses:
		s.becomes(e.Time, false)
		if s.run >= 0 {
			r := &v.Runs[s.run]
			r.End, r.Left, r.Stack, r.Finish = e.Time, record.EvRetake, m.stack, v.i
			s.run = -1
		}
		s.call = true
		if m.span < 0 || v.MSpans[m.span].Doing != Halted {
			v.doing(t.M, Calling, e.Time)
		}
	case t.What == Returns:
		s.becomes(e.Time, true)
		s.call = false
		v.doing(t.M, Scheduling, e.Time)
	case t.What == Resumes:
		v.begin(s, e, record.FromNowhere, false)
	}
	if t.Untied != 0 {
		v.tied(v.g(t.Untied, e.Time), int(e.M), e.Time, false)
	}
	if t.Tied != 0 {
		v.tied(v.g(t.Tied, e.Time), int(e.M), e.Time, true)
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

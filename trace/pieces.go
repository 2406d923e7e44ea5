package trace

import "slices"

// Pieces makes a View of a run piece by piece, for readers that need each piece once: what has ended is in one View and then forgotten, what
// goes on is in a later one.
//
// In each View, Runs, MSpans, Stops and Phases are those that ended since the one before, Wakes, Queues and Timers those that happened, and Open
// are runs that go on. Indices into other Views do not hold: Run.Wake and Wake.ID tell which wake-up led to which run. Gs are those alive, and
// those that ended since. PSpans and Goroutine.Runs are empty.
type Pieces struct {
	v    *viewer
	some bool // there was an event
}

// NewPieces begins with t, what is known of the run beside its events.
func NewPieces(t *Trace) *Pieces { return &Pieces{v: newViewer(t)} }

// Add takes events and returns what is new. The View is good until the next call.
func (p *Pieces) Add(es []Event) *View {
	p.forget()
	v := p.v
	for i, e := range es {
		if !p.some {
			v.Start, p.some = e.Time, true
		}
		v.End = e.Time
		v.i = i
		v.event(e)
	}
	return p.view()
}

// End returns the rest.
func (p *Pieces) End() *View {
	p.forget()
	p.v.finish()
	return p.v.View
}

// view is a View of what ended. Of an M only the last run and the last span go on: where
// records were lost an end may be missing, and then the next one begins there.
func (p *Pieces) view() *View {
	v := p.v
	w := *v.View
	var last [len(v.ms)]int // of v.Runs, and one more
	w.Runs, w.Open = nil, nil
	for i := range v.Runs {
		r := &v.Runs[i]
		if k := last[r.M]; k > 0 {
			before := &v.Runs[k-1]
			if before.End < 0 {
				before.End = max(before.Start, r.Start)
			}
		}
		last[r.M] = i + 1
	}
	for _, r := range v.Runs {
		if r.End < 0 {
			w.Open = append(w.Open, r)
		} else {
			w.Runs = append(w.Runs, r)
		}
	}
	for i := range v.Stops[:max(0, len(v.Stops)-1)] {
		if s := &v.Stops[i]; s.End < 0 || s.End > v.Stops[i+1].Start {
			s.End = v.Stops[i+1].Start
		}
	}
	w.MSpans = slices.DeleteFunc(slices.Clone(v.MSpans), func(s Span) bool { return s.End < 0 })
	w.Stops = slices.DeleteFunc(slices.Clone(v.Stops), func(s Stop) bool { return s.End < 0 })
	w.Phases = slices.DeleteFunc(slices.Clone(v.Phases), func(p Phase) bool { return p.End < 0 })
	w.PSpans = nil
	return &w
}

// forget drops what view has returned.
func (p *Pieces) forget() {
	v := p.v
	// What goes on moves to the front.
	runs := map[int]int{}
	var open []Run
	for i, r := range v.Runs {
		if r.End < 0 {
			runs[i] = len(open)
			open = append(open, r)
		}
	}
	v.Runs = append(v.Runs[:0], open...)
	v.Gs = v.Gs[:0]
	for id, s := range v.gs {
		if s.Ended >= 0 {
			delete(v.gs, id)
			delete(v.byID, id)
			continue
		}
		v.Gs = append(v.Gs, s.Goroutine)
		if s.run >= 0 {
			if i, ok := runs[s.run]; ok {
				s.run = i
			} else {
				s.run = -1 // it seemed to go on, and another began on its M
			}
		}
		s.wake = -1
		s.Runs = nil
		if n := len(s.Ties); n > 0 {
			s.Ties = append(s.Ties[:0], s.Ties[n-1])
		}
	}
	spans := v.MSpans[:0]
	for _, s := range v.MSpans {
		if s.End < 0 {
			v.ms[s.Of].span = len(spans)
			spans = append(spans, s)
		}
	}
	v.MSpans = spans
	v.PSpans = slices.DeleteFunc(v.PSpans, func(s Span) bool { return s.End >= 0 })
	for m := range v.ms {
		v.ms[m].p = -1
	}
	for i, s := range v.PSpans {
		v.ms[s.Also].p = i
	}
	v.Stops = slices.DeleteFunc(v.Stops, func(s Stop) bool { return s.End >= 0 })
	v.Phases = slices.DeleteFunc(v.Phases, func(p Phase) bool { return p.End >= 0 })
	v.Wakes, v.Queues, v.Timers = v.Wakes[:0], v.Queues[:0], v.Timers[:0]
}

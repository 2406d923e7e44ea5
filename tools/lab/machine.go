package lab

import (
	"slices"
	"strings"
	"time"

	"sched9/record"
	"sched9/trace"
)

// Procs is how many Ps there were, at most.
func (r *Run) Procs() int {
	n := 0
	for _, e := range r.View.Trace.Events {
		switch e.Kind {
		case record.EvProcs:
			n = max(n, int(e.Arg))
		case record.EvIdleP:
			n = max(n, int(e.Arg)+1)
		}
		n = max(n, int(e.P)+1)
	}
	return n
}

// Steals is how often a P took work from another, Stolen how many goroutines were
// taken.
func (r *Run) Steals() Counts {
	return r.tally("steal", func(e trace.Event) int { return one(e.Kind == record.EvSteal) })
}

// Stolen: see Steals.
func (r *Run) Stolen() Counts {
	return r.tally("goroutine taken by stealing", func(e trace.Event) int {
		if e.Kind != record.EvSteal {
			return 0
		}
		return e.Count()
	})
}

// Overflows is how often a P's ring was full, and half of it went to the global
// queue.
func (r *Run) Overflows() Counts {
	return r.tally("overflow", func(e trace.Event) int { return one(e.Kind == record.EvOverflow) })
}

// GlobalGets is how often a P took work from the global queue.
func (r *Run) GlobalGets() Counts {
	return r.tally("get from the global queue", func(e trace.Event) int { return one(e.Kind == record.EvGetGlobal) })
}

// Events is how often there was an event of one of the kinds: see record.Event.
func (r *Run) Events(kinds ...record.Event) Counts {
	var names []string
	for _, k := range kinds {
		names = append(names, k.String())
	}
	return r.tally("event "+strings.Join(names, " or "), func(e trace.Event) int { return one(slices.Contains(kinds, e.Kind)) })
}

// one is 1 if ok.
func one(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// tally adds up what f makes of the events.
func (r *Run) tally(noun string, f func(trace.Event) int) Counts {
	v := value[int]{who: "the run", at: nowhere}
	for _, e := range r.View.Trace.Events {
		n := f(e)
		if n != 0 && v.v == 0 {
			v.note = ", the first" + place{e.Time, e.Time, int(e.M), int(e.P)}.String()
		}
		v.v += n
	}
	return Counts{run: r, of: v.who, noun: noun, form: "%s has %s", unit: noun, reduced: true,
		groups: []group[int]{{v.who, []value[int]{v}}}}
}

// machineTimes is a measure of stretches that are no goroutine's.
func machineTimes(r *Run, noun, form string, all []value[time.Duration]) Times {
	return Times{run: r, of: "the run", noun: noun, form: form, groups: []group[time.Duration]{{"the run", all}}}
}

// Timers measures how late each timer fired.
func (r *Run) Timers() Times {
	var all []value[time.Duration]
	for _, e := range r.View.Trace.Events {
		if e.Kind == record.EvTimer {
			all = append(all, value[time.Duration]{v: time.Duration(e.Arg), who: "a timer", at: place{e.Time, e.Time, int(e.M), int(e.P)}})
		}
	}
	return machineTimes(r, "timer", "%s fired %s late", all)
}

// Stops measures how long each stop of the world lasted, from the moment when it
// was wanted to when the world went on; only those for one of the reasons, if
// there are any.
func (r *Run) Stops(reasons ...string) Times {
	return r.stops("stop of the world", "%s stopped the world for %s", reasons, func(s trace.Stop) int64 { return s.End })
}

// StopWaits measures how long each stop of the world waited until all stood still.
func (r *Run) StopWaits(reasons ...string) Times {
	return r.stops("wait for a stop of the world", "%s waited %s until the world stood still", reasons, func(s trace.Stop) int64 { return s.Held })
}

// stops measures stops from their start to the moment that end gives, which is 0
// if it did not come.
func (r *Run) stops(noun, form string, reasons []string, end func(trace.Stop) int64) Times {
	var all []value[time.Duration]
	for _, s := range r.View.Stops {
		if len(reasons) > 0 && !slices.Contains(reasons, s.Reason) {
			continue
		}
		to := end(s)
		v := stretch(s.Start, to, " ("+s.Reason+")")
		if to == 0 {
			v = still(stretch(s.Start, r.View.End, " ("+s.Reason+")"), "waited")
		}
		v.who = "the scheduler"
		if g := r.View.G(s.By); g != nil {
			v.who = g.Name()
		}
		all = append(all, v)
	}
	if len(reasons) > 0 {
		noun += " for " + strings.Join(reasons, " or ")
	}
	return machineTimes(r, noun, form, all)
}

// Collections measures how long each garbage collection lasted.
func (r *Run) Collections() Times {
	var all []value[time.Duration]
	begin := int64(-1)
	for _, p := range r.View.Phases {
		switch {
		case p.Name == "mark" && begin < 0:
			begin = p.Start
		case p.Name == "off" && begin >= 0:
			all = append(all, stretch(begin, p.Start, ""))
			begin = -1
		}
	}
	if begin >= 0 {
		all = append(all, still(stretch(begin, r.View.End, ""), "worked"))
	}
	for i := range all {
		all[i].who = "the collector"
	}
	return machineTimes(r, "collection", "%s worked for %s", all)
}

package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sched9/record"
	"sched9/trace"
)

// Times is a measure of guest time, Counts one of how often or how many.
type (
	Times  = Measure[time.Duration]
	Counts = Measure[int]
)

// stretches measures stretches of guest time in the goroutines' lives.
func (s Gs) stretches(noun, form string, of func(*trace.Goroutine) []value[time.Duration]) Times {
	m := Times{run: s.run, of: s.name, noun: noun, form: form}
	if len(s.list) == 0 {
		m.none = s.absent()
		return m
	}
	if !s.each {
		m.groups = []group[time.Duration]{{who: s.name}}
	}
	for _, g := range s.list {
		all, who := of(g), g.Name()
		for i := range all {
			all[i].who = who
		}
		if s.each {
			m.groups = append(m.groups, group[time.Duration]{who, all})
		} else {
			m.groups[0].all = append(m.groups[0].all, all...)
		}
	}
	return m
}

// stretch is the value of the time from from to to.
func stretch(from, to int64, note string) value[time.Duration] {
	return value[time.Duration]{v: time.Duration(to - from), at: place{from, to, -1, -1}, note: note}
}

// still makes v one that the end of the recording cut off.
func still(v value[time.Duration], what string) value[time.Duration] {
	v.open = true
	v.note += ", and still " + what + " at the end of the recording"
	return v
}

// Runs measures how long they ran, each time they had a CPU; only runs of all the
// kinds, if there are any.
func (s Gs) Runs(of ...Kind) Times {
	noun, note := "run", ""
	if len(of) > 0 {
		words := strings.Trim(strings.Join(strings.Fields(fmt.Sprintf("%v", of)), " "), "[]")
		noun, note = "run "+words, " "+words
	}
	v := s.run.View
	return s.stretches(noun, "%s ran for %s", func(g *trace.Goroutine) (all []value[time.Duration]) {
		for _, i := range g.Runs {
			r := v.Runs[i]
			if slices.ContainsFunc(of, func(k Kind) bool { return !k.of(r) }) {
				continue
			}
			x := stretch(r.Start, r.End, note)
			x.at.m, x.at.p = r.M, r.P
			if r.Left == record.EvNone {
				x = still(x, "ran")
			}
			all = append(all, x)
		}
		return all
	})
}

// Ready measures how long they waited for a CPU, each time they were runnable.
func (s Gs) Ready() Times {
	v, wakes := s.run.View, s.run.unmet()
	return s.stretches("wait for a CPU", "%s waited %s for a CPU", func(g *trace.Goroutine) (all []value[time.Duration]) {
		for _, i := range g.Runs {
			r := v.Runs[i]
			all = append(all, stretch(r.Ready, r.Start, fmt.Sprintf(", and then ran on M%d P%d", r.M, r.P)))
		}
		if since, ok := waits(v, g, wakes); ok {
			all = append(all, still(stretch(since, v.End, ""), "waited"))
		}
		return all
	})
}

// unmet are the wake-ups that no run followed, by goroutine.
func (r *Run) unmet() map[uint64]int64 {
	all := map[uint64]int64{}
	for _, w := range r.View.Wakes {
		if w.Start < 0 {
			all[w.G] = w.At
		}
	}
	return all
}

// waits says since when g waits for a CPU at the end of the recording, if it does.
func waits(v *trace.View, g *trace.Goroutine, unmet map[uint64]int64) (int64, bool) {
	if at, ok := unmet[g.ID]; ok && g.Ended < 0 {
		return at, true
	}
	if n := len(g.Runs); n > 0 {
		if r := v.Runs[g.Runs[n-1]]; r.Left == record.EvPreempt || r.Left == record.EvYield {
			return r.End, true
		}
	}
	return 0, false
}

// Blocked measures how long they waited for something else than a CPU, each time
// they did; only for one of the reasons, if there are any, as the runtime calls
// them: "sleep", "chan receive", "sync.Mutex.Lock".
func (s Gs) Blocked(reasons ...string) Times {
	noun := "block"
	if len(reasons) > 0 {
		noun = "block for " + strings.Join(reasons, " or ")
	}
	v, wakes := s.run.View, s.run.unmet()
	return s.stretches(noun, "%s was blocked for %s", func(g *trace.Goroutine) (all []value[time.Duration]) {
		for n, i := range g.Runs {
			r := v.Runs[i]
			if r.Left != record.EvBlock || len(reasons) > 0 && !slices.Contains(reasons, r.Reason) {
				continue
			}
			note := " (" + r.Reason + ")"
			if n+1 < len(g.Runs) {
				all = append(all, stretch(r.End, v.Runs[g.Runs[n+1]].Ready, note))
			} else if since, ok := waits(v, g, wakes); ok {
				all = append(all, stretch(r.End, since, note))
			} else {
				all = append(all, still(stretch(r.End, v.End, note), "blocked"))
			}
		}
		return all
	})
}

// Lives measures how long they were there, from the go statement to their end.
func (s Gs) Lives() Times {
	v := s.run.View
	return s.stretches("lifetime", "%s lived for %s", func(g *trace.Goroutine) []value[time.Duration] {
		if g.Ended < 0 {
			return []value[time.Duration]{still(stretch(g.Made, v.End, ""), "there")}
		}
		return []value[time.Duration]{stretch(g.Made, g.Ended, "")}
	})
}

// Wakes measures how long it took until they ran, each time that they had been
// blocked and were woken.
func (s Gs) Wakes() Times {
	return s.wakes("wake-up", func(trace.Wake) bool { return true })
}

// WokenBy is Wakes, but only where it was the doing of one of the others.
func (s Gs) WokenBy(others Gs) Times {
	if len(others.list) == 0 {
		return Times{run: s.run, of: s.name, none: others.absent()}
	}
	return s.wakes("wake-up by "+others.name, func(w trace.Wake) bool { return others.has(w.By) })
}

// WokenByNone is Wakes, but only where it was no goroutine's doing: a timer's, an
// interrupt's, the scheduler's own.
func (s Gs) WokenByNone() Times {
	return s.wakes("wake-up by no goroutine", func(w trace.Wake) bool { return w.By == 0 })
}

// wakes measures the wake-ups that f keeps.
func (s Gs) wakes(noun string, f func(trace.Wake) bool) Times {
	v := s.run.View
	by := map[uint64][]value[time.Duration]{}
	for _, w := range v.Wakes {
		if w.New || !s.has(w.G) || !f(w) {
			continue
		}
		note := ""
		if g := v.G(w.By); g != nil {
			note = ", woken by " + g.Name()
		}
		if w.Start < 0 {
			by[w.G] = append(by[w.G], still(stretch(w.At, v.End, note), "waited"))
		} else {
			by[w.G] = append(by[w.G], stretch(w.At, w.Start, note))
		}
	}
	return s.stretches(noun, "%s had to wait %s after it was woken", func(g *trace.Goroutine) []value[time.Duration] { return by[g.ID] })
}

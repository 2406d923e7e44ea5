package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sched9/trace"
)

// counts measures a number of the goroutines together, or of each.
func (s Gs) counts(noun, form, unit string, of func([]*trace.Goroutine) value[int]) Counts {
	m := Counts{run: s.run, of: s.name, noun: noun, form: form, unit: unit, reduced: true}
	add := func(who string, gs []*trace.Goroutine) {
		v := of(gs)
		v.who = who
		m.groups = append(m.groups, group[int]{who, []value[int]{v}})
	}
	switch {
	case len(s.list) == 0:
		m.none = s.absent()
	case s.each:
		for i, g := range s.list {
			add(g.Name(), s.list[i:i+1])
		}
	default:
		add(s.name, s.list)
	}
	return m
}

// Count is how many goroutines are selected: 0 is an answer too.
func (s Gs) Count() Counts {
	v := value[int]{v: len(s.list), who: s.name, at: nowhere}
	if v.v == 0 {
		v.note = " (" + s.absent() + ")"
	}
	return Counts{run: s.run, of: s.name, noun: "goroutine", form: "%s: %s", unit: "goroutine", reduced: true,
		groups: []group[int]{{s.name, []value[int]{v}}}}
}

// Ms is on how many different Ms they ran, Ps on how many Ps.
func (s Gs) Ms() Counts {
	return s.different("M", func(r trace.Run) int { return r.M })
}

// Ps: see Ms.
func (s Gs) Ps() Counts {
	return s.different("P", func(r trace.Run) int { return r.P })
}

// different counts what f makes of their runs.
func (s Gs) different(what string, f func(trace.Run) int) Counts {
	v := s.run.View
	return s.counts("number of "+what+"s", "%s ran on %s", what, func(gs []*trace.Goroutine) value[int] {
		runs := map[int]int{}
		for _, g := range gs {
			for _, i := range g.Runs {
				runs[f(v.Runs[i])]++
			}
		}
		var ids []int
		for id := range runs {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		var words []string
		for _, id := range ids {
			words = append(words, fmt.Sprintf("%s on %s%d", plural(runs[id], "run"), what, id))
		}
		x := value[int]{v: len(ids), at: nowhere}
		if len(words) > 0 {
			x.note = " (" + strings.Join(words, ", ") + ")"
		}
		return x
	})
}

// Moves is how often they ran on another P than the time before.
func (s Gs) Moves() Counts {
	v := s.run.View
	return s.counts("number of moves", "%s made %s between Ps", "move", func(gs []*trace.Goroutine) value[int] {
		x := value[int]{at: nowhere}
		for _, g := range gs {
			for n := 1; n < len(g.Runs); n++ {
				a, b := v.Runs[g.Runs[n-1]], v.Runs[g.Runs[n]]
				if a.P == b.P {
					continue
				}
				if x.v++; x.v == 1 {
					x.note = fmt.Sprintf(", the first from P%d to P%d at %s", a.P, b.P, moment(b.Start))
				}
			}
		}
		return x
	})
}

// Parallel is how many of them ran at once, at most.
func (s Gs) Parallel() Counts {
	type edge struct {
		at int64
		d  int
		g  *trace.Goroutine
	}
	v := s.run.View
	return s.counts("number at once", "%s: %s at once", "run", func(gs []*trace.Goroutine) value[int] {
		var edges []edge
		for _, g := range gs {
			for _, i := range g.Runs {
				r := v.Runs[i]
				edges = append(edges, edge{r.Start, 1, g}, edge{r.End, -1, g})
			}
		}
		// One that leaves at the moment at which another comes made room for it.
		slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.d, b.d)) })
		x := value[int]{at: nowhere}
		n := 0
		for _, e := range edges {
			if n += e.d; n > x.v {
				x.v, x.at = n, place{e.at, e.at, -1, -1}
			}
		}
		return x
	})
}

// Order is the order in which they ran for the first time. Its values are their
// places in the order in which they were made, from 0: if they ran in that order
// the values ascend. One that never ran has no place.
func (s Gs) Order() Counts {
	v := s.run.View
	m := Counts{run: s.run, of: s.name, noun: "run for the first time", form: "%s, made as number %s, ran"}
	if len(s.list) == 0 {
		m.none = s.absent()
		return m
	}
	made := slices.SortedStableFunc(slices.Values(s.list), func(a, b *trace.Goroutine) int { return cmp.Compare(a.Made, b.Made) })
	var all []value[int]
	for i, g := range made {
		if len(g.Runs) > 0 {
			r := v.Runs[g.Runs[0]]
			all = append(all, value[int]{v: i, who: g.Name(), at: place{r.Start, r.Start, r.M, r.P}, note: " for the first time"})
		}
	}
	slices.SortStableFunc(all, func(a, b value[int]) int { return cmp.Compare(a.at.from, b.at.from) })
	m.groups = []group[int]{{s.name, all}}
	return m
}

// Before demands that each of s ran before any of the others did.
func (s Gs) Before(others Gs) {
	s.run.t.Helper()
	for _, x := range []Gs{s, others} {
		if len(x.list) == 0 {
			s.run.t.Errorf("%s", x.absent())
			return
		}
	}
	v := s.run.View
	var last, first *trace.Goroutine
	begin := func(g *trace.Goroutine) int64 { return v.Runs[g.Runs[0]].Start }
	for _, g := range s.list {
		if len(g.Runs) == 0 {
			s.run.t.Errorf("%s never ran; it is wanted before %s", g.Name(), others.name)
			return
		}
		if last == nil || begin(g) > begin(last) {
			last = g
		}
	}
	for _, g := range others.list {
		if len(g.Runs) > 0 && (first == nil || begin(g) < begin(first)) {
			first = g
		}
	}
	if first != nil && begin(first) <= begin(last) {
		s.run.t.Errorf("%s ran first at %s, %s not before %s; each of %s is wanted before any of %s",
			first.Name(), moment(begin(first)), last.Name(), moment(begin(last)), s.name, others.name)
	}
}

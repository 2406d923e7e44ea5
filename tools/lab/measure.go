package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// Number is what can be measured: counts, and guest time.
type Number interface{ int | time.Duration }

// Measure is a measurement of a selection, or of the machine: values, each with its goroutine and
// its place in the recording. Its reductions make one value of all, or one for each goroutine after
// [Gs.Each]; a reduction of those makes one of all. Its bounds must hold for every value.
type Measure[T Number] struct {
	run     *Run
	of      string // the selection's name
	noun    string // what a value is of, in the singular: "wait for a CPU"
	form    string // a value's sentence, with the goroutine and the value
	unit    string // what a value counts, in the singular; "" if the form says it
	groups  []group[T]
	reduced bool
	exact   bool   // values are written in full
	none    string // why there are no groups
}

// group is the values of one who.
type group[T Number] struct {
	who string
	all []value[T]
}

// value is one of a measure.
type value[T Number] struct {
	v    T
	who  string
	at   place
	open bool   // it went on when the recording ended: it is at least so much
	note string // more that is worth knowing
}

// Count makes the number of values.
func (m Measure[T]) Count() Measure[int] {
	c := Measure[int]{run: m.run, of: m.of, noun: m.noun, form: "%s: %s", unit: m.noun, none: m.none, reduced: true}
	for _, g := range m.parts() {
		v := value[int]{v: len(g.all), who: g.who, at: nowhere}
		if len(g.all) > 0 {
			v.note = ", the first" + g.all[0].at.String()
			if g.all[0].who != g.who {
				v.note += " of " + g.all[0].who
			}
		}
		c.groups = append(c.groups, group[int]{g.who, []value[int]{v}})
	}
	return c
}

// Sum adds the values up: to 0 if there are none.
func (m Measure[T]) Sum() Measure[T] {
	return m.total("the sum of", func(sum T, n int) T { return sum })
}

// Mean is the sum over the number of values.
func (m Measure[T]) Mean() Measure[T] {
	s := m.total("the mean of", func(sum T, n int) T { return sum / T(max(n, 1)) })
	for i, g := range m.parts() {
		if len(g.all) == 0 {
			s.groups[i].all = nil
		}
	}
	return s
}

// total makes of each group what f makes of its sum and its size.
func (m Measure[T]) total(word string, f func(sum T, n int) T) Measure[T] {
	s := m
	s.form, s.groups, s.reduced = "%s: %s", nil, true
	for _, g := range m.parts() {
		var sum T
		for _, v := range g.all {
			sum += v.v
		}
		note := fmt.Sprintf(", %s %s", word, plural(len(g.all), m.noun))
		s.groups = append(s.groups, group[T]{g.who, []value[T]{{v: f(sum, len(g.all)), who: g.who, at: nowhere, note: note}}})
	}
	return s
}

// Max is the greatest value, Min the least. A stretch that the end of the recording
// cut off is the least only if all are cut off.
func (m Measure[T]) Max() Measure[T] {
	return m.pick("the greatest", func(all []value[T]) value[T] { return all[len(all)-1] })
}

// Min: see Max.
func (m Measure[T]) Min() Measure[T] {
	return m.pick("the least", func(all []value[T]) value[T] {
		for _, v := range all {
			if !v.open {
				return v
			}
		}
		return all[0]
	})
}

// Median is the value in the middle, the lower one of two.
func (m Measure[T]) Median() Measure[T] {
	return m.pick("the median", func(all []value[T]) value[T] { return all[(len(all)-1)/2] })
}

// Percentile is the least value that p per cent of the values do not exceed, p
// above 0 and at most 100.
func (m Measure[T]) Percentile(p float64) Measure[T] {
	if !(p > 0 && p <= 100) {
		m.run.t.Helper()
		m.run.t.Fatalf("lab: there is no percentile %v", p)
	}
	return m.pick(fmt.Sprintf("percentile %v", p), func(all []value[T]) value[T] {
		return all[int(math.Ceil(p/100*float64(len(all))))-1]
	})
}

// pick makes of each group the value that f takes of it. f gets at least one
// value, in their order. A group without values stays so.
func (m Measure[T]) pick(word string, f func([]value[T]) value[T]) Measure[T] {
	r := m
	r.groups, r.reduced = nil, true
	for _, g := range m.parts() {
		if len(g.all) == 0 {
			r.groups = append(r.groups, g)
			continue
		}
		all := slices.SortedStableFunc(slices.Values(g.all), func(a, b value[T]) int { return cmp.Compare(a.v, b.v) })
		v := f(all)
		if len(all) > 1 {
			v.note += fmt.Sprintf(" (%s of %d)", word, len(all))
		}
		r.groups = append(r.groups, group[T]{g.who, []value[T]{v}})
	}
	return r
}

// Spread is the greatest value less the least.
func (m Measure[T]) Spread() Measure[T] {
	s := m
	s.form, s.unit, s.groups, s.reduced = "%s: a spread of %s", "", nil, true
	for _, g := range m.parts() {
		s.groups = append(s.groups, ends(g, m, func(least, most T) T { return most - least }))
	}
	return s
}

// Balance is the least value in per cent of the greatest: 100 if all are alike.
func (m Measure[T]) Balance() Measure[int] {
	b := Measure[int]{run: m.run, of: m.of, noun: m.noun, form: "%s: a balance of %s%%", none: m.none, reduced: true}
	for _, g := range m.parts() {
		b.groups = append(b.groups, ends(g, m, func(least, most T) int {
			if most == 0 {
				return 100
			}
			return int(100 * float64(least) / float64(most))
		}))
	}
	return b
}

// ends makes one value of the least and the greatest of a group of m.
func ends[T, U Number](g group[T], m Measure[T], f func(least, most T) U) group[U] {
	if len(g.all) == 0 {
		return group[U]{who: g.who}
	}
	by := func(a, b value[T]) int { return cmp.Compare(a.v, b.v) }
	least, most := slices.MinFunc(g.all, by), slices.MaxFunc(g.all, by)
	v := value[U]{v: f(least.v, most.v), who: g.who, at: nowhere}
	v.note = fmt.Sprintf(", from %s to %s", m.sentence(least), m.sentence(most))
	return group[U]{g.who, []value[U]{v}}
}

// parts are the groups that a reduction works on: m's, or all that an earlier reduction left of
// them. If some had nothing to reduce, one of these stands for all of them.
func (m Measure[T]) parts() []group[T] {
	if !m.reduced || len(m.groups) < 2 {
		return m.groups
	}
	all := group[T]{who: m.of}
	for _, g := range m.groups {
		if len(g.all) == 0 {
			return []group[T]{g}
		}
		all.all = append(all.all, g.all...)
	}
	return []group[T]{all}
}

// Values are the values, for a test that wants more than bounds can say.
func (m Measure[T]) Values() []T {
	var vs []T
	for _, g := range m.groups {
		for _, v := range g.all {
			vs = append(vs, v.v)
		}
	}
	return vs
}

// sentence says a value and where it was.
func (m Measure[T]) sentence(v value[T]) string {
	text := show(v.v, m.unit)
	if d, ok := any(v.v).(time.Duration); ok && m.exact {
		text = d.String()
	}
	return fmt.Sprintf(m.form, v.who, text) + v.at.String() + v.note
}

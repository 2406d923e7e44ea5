package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// shown is how many of the values that break one bound are reported.
const shown = 4

// AtLeast demands n or more of every value.
func (m Measure[T]) AtLeast(n T) {
	m.run.t.Helper()
	m.every(fmt.Sprintf("at least %s is wanted", show(n, "")), func(v value[T]) bool { return v.v >= n || v.open }, n)
}

// Above demands more than n of every value.
func (m Measure[T]) Above(n T) {
	m.run.t.Helper()
	m.every(fmt.Sprintf("more than %s is wanted", show(n, "")), func(v value[T]) bool { return v.v > n || v.open }, n)
}

// AtMost demands n or less of every value.
func (m Measure[T]) AtMost(n T) {
	m.run.t.Helper()
	m.every(fmt.Sprintf("at most %s is allowed", show(n, "")), func(v value[T]) bool { return v.v <= n }, n)
}

// Below demands less than n of every value.
func (m Measure[T]) Below(n T) {
	m.run.t.Helper()
	m.every(fmt.Sprintf("less than %s is allowed", show(n, "")), func(v value[T]) bool { return v.v < n }, n)
}

// Between demands low to high of every value, both included.
func (m Measure[T]) Between(low, high T) {
	m.run.t.Helper()
	m.every(fmt.Sprintf("%s to %s is wanted", show(low, ""), show(high, "")), func(v value[T]) bool {
		return (v.v >= low || v.open) && v.v <= high
	}, low+(high-low)/2)
}

// Is demands n of every value.
func (m Measure[T]) Is(n T) {
	m.run.t.Helper()
	m.every(fmt.Sprintf("exactly %s is wanted", show(n, "")), func(v value[T]) bool { return v.v == n }, n)
}

// Are demands these values, in their order.
func (m Measure[T]) Are(ns ...T) {
	m.run.t.Helper()
	if len(m.groups) == 0 {
		m.run.t.Errorf("%s", m.none)
	} else if got := m.Values(); !slices.Equal(got, ns) {
		m.run.t.Errorf("%s: %s; exactly %s is wanted", m.title(), list(got), list(ns))
	}
}

// Ascend demands that no value is less than the one before it.
func (m Measure[T]) Ascend() {
	m.run.t.Helper()
	if !m.measured() {
		return
	}
	for _, g := range m.groups {
		for i := 1; i < len(g.all); i++ {
			if g.all[i].v < g.all[i-1].v {
				m.run.t.Errorf("%s; and then: %s; ascending values are wanted", m.sentence(g.all[i-1]), m.sentence(g.all[i]))
				return
			}
		}
	}
}

// every reports the values that are not ok, those that are farthest from n first.
func (m Measure[T]) every(want string, ok func(value[T]) bool, n T) {
	m.run.t.Helper()
	if !m.measured() {
		return
	}
	var bad []value[T]
	total := 0
	for _, g := range m.groups {
		total += len(g.all)
		for _, v := range g.all {
			if !ok(v) {
				bad = append(bad, v)
			}
		}
	}
	if len(bad) == 0 {
		return
	}
	slices.SortStableFunc(bad, func(a, b value[T]) int { return cmp.Compare(distance(b.v, n), distance(a.v, n)) })
	var text strings.Builder
	for i, v := range bad[:min(len(bad), shown)] {
		if i > 0 {
			text.WriteString("\nalso: ")
		}
		m.exact = show(v.v, "") == show(n, "") // they differ where show rounds
		text.WriteString(m.sentence(v))
		if i == 0 {
			text.WriteString("; " + want)
		}
	}
	if total > 1 && len(bad) > shown {
		fmt.Fprintf(&text, "\nand so %d more, of %d", len(bad)-shown, total)
	}
	m.run.t.Errorf("%s", text.String())
}

// measured reports whether every group has something to hold a bound against, and
// says what has not.
func (m Measure[T]) measured() bool {
	m.run.t.Helper()
	if len(m.groups) == 0 {
		m.run.t.Errorf("%s", m.none)
		return false
	}
	var without []string
	for _, g := range m.groups {
		if len(g.all) == 0 {
			without = append(without, g.who)
		}
	}
	if len(without) == 0 {
		return true
	}
	more := ""
	if n := len(without) - shown; n > 0 {
		without = without[:shown]
		more = fmt.Sprintf(" and %d more", n)
	}
	m.run.t.Errorf("%s%s: no %s, so there is nothing to measure", strings.Join(without, ", "), more, m.noun)
	return false
}

// title names the measure as a whole.
func (m Measure[T]) title() string { return m.of + ", " + plurals(m.noun) }

// distance is how far apart a and b are.
func distance[T Number](a, b T) T { return max(a, b) - min(a, b) }

// list writes values in a row.
func list[T Number](vs []T) string {
	var all []string
	for _, v := range vs {
		all = append(all, show(v, ""))
	}
	return "[" + strings.Join(all, " ") + "]"
}

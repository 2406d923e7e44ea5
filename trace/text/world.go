package text

import (
	"fmt"
	"slices"
	"strings"
)

// world tells of stops of the world, and of the collector.
func (s *summary) world() {
	var took figures
	held, why := int64(0), map[string]int{}
	for _, p := range s.v.Stops {
		why[p.Reason]++
		if p.Held > 0 {
			took.of = append(took.of, p.Held-p.Start)
			held += p.End - p.Held
		}
	}
	s.line("")
	if len(s.v.Stops) == 0 {
		s.line("the world was never stopped")
	} else {
		s.line("the world was stopped %s: %s", times(len(s.v.Stops)), reasons(why, 4))
	}
	if len(took.of) > 0 {
		slices.Sort(took.of)
		s.line("  it took %s to stop (p50; most %s), and stood still for %s in all, %s of the run",
			Duration(took.quantile(.5)), Duration(took.quantile(1)), Duration(held), Percent(held, s.whole))
	}
	type phase struct {
		count     int
		all, most int64
	}
	by := map[string]*phase{}
	var names []string // in the order in which they come
	for _, p := range s.v.Phases {
		if p.Name == "off" {
			continue
		}
		f := by[p.Name]
		if f == nil {
			f = &phase{}
			by[p.Name] = f
			names = append(names, p.Name)
		}
		f.count++
		f.all += p.End - p.Start
		f.most = max(f.most, p.End-p.Start)
	}
	if len(names) == 0 {
		s.line("the collector did not run")
		return
	}
	var parts []string
	for _, n := range names {
		f := by[n]
		parts = append(parts, fmt.Sprintf("%s %s, %s in all, most %s", n, times(f.count), Duration(f.all), Duration(f.most)))
	}
	s.line("the collector: %s", strings.Join(parts, "; "))
}

// times is "once", "12 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return Count(n) + " times"
}

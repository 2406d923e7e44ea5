package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sched9/trace"
)

// Gs is a selection of goroutines. A measure is of all of them together, or after Each of each of
// them.
type Gs struct {
	run  *Run
	name string
	list []*trace.Goroutine // by number
	each bool
}

// All selects the program's goroutines, without those that are the runtime's own.
func (r *Run) All() Gs {
	return r.choose("the program's goroutines", func(g *trace.Goroutine) bool { return !g.System })
}

// System selects the runtime's own goroutines.
func (r *Run) System() Gs {
	return r.choose("the runtime's goroutines", func(g *trace.Goroutine) bool { return g.System })
}

// Main selects the goroutine that runs main.main.
func (r *Run) Main() Gs {
	return r.choose("runtime.main", func(g *trace.Goroutine) bool { return g.Entry == "runtime.main" })
}

// G selects the program's goroutines whose entry function has one of the names, or that were made
// by a function of that name: "main.work" selects those of `go work()` and of `go work(x)`,
// "main.share" those that share made, by any go statement or WaitGroup.Go.
func (r *Run) G(names ...string) Gs {
	return r.choose(strings.Join(names, " or "), func(g *trace.Goroutine) bool {
		return !g.System && (slices.Contains(names, g.Entry) || slices.Contains(names, g.Site))
	})
}

// Numbered selects goroutines by their numbers.
func (r *Run) Numbered(ids ...uint64) Gs {
	return r.choose("G"+strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ids)), " or G"), "[]"),
		func(g *trace.Goroutine) bool { return slices.Contains(ids, g.ID) })
}

// choose selects the run's goroutines that f keeps.
func (r *Run) choose(name string, f func(*trace.Goroutine) bool) Gs {
	return Gs{run: r, name: name, list: r.View.Gs}.keep(name, f)
}

// keep is s with only those goroutines that f keeps.
func (s Gs) keep(name string, f func(*trace.Goroutine) bool) Gs {
	all := s.list
	s.name, s.list = name, nil
	for _, g := range all {
		if f(g) {
			s.list = append(s.list, g)
		}
	}
	return s
}

// Each makes the next measure one of each goroutine by itself.
func (s Gs) Each() Gs {
	s.each = true
	return s
}

// Where selects those of s that f keeps; what says of them what they are, as in
// "with a panic".
func (s Gs) Where(what string, f func(*trace.Goroutine) bool) Gs {
	return s.keep(s.name+" "+what, f)
}

// But selects those of s that are not in other.
func (s Gs) But(other Gs) Gs {
	return s.keep(s.name+" but "+other.name, func(g *trace.Goroutine) bool { return !other.has(g.ID) })
}

// First selects the n of s that were made first.
func (s Gs) First(n int) Gs {
	made := slices.SortedStableFunc(slices.Values(s.list), func(a, b *trace.Goroutine) int { return cmp.Compare(a.Made, b.Made) })
	made = made[:max(0, min(n, len(made)))]
	return s.keep(fmt.Sprintf("the first %d of %s", n, s.name), func(g *trace.Goroutine) bool { return slices.Contains(made, g) })
}

// Ended selects those of s that ended. A goroutine that main waits for may be missing: it wakes
// main last, and then main ends the program.
func (s Gs) Ended() Gs {
	return s.keep(s.name+" that ended", func(g *trace.Goroutine) bool { return g.Ended >= 0 })
}

// Children selects the goroutines that those of s made.
func (s Gs) Children() Gs {
	return s.run.choose("children of "+s.name, func(g *trace.Goroutine) bool { return s.has(g.Parent) })
}

// In selects those of s that the recording shows in a function, or below it, where
// they left a CPU. A function that never blocks, yields or is preempted is not shown.
func (s Gs) In(function string) Gs {
	return s.keep(s.name+" in "+function, func(g *trace.Goroutine) bool {
		return slices.ContainsFunc(g.Runs, func(i int) bool {
			v := s.run.View
			return slices.ContainsFunc(v.Trace.Frames(v.Runs[i].Stack), func(f trace.Frame) bool { return f.Func == function })
		})
	})
}

// List is the selection, for a test that wants more than measures can say.
func (s Gs) List() []*trace.Goroutine { return slices.Clone(s.list) }

// has reports whether the goroutine with the number is selected.
func (s Gs) has(id uint64) bool {
	_, ok := slices.BinarySearchFunc(s.list, id, func(g *trace.Goroutine, id uint64) int { return cmp.Compare(g.ID, id) })
	return ok
}

// absent says that nothing is selected, and what could be.
func (s Gs) absent() string {
	count := map[string]int{}
	var names []string
	for _, g := range s.run.View.Gs {
		n := g.Entry
		if strings.HasPrefix(n, "sync.") && g.Site != "" {
			n = g.Site
		}
		if g.System {
			continue
		}
		if count[n]++; count[n] == 1 {
			names = append(names, n)
		}
	}
	for i, n := range names {
		names[i] = fmt.Sprintf("%s (%d)", n, count[n])
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	return fmt.Sprintf("no goroutine is %s; the program's are: %s", s.name, strings.Join(names, ", "))
}

// Package compare puts runs of one program under several schedulers beside each other: under other policies, with other slices
// or numbers of Ps.
package compare

import (
	"cmp"
	"math"
	"slices"

	"sched9/record"
	"sched9/trace"
)

// Run is one of the runs.
type Run struct {
	Label  string   `json:"label"`  // what is special about it: "mlfq", "M:N 100µs"
	Status int      `json:"status"` // the program's
	Broken []string `json:"broken"` // rules of the scheduler that it broke
	Sums

	view *trace.View
}

// Sums are what is counted and measured in a run, of the program's own goroutines. Times are nanoseconds of the guest.
type Sums struct {
	Time     int64   `json:"time_ns"`  // from the first event to the last
	Busy     float64 `json:"busy"`     // the share of its Ps' time in which goroutines ran
	Switches int     `json:"switches"` // times that a goroutine began to run
	Preempts int     `json:"preempts"` // times that one was made to leave
	Moves    int     `json:"moves"`    // times that one began on another P than before
	Wait     Spread  `json:"wait"`     // for a P, each time
	Kinds    []Kind  `json:"kinds"`    // those that ran longest first

	waits []int64 // in order of length
}

// Kind are the goroutines made of one function.
type Kind struct {
	Name    string  `json:"name"`
	Count   int     `json:"count"`
	Running int64   `json:"running_ns"` // all together
	Wait    Spread  `json:"wait"`
	Fair    float64 `json:"fair"`     // Jain's index of what each had run when the first ended, 1: all alike; -1 if not all had begun by then
	Ended   int64   `json:"ended_ns"` // when the last of them ended, after the run's begin; -1 if one did not
}

// Spread is how values lie: half, and 99 of 100, are at most so long.
type Spread struct {
	Median int64 `json:"median_ns"`
	P99    int64 `json:"p99_ns"`
	Worst  int64 `json:"worst_ns"`
}

// Of measures a run.
func Of(label string, status int, broken []string, v *trace.View) Run {
	return Run{Label: label, Status: status, Broken: broken, Sums: sum(v), view: v}
}

// sum measures what the program's own goroutines did.
func sum(v *trace.View) Sums {
	s := Sums{Time: v.End - v.Start}
	kinds := map[string][]*trace.Goroutine{}
	running := int64(0)
	for _, g := range v.Gs {
		if g.System {
			continue
		}
		kinds[g.Kind()] = append(kinds[g.Kind()], g)
		running += g.Running
		p := -1
		for _, i := range g.Runs {
			r := v.Runs[i]
			s.Switches++
			if r.Left == record.EvPreempt {
				s.Preempts++
			}
			if p >= 0 && r.P != p {
				s.Moves++
			}
			p = r.P
		}
		s.waits = append(s.waits, waits(v, g)...)
	}
	if ps := v.Trace.SMP; ps > 0 && s.Time > 0 {
		s.Busy = float64(running) / float64(s.Time*int64(ps))
	}
	slices.Sort(s.waits)
	s.Wait = spread(s.waits)
	for name, gs := range kinds {
		s.Kinds = append(s.Kinds, kind(v, name, gs))
	}
	slices.SortFunc(s.Kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(b.Running, a.Running), cmp.Compare(a.Name, b.Name))
	})
	return s
}

// kind measures goroutines that are made of one function.
func kind(v *trace.View, name string, gs []*trace.Goroutine) Kind {
	k := Kind{Name: cmp.Or(name, "?"), Count: len(gs)}
	first := v.End
	var all []int64
	for _, g := range gs {
		k.Running += g.Running
		all = append(all, waits(v, g)...)
		if g.Ended < 0 {
			k.Ended = -1
			continue
		}
		first = min(first, g.Ended)
		if k.Ended >= 0 {
			k.Ended = max(k.Ended, g.Ended-v.Start)
		}
	}
	slices.Sort(all)
	k.Wait = spread(all)
	had := make([]float64, len(gs))
	for i, g := range gs {
		if g.Made > first {
			k.Fair = -1
			return k
		}
		for _, n := range g.Runs {
			had[i] += float64(max(0, min(v.Runs[n].End, first)-v.Runs[n].Start))
		}
	}
	k.Fair = jain(had)
	return k
}

// waits are the times that g waited for a P.
func waits(v *trace.View, g *trace.Goroutine) []int64 {
	all := make([]int64, len(g.Runs))
	for i, n := range g.Runs {
		all[i] = v.Runs[n].Start - v.Runs[n].Ready
	}
	if g.Ended < 0 && g.State == trace.Readies { // it still does
		all = append(all, v.End-g.Since)
	}
	return all
}

// spread tells of values in order.
func spread(all []int64) Spread {
	n := len(all)
	if n == 0 {
		return Spread{}
	}
	at := func(share float64) int64 { return all[max(0, int(math.Ceil(share*float64(n)))-1)] }
	return Spread{at(0.5), at(0.99), all[n-1]}
}

// jain is the index of fairness of Jain, Chiu and Hawe (1984): the square of the sum over n times the sum of the squares. 1 says
// that all have the same, 1/n that one has all; 1 too if nobody has anything.
func jain(had []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range had {
		sum += x
		squares += x * x
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (float64(len(had)) * squares)
}

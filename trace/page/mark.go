package page

import (
	"slices"

	"sched9/trace"
)

// Mark is a moment that a page shows beside what was recorded: one goroutine left the processor, and another one went on.
type Mark struct {
	At          int64  // nanoseconds of the guest's clock
	From, To    uint64 // goroutines, by number
	Left, Right string // what is said of them
	Forced      bool   // From was made to leave
	Moved       bool   // that, or To was chosen before others: without it the run would have been another one
}

// mark is a Mark for the page, with the runs of the two goroutines; -1: there is none.
type mark struct {
	At            int64
	Before, After int
	Left, Right   string
	Forced, Moved bool
}

// marks makes those of the page.
func (e *encoder) marks(all []Mark) (out []mark) {
	slices.SortStableFunc(all, func(a, b Mark) int { return int(a.At - b.At) })
	for _, m := range all {
		out = append(out, mark{m.At - e.Start, nearest(e.View, m.From, m.At, false), nearest(e.View, m.To, m.At, true), m.Left, m.Right, m.Forced, m.Moved})
	}
	return out
}

// nearest returns the run of goroutine g which begins, or ends, as near to a time as any of its; -1: it has none.
func nearest(v *trace.View, g uint64, at int64, begins bool) (best int) {
	far := func(i int) int64 {
		d := v.Runs[i].End - at
		if begins {
			d = v.Runs[i].Start - at
		}
		return max(d, -d)
	}
	best = -1
	if who := v.G(g); who != nil {
		for _, i := range who.Runs {
			if best < 0 || far(i) < far(best) {
				best = i
			}
		}
	}
	return best
}

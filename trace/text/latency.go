package text

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sched9/record"
)

// figures are the durations of something, sorted.
type figures struct {
	name string
	of   []int64
}

// quantile is the least figure that q of all are not above.
func (f figures) quantile(q float64) int64 {
	i := int(math.Ceil(q*float64(len(f.of)))) - 1
	return f.of[max(i, 0)]
}

// latencies is the table of how long things took, with a picture of each: a
// column is a fifth of a decade, its height how many there were.
func (s *summary) latencies() {
	ready, run := figures{name: "runnable to running"}, figures{name: "run"}
	for _, r := range s.v.Runs {
		if r.From.Kind() != record.FromNowhere {
			ready.of = append(ready.of, r.Start-r.Ready)
		}
		run.of = append(run.of, r.End-r.Start)
	}
	stop := figures{name: "stop of the world"}
	for _, p := range s.v.Stops {
		if p.Held > 0 {
			stop.of = append(stop.of, p.End-p.Start)
		}
	}
	timers := figures{name: "lateness of timers", of: slices.Clone(s.v.Timers)}
	var rows []figures
	low, high := math.MaxInt, 0 // columns
	for _, f := range []figures{ready, run, timers, stop} {
		if len(f.of) > 0 {
			slices.Sort(f.of)
			rows = append(rows, f)
			low = min(low, column(f.of[0]))
			high = max(high, column(f.of[len(f.of)-1]))
		}
	}
	if len(rows) == 0 {
		return
	}
	low -= low % perDecade
	s.line("")
	tw := s.table()
	fmt.Fprintf(tw, "latency\tcount\tp50\tp90\tp99\tmost\t  %s\n", scale(low, high))
	for _, f := range rows {
		fmt.Fprintf(tw, "%s\t%s\t", f.name, Count(len(f.of)))
		for _, q := range []float64{.5, .9, .99, 1} {
			fmt.Fprintf(tw, "%s\t", Duration(f.quantile(q)))
		}
		fmt.Fprintf(tw, "  %s\n", histogram(f.of, low, high))
	}
	tw.Flush()
}

// perDecade is how many columns a power of ten has.
const perDecade = 5

// decades are the labels at the columns of powers of ten: no longer than
// perDecade with the mark before them.
var decades = []string{"0", "10ns", ".1us", "1us", "10us", ".1ms", "1ms", "10ms", ".1s", "1s", "10s"}

// column is where in a picture ns is: the first column is for all below ten
// nanoseconds, the last for all above the last decade.
func column(ns int64) int {
	if ns < 1 {
		return 0
	}
	// A little more, because the logarithm of a power of ten may come out less.
	c := int(math.Floor(math.Log10(float64(ns))*perDecade + 1e-9))
	return min(c, perDecade*len(decades)-1)
}

// scale is the line above pictures that show the columns from low to high; low
// is a decade's first.
func scale(low, high int) string {
	var b strings.Builder
	for d := low / perDecade; d*perDecade <= high && d < len(decades); d++ {
		fmt.Fprintf(&b, "|%-*s", perDecade-1, decades[d])
	}
	return strings.TrimRight(b.String(), " ")
}

// bars are heights, from nothing to all.
var bars = []rune(" ▁▂▃▄▅▆▇█")

// histogram is a picture of sorted durations in the columns from low to high.
// Whatever there is shows.
func histogram(of []int64, low, high int) string {
	counts := make([]int, high+1)
	most := 0
	for _, ns := range of {
		c := column(ns)
		counts[c]++
		most = max(most, counts[c])
	}
	var b strings.Builder
	for _, n := range counts[low:] {
		h := 0
		if n > 0 {
			h = max(1, (n*(len(bars)-1)+most/2)/most)
		}
		b.WriteRune(bars[h])
	}
	return strings.TrimRight(b.String(), " ")
}

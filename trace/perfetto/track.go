package perfetto

import (
	"cmp"
	"slices"

	"sched9/trace"
)

// track is a line of the picture: a thread of a process, in the format's words.
type track struct{ group, id int }

// The groups. Numbers begin at 1, because viewers give 0 to the idle task.
const (
	groupPs = 1 + iota
	groupMs
	groupWorld
)

// onP and onM are the tracks of a P and an M. No two tracks of a file have the
// same id, and none has its group's: viewers take that for the main thread.
func onP(p int) track { return track{groupPs, 101 + p} }
func onM(m int) track { return track{groupMs, 201 + m} }

// The world's tracks.
var (
	onStops  = track{groupWorld, 301}
	onPhases = track{groupWorld, 302}
)

// slice is a stretch on a track: a run, or what an M does when none is there.
type slice struct {
	start, end int64
	run        int // of View.Runs, -1
	span       int // of View.MSpans, -1
}

// tracks sorts what happened by P and by M. In each list slices are disjoint and
// in order. Where records were lost a run may seem to last into the next: it
// is cut off there. What an M does besides is shown where it runs nobody: a
// processor that halts while its goroutine waits in the kernel still runs it.
func tracks(v *trace.View) (ps, ms map[int][]slice) {
	ps, ms = map[int][]slice{}, map[int][]slice{}
	for i, r := range v.Runs {
		s := slice{r.Start, r.End, i, -1}
		ms[r.M] = append(ms[r.M], s)
		if r.P >= 0 {
			ps[r.P] = append(ps[r.P], s)
		}
	}
	for _, all := range []map[int][]slice{ps, ms} {
		for _, list := range all {
			disjoin(list)
		}
	}
	rest := map[int][]slice{}
	next := map[int]int{} // the first run of an M that the next span may meet
	for i, s := range v.MSpans {
		if s.Doing == trace.Running {
			continue
		}
		runs := ms[s.Of]
		for next[s.Of] < len(runs) && runs[next[s.Of]].end <= s.Start {
			next[s.Of]++
		}
		at := s.Start
		for _, r := range runs[next[s.Of]:] {
			if r.start >= s.End {
				break
			}
			if r.start > at {
				rest[s.Of] = append(rest[s.Of], slice{at, r.start, -1, i})
			}
			at = max(at, r.end)
		}
		if s.End > at {
			rest[s.Of] = append(rest[s.Of], slice{at, s.End, -1, i})
		}
	}
	for m, list := range rest {
		ms[m] = append(ms[m], list...)
		disjoin(ms[m])
	}
	return ps, ms
}

// disjoin sorts slices and ends each where the next begins, if not before.
func disjoin(list []slice) {
	slices.SortStableFunc(list, func(a, b slice) int { return cmp.Compare(a.start, b.start) })
	for i := range list {
		s := &list[i]
		if i+1 < len(list) {
			s.end = min(s.end, list[i+1].start)
		}
		s.end = max(s.end, s.start)
	}
}

// inside returns at, or the moment next to it that lies within one of list's
// slices and not on its edge: viewers differ in which of two slices an edge
// belongs to. ok is false if there is no slice at at.
func inside(list []slice, at int64) (moment int64, ok bool) {
	// The first slice that begins after at; what holds at is before it.
	i, _ := slices.BinarySearchFunc(list, at+1, func(s slice, t int64) int { return cmp.Compare(s.start, t) })
	for i--; i >= 0; i-- {
		s := list[i]
		switch {
		case s.end == s.start && s.start < at:
			continue
		case s.end < at:
			return 0, false
		case s.end-s.start < 2:
			return s.start, true
		}
		return min(max(at, s.start+1), s.end-1), true
	}
	return 0, false
}

// sorted are the keys of a map, in order.
func sorted(all map[int][]slice) []int {
	var keys []int
	for k := range all {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

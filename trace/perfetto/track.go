package perfetto

import (
	"cmp"
	"slices"
	"strconv"

	"sched9/record"
	"sched9/trace"
)

// uuid names a track. No two tracks of a file have the same.
type uuid uint64

// The tracks. Ps and Ms and the queues of Ps follow the first of their kind.
const (
	groupPs uuid = 1 + iota
	groupMs
	groupWorld
	onGlobal  // counters: the global queue,
	onReady   // and all goroutines that may run,
	onRunning // and that do
	onStops
	onPhases

	firstP     uuid = 1000
	firstM     uuid = 2000
	firstQueue uuid = 3000
)

// onP, onM and onQueue are the tracks of a P, of an M, and of a P's queue; P -1 has the
// global one.
func onP(p int) uuid { return firstP + uuid(p) }
func onM(m int) uuid { return firstM + uuid(m) }
func onQueue(p int) uuid {
	if p < 0 {
		return onGlobal
	}
	return firstQueue + uuid(p)
}

// track is a line of the picture.
type track struct {
	id      uuid
	name    string
	parent  uuid // 0: it is a group
	rank    int  // among its siblings
	counter bool
}

// describe is the track with a uuid.
func describe(id uuid) track {
	n := int(id % 1000)
	num := strconv.Itoa(n)
	switch {
	case id >= firstQueue:
		return track{id, "P" + num + " queue", groupPs, 10 + 2*n + 1, true}
	case id >= firstM:
		return track{id, "M" + num + " (vCPU " + num + ")", groupMs, n, false}
	case id >= firstP:
		return track{id, "P" + num, groupPs, 10 + 2*n, false}
	}
	return [...]track{
		groupPs:    {groupPs, "Ps (who may run)", 0, 1, false},
		groupMs:    {groupMs, "Ms (vCPUs)", 0, 2, false},
		groupWorld: {groupWorld, "The world", 0, 3, false},
		onGlobal:   {onGlobal, "global queue", groupPs, 3, true},
		onReady:    {onReady, "goroutines that may run", groupPs, 2, true},
		onRunning:  {onRunning, "goroutines that run", groupPs, 1, true},
		onStops:    {onStops, "stop the world", groupWorld, 1, false},
		onPhases:   {onPhases, "collector", groupWorld, 2, false},
	}[id]
}

// on is a track that is to have an event: it, and the group that it is in, are described
// before they have their first.
func (p *picture) on(id uuid) uuid {
	if !p.described[id] {
		p.described[id] = true
		t := describe(id)
		if t.parent != 0 {
			p.on(t.parent)
		}
		p.track(t)
	}
	return id
}

// slice is a stretch on a track: a run, or what an M does when none is there.
type slice struct {
	start, end int64
	run        *trace.Run // nil: none
	doing      trace.Doing
	open       bool // it goes on: not to be written now
}

// tracks sorts spans by P and by M. In each list slices are disjoint and in order. Where records
// were lost a run may seem to last into the next: it is cut off there. What an M does besides is
// shown where it runs no goroutine: a processor that halts while its goroutine waits in the kernel
// still runs it.
func tracks(v *trace.View) (ps, ms [][]slice) {
	ps, ms = make([][]slice, record.MaxProcs), make([][]slice, record.MaxProcs)
	add := func(r *trace.Run, open bool) {
		s := slice{r.Start, r.End, r, trace.Running, open}
		if open {
			s.end = v.End
		}
		ms[r.M] = append(ms[r.M], s)
		if r.P >= 0 {
			ps[r.P] = append(ps[r.P], s)
		}
	}
	for i := range v.Runs {
		add(&v.Runs[i], false)
	}
	for i := range v.Open {
		add(&v.Open[i], true)
	}
	for i := range record.MaxProcs {
		disjoin(ps[i])
		disjoin(ms[i])
	}
	rest := make([][]slice, record.MaxProcs)
	next := make([]int, record.MaxProcs) // the first run of an M that the next span may meet
	for _, s := range v.MSpans {
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
				rest[s.Of] = append(rest[s.Of], slice{at, r.start, nil, s.Doing, false})
			}
			at = max(at, r.end)
		}
		if s.End > at {
			rest[s.Of] = append(rest[s.Of], slice{at, s.End, nil, s.Doing, false})
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

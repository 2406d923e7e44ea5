package page

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"sched9/record"
	"sched9/trace"
	"sched9/trace/text"
)

// encoder turns a View into columns. Times in them count from the View's start,
// goroutines are numbered in the order of their ids, and where there may be
// none the number is one more and 0 says so.
type encoder struct {
	*trace.View
	columns
	strings table
	gs      []*trace.Goroutine
	index   map[uint64]int // of gs, by id
	ends    []int64        // of runs
}

// encode makes the columns of v.
func encode(v *trace.View) *encoder {
	e := &encoder{View: v}
	e.number()
	e.goroutines()
	e.stacks()
	e.cut()
	e.runs()
	e.wakes()
	e.spans()
	e.queues()
	e.world()
	e.events()
	return e
}

// number numbers the goroutines, those too that no run or wake-up tells of.
func (e *encoder) number() {
	all := map[uint64]*trace.Goroutine{}
	for _, g := range e.Gs {
		all[g.ID] = g
	}
	for _, ev := range e.Trace.Events {
		if ev.G != 0 && all[ev.G] == nil {
			all[ev.G] = &trace.Goroutine{ID: ev.G, Entry: trace.Name("", ev.G), Made: ev.Time, Ended: -1}
		}
	}
	e.gs = slices.SortedFunc(maps.Values(all), func(a, b *trace.Goroutine) int { return cmp.Compare(a.ID, b.ID) })
	e.index = make(map[uint64]int, len(e.gs))
	for i, g := range e.gs {
		e.index[g.ID] = i
	}
}

// g is a goroutine's number, and one more; 0 is none.
func (e *encoder) g(id uint64) uint64 {
	if i, ok := e.index[id]; ok && id != 0 {
		return uint64(i) + 1
	}
	return 0
}

// rel is a time since the start.
func (e *encoder) rel(at int64) int64 { return at - e.Start }

// length is a duration; what goes backwards in a broken recording has none.
func length(from, to int64) uint64 { return uint64(max(0, to-from)) }

// plus is a number that may be -1, and one more.
func plus[T int | int16](n T) uint64 { return uint64(max(0, n+1)) }

// flag is 1 for true.
func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// goroutines adds the goroutines.
func (e *encoder) goroutines() {
	g, n := e.gs, len(e.gs)
	e.addDelta("g.id", n, func(i int) int64 { return int64(g[i].ID & math.MaxInt64) })
	e.add("g.entry", n, func(i int) uint64 { return e.strings.number(g[i].Entry) })
	e.add("g.name", n, func(i int) uint64 { return e.strings.number(g[i].Name()) })
	e.add("g.site", n, func(i int) uint64 { return e.strings.number(g[i].Site) })
	e.add("g.kin", n, func(i int) uint64 { return e.strings.number(trace.Kind(g[i].Entry, g[i].Site)) })
	e.add("g.system", n, func(i int) uint64 { return flag(g[i].System) })
	e.add("g.parent", n, func(i int) uint64 { return e.g(g[i].Parent) })
	e.addDelta("g.made", n, func(i int) int64 { return e.rel(g[i].Made) })
	e.add("g.ended", n, func(i int) uint64 {
		if g[i].Ended < 0 {
			return 0
		}
		return length(e.Start, g[i].Ended) + 1
	})
	e.add("g.running", n, func(i int) uint64 { return length(0, g[i].Running) })
	e.add("g.ready", n, func(i int) uint64 { return length(0, g[i].Ready) })
	e.add("g.waiting", n, func(i int) uint64 { return length(0, g[i].Waiting) })
	e.add("g.calling", n, func(i int) uint64 { return length(0, g[i].Calling) })
	e.add("g.calls", n, func(i int) uint64 { return uint64(g[i].Calls) })
	e.add("g.stack", n, func(i int) uint64 { return e.stack(g[i].Stack) })
	e.ties()
}

// ties adds when goroutines were tied to Ms, a goroutine after the other.
func (e *encoder) ties() {
	var of []int
	var ties []trace.Span
	for i, g := range e.gs {
		for _, t := range g.Ties {
			of = append(of, i)
			ties = append(ties, t)
		}
	}
	e.add("tie.g", len(ties), func(i int) uint64 { return uint64(of[i]) })
	e.add("tie.m", len(ties), func(i int) uint64 { return length(0, int64(ties[i].Of)) })
	e.addDelta("tie.start", len(ties), func(i int) int64 { return e.rel(ties[i].Start) })
	e.add("tie.long", len(ties), func(i int) uint64 { return length(ties[i].Start, ties[i].End) })
}

// stack is the number of a stack, 0 for one that is not there.
func (e *encoder) stack(s int32) uint64 {
	if s < 0 || int(s) >= len(e.Trace.Stacks) {
		return 0
	}
	return uint64(s)
}

// stacks adds the stacks and the code lines that they are made of.
func (e *encoder) stacks() {
	type line struct {
		fn, file string
		line     int
	}
	seen := map[line]uint64{}
	var frames []line
	var all []uint64
	n := len(e.Trace.Stacks)
	e.add("stack.len", n, func(i int) uint64 {
		fs := e.Trace.Frames(int32(i))
		if len(fs) > 1 && fs[0] == fs[1] {
			fs = fs[1:] // a go statement's, which its record has twice
		}
		for _, f := range fs {
			k := line{f.Func, f.File, f.Line}
			if f.Func == "" {
				k.fn = f.String()
			}
			if _, ok := seen[k]; !ok {
				seen[k] = uint64(len(frames))
				frames = append(frames, k)
			}
			all = append(all, seen[k])
		}
		return uint64(len(fs))
	})
	// Where a goroutine was that left such a stack: a line of the program, if one is
	// known.
	e.add("stack.place", n, func(i int) uint64 { return e.strings.number(text.Site(e.Trace, int32(i))) })
	e.add("stack.frames", len(all), func(i int) uint64 { return all[i] })
	e.add("frame.func", len(frames), func(i int) uint64 { return e.strings.number(frames[i].fn) })
	e.add("frame.file", len(frames), func(i int) uint64 { return e.strings.number(frames[i].file) })
	e.add("frame.line", len(frames), func(i int) uint64 { return length(0, int64(frames[i].line)) })
}

// cut ends each run where the next one on its M begins, if not before: where
// records were lost a run may seem to last into others.
func (e *encoder) cut() {
	e.ends = make([]int64, len(e.Runs))
	next := map[int]int64{}
	for i := len(e.Runs) - 1; i >= 0; i-- {
		r := &e.Runs[i]
		e.ends[i] = max(r.Start, r.End)
		if at, ok := next[r.M]; ok {
			e.ends[i] = max(r.Start, min(e.ends[i], at))
		}
		next[r.M] = r.Start
	}
}

// runs adds the runs. In from are the Place's kind and whether the slice was
// inherited.
func (e *encoder) runs() {
	r, n := e.Runs, len(e.Runs)
	e.add("run.g", n, func(i int) uint64 { return e.g(r[i].G) })
	e.add("run.m", n, func(i int) uint64 { return length(0, int64(r[i].M)) })
	e.add("run.p", n, func(i int) uint64 { return plus(r[i].P) })
	e.addDelta("run.start", n, func(i int) int64 { return e.rel(r[i].Start) })
	e.add("run.long", n, func(i int) uint64 { return length(r[i].Start, e.ends[i]) })
	e.add("run.wait", n, func(i int) uint64 { return length(r[i].Ready, r[i].Start) })
	e.add("run.from", n, func(i int) uint64 { return uint64(r[i].From.Kind())<<1 | flag(r[i].Inherit) })
	e.add("run.left", n, func(i int) uint64 { return uint64(r[i].Left) })
	e.add("run.reason", n, func(i int) uint64 { return e.strings.number(r[i].Reason) })
	e.add("run.stack", n, func(i int) uint64 { return e.stack(r[i].Stack) })
	e.addDelta("run.begin", n, func(i int) int64 { return int64(r[i].Begin) })
	e.addDelta("run.finish", n, func(i int) int64 { return int64(r[i].Finish) })
}

// wakes adds the wake-ups.
func (e *encoder) wakes() {
	w, n := e.Wakes, len(e.Wakes)
	e.addDelta("wake.at", n, func(i int) int64 { return e.rel(w[i].At) })
	e.add("wake.g", n, func(i int) uint64 { return e.g(w[i].G) })
	e.add("wake.by", n, func(i int) uint64 { return e.g(w[i].By) })
	e.add("wake.m", n, func(i int) uint64 { return length(0, int64(w[i].M)) })
	e.add("wake.new", n, func(i int) uint64 { return flag(w[i].New) })
	e.add("wake.run", n, func(i int) uint64 { return plus(w[i].Run) })
	e.add("wake.stack", n, func(i int) uint64 { return e.stack(w[i].Stack) })
}

// spans adds the Ps' owners, and what the Ms did when they ran no goroutine: the rest are the runs.
func (e *encoder) spans() {
	p := e.PSpans
	e.add("own.p", len(p), func(i int) uint64 { return plus(p[i].Of) })
	e.add("own.m", len(p), func(i int) uint64 { return length(0, int64(p[i].Also)) })
	e.addDelta("own.start", len(p), func(i int) int64 { return e.rel(p[i].Start) })
	e.add("own.long", len(p), func(i int) uint64 { return length(p[i].Start, p[i].End) })

	m := e.besides()
	e.add("span.m", len(m), func(i int) uint64 { return length(0, int64(m[i].Of)) })
	e.add("span.doing", len(m), func(i int) uint64 { return uint64(m[i].Doing) })
	e.addDelta("span.start", len(m), func(i int) int64 { return e.rel(m[i].Start) })
	e.add("span.long", len(m), func(i int) uint64 { return length(m[i].Start, m[i].End) })
}

// besides is what the Ms did while they ran no goroutine. A processor that halts while its
// goroutine waits in the kernel still runs it, so runs go before all else.
func (e *encoder) besides() (rest []trace.Span) {
	runs := map[int][]trace.Run{}
	for i, r := range e.Runs {
		r.End = e.ends[i]
		runs[r.M] = append(runs[r.M], r)
	}
	for _, s := range e.MSpans {
		if s.Doing == trace.Running {
			continue
		}
		// Runs that end before this span meet none of the later ones either.
		list := runs[s.Of]
		for len(list) > 0 && list[0].End <= s.Start {
			list = list[1:]
		}
		runs[s.Of] = list
		for _, r := range list {
			if r.Start >= s.End {
				break
			}
			if r.Start > s.Start {
				piece := s
				piece.End = r.Start
				rest = append(rest, piece)
			}
			s.Start = max(s.Start, r.End)
		}
		if s.End > s.Start {
			rest = append(rest, s)
		}
	}
	return rest
}

// queues adds the lengths of the queues, as they change.
func (e *encoder) queues() {
	q, n := e.Queues, len(e.Queues)
	e.add("queue.p", n, func(i int) uint64 { return plus(q[i].P) })
	e.addDelta("queue.at", n, func(i int) int64 { return e.rel(q[i].At) })
	e.add("queue.len", n, func(i int) uint64 { return length(0, int64(q[i].Len)) })
}

// world adds the stops of the world and the collector's phases.
func (e *encoder) world() {
	s, n := e.Stops, len(e.Stops)
	e.addDelta("stop.start", n, func(i int) int64 { return e.rel(s[i].Start) })
	e.add("stop.held", n, func(i int) uint64 {
		if s[i].Held == 0 {
			return 0
		}
		return length(s[i].Start, s[i].Held) + 1
	})
	e.add("stop.long", n, func(i int) uint64 { return length(s[i].Start, s[i].End) })
	e.add("stop.reason", n, func(i int) uint64 { return e.strings.number(s[i].Reason) })
	e.add("stop.by", n, func(i int) uint64 { return e.g(s[i].By) })

	p := slices.DeleteFunc(slices.Clone(e.Phases), func(p trace.Phase) bool { return p.Name == "off" })
	e.addDelta("phase.start", len(p), func(i int) int64 { return e.rel(p[i].Start) })
	e.add("phase.long", len(p), func(i int) uint64 { return length(p[i].Start, p[i].End) })
	e.add("phase.name", len(p), func(i int) uint64 { return e.strings.number(p[i].Name) })
}

// events adds the events themselves. Arguments have 64 bits, the page's numbers
// 53, so they come in halves. An aux that is a code address is the stack's.
func (e *encoder) events() {
	ev, n := e.Trace.Events, len(e.Trace.Events)
	aux := func(i int) uint64 {
		if ev[i].Stack != 0 {
			return 0
		}
		return ev[i].Aux
	}
	e.addDelta("ev.at", n, func(i int) int64 { return e.rel(ev[i].Time) })
	e.add("ev.kind", n, func(i int) uint64 {
		if ev[i].Kind >= record.NumEvents {
			return uint64(record.EvNone)
		}
		return uint64(ev[i].Kind)
	})
	e.add("ev.m", n, func(i int) uint64 { return length(0, int64(ev[i].M)) })
	e.add("ev.p", n, func(i int) uint64 { return plus(ev[i].P) })
	e.add("ev.g", n, func(i int) uint64 { return e.g(ev[i].G) })
	e.add("ev.lo", n, func(i int) uint64 { return ev[i].Arg & math.MaxUint32 })
	e.add("ev.hi", n, func(i int) uint64 { return ev[i].Arg >> 32 })
	e.add("ev.auxlo", n, func(i int) uint64 { return aux(i) & math.MaxUint32 })
	e.add("ev.auxhi", n, func(i int) uint64 { return aux(i) >> 32 })
	e.add("ev.stack", n, func(i int) uint64 { return e.stack(ev[i].Stack) })
}

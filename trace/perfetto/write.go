package perfetto

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"sched9/sched"
	"sched9/trace"
)

// Write writes v as trace events. Times are the guest's, since its boot.
func Write(w io.Writer, v *trace.View) error {
	p := picture{out: newOut(w), View: v}
	p.ps, p.ms = tracks(v)
	p.title()
	for _, id := range sorted(p.ps) {
		for _, s := range p.ps[id] {
			p.run(onP(id), s)
		}
	}
	for _, id := range sorted(p.ms) {
		for _, s := range p.ms[id] {
			if s.run >= 0 {
				p.run(onM(id), s)
			} else {
				p.state(onM(id), s)
			}
		}
	}
	p.arrows()
	p.counters()
	p.instants()
	p.world()
	return p.close()
}

// picture is a file that is being written.
type picture struct {
	*out
	*trace.View
	ps, ms map[int][]slice
	tops   map[int32]string // where stacks begin
}

// title names the groups and the tracks and puts them in order.
func (p *picture) title() {
	meta := func(on track, what, name string) {
		p.begin('M', on, what)
		p.arg()
		p.word("name", name)
		p.end()
	}
	order := func(on track, what string, i int) {
		p.begin('M', on, what)
		p.arg()
		p.num("sort_index", int64(i))
		p.end()
	}
	for _, g := range []struct {
		on   track
		name string
	}{{track{groupPs, 0}, "Ps (who may run)"}, {track{groupMs, 0}, "Ms (vCPUs)"}, {track{groupWorld, 0}, "The world"}} {
		meta(g.on, "process_name", g.name)
		order(g.on, "process_sort_index", g.on.group)
	}
	named := func(on track, name string) {
		meta(on, "thread_name", name)
		order(on, "thread_sort_index", on.id)
	}
	for _, id := range sorted(p.ps) {
		named(onP(id), "P"+strconv.Itoa(id))
	}
	for _, id := range sorted(p.ms) {
		named(onM(id), fmt.Sprintf("M%d (vCPU %d)", id, id))
	}
	named(onStops, "stop the world")
	named(onPhases, "collector")
}

// run writes the run of a goroutine.
func (p *picture) run(on track, s slice) {
	r := &p.Runs[s.run]
	name := p.name(r.G)
	p.begin('X', on, name)
	p.time("ts", s.start)
	p.time("dur", s.end-s.start)
	p.arg()
	p.num("goroutine", int64(r.G))
	p.word("name", name)
	p.word("left", left(r))
	p.time("waited_us", max(0, r.Start-r.Ready))
	p.word("found", found(r))
	if r.P >= 0 && on.group == groupMs {
		p.num("P", int64(r.P))
	}
	if on.group == groupPs {
		p.num("M", int64(r.M))
	}
	if g := p.G(r.G); g != nil {
		for _, t := range g.Ties {
			if t.Start <= s.end && s.end <= t.End {
				p.num("tied_to_M", int64(t.Of))
				break
			}
		}
	}
	if top := p.top(r.Stack); top != "" {
		p.word("stack", top)
	}
	p.end()
}

// state writes what an M does while it runs no goroutine. The colours are names
// that the viewers know.
func (p *picture) state(on track, s slice) {
	d := p.MSpans[s.span].Doing
	p.begin('X', on, d.String())
	p.time("ts", s.start)
	p.time("dur", s.end-s.start)
	switch d {
	case trace.Spinning:
		p.word("cname", "thread_state_runnable")
	case trace.Halted:
		p.word("cname", "thread_state_sleeping")
	case trace.Calling:
		p.word("cname", "thread_state_uninterruptible")
	default:
		p.word("cname", "grey")
	}
	p.end()
}

// name is what people call the goroutine.
func (p *picture) name(id uint64) string {
	if g := p.G(id); g != nil {
		return g.Name()
	}
	return "G" + strconv.FormatUint(id, 10)
}

// top is the innermost frame of a stack that is the program's own, or else the
// innermost; "" if none is known.
func (p *picture) top(stack int32) string {
	if stack <= 0 || int(stack) >= len(p.Trace.Stacks) {
		return ""
	}
	s, ok := p.tops[stack]
	if !ok {
		if fs := p.Trace.Frames(stack); len(fs) > 0 {
			own := slices.IndexFunc(fs, func(f trace.Frame) bool {
				return f.Func != "" && !strings.HasPrefix(f.Func, "runtime.") && !strings.HasPrefix(f.Func, "internal/")
			})
			f := fs[max(0, own)]
			f.File = path.Base(f.File)
			s = f.String()
		}
		if p.tops == nil {
			p.tops = map[int32]string{}
		}
		p.tops[stack] = s
	}
	return s
}

// left says why a run ended.
func left(r *trace.Run) string {
	switch r.Left {
	case sched.EvBlock:
		return "blocked: " + r.Reason
	case sched.EvYield:
		return "yielded"
	case sched.EvPreempt:
		return "preempted"
	case sched.EvExit:
		return "exited"
	case sched.EvRetake:
		return "in a system call, and lost the P"
	}
	return "still ran at the end"
}

// places are where a goroutine was found, in words.
var places = [...]string{
	sched.FromNowhere:    "at hand",
	sched.FromNext:       "runnext",
	sched.FromRing:       "local queue",
	sched.FromGlobal:     "global queue",
	sched.FromSteal:      "stolen",
	sched.FromWorker:     "collector's worker",
	sched.FromIdleWorker: "collector's worker, idle P",
	sched.FromPass:       "passed to the M it is tied to",
}

// found says where the goroutine of a run was found.
func found(r *trace.Run) string {
	k := r.From.Kind()
	if uint64(k) >= uint64(len(places)) {
		return "unknown"
	}
	if r.Inherit {
		return places[k] + ", in the running slice"
	}
	return places[k]
}

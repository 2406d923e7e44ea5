//go:build explore

package sched

import (
	"fmt"
	"math/bits"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unsafe"

	"sched9/record"
	"sched9/sched/interleave"
	"sched9/sched/seam"
)

// explorer runs one program again and again, and knows what is the same in all runs.
type explorer struct {
	*use
	limit      int  // points of a run
	everything bool // every word counts as shared
	search     *interleave.DFS
	shown      func(w *walk, step, m int, text string) // if not nil, called for each row of a run's table

	ids   [places][]int32 // by region and offset: a word's number and 1
	words []word
}

// place is a word's place, the same in all runs.
type place struct {
	in     int // region
	offset uintptr
}

// The regions in which words lie. Those of CPUs and tasks come one after the other.
const (
	inSched = iota
	inModel
	inHost
	inCPU
	inTask = inCPU + MaxProcs
	places = inTask + 32
)

// types are the regions' types.
func types(in int) (name string, t reflect.Type) {
	switch {
	case in == inSched:
		return "", reflect.TypeFor[Sched]()
	case in == inModel:
		return "rt.", reflect.TypeFor[model]()
	case in == inHost:
		return "machine.", reflect.TypeFor[walk]()
	case in < inTask:
		return fmt.Sprintf("cpu%d.", in-inCPU), reflect.TypeFor[cpu]()
	}
	return fmt.Sprintf("G%d.", in-inTask+1), reflect.TypeFor[task]()
}

// word is a word that several Ms may use.
type word struct {
	place
	hot           bool   // before its access the strategy is asked
	trap          bool   // a tick may strike before its access though it is not hot
	value         bool   // only its value counts, not which M stored it
	reads, writes uint64 // the Ms that have done so
}

// newExplorer explores p.
func newExplorer(p *use) *explorer {
	return &explorer{use: p, limit: 20_000}
}

// find says where addr lies in w.
func (x *explorer) find(w *walk, addr unsafe.Pointer) (at place, ok bool) {
	in := func(base unsafe.Pointer, size uintptr) bool {
		at.offset = uintptr(addr) - uintptr(base)
		return uintptr(addr) >= uintptr(base) && at.offset < size
	}
	mdl := w.mdl
	switch {
	case in(unsafe.Pointer(mdl.s), unsafe.Sizeof(*mdl.s)):
		at.in = inSched
		return at, true
	case in(unsafe.Pointer(mdl), unsafe.Sizeof(*mdl)):
		at.in = inModel
		return at, true
	case in(unsafe.Pointer(w), unsafe.Sizeof(*w)):
		at.in = inHost
		return at, true
	}
	for i, c := range mdl.cpus[:mdl.ncpu] {
		if in(unsafe.Pointer(c), unsafe.Sizeof(*c)) {
			at.in = inCPU + i
			return at, true
		}
	}
	for i, t := range mdl.tasks {
		if in(unsafe.Pointer(t), unsafe.Sizeof(*t)) {
			at.in = inTask + i
			return at, true
		}
	}
	return at, false
}

// id numbers the word at addr, -1: that is in no region, as in a task that is being made.
func (x *explorer) id(w *walk, addr unsafe.Pointer) int {
	at, ok := x.find(w, addr)
	if !ok {
		return -1
	}
	ids := &x.ids[at.in]
	if *ids == nil {
		_, t := types(at.in)
		*ids = make([]int32, t.Size()/4+1)
	}
	id := (*ids)[at.offset/4]
	if id == 0 {
		x.words = append(x.words, word{place: at, value: w.valued(addr), trap: x.traps && slices.Contains(seam.Words, anyone(w.name(at)))})
		id = int32(len(x.words))
		(*ids)[at.offset/4] = id
	}
	return int(id - 1)
}

// numbers are what a word's name has of a CPU's, a task's or an element's number.
var numbers = regexp.MustCompile(`\[\d+\]|\b(cpu|G)\d+\b`)

// anyone is a word's name without those: seam.Words has it so.
func anyone(name string) string {
	return numbers.ReplaceAllStringFunc(name, func(s string) string {
		switch s[0] {
		case 'c':
			return "cpu"
		case 'G':
			return "task"
		}
		return ""
	})
}

// used notes that M m has read or written a word.
func (v *word) used(m int32, wrote bool) {
	if wrote {
		v.writes |= 1 << m
	} else {
		v.reads |= 1 << m
	}
}

// learn makes hot what is written by one M and used by another, and reports whether
// there was anything new.
func (x *explorer) learn() (more bool) {
	for i := range x.words {
		v := &x.words[i]
		if !v.hot && !v.value && v.writes != 0 && bits.OnesCount64(v.reads|v.writes) > 1 {
			v.hot = true
			more = true
		}
	}
	return more
}

// count is how many words are hot.
func (x *explorer) count() (n int) {
	for i := range x.words {
		if x.words[i].hot {
			n++
		}
	}
	return n
}

// run runs the program once and returns what went wrong, or "".
func (x *explorer) run(strategy interleave.Strategy, table bool) (w *walk, msg string) {
	mdl := newModel(x.ncpu, x.procs)
	mdl.step = 0
	w = &walk{turns: turns{mdl: mdl}, x: x, strategy: strategy}
	w.here.Word = -1
	mdl.host = w
	mdl.watch = true
	mdl.onHush = func() func() {
		was := w.muted
		w.muted = true
		return func() { w.muted = was }
	}
	w.listen(table)
	x.build(w)
	return w, w.play()
}

// failure is a run that went wrong.
type failure struct {
	msg      string
	schedule interleave.Schedule
}

// warm runs the program under some random schedules, to learn what is shared.
func (x *explorer) warm(runs, bound int) *failure {
	steps := 200
	for seed := range uint64(runs) {
		w, msg := x.run(interleave.NewPCT(seed, 1+int(seed)%(bound+3), steps), false)
		if msg != "" {
			return &failure{msg, w.schedule}
		}
		steps = w.step
		x.learn()
	}
	return nil
}

// exhaust tries all runs with at most bound preemptions. A word that turns out to be shared begins
// the search anew. It reports false in all if that takes more states and runs than budget.
func (x *explorer) exhaust(bound, budget int) (d *interleave.DFS, all bool, bad *failure) {
	if bad := x.warm(200, bound); bad != nil {
		return nil, false, bad
	}
	defer func() { x.search = nil }()
	for {
		d = &interleave.DFS{Bound: bound, Full: x.raw} // when calls begin and end is not in the state
		x.search = d
		for d.Begin() {
			if d.States+d.Runs+d.Pruned > budget {
				return d, false, nil
			}
			w, msg := x.run(d, false)
			if msg != "" {
				return d, false, &failure{msg, w.schedule}
			}
			d.End(w.gone)
		}
		if !x.learn() {
			return d, true, nil
		}
	}
}

// show runs a failure again and returns the interleaving as a table.
func (x *explorer) show(bad *failure) string {
	search := x.search
	x.search = nil
	defer func() { x.search = search }()
	w, msg := x.run(interleave.NewReplay(bad.schedule), true)
	return fmt.Sprintf("%s\n%s\n%s\nreplay with SCHEDULE='%s/%v'", w.table.String(400), bad.msg, again(bad.msg, msg), x.name, bad.schedule)
}

// listen makes the Ms' recorders report to w: for the table, for [R8], and for [M7]: WakeP wakes an M only if none spins.
func (w *walk) listen(table bool) {
	mdl := w.mdl
	if table {
		columns := make([]string, mdl.ncpu)
		for i := range columns {
			columns[i] = fmt.Sprintf("M%d", i)
		}
		w.table = interleave.NewTable(columns...)
		if w.x.shown != nil {
			w.table.Added = func(step, m int, text string) { w.x.shown(w, step, m, text) }
		}
	}
	for i := range mdl.ncpu {
		rec := &mdl.recs[i]
		rec.Init(new(record.Head), 1, record.MinRing, 0, func(r *record.Recorder, what, arg, aux uint64) {
			e := record.Record{What: what, Arg: arg, Tag: aux}
			if p := mdl.s.M(int32(i)).p.Peek(); e.Event() == record.EvGetGlobal && p != 0 {
				w.bypass[puintptr(p).ptr().ID] = puintptr(p).ptr().schedtick
			}
			if n := mdl.spinning.Peek(); e.Event() == record.EvSummon && n != 1 {
				mdl.note(fmt.Sprintf("M7: M %d has an M woken to spin, and %d spin", i, n))
			}
			if w.table != nil {
				text := "      " + e.Event().String()
				if g := e.G(); g != 0 {
					text += fmt.Sprintf(" G%d", g)
				}
				w.table.Add(w.step, i, fmt.Sprintf("%s %#x %#x", text, arg, aux))
			}
		}, nil)
	}
	if p := mdl.s.M(0).P(); p != nil {
		mdl.recs[0].SetP(uint8(p.ID))
	}
}

// tell adds an access to the table.
func (w *walk) tell(addr unsafe.Pointer, op fmt.Stringer, got, put uint64) {
	at, _ := w.x.find(w, addr)
	text := w.name(at) + " " + op.String()
	switch op.String() {
	case "Load":
		text += " = " + w.value(got)
	case "Store":
		text += " " + w.value(put)
	case "CAS":
		text += fmt.Sprintf(" -> %s, %v", w.value(put), got == 1)
	default:
		text += " " + w.value(put) + ", was " + w.value(got)
	}
	w.table.Add(w.step, int(w.cur.m.ID), text)
}

// name spells a place as Go would.
func (w *walk) name(at place) string {
	name, t := types(at.in)
	offset := at.offset
	for {
		switch t.Kind() {
		case reflect.Struct:
			if strings.HasPrefix(t.PkgPath(), "sched9/sched/atomic") {
				return strings.TrimSuffix(name, ".")
			}
			i := t.NumField() - 1
			for i > 0 && t.Field(i).Offset > offset {
				i--
			}
			f := t.Field(i)
			offset -= f.Offset
			t = f.Type
			name += f.Name + "."
		case reflect.Array:
			size := t.Elem().Size()
			name = fmt.Sprintf("%s[%d].", strings.TrimSuffix(name, "."), offset/size)
			offset %= size
			t = t.Elem()
		default:
			return strings.TrimSuffix(name, ".")
		}
	}
}

// value spells what a word holds: handles as what they stand for.
func (w *walk) value(v uint64) string {
	s := w.mdl.s
	for i := range s.ps {
		if v == uint64(uintptr(unsafe.Pointer(&s.ps[i]))) {
			return fmt.Sprintf("P%d", i)
		}
		if v == uint64(uintptr(unsafe.Pointer(&s.ms[i]))) {
			return fmt.Sprintf("M%d", i)
		}
	}
	for i, c := range w.mdl.cpus {
		if v == uint64(uintptr(unsafe.Pointer(c))) {
			return fmt.Sprintf("cpu%d", i)
		}
	}
	for i, t := range w.mdl.tasks {
		if v == uint64(uintptr(unsafe.Pointer(t))) {
			return fmt.Sprintf("G%d", i+1)
		}
	}
	return fmt.Sprint(v)
}

// again is the message about a repeated run.
func again(was, is string) string {
	if first, _, _ := strings.Cut(was, "\n"); !strings.HasPrefix(is, first) {
		return "repeated, it went otherwise: " + is
	}
	return "repeated, it went the same way"
}

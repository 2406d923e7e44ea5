package gotrace_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"sched9/record"
)

// world is a scheduler that does what it may, at random.
type world struct {
	*rand.Rand
	rows    []row
	ms      []worldM
	ps      []int // free
	ready   []uint64
	waiting []uint64
	gs      uint64 // made so far
	marking bool
	stopper int // the M whose G stopped the world, -1: none
}

// worldM is an M of it.
type worldM struct {
	p    int
	g    uint64
	call bool
	back bool // g came back from a system call and found no P
}

// newWorld has Ms and Ps, all free.
func newWorld(seed uint64, ms, ps int) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 1)), stopper: none}
	for p := range ps {
		w.ps = append(w.ps, p)
	}
	for m := range ms {
		w.ms = append(w.ms, worldM{p: none})
		w.tell(m, record.EvBoot, 0, 0)
	}
	return w
}

// tell adds a row of M m.
func (w *world) tell(m int, e record.Event, g, arg uint64) {
	var stack []uint64
	if w.IntN(4) == 0 {
		for range w.IntN(6) {
			stack = append(stack, 1+w.Uint64N(1<<20))
		}
	}
	w.rows = append(w.rows, row{m, w.ms[m].p, e, g, arg, stack})
}

// take removes one of list, which is not empty.
func take[T any](r *rand.Rand, list *[]T) T {
	i := r.IntN(len(*list))
	v := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return v
}

// step has some M do something, if it finds something to do.
func (w *world) step() {
	m := w.IntN(len(w.ms))
	s := &w.ms[m]
	stopped := w.stopper != none && w.stopper != m
	switch {
	case stopped:
		w.tell(m, record.EvTick, s.g, 0)
	case s.back:
		w.back(m)
	case w.IntN(8) == 0 && !s.call:
		w.wake(m) // a timer, an interrupt, or its goroutine
	case s.call:
		w.call(m)
	case w.IntN(4) == 0 && w.retake(m):
	case s.p == none:
		if len(w.ps) > 0 {
			s.p = take(w.Rand, &w.ps)
			w.tell(m, record.EvAcquire, 0, 0)
		}
	case s.g == 0:
		w.idle(m)
	default:
		w.run(m)
	}
}

// wake makes a waiting G ready.
func (w *world) wake(m int) {
	if len(w.waiting) > 0 {
		g := take(w.Rand, &w.waiting)
		w.ready = append(w.ready, g)
		w.tell(m, record.EvUnblock, g, 0)
	}
}

// create makes a G.
func (w *world) create(m int) {
	w.gs++
	if w.IntN(5) == 0 {
		w.tell(m, record.EvCreate, w.gs, 0x400000|record.CreateParked)
		w.waiting = append(w.waiting, w.gs)
	} else {
		w.tell(m, record.EvCreate, w.gs, 0x400000)
		w.ready = append(w.ready, w.gs)
	}
}

// idle is what an M does that has a P and no G.
func (w *world) idle(m int) {
	s := &w.ms[m]
	switch n := w.IntN(10); {
	case n < 7 && len(w.ready) > 0:
		s.g = take(w.Rand, &w.ready)
		w.tell(m, record.EvStart, s.g, w.Uint64N(7))
	case n == 8:
		w.create(m)
	case n == 9:
		w.tell(m, record.EvRelease, 0, 0)
		w.ps = append(w.ps, s.p)
		s.p = none
	}
}

// call is what an M does whose G is in a system call.
func (w *world) call(m int) {
	s := &w.ms[m]
	switch {
	case w.IntN(3) == 0:
		w.tell(m, record.EvTick, s.g, record.TickCall)
	case w.IntN(9) == 0 && s.p != none:
		w.tell(m, record.EvRelease, 0, 0) // by itself
		w.ps = append(w.ps, s.p)
		s.p = none
	default:
		w.tell(m, record.EvSyscallExit, s.g, 0)
		s.call, s.back = false, s.p == none
	}
}

// back is what an M does whose G is back from a system call and has no P.
func (w *world) back(m int) {
	s := &w.ms[m]
	s.back = false
	if len(w.ps) > 0 && w.IntN(2) == 0 {
		s.p = take(w.Rand, &w.ps)
		w.tell(m, record.EvAcquire, 0, 0)
		return
	}
	w.tell(m, record.EvYield, s.g, 0)
	w.ready = append(w.ready, s.g)
	s.g = 0
}

// retake has M m take a P from an M whose G is in a system call, if there is one.
func (w *world) retake(m int) bool {
	for from := range w.ms {
		if w.ms[from].call && w.ms[from].p != none {
			w.takeP(m, from)
			return true
		}
	}
	return false
}

// takeP has M m take that of M from.
func (w *world) takeP(m, from int) {
	f := &w.ms[from]
	w.tell(m, record.EvRetake, 0, uint64(f.p)|uint64(from)<<8)
	w.ps = append(w.ps, f.p)
	f.p = none
}

// run is what an M's G does.
func (w *world) run(m int) {
	s := &w.ms[m]
	if w.stopper == m {
		w.stopping(m)
		return
	}
	leaves := func(e record.Event, arg uint64, to *[]uint64) {
		w.tell(m, e, s.g, arg)
		if to != nil {
			*to = append(*to, s.g)
		}
		s.g = 0
	}
	switch w.IntN(13) {
	case 0, 1:
		w.create(m)
	case 2:
		leaves(record.EvYield, 0, &w.ready)
	case 3:
		leaves(record.EvPreempt, 0, &w.ready)
	case 4, 5, 6:
		leaves(record.EvBlock, w.Uint64N(8)<<record.ReasonShift, &w.waiting)
	case 7:
		leaves(record.EvExit, 0, nil)
	case 8, 12:
		w.tell(m, record.EvSyscallEnter, s.g, 0)
		s.call = true
	case 9:
		w.tell(m, record.EvHold, s.g, 0)
		w.tell(m, record.EvUnhold, s.g, 0)
	case 10:
		if w.stopper == none && w.IntN(2) == 0 {
			w.stopper = m
			w.tell(m, record.EvStop, 0, stopSweep)
		}
	case 11:
		if w.marking = !w.marking; w.marking {
			w.tell(m, record.EvPhase, 0, 1)
		} else {
			w.tell(m, record.EvPhase, 0, 2)
			w.tell(m, record.EvPhase, 0, 0)
		}
	}
}

// stopping is what a G does that has stopped the world.
func (w *world) stopping(m int) {
	s := &w.ms[m]
	switch {
	case w.IntN(2) == 0:
		w.tell(m, record.EvGo, 0, 0)
		w.stopper = none
	case len(w.ps) > 0: // it resizes GOMAXPROCS
		w.tell(m, record.EvRelease, 0, 0)
		w.ps = append(w.ps, s.p)
		s.p = none
		w.tell(m, record.EvProcs, 0, 1+w.Uint64N(8))
		s.p = take(w.Rand, &w.ps)
		w.tell(m, record.EvAcquire, 0, 0)
	}
}

// history is what happens in a world of some size in some number of steps.
func history(seed uint64) []row {
	r := rand.New(rand.NewPCG(seed, 2))
	ms := 1 + r.IntN(8)
	w := newWorld(seed, ms, 1+r.IntN(ms))
	for n := 1 << r.IntN(11); n > 0; n-- {
		w.step()
	}
	return w.rows
}

// gaps takes pieces out of rows: the beginning of all Ms, pieces of some, or the end.
func gaps(seed uint64, rows []row) []row {
	r := rand.New(rand.NewPCG(seed, 3))
	var lost [8]struct{ from, to int }
	all := r.IntN(3) == 0
	for m := range lost {
		switch {
		case all:
			lost[m].to = 1 + r.IntN(len(rows))
		case r.IntN(2) == 0:
			lost[m].from = r.IntN(len(rows))
			lost[m].to = lost[m].from + r.IntN(200)
		}
	}
	var out []row
	for i, w := range rows {
		if l := lost[w.m]; l.from <= i && i < l.to {
			w = row{w.m, none, record.EvNone, 0, 1, nil}
		}
		out = append(out, w)
	}
	return out
}

// TestRandom has recordings of legal schedules. All are accepted, whole or with gaps.
func TestRandom(t *testing.T) {
	for seed := range uint64(500) {
		rows := history(seed)
		for i, rows := range [][]row{rows, gaps(seed, rows)} {
			data, err := write(bare(t, rows))
			if err == nil {
				_, err = strict(data)
			}
			if err != nil {
				t.Fatalf("seed %d, %v: %v\n%s", seed, [...]string{"whole", "with gaps"}[i], err, tail(rows))
			}
		}
	}
}

// tail prints the end of rows.
func tail(rows []row) (s string) {
	for i, r := range rows[max(0, len(rows)-40):] {
		s += fmt.Sprintf("%d M%d P%d %v G%d %#x\n", i, r.m, r.p, r.kind, r.g, r.arg)
	}
	return s
}

// TestRandomBroken has the same with a record told twice, or not at all where a
// later one shows it. All are refused.
func TestRandomBroken(t *testing.T) {
	tried := map[record.Event]int{}
	for seed := range uint64(1000) {
		rows := history(seed)
		r := rand.New(rand.NewPCG(seed, 4))
		i := r.IntN(len(rows))
		kind := rows[i].kind
		var broken []row
		switch kind {
		case record.EvCreate, record.EvStart, record.EvUnblock, record.EvYield, record.EvPreempt, record.EvBlock, record.EvExit,
			record.EvSyscallEnter, record.EvSyscallExit, record.EvRetake, record.EvAcquire, record.EvRelease, record.EvStop, record.EvGo:
			broken = slices.Insert(slices.Clone(rows), i, rows[i])
			if r.IntN(2) == 0 && shows(rows[i], rows[i+1:]) {
				broken = slices.Delete(slices.Clone(rows), i, i+1)
			}
		default:
			continue
		}
		tried[kind]++
		data, err := write(bare(t, broken))
		if err == nil {
			_, err = strict(data)
		}
		if err == nil {
			t.Errorf("seed %d: row %d, %v of G%d, goes unnoticed among %d, not %d", seed, i, kind, rows[i].g, len(broken), len(rows))
		}
	}
	if len(tried) < 14 {
		t.Errorf("only these kinds were tried: %v", tried)
	}
}

// shows reports whether rows later show that r is missing: a G starts that was not made ready, or
// does what only a running one does, or becomes ready twice.
func shows(r row, later []row) bool {
	for _, l := range later {
		if l.g != r.g || l.kind == record.EvTick || l.kind == record.EvHold || l.kind == record.EvUnhold {
			continue
		}
		switch r.kind {
		case record.EvUnblock, record.EvYield, record.EvPreempt:
			return l.kind == record.EvStart
		case record.EvBlock:
			return l.kind == record.EvUnblock
		case record.EvStart:
			return true
		}
		return false
	}
	return false
}

// TestTool has go tool trace read what strict reads.
func TestTool(t *testing.T) {
	for _, tc := range []struct {
		name string
		rows []row
		good bool
	}{
		{"nothing", nil, true},
		{"whole", history(7), true},
		{"with gaps", gaps(8, history(8)), true},
		{"a wake-up that is not told", []row{
			{0, 0, record.EvCreate, 1, 0, nil}, {0, 0, record.EvStart, 1, 0, nil},
			{0, 0, record.EvBlock, 1, 0, nil}, {0, 0, record.EvStart, 1, 0, nil}}, false},
		{"a wake-up told twice", []row{
			{0, 0, record.EvUnblock, 1, 0, nil}, {0, 0, record.EvUnblock, 1, 0, nil}}, false},
	} {
		data, err := write(bare(t, tc.rows))
		if err != nil {
			t.Fatal(err)
		}
		if err := tool(t, data); (err == nil) != tc.good {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

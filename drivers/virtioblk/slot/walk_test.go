//go:build explore

package slot

import (
	"fmt"
	"math/bits"
	"unsafe"

	"sched9/sched/atomic"
	"sched9/sched/interleave"
)

// walk runs a world's threads in turns: before each access to a word that several use another may go on, as a
// strategy decides. It is to this package what host_walk_test.go of package sched is to that.
type walk struct {
	x        *explorer
	strategy interleave.Strategy
	w        *world
	threads  []*thread
	cur      *thread
	step     int
	gone     bool
	bad      string
	schedule interleave.Schedule
	table    *interleave.Table

	states map[int]uint64 // by word: all that was stored there, and by whom after having seen what
	memory uint64         // their sum
}

// thread is a thread of a walk.
type thread struct {
	name   string
	daemon bool // the run is over without it
	id     int
	locks  uint8
	hist   uint64      // hash of all it has seen
	ready  func() bool // nil: it can go on
	ended  bool
	resume chan bool // false: to end at once
	yield  chan struct{}
}

// quit ends a thread whose run is over.
type quit struct{}

var walking *walk

// explorer runs one program again and again.
type explorer struct {
	name   string
	make   func(k *walk) *world
	words  map[int]*word // by offset in the world
	search *interleave.DFS
}

// word is a word of the world. It is hot, so that a thread stands before it, if one thread writes it and another uses
// it and no lock is held at all its uses.
type word struct {
	hot           bool
	used          bool
	locks         uint8 // the locks held at every use
	reads, writes uint64
}

// spawn adds a thread.
func (k *walk) spawn(name string, daemon bool, f func()) {
	t := &thread{name: name, daemon: daemon, id: len(k.threads), resume: make(chan bool), yield: make(chan struct{})}
	k.threads = append(k.threads, t)
	go func() {
		defer func() {
			if r := recover(); r != nil && r != (quit{}) {
				k.fail("%s: %v", name, r)
			}
			t.ended = true
			t.passed()
			t.yield <- struct{}{}
		}()
		if !<-t.resume {
			panic(quit{})
		}
		t.passed()
		f()
	}()
}

func (k *walk) fail(format string, args ...any) {
	if k.bad == "" {
		k.bad = fmt.Sprintf(format, args...)
	}
}

// id is the number of the word at addr: its place in the world.
func (k *walk) id(addr unsafe.Pointer) int {
	return int(uintptr(addr) - uintptr(unsafe.Pointer(k.w)))
}

func (x *explorer) word(id int) *word {
	v := x.words[id]
	if v == nil {
		v = new(word)
		x.words[id] = v
	}
	return v
}

// before comes before each access.
func (k *walk) before(addr unsafe.Pointer, write bool) {
	id := k.id(addr)
	if v := k.x.word(id); v.hot {
		k.stand(id, write, nil)
	} else {
		k.step++
	}
}

// stand has the running thread stand at a point; it goes on when ready says so, if it is not nil.
func (k *walk) stand(id int, write bool, ready func() bool) {
	t := k.cur
	t.ready = ready
	if ready != nil {
		t.passed() // no access need have come before
	}
	next := k.decide(t, id, write)
	if next != t {
		k.cur = next
		t.yield <- struct{}{}
		if !<-t.resume {
			panic(quit{})
		}
	}
	t.ready = nil
	if ready != nil {
		t.passed()
	}
}

// passed makes the next state differ from the previous one where no access tells them apart.
func (t *thread) passed() { t.hist = interleave.Mix(t.hist, 77) }

// decide asks the strategy who goes on; nil: the run is over.
func (k *walk) decide(cur *thread, id int, write bool) *thread {
	k.step++
	if k.bad != "" {
		return nil
	}
	if k.step > 20_000 {
		k.fail("the program does not end")
		return nil
	}
	able := func(t *thread) bool { return !t.ended && (t.ready == nil || t.ready()) }
	p := &interleave.Point{Step: k.step, Cur: interleave.Time, Free: true, Word: id, Write: write}
	if cur != nil {
		p.Cur = interleave.Move(cur.id)
		if able(cur) {
			p.Able, p.Free = append(p.Able, p.Cur), false
		}
	}
	over := true
	for _, t := range k.threads {
		if t != cur && able(t) {
			p.Able = append(p.Able, interleave.Move(t.id))
		}
		over = over && (t.ended || t.daemon)
	}
	if len(p.Able) == 0 {
		if !over {
			k.fail("a wake-up is lost: %s", k.waiting())
		}
		return nil
	}
	h := k.memory
	for _, t := range k.threads {
		h += interleave.Mix(t.hist, uint64(t.id)+1)
	}
	p.State = h | 1
	m, ok := k.strategy.Move(p)
	if !ok {
		k.gone = true
		return nil
	}
	k.schedule.Note(p, m)
	return k.threads[m]
}

// waiting names who waits.
func (k *walk) waiting() (s string) {
	for _, t := range k.threads {
		if !t.ended && !t.daemon {
			s += t.name + " waits for ever. "
		}
	}
	return s + k.w.String()
}

// after comes after each access: what a thread has seen follows from what it has read, and who stored it.
func (k *walk) after(addr unsafe.Pointer, op atomic.Op, got, put uint64, wrote bool) {
	id, t := k.id(addr), k.cur
	v := k.x.word(id)
	if !v.used {
		v.used, v.locks = true, t.locks
	}
	v.locks &= t.locks
	if v.reads |= 1 << t.id; wrote {
		v.writes |= 1 << t.id
	}
	if v.hot && k.x.search != nil {
		k.x.search.Access(interleave.Move(t.id), id, wrote)
	}
	state := k.states[id]
	if op != atomic.OpStore {
		t.hist = interleave.Mix(t.hist, state)
	} else {
		t.hist = interleave.Mix(t.hist, uint64(id))
	}
	if wrote {
		now := interleave.Mix(state+uint64(id), t.hist)
		k.memory += now - state
		k.states[id] = now
	}
	if k.table != nil {
		k.table.Add(k.step, t.id, fmt.Sprintf("%s %s put %#x got %#x", k.w.name(id), op, put, got))
	}
}

// lock is a spin lock: a point, and nobody else inside.
type lock struct {
	held bool
	bit  uint8
}

func (l *lock) Lock() {
	k := walking
	id := k.id(unsafe.Pointer(l))
	k.x.word(id).hot = true
	k.stand(id, true, func() bool { return !l.held })
	l.held = true
	k.cur.locks |= l.bit
	k.after(unsafe.Pointer(l), atomic.OpSwap, 0, 1, true)
}

func (l *lock) Unlock() {
	if walking.cur == nil {
		return // the run is over
	}
	l.held = false
	walking.cur.locks &^= l.bit
	walking.after(unsafe.Pointer(l), atomic.OpStore, 0, 0, true)
}

// run runs the program once.
func (x *explorer) run(s interleave.Strategy, table bool) *walk {
	k := &walk{x: x, strategy: s, states: map[int]uint64{}}
	k.w = x.make(k)
	if table {
		var names []string
		for _, t := range k.threads {
			names = append(names, t.name)
		}
		k.table = interleave.NewTable(names...)
	}
	walking = k
	atomic.Before = func(addr unsafe.Pointer, op atomic.Op) {
		if k.cur != nil {
			k.before(addr, op != atomic.OpLoad)
		}
	}
	atomic.After = func(addr unsafe.Pointer, op atomic.Op, got, put uint64, wrote bool) {
		if k.cur != nil {
			k.after(addr, op, got, put, wrote)
		}
	}
	next := k.decide(nil, -1, false)
	for next != nil {
		k.cur = next
		next.resume <- true
		<-next.yield
		if next = k.cur; next != nil && next.ended {
			next = k.decide(next, -1, false)
		}
	}
	k.cur = nil
	for _, t := range k.threads {
		if !t.ended {
			t.resume <- false
			<-t.yield
		}
	}
	atomic.Before, atomic.After = nil, nil
	if k.bad == "" && !k.gone {
		if msg := k.w.end(); msg != "" {
			k.fail("%s: %s", msg, k.w)
		}
	}
	return k
}

// learn makes hot what one thread writes and another uses.
func (x *explorer) learn() (more bool) {
	for _, v := range x.words {
		if !v.hot && v.writes != 0 && v.locks == 0 && bits.OnesCount64(v.reads|v.writes) > 1 {
			v.hot, more = true, true
		}
	}
	return more
}

// exhaust tries all runs with so many preemptions, and returns what failed, or "".
func (x *explorer) exhaust(bound int) (d *interleave.DFS, bad string) {
	for seed := range uint64(100) {
		x.search = nil
		if k := x.run(interleave.NewPCT(seed, 1+int(seed)%4, 150), false); k.bad != "" {
			return nil, x.show(k)
		}
		x.learn()
	}
	for {
		d = &interleave.DFS{Bound: bound}
		x.search = d
		for d.Begin() {
			k := x.run(d, false)
			if k.bad != "" {
				return d, x.show(k)
			}
			d.End(k.gone)
		}
		if !x.learn() {
			return d, ""
		}
	}
}

// show runs a failure again, as a table.
func (x *explorer) show(bad *walk) string {
	x.search = nil
	k := x.run(interleave.NewReplay(bad.schedule), true)
	return fmt.Sprintf("%s\n%s\nrepeated: %s\nschedule %v", k.table.String(120), bad.bad, k.bad, bad.schedule)
}

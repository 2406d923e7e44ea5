//go:build explore

package threads

import (
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"testing"
	"unsafe"

	"sched9/sched/atomic"
	"sched9/sched/interleave"
)

// World is what the threads of a walk share.
type World interface {
	// Word is the number of the word at addr: the same in each run.
	Word(addr unsafe.Pointer) int
	// Name is a word's name, for tables.
	Name(word int) string
	// String is its state, for messages.
	String() string
	// End says what does not hold although all threads have ended that a run is not over without, "" if nothing.
	End() string
}

// Walk runs a world's threads in turns: before each access to a word that several use another may go on, as a
// strategy decides.
type Walk struct {
	x        *explorer
	strategy interleave.Strategy
	w        World
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

var walking *Walk

// explorer runs one program again and again.
type explorer struct {
	make   func(k *Walk) World
	words  map[int]*word // by number
	search *interleave.DFS
}

// Try is a subtest of t that tries all runs of a program with at most bound preemptions: make makes its world and spawns its threads. MORE in the environment
// is added to bound.
func Try(t *testing.T, name string, bound int, make func(k *Walk) World) {
	t.Run(name, func(t *testing.T) {
		if n, err := strconv.Atoi(os.Getenv("MORE")); err == nil {
			bound += n
		}
		x := &explorer{make: make, words: map[int]*word{}}
		d, bad := x.exhaust(bound)
		if bad != "" {
			t.Fatal(bad)
		}
		t.Logf("model: %s, %d preemptions, %d states, %d interleavings, %d abandoned as known", name, bound, d.States, d.Runs, d.Pruned)
	})
}

// word is a word of the world. It is hot, so that a thread stands before it, if one thread writes it and another uses
// it and no lock is held at all its uses.
type word struct {
	hot           bool
	used          bool
	locks         uint8 // the locks held at every use
	reads, writes uint64
}

// Spawn adds a thread. The run is over without it if it is a daemon.
func (k *Walk) Spawn(name string, daemon bool, f func()) {
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

func (k *Walk) fail(format string, args ...any) {
	if k.bad == "" {
		k.bad = fmt.Sprintf(format, args...)
	}
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
func (k *Walk) before(addr unsafe.Pointer, write bool) {
	id := k.w.Word(addr)
	if v := k.x.word(id); v.hot {
		k.stand(id, write, nil)
	} else {
		k.step++
	}
}

// stand has the running thread stand at a point; it goes on when ready says so, if it is not nil.
func (k *Walk) stand(id int, write bool, ready func() bool) {
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
func (k *Walk) decide(cur *thread, id int, write bool) *thread {
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
func (k *Walk) waiting() (s string) {
	for _, t := range k.threads {
		if !t.ended && !t.daemon {
			s += t.name + " waits for ever. "
		}
	}
	return s + k.w.String()
}

// after comes after each access: what a thread has seen follows from what it has read, and who stored it.
func (k *Walk) after(addr unsafe.Pointer, op atomic.Op, got, put uint64, wrote bool) {
	id, t := k.w.Word(addr), k.cur
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
		k.table.Add(k.step, t.id, fmt.Sprintf("%s %s put %#x got %#x", k.w.Name(id), op, put, got))
	}
}

// Wait has the running thread stand until ready reports true. It may not wait, nor use words but by Peek.
func Wait(ready func() bool) { walking.stand(-1, false, ready) }

// Unseen calls fn, whose accesses are no steps of a thread.
func Unseen(fn func()) {
	before, after := atomic.Before, atomic.After
	atomic.Before, atomic.After = nil, nil
	defer func() { atomic.Before, atomic.After = before, after }()
	fn()
}

// Lock is a spin lock: a point, and nobody else inside. Each of a world has a bit of its own.
type Lock struct {
	held bool
	Bit  uint8
}

// Lock takes it.
func (l *Lock) Lock() {
	k := walking
	id := k.w.Word(unsafe.Pointer(l))
	k.x.word(id).hot = true
	k.stand(id, true, func() bool { return !l.held })
	l.held = true
	k.cur.locks |= l.Bit
	k.after(unsafe.Pointer(l), atomic.OpSwap, 0, 1, true)
}

// Unlock gives it back.
func (l *Lock) Unlock() {
	if walking.cur == nil {
		return // the run is over
	}
	l.held = false
	walking.cur.locks &^= l.Bit
	walking.after(unsafe.Pointer(l), atomic.OpStore, 0, 0, true)
}

// run runs the program once.
func (x *explorer) run(s interleave.Strategy, table bool) *Walk {
	k := &Walk{x: x, strategy: s, states: map[int]uint64{}}
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
		if msg := k.w.End(); msg != "" {
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

// exhaust tries all runs with at most so many preemptions, and returns what failed, or "", and the search.
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
func (x *explorer) show(bad *Walk) string {
	x.search = nil
	k := x.run(interleave.NewReplay(bad.schedule), true)
	return fmt.Sprintf("%s\n%s\nrepeated: %s\nschedule %v", k.table.String(120), bad.bad, k.bad, bad.schedule)
}

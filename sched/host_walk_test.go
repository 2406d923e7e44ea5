//go:build explore

package sched

import (
	"fmt"
	"unsafe"

	"sched9/sched/atomic"
	"sched9/sched/interleave"
)

// walk is a host whose Ms are coroutines, as those of turns, that may hand over before every access
// to shared words: each load, store and swap of sched and of the model's runtime. A strategy
// decides which goes on. Most accesses are to words that only one M uses in a program, or that are
// never written: there the strategy is not asked. The walk learns these words from earlier runs
// (explorer.hot).
//
// The interleavings are sequentially consistent: the others see a store of one M from then on.
type walk struct {
	turns
	x        *explorer
	strategy interleave.Strategy
	step     int   // points so far
	ticks    int64 // a clock for tests that need an order
	asked    bool  // the strategy has decided since the run began
	muted    bool  // the host itself looks at shared words
	only     bool  // cur stands before a word that only it uses: no other M need go on there, but a tick may strike
	next     *cpu  // goes on when cur stands still
	waits    *cpu  // has just found a task looked at, and cannot go on by itself
	gone     bool  // the run is abandoned
	schedule interleave.Schedule
	here     interleave.Point
	table    *interleave.Table // nil: it is not wanted

	states []uint64 // by word: all that was stored in it, and by whom after having seen what
	last   unsafe.Pointer
	lastID int              // last's word
	memory uint64           // sum of the words' states
	hist   [MaxProcs]uint64 // what each M has seen so far
	masked [MaxProcs]int8   // mutexes that an M holds: no interrupt strikes it then
	bypass [MaxProcs]uint32 // for [R8]: see audit
	found  []int8           // for [G3]: the same
}

// walking is the walk that goes on, if any: what the atomics' hooks and the runtime's
// mutexes belong to.
var walking *walk

// mutex guards what the model's runtime keeps: see model_mutex_test.go.
type mutex struct{ holder *cpu }

// Lock waits until mu is free. No interrupt strikes the M until Unlock.
func (mu *mutex) Lock() {
	w := walking
	if w == nil || w.cur == nil || w.muted {
		return
	}
	w.before(unsafe.Pointer(mu), true)
	for mu.holder != nil {
		w.cur.done = func() bool { return mu.holder == nil }
		w.stand("mutex", true)
	}
	mu.holder = w.cur
	w.masked[w.cur.m.ID]++
	w.after(unsafe.Pointer(mu), atomic.OpSwap, 0, 1, true)
}

// Unlock frees mu, which the M holds.
func (mu *mutex) Unlock() {
	w := walking
	if w == nil || w.cur == nil || w.muted {
		return
	}
	mu.holder = nil
	w.masked[w.cur.m.ID]--
	w.after(unsafe.Pointer(mu), atomic.OpStore, 0, 0, true)
}

// hook makes the atomics report to w, or to nothing if w is nil.
func hook(w *walk) {
	walking = w
	atomic.Before, atomic.After = nil, nil
	if w != nil {
		atomic.Before = func(addr unsafe.Pointer, op atomic.Op) {
			if w.cur != nil && !w.muted {
				w.before(addr, op != atomic.OpLoad)
			}
		}
		atomic.After = func(addr unsafe.Pointer, op atomic.Op, got, put uint64, wrote bool) {
			if w.cur != nil && !w.muted {
				w.after(addr, op, got, put, wrote)
			}
		}
	}
}

// word finds the number of the word at addr, -1: no other M has used it yet.
func (w *walk) word(addr unsafe.Pointer) int {
	if addr != w.last {
		w.last, w.lastID = addr, w.x.id(w, addr)
		for len(w.states) < len(w.x.words) {
			w.states = append(w.states, 0)
		}
	}
	return w.lastID
}

// valued reports whether only the value of the word at addr counts, not which M stored it: no data
// are published through it. Such words are the model's own book-keeping, which no M acts upon, and
// the clock, whose moves a walk knows.
func (w *walk) valued(addr unsafe.Pointer) bool {
	mdl := w.mdl
	for _, p := range []unsafe.Pointer{
		unsafe.Pointer(&mdl.clock), unsafe.Pointer(&mdl.beats), unsafe.Pointer(&mdl.live), unsafe.Pointer(&mdl.doomed),
		unsafe.Pointer(&mdl.budget), unsafe.Pointer(&mdl.seed), unsafe.Pointer(&mdl.visits), unsafe.Pointer(&mdl.mu),
	} {
		if addr == p {
			return true
		}
	}
	return false
}

// before comes before each access: others may go first.
func (w *walk) before(addr unsafe.Pointer, write bool) {
	id := w.word(addr)
	if id >= 0 && (w.x.words[id].hot || w.x.everything) {
		w.here.Word, w.here.Write = id, write
		w.stand("access", false)
		return
	}
	if c := w.cur; id >= 0 && w.x.words[id].trap && !c.irq && w.masked[c.m.ID] == 0 {
		w.only = true
		w.stand("access", false)
		w.only = false
		return
	}
	w.step++ // a schedule's steps are the same whatever is known to be shared
	if w.step > w.x.limit {
		w.mdl.fail("the program does not end\n%s", w.mdl.dump())
	}
	w.strike()
}

// strike has the running M take the interrupts that have come for it.
func (w *walk) strike() {
	c := w.cur
	if c.irq || w.masked[c.m.ID] > 0 {
		return
	}
	now := w.mdl.clock.Peek()
	at, first := c.tickAt.Peek(), w.mdl.dev.first.Peek()
	if at != 0 && at <= now || first != 0 && first <= now {
		me := &w.hist[c.m.ID]
		*me = interleave.Mix(*me, uint64(now))
		c.interrupts()
	}
}

// after comes after each access. What an M has seen follows from its reads: which M stored the
// value, having seen what. So two runs in which all Ms have seen the same are in the same state,
// whatever the order of their steps was.
func (w *walk) after(addr unsafe.Pointer, op atomic.Op, got, put uint64, wrote bool) {
	id := w.word(addr)
	if id < 0 {
		return
	}
	v := &w.x.words[id]
	me := &w.hist[w.cur.m.ID]
	if v.value {
		*me = interleave.Mix(*me, got)
		return
	}
	v.used(w.cur.m.ID, wrote)
	if v.hot && w.x.search != nil {
		w.x.search.Access(interleave.Move(w.cur.m.ID), id, wrote)
	}
	state := w.states[id]
	if op != atomic.OpStore {
		*me = interleave.Mix(*me, state)
	} else {
		*me = interleave.Mix(*me, uint64(id))
	}
	if wrote {
		now := interleave.Mix(state+uint64(id), *me)
		w.memory += now - state
		w.states[id] = now
	}
	if w.table != nil {
		w.tell(addr, op, got, put)
	}
}

// stand makes the running M stand at a point: the strategy decides which M goes on, and stand
// returns when that is the M itself. free: it cannot go on, or gives way.
func (w *walk) stand(at string, free bool) {
	c := w.cur
	if c.irq && at != "access" && at != "locked" && at != "mutex" {
		return // an interrupt's code does not give way
	}
	c.at = at
	next := w.decide(c, free)
	if next != c {
		w.next = next
		if !c.to(at) {
			panic(quit{})
		}
		w.cur = c
	}
	c.at = ""
	if at != "access" {
		// No access need follow before the next point, which is another state all the same: taken
		// for this one, it would end the run as known.
		me := &w.hist[c.m.ID]
		*me = interleave.Mix(*me, uint64(len(at)))
	}
	w.strike()
}

// decide asks the strategy which M goes on, with cur, if any, at its point. nil: the run is over,
// or abandoned, or none can go on before the clock moves.
func (w *walk) decide(cur *cpu, free bool) *cpu {
	w.muted = true
	defer func() { w.muted = false }()
	for {
		w.step++
		if w.mdl.failure() != "" || w.step > w.x.limit {
			return nil
		}
		known := w.x.search != nil && w.x.search.Replaying()
		if !known && !w.x.raw {
			if msg := w.audit(); msg != "" {
				w.mdl.note(msg + "\n" + w.mdl.dump())
				return nil
			}
		}
		p := &w.here
		p.Able = p.Able[:0]
		p.Step, p.Cur, p.Free = w.step, interleave.Time, true
		if cur != nil {
			p.Cur = interleave.Move(cur.m.ID)
			if cur.at != "end" && w.ready(cur) {
				p.Able = append(p.Able, p.Cur)
				p.Free = free
			}
		}
		for _, c := range w.seats {
			if c != cur && !w.only && c.at != "end" && w.ready(c) {
				p.Able = append(p.Able, interleave.Move(c.m.ID))
			}
		}
		if len(p.Able) == 0 {
			return nil
		}
		p.Time = w.x.time && w.event() > w.mdl.Now()
		if p.State = 0; !known {
			p.State = w.state()
		}
		m, ok := w.strategy.Move(p)
		p.Word = -1
		if !ok {
			w.gone = true
			return nil
		}
		w.schedule.Note(p, m)
		if m != interleave.Time {
			return w.mdl.cpus[m]
		}
		w.mdl.clock.Store(w.event())
		if w.table != nil {
			w.table.Add(w.step, 0, fmt.Sprintf("the clock jumps to %d", w.mdl.Now()))
		}
	}
}

// event is when the next interrupt or deadline comes, 0: never.
func (w *walk) event() int64 {
	next := w.mdl.dev.first.Load()
	for _, c := range w.seats {
		if c.at != "end" {
			next = earlier(next, earlier(c.deadline, c.tickAt.Load()))
		}
	}
	return next
}

// state is the number of the present state: what the Ms have seen, and what the words hold.
func (w *walk) state() uint64 {
	h := interleave.Mix(w.memory, uint64(w.mdl.clock.Load()))
	for _, c := range w.seats {
		h += interleave.Mix(w.hist[c.m.ID], uint64(c.m.ID)+1)
	}
	return h | 1
}

// ready is turns', with the points that a walk has besides.
func (w *walk) ready(c *cpu) bool {
	switch c.at {
	case "mutex":
		return c.done()
	case "scan":
		return c != w.waits
	}
	return w.turns.ready(c)
}

// play runs to the end, or to the first thing that is wrong, and returns that.
func (w *walk) play() (msg string) {
	hook(w)
	defer hook(nil)
	defer w.close()
	for {
		c := w.next
		w.next = nil
		if c == nil && !w.gone {
			c = w.decide(nil, true)
		}
		if msg := w.mdl.failure(); msg != "" {
			return msg
		}
		switch {
		case w.gone:
			return ""
		case w.step > w.x.limit:
			return "the program does not end\n" + w.mdl.dump()
		case c == nil && w.waits != nil:
			w.waits = nil
			continue
		case c == nil && w.x.raw:
			return w.x.end(w)
		case c == nil:
			if over, msg := w.rest(); over {
				if msg == "" {
					msg = w.ended()
				}
				return msg
			}
			continue
		}
		if c != w.waits {
			w.waits = nil
		}
		w.resume(c)
	}
}

// Of the interface host, what is not turns'.

// lock takes the scheduler lock, unlock gives it back.
func (w *walk) lock() {
	c := w.cur
	if c == nil {
		c = nobody
	} else {
		w.before(unsafe.Pointer(&w.holder), true)
	}
	if w.holder == c {
		panic("scheduler lock taken twice")
	}
	for w.holder != nil {
		if c == nobody {
			panic("scheduler lock held")
		}
		w.stand("locked", true)
	}
	w.holder = c
	if c != nobody {
		w.after(unsafe.Pointer(&w.holder), atomic.OpSwap, 0, 1, true)
	}
}

// unlock: see lock.
func (w *walk) unlock() {
	if w.holder != w.cur && w.holder != nobody {
		panic("scheduler lock not held")
	}
	w.holder = nil
	if w.cur != nil {
		w.after(unsafe.Pointer(&w.holder), atomic.OpStore, 0, 0, true)
	}
}

// point: most places that the model names are before an access, and so named twice.
func (w *walk) point(what string) {
	if w.cur == nil || w.muted {
		return
	}
	w.muted = true
	w.turns.judge()
	w.muted = false
	switch what {
	case "spin", "call":
		w.stand(what, false)
	case "step":
		if w.x.time || w.x.everything {
			w.stand(what, false)
		} else {
			w.step++
		}
	case "pause":
		w.stand(what, true)
	case "scan":
		w.waits = w.cur // until another M does something
		w.stand(what, true)
	}
}

// kick ends a halt.
func (w *walk) kick(c *cpu) {
	if w.cur != nil {
		w.before(unsafe.Pointer(&c.woken), true)
	}
	c.woken = true
	if w.cur != nil {
		if w.x.search != nil {
			w.x.search.Wake() // c may be between its look at the word and its halt
		}
		w.after(unsafe.Pointer(&c.woken), atomic.OpStore, 0, 1, true)
	}
}

// halt sleeps as turns' does. A kick that comes after the look at the word ends the halt that
// follows, as on a machine, which keeps the interrupt pending: woken is cleared before the look.
func (w *walk) halt(c *cpu, word *atomic.Uint32, deadline int64) {
	c.word, c.deadline = word, deadline
	for {
		c.woken = false
		w.after(unsafe.Pointer(&c.woken), atomic.OpStore, 0, 0, true)
		if word.Load() != 0 || deadline != 0 && deadline <= w.mdl.Now() {
			break
		}
		w.stand("halt", true)
		w.after(unsafe.Pointer(&c.woken), atomic.OpLoad, 0, 0, false)
	}
	c.word, c.deadline = nil, 0
}

// spin computes until done, or until t is to leave.
func (w *walk) spin(c *cpu, t *task, call bool, done func() bool) bool {
	c.spins, c.inCall, c.done = t, call, done
	for {
		w.muted = true
		over := c.released()
		w.muted = false
		if over {
			break
		}
		w.stand("spin", true)
	}
	c.spins, c.done, c.giveUp = nil, nil, false
	return done()
}

// start starts c.
func (w *walk) start(c *cpu) { w.seatAt(c, c.run) }

// seatAt makes c a coroutine that runs f. It has seen what the running M has.
func (w *walk) seatAt(c *cpu, f func()) {
	w.seat(c, f)
	if w.cur != nil {
		w.hist[c.m.ID] = interleave.Mix(w.hist[w.cur.m.ID], uint64(c.m.ID))
	}
}

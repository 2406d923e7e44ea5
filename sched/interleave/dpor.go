package interleave

import (
	"fmt"
	"math/bits"
)

// DPOR tries one run of each kind: two runs are of one kind if one becomes the other by exchanging neighbouring steps of two threads that
// touch no word in common, or only load it. There is no bound on preemptions. All runs of a kind end in the same state, and each thread does
// and sees the same in all of them; what is true only between two steps, of several words together, need not be met.
//
// It is dynamic partial-order reduction (Flanagan and Godefroid 2005) with source sets (Abdulla, Aronis, Jonsson and Sagonas 2014). A run is
// made. Where two of its steps touch the same word, one of them stores, and nothing orders them otherwise, the run is made again
// with the second one first, unless a thread with which such a run can begin was chosen there already. Threads that were chosen there sleep
// until a step that does not commute with theirs (sleep sets), so that no kind is tried twice from the same point.
//
// A thread that waits is not able, and the host tells for which words (Waits). The step in which it goes on begins with a load of each of them: the host tells
// that too (Access). What else such threads need:
//
//   - A thread may wait only because of the order of earlier steps. So its next step, which it cannot make, counts as one that comes now: where a store to
//     one of these words could have come after it, the run is made again with that thread first.
//   - A step after which a thread is no longer able to go on, for whatever reason: that thread might have gone first, and is chosen there too.
//
// When no thread is able the run is over, or the host does what only then happens (the clock jumps) and tells so by Rest.
type DPOR struct {
	Runs   int // runs to the end
	Pruned int // runs that were abandoned, as equal to one that was tried
	Events int // steps that were new

	path  []event
	at    int     // how many steps of path the run has made
	fresh int     // the first of them that an earlier run did not make
	rests int     // how many of them came before the last rest
	waits []event // the steps that threads would make which wait now
	ended bool
}

// touch is an access of a step.
type touch struct {
	word  int
	wrote bool
}

// set is a set of threads.
type set uint64

// has reports whether m is in the set; no set has Time.
func (s set) has(m Move) bool { return m >= 0 && s>>uint(m)&1 != 0 }

// of is the set of m alone.
func of(m Move) set { return 1 << uint(m) }

// event is a step of a run, and the state before it.
type event struct {
	step    int // the point's number
	able    set
	todo    set // to be chosen here, or chosen already
	done    set // chosen already, and all that follows was tried
	sleep   set // need not be chosen
	asleep  map[Move][]touch
	move    Move
	touches []touch
	clock   []int32 // by thread: how many steps of path, counted from its start, are known to come before or are this; 0: none
	rests   int     // steps before the last rest: all of them come before this
}

// Begin begins a run. It reports false if all were made.
func (d *DPOR) Begin() bool {
	d.at, d.fresh, d.rests = 0, len(d.path), 0
	return !d.ended
}

// Replaying reports whether the run still repeats an earlier one.
func (d *DPOR) Replaying() bool { return d.at < d.fresh }

// Access tells what thread t, which makes a step, has done to a word.
func (d *DPOR) Access(t Move, word int, wrote bool) {
	if d.at == 0 {
		return // the world is being made
	}
	e := &d.path[d.at-1]
	if t != e.move {
		panic(fmt.Sprintf("thread %v does something in a step of thread %v", t, e.move))
	}
	if d.at < d.fresh {
		return // known; the last step of the repeated path is new
	}
	for i := range e.touches {
		if e.touches[i].word == word {
			e.touches[i].wrote = e.touches[i].wrote || wrote
			return
		}
	}
	e.touches = append(e.touches, touch{word, wrote})
}

// Wake says nothing that the words do not say.
func (d *DPOR) Wake() {}

// Waits says that thread t stands where it cannot go on before another stores to one of these words. It is told before each Move, Rest and End.
func (d *DPOR) Waits(t Move, words ...int) {
	e := event{move: t, rests: d.rests}
	for _, w := range words {
		e.touches = append(e.touches, touch{w, false})
	}
	d.waits = append(d.waits, e)
}

// Rest says that none was able to go on, and that something has happened for that reason: what follows comes after all before.
func (d *DPOR) Rest() {
	d.finish(0)
	d.rests = d.at
}

// meet reports whether two steps do not commute.
func meet(a, b []touch) bool {
	for _, x := range a {
		for _, y := range b {
			if x.word == y.word && (x.wrote || y.wrote) {
				return true
			}
		}
	}
	return false
}

// Move is Strategy's.
func (d *DPOR) Move(p *Point) (Move, bool) {
	var able set
	for _, m := range p.Able {
		able |= of(m)
	}
	d.finish(able)
	if d.at < len(d.path) {
		e := &d.path[d.at]
		if e.step != p.Step || e.able != able {
			panic(fmt.Sprintf("the program did something else at step %d when the same moves were made: it is at %+v, and was at %+v", e.step, *p, *e))
		}
		d.at++
		return e.move, true
	}
	e := event{step: p.Step, able: able, asleep: map[Move][]touch{}, rests: d.rests}
	if d.at > 0 {
		// Who slept before the last step, or was chosen there before, sleeps on if it commutes with that step.
		last := &d.path[d.at-1]
		for t, touches := range last.asleep {
			if t != last.move && !meet(touches, last.touches) {
				e.asleep[t] = touches
				e.sleep |= of(t)
			}
		}
	}
	for _, m := range p.Able {
		if !e.sleep.has(m) {
			e.move, e.todo = m, of(m)
			d.path = append(d.path, e)
			d.at++
			return m, true
		}
	}
	return 0, false
}

// finish ends the last step, after which those in able can go on, and looks what it could change places with.
func (d *DPOR) finish(able set) {
	waits := d.waits
	d.waits = d.waits[:0]
	if d.at == 0 || d.at < d.fresh || d.path[d.at-1].clock != nil {
		return
	}
	d.Events++
	i := d.at - 1
	e := &d.path[i]
	e.todo |= e.able &^ able &^ of(e.move) &^ e.sleep
	d.races(e, i)
	e.know(e.move, i)
	for k := range waits {
		if w := &waits[k]; w.move == e.move || meet(w.touches, e.touches) {
			d.races(w, i+1)
		}
	}
}

// races finds out what comes before e, which is step i or would be, and what of that could come after it.
func (d *DPOR) races(e *event, i int) {
	e.clock = []int32{}
	own := false
	for j := i - 1; j >= 0; j-- {
		f := &d.path[j]
		switch {
		case f.move == e.move:
			if !own {
				own = true
				e.join(f)
			}
		case j < e.rests:
			e.join(f)
		case e.knows(f, j) || !meet(f.touches, e.touches):
		default:
			d.race(j, i, e)
			e.join(f)
		}
	}
}

// know notes that step i, of thread m, and all steps of m before it, come before e or are e.
func (e *event) know(m Move, i int) {
	for len(e.clock) <= int(m) {
		e.clock = append(e.clock, 0)
	}
	e.clock[m] = max(e.clock[m], int32(i)+1)
}

// knows reports whether f, step j, is known to come before e.
func (e *event) knows(f *event, j int) bool {
	return int(f.move) < len(e.clock) && int(e.clock[f.move]) > j
}

// join notes that f comes before e, and so does all that comes before f.
func (e *event) join(f *event) {
	for m, n := range f.clock {
		if n > 0 {
			e.know(Move(m), int(n)-1)
		}
	}
}

// race: step j and e, which is step i or would be, do not commute, and nothing orders them otherwise. It sees to it that a run is made in which e comes
// before j. What comes before e is known as far as it lies behind j.
func (d *DPOR) race(j, i int, e *event) {
	first := &d.path[j]
	// That run makes, instead of step j, those that do not come after it, and then e. It can begin with the first step of any thread there which
	// no other of these steps precedes.
	var begins set
	var list []int
	for k := j + 1; k <= i; k++ {
		f := e
		if k < i {
			if f = &d.path[k]; f.knows(first, j) {
				continue
			}
		}
		ordered := false
		for _, l := range list {
			ordered = ordered || f.knows(&d.path[l], l)
		}
		if !ordered {
			begins |= of(f.move)
		}
		list = append(list, k)
	}
	begins &= first.able
	switch {
	case begins == 0 || begins&(first.todo|first.sleep) != 0:
	case begins.has(e.move):
		first.todo |= of(e.move)
	default:
		first.todo |= of(Move(bits.TrailingZeros64(uint64(begins))))
	}
}

// End ends a run, which was abandoned or in which none was able to go on, and chooses the next.
func (d *DPOR) End(abandoned bool) {
	d.finish(0)
	if abandoned {
		d.Pruned++
	} else {
		d.Runs++
	}
	for len(d.path) > 0 {
		e := &d.path[len(d.path)-1]
		e.done |= of(e.move)
		e.sleep |= of(e.move)
		e.asleep[e.move] = e.touches
		if left := e.todo &^ e.done &^ e.sleep; left != 0 {
			e.move = Move(bits.TrailingZeros64(uint64(left)))
			e.touches, e.clock = nil, nil
			return
		}
		d.path = d.path[:len(d.path)-1]
	}
	d.ended = true
}

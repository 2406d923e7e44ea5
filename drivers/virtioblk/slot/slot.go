// Package slot is the protocol by which calls, a device and its interrupt share a disk's slots: which
// call has a slot, which calls wait for one and in which order, and what a file that does not wait is
// told. It knows no hardware and no runtime, so a hosted model walks through its interleavings
// (model_test.go): the image runs this same code.
//
// A slot has a buffer and holds one request at a time. Its word is its state. The slot's owner owns
// its buffer, except in Busy and Left: then the device does.
//
//	Free --Take--> Idle --Begin--> Busy --Answer--> Done or Failed --Begin--> Busy
//	                                 |                    |
//	                              Release              Settle, to Idle
//	                                 v
//	                               Left --Answer--> Free         Idle, Done, Failed --Release--> Free
//
// No wake-up is lost, because only Answer leaves Busy, and the caller of Answer marks the slot's owner
// afterwards: if a call saw Busy and told its goroutine to wait, the mark comes after the change that
// the call did not see. No other store can replace that change: all others leave Busy alone.
package slot

import (
	"math/bits"

	"sched9/sched/atomic"
)

// State is what a slot is doing.
type State uint32

const (
	Free   State = iota // it has no owner
	Idle                // its owner holds it
	Busy                // the device holds it
	Done                // the request was carried out
	Failed              // the device could not
	Left                // the device holds it, and its owner is gone
)

const (
	// Max is the most slots. The first Polled are for calls that wait for the device, each for one piece
	// of a transfer; each of the others belongs to a file with O_NONBLOCK. So no transfer waits for a
	// slot that its owner may keep for ever.
	Max    = 63
	Polled = 8

	// Line is how many calls may stand in line at once.
	Line = 64

	stateBits = 3
)

// Word is a slot's state and, above it, the number of its last request. Two words of a slot that are
// equal are of the same request.
type Word uint32

// State returns the word's state.
func (w Word) State() State { return State(w & (1<<stateBits - 1)) }

// Same reports whether both are of the same request.
func (w Word) Same(v Word) bool { return (w^v)>>stateBits == 0 }

// Table is a disk's slots. The caller locks it, except for Word and Passed.
type Table struct {
	each   [Max]slot
	count  int
	number Word   // of the last request of all, times 1<<stateBits
	busy   uint64 // a bit for each slot that is Busy
	left   int    // of the first Polled: how many are Left
	silent bool   // a request was given up, and the device has answered nothing since

	// Calls that want one of the first Polled stand in line. Calls leave the line only from its
	// head, so no call is passed over and no place is lost.
	next   uint32 // the ticket of the next to come
	first  uint32 // the ticket of the first in line; next: the line is empty
	writer int    // the slot, plus 1, of the one call that may write; 0: none

	// A call in line sleeps until its place's number changes. It read the number, under the lock,
	// when Enter refused, and News changes it, under the lock, after everything that Enter depends
	// on.
	places [Line]atomic.Uint32 // by ticket
	news   bool                // Enter may say something else than it did
}

type slot struct {
	word   atomic.Uint32
	passed atomic.Uint32 // how many requests that the device had before this one it has answered since
	owner  uintptr       // to be told of the answer; 0: none
}

// Init makes t a table of count free slots, up to Max.
func (t *Table) Init(count int) {
	t.count = count
}

// Count returns how many slots there are.
func (t *Table) Count() int { return t.count }

// InUse returns how many slots are not free.
func (t *Table) InUse() (n int) {
	for i := range t.count {
		if t.Word(i).State() != Free {
			n++
		}
	}
	return n
}

// Word returns slot i's word. Without the lock: loads after it see what the device wrote before the
// answer that the word reports.
//
//go:noinline
func (t *Table) Word(i int) Word { return Word(t.each[i].word.Load()) }

// Passed returns how many requests that the device was given before slot i's it has answered since it
// was given that. Without the lock.
func (t *Table) Passed(i int) uint32 { return t.each[i].passed.Load() }

// set makes slot i's state s.
func (t *Table) set(i int, s State) {
	w := &t.each[i].word
	w.Store(w.Load()&^(1<<stateBits-1) | uint32(s))
}

// Take takes a free slot from low on and below high, -1 if there is none.
func (t *Table) Take(low, high int) int {
	for i := low; i < min(high, t.count); i++ {
		if t.Word(i).State() == Free {
			t.set(i, Idle)
			return i
		}
	}
	return -1
}

// Release gives slot i back. If the device holds it, it becomes free, without notice, when the device
// is done with it.
func (t *Table) Release(i int) {
	s := Free
	if t.Word(i).State() == Busy {
		s = Left
		t.busy &^= 1 << i
		if i < Polled {
			t.left++
		}
	}
	t.set(i, s)
	if t.writer == i+1 {
		t.writer = 0
	}
	t.news = true
}

// Join returns a ticket for the line.
func (t *Table) Join() (ticket uint32) {
	t.next++
	return t.next - 1
}

// Place returns where ticket's owner sleeps: until the number there is another than under the lock,
// after Enter said no.
func (t *Table) Place(ticket uint32) *atomic.Uint32 { return &t.places[ticket%Line] }

// News returns the place of the first in line, if its situation has changed since the last News, or nil:
// the caller wakes it when it has unlocked the table. It comes last under the lock.
func (t *Table) News() (place *atomic.Uint32) {
	if t.news && t.first != t.next {
		place = t.Place(t.first)
		place.Add(1)
	}
	t.news = false
	return place
}

// Enter gives the owner of ticket a slot if it is first in line, there is a free one, and it does not
// want to write while another call does. -1: not yet. quit: it is out of the line, and gets none,
// because the device does not answer, or keeps all slots.
func (t *Table) Enter(ticket uint32, write bool) (i int, quit bool) {
	if t.first != ticket {
		return -1, false
	}
	i = -1
	if !write || t.writer == 0 {
		i = t.Take(0, Polled)
	}
	quit = i < 0 && (t.silent || t.left == min(t.count, Polled))
	if i >= 0 || quit {
		t.first++
		t.news = true
	}
	if i >= 0 && write {
		t.writer = i + 1
	}
	return i, quit
}

// Begin notes that the device is given a request in slot i, which its owner holds. Answer returns owner.
// The device must not see the request before.
func (t *Table) Begin(i int, owner uintptr) {
	s := &t.each[i]
	s.owner = owner
	s.passed.Store(0)
	t.number += 1 << stateBits
	t.busy |= 1 << i
	s.word.Store(uint32(t.number) | uint32(Busy))
}

// Answer notes that the device has answered slot i's request, and returns its owner. was is false if
// there was no such request: a device can say anything. After Answer the caller tells the owner,
// before it unlocks the table.
func (t *Table) Answer(i int, ok bool) (owner uintptr, was bool) {
	if i >= t.count {
		return 0, false
	}
	s := &t.each[i]
	w := t.Word(i)
	switch w.State() {
	case Busy:
		end := Failed
		if ok {
			end = Done
		}
		// The slot's owner may act on it from here on, without the lock.
		owner = s.owner
		t.busy &^= 1 << i
		t.set(i, end)
	case Left:
		if i < Polled {
			t.left--
		}
		t.set(i, Free)
		t.news = true
	default:
		return 0, false
	}
	t.silent = false
	for set := t.busy; set != 0; set &= set - 1 {
		// Of different requests the numbers decide, which are above the states, and which wrap.
		if j := bits.TrailingZeros64(set); int32(t.Word(j)-w) > 0 {
			t.each[j].passed.Add(1)
		}
	}
	return owner, true
}

// Settle makes slot i, which is Done or Failed, Idle again. Its owner calls it, and needs no lock of
// the table's.
func (t *Table) Settle(i int) { t.set(i, Idle) }

// GiveUp notes that a call waits no longer for a request, which has taken too long.
func (t *Table) GiveUp() { t.silent, t.news = true, true }

// Patience is what a call that waits for a device knows of the time. The limit is on what the
// device does for one request: the time that it takes for those it was given before does not count,
// nor does time in which the call's processor did not run.
type Patience struct {
	waited, last int64
	passed       uint32
}

// Limit is how long a device may take for one request, in nanoseconds. Gap is the most that counts
// between two looks at the clock.
const (
	Limit = 10_000_000_000
	Gap   = 1_000_000
)

// Over reports whether the device has had its time. now is the time, in nanoseconds, passed what
// Table.Passed says.
func (p *Patience) Over(now int64, passed uint32) bool {
	if p.last == 0 || passed != p.passed {
		p.waited, p.passed = 0, passed
	} else {
		p.waited += min(now-p.last, Gap)
	}
	p.last = now
	return p.waited >= Limit
}

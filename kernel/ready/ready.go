// Package ready is the network poller's table: which files are registered with it, and which of
// them became ready since it last looked. Readiness is reported once, when it comes
// (edge-triggered, as Linux's EPOLLET).
//
// It allocates nothing and stores no pointers. Mark and Pending may be called in any context,
// interrupts included, without a lock. The caller locks the rest.
package ready

import (
	"math/bits"

	"sched9/sched/atomic"
)

// Max is the number of files, Batch the most that Collect returns at once.
const (
	Max   = 2048
	Batch = 64
)

// Event says that a file is ready. Data is the value with which it was registered.
type Event struct {
	Data        uintptr
	Read, Write bool
}

// Table is the table. Its zero value has no files.
//
// A bit of marks is set for a file that became ready, and some is 1 if any is; Pending looks at
// some. Mark sets the bit, then some. Collect clears some, then takes the bits. So if Collect
// misses a bit, the bit was set after Collect's look, hence after some was cleared, and Mark sets
// some after that: a mark is never left while Pending reports false. Conversely, some may be set
// without any bit; Collect then returns nothing.
type Table struct {
	some  atomic.Uint32
	marks [Max / 64]atomic.Uint64

	files [Max]struct {
		open, read, write bool
		data              uintptr
	}
}

// Open registers file n: Collect will return data for it, and for what it can become ready. It
// reports false if the file is registered already.
func (t *Table) Open(n int, data uintptr, read, write bool) bool {
	f := &t.files[n]
	if f.open {
		return false
	}
	f.open, f.read, f.write, f.data = true, read, write, data
	return true
}

// Close takes file n out, and reports whether it was registered. An event that
// Collect has returned already still goes its way.
func (t *Table) Close(n int) bool {
	f := &t.files[n]
	was := f.open
	f.open = false
	return was
}

// Mark notes that file n became ready, registered or not.
func (t *Table) Mark(n int) {
	t.marks[n/64].Or(1 << (n % 64))
	t.some.Store(1)
}

// Tell makes Pending true for something outside the table. A caller of Collect that looks for it
// afterwards sees the stores before Tell: if its look misses one, that store came after Collect
// cleared some, and Tell then sets some again.
func (t *Table) Tell() { t.some.Store(1) }

// Pending reports whether Collect may return something.
func (t *Table) Pending() bool { return t.some.Load() != 0 }

// Collect stores into events the files that became ready since the last call, and returns how many.
// If there are more, they stay for the next call, and Pending stays true.
func (t *Table) Collect(events *[Batch]Event) (n int) {
	t.some.Store(0)
	for w := range t.marks {
		if t.marks[w].Load() == 0 {
			continue
		}
		for set := t.marks[w].Swap(0); set != 0; set &= set - 1 {
			f := &t.files[w*64+bits.TrailingZeros64(set)]
			if !f.open {
				continue
			}
			if n == Batch {
				t.marks[w].Or(set)
				t.some.Store(1)
				return n
			}
			events[n] = Event{f.data, f.read, f.write}
			n++
		}
	}
	return n
}

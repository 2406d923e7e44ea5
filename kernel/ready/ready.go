// Package ready is the table of what the network poller waits for: which files
// are registered with it, and which of them became ready since it last looked.
// Readiness is told once, when it comes (edge-triggered, as Linux's EPOLLET).
//
// It allocates nothing and stores no pointers. Mark and Pending may be called in
// any context, interrupts included, without a lock. The caller locks the rest.
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

// Event says that a file is ready. Data is what it was registered with.
type Event struct {
	Data        uintptr
	Read, Write bool
}

// Table is the table. Its zero value has no files.
//
// A bit of marks is set for a file that became ready, and some is 1 if any is:
// it is what Pending looks at. Mark sets the bit, then some. Collect clears
// some, then takes the bits. So a bit that Collect misses was set after it
// was looked for, hence after some was cleared, and some is set once more after
// that: what is marked is never left behind a Pending that says no. The other
// way round, some may be set with no bit behind it; Collect then returns
// nothing.
type Table struct {
	some  atomic.Uint32
	marks [Max / 64]atomic.Uint64

	files [Max]struct {
		open, read, write bool
		data              uintptr
	}
}

// Open registers file n: Collect will return data for it, and what it can become
// ready for. It reports false if the file is registered already.
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

// Tell makes Pending true for something that the table knows nothing of. What the caller
// stored before it is seen by whoever calls Collect and looks for it afterwards: if that
// look misses it, it was stored after Collect cleared some, and Tell sets some once more.
func (t *Table) Tell() { t.some.Store(1) }

// Pending reports whether Collect may return something.
func (t *Table) Pending() bool { return t.some.Load() != 0 }

// Collect stores into events who became ready since the last time, and returns how
// many. What does not fit is left for the next time, and stays Pending.
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

// Package ready is the network poller's table: which files are registered with it, and which of
// them became ready since it last looked. Readiness is reported once, when it comes
// (edge-triggered, as Linux's EPOLLET).
//
// It stores no pointers, and gets memory by pages, which it keeps. Mark and Pending may be called in any context,
// interrupts included, without a lock. The caller locks the rest.
package ready

import (
	"math/bits"
	"unsafe"

	"sched9/sched/atomic"
)

// Max is the number of files, Batch the most that Collect returns at once.
const (
	Max   = 1 << 18
	Batch = 64
)

// Page is the size of the pages that it takes.
const Page = 4096

const perPage = Page / unsafe.Sizeof(file{})

// file is what a file was registered with.
type file struct {
	data              uintptr
	open, read, write bool
}

// Event says that a file is ready. Data is the value with which it was registered.
type Event struct {
	Data        uintptr
	Read, Write bool
}

// Set is a set of numbers below Max. Its zero value is empty.
//
// It has three levels of bits. A bit of marks is set for a number that is in the set, a bit of words for a word of marks that has such a bit,
// and a bit of some for a word of words; Pending looks at some. Mark sets them in this order, and Take takes them in the other: some, the words,
// the marks. So if Take misses a bit of marks, that was set after Take took its word, hence after the bits above it were taken, and
// Mark sets these after it, again; and if it misses one of words, the same holds of some. A mark is never left while Pending reports false, nor
// where the next Take does not look. Conversely, a bit above may be set without one below; then Take finds nothing there.
type Set struct {
	some  atomic.Uint64
	words [64]atomic.Uint64
	marks [64 * 64]atomic.Uint64
}

// Table is the table: the files that became ready are a set. Its zero value has no files.
type Table struct {
	Set
	pages [Max / perPage]uintptr // of files
}

const _ = uint(64*64*64-Max) + uint(Max-64*64*64) // the levels have a bit for each file

// file returns file n; nil: there is no Room for it yet. Pages are numbers here, since the collector is to see no pointers: a test of the
// host's, whose pages it made, has checkptr look away.
//
//go:nocheckptr
func (t *Table) file(n int) *file {
	page := t.pages[uintptr(n)/perPage]
	if page == 0 {
		return nil
	}
	return (*file)(unsafe.Pointer(page + uintptr(n)%perPage*unsafe.Sizeof(file{})))
}

// Room makes room for file n, which Open wants, and reports false if there is no memory for it: get returns a page of zeros,
// or 0 if there is none to be had.
func (t *Table) Room(n int, get func() uintptr) bool {
	page := &t.pages[uintptr(n)/perPage]
	if *page == 0 {
		*page = get()
	}
	return *page != 0
}

// Open registers file n, for which there is Room: Collect will return data for it, and for what it can become ready. It
// reports false if the file is registered already.
func (t *Table) Open(n int, data uintptr, read, write bool) bool {
	f := t.file(n)
	if f.open {
		return false
	}
	*f = file{data, true, read, write}
	return true
}

// Close takes file n out, and reports whether it was registered. An event that
// Collect has returned already still goes its way.
func (t *Table) Close(n int) bool {
	f := t.file(n)
	if f == nil || !f.open {
		return false
	}
	f.open = false
	return true
}

// Mark puts n into the set: file n became ready, registered or not.
func (s *Set) Mark(n int) {
	s.marks[n/64].Or(1 << (n % 64))
	s.words[n/64/64].Or(1 << (n / 64 % 64))
	s.some.Or(1 << (n / 64 / 64))
}

// Tell makes Pending true for something outside the set. A caller of Take or Collect that looks for it
// afterwards sees the stores before Tell: if its look misses one, that store came after Take
// took some, and Tell then sets a bit of it again, whichever.
func (s *Set) Tell() { s.some.Or(1) }

// Pending reports whether Take may find something.
func (s *Set) Pending() bool { return s.some.Load() != 0 }

// Take calls fn for the numbers in the set, the smallest first, and takes them out, until fn reports false: that number stays, and those behind it.
func (s *Set) Take(fn func(n int) bool) {
	for some := s.some.Swap(0); some != 0; some &= some - 1 {
		i := bits.TrailingZeros64(some)
		for words := s.words[i].Swap(0); words != 0; words &= words - 1 {
			w := i*64 + bits.TrailingZeros64(words)
			for set := s.marks[w].Swap(0); set != 0; set &= set - 1 {
				if !fn(w*64 + bits.TrailingZeros64(set)) {
					s.marks[w].Or(set)
					s.words[i].Or(words)
					s.some.Or(some)
					return
				}
			}
		}
	}
}

// Collect stores into events the files that became ready since the last call, and returns how many.
// If there are more, they stay for the next call, and Pending stays true.
func (t *Table) Collect(events *[Batch]Event) (n int) {
	t.Take(func(i int) bool {
		f := t.file(i)
		if f == nil || !f.open {
			return true
		}
		if n == Batch {
			return false
		}
		events[n] = Event{f.data, f.read, f.write}
		n++
		return true
	})
	return n
}

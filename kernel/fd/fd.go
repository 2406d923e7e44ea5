// Package fd numbers open files. A file may have several numbers (dup). The package knows which
// numbers are in use, and how many calls use a file at the moment: a file that is closed during a
// call goes away when the call ends. The caller locks, and keeps the files' own data elsewhere.
//
// A table begins small and grows by pages, which it keeps. Nothing is searched one by one: files
// that are free are in a list, numbers in words of bits.
package fd

import (
	"math/bits"
	"unsafe"
)

const (
	Max      = 1 << 18               // above all numbers
	MaxFiles = Max + int(perEntries) // above all files: some more, so that it is numbers that run out
)

// Page is the size of the pages that Get gives.
const Page = 4096

const (
	perNumbers = Page / unsafe.Sizeof(uint32(0)) // numbers in a page
	perEntries = Page / unsafe.Sizeof(entry{})   // files in a page
)

// entry is a file.
type entry struct {
	from, to uint32 // its numbers lie from here to here
	refs     int32  // calls that hold it, and its numbers; -1: only its creator, or the call that removes it, knows it
	free     uint32 // 1 plus the next free file, while this one is
}

// Get returns a page of zeros, or 0 if there is none to be had. The caller's lock is held.
type Get func() uintptr

// Table is the table. Its zero value has no open files.
type Table struct {
	used    [Max / 64]uint64                        // a bit for each number
	numbers [Max / perNumbers]uintptr               // pages of uint32: 1 plus a number's file; 0: none
	entries [uintptr(MaxFiles) / perEntries]uintptr // pages of entry
	free    uint32                                  // 1 plus the first free file below made; 0: none
	made    int                                     // above all files that ever were
	top     int                                     // above all numbers that were ever in use
}

// number returns where 1 plus the file of number n stands; nil: it never had one.
//
//go:noinline
func (t *Table) number(n int) *uint32 {
	page := t.numbers[uintptr(n)/perNumbers]
	if page == 0 {
		return nil
	}
	return (*uint32)(unsafe.Pointer(page + uintptr(n)%perNumbers*unsafe.Sizeof(uint32(0))))
}

// entry returns a file, which is below made.
//
//go:noinline
func (t *Table) entry(file int) *entry {
	return (*entry)(unsafe.Pointer(t.entries[uintptr(file)/perEntries] + uintptr(file)%perEntries*unsafe.Sizeof(entry{})))
}

// fill gives a place for a page one if it has none, and reports false if there is none to be had.
func fill(page *uintptr, get Get) bool {
	if *page == 0 {
		*page = get()
	}
	return *page != 0
}

// New returns a file that has no number yet and is the caller's alone, or -1: there is no memory. The caller
// gives it a number (Number) or gives it back (Free).
func (t *Table) New(get Get) (file int) {
	if t.free != 0 {
		file = int(t.free) - 1
		t.free = t.entry(file).free
	} else {
		if t.made == MaxFiles || !fill(&t.entries[uintptr(t.made)/perEntries], get) {
			return -1
		}
		file = t.made
		t.made++
	}
	t.entry(file).refs = -1
	return file
}

// Free gives a file back, which New returned, or whose last Drop it was.
func (t *Table) Free(file int) {
	e := t.entry(file)
	e.refs, e.free = 0, t.free
	t.free = uint32(file) + 1
}

// Number gives file, which New returned or which the caller holds, the lowest free number from low
// on and below limit, which is at most Max, and returns that; -1: there is none, or no memory for it.
func (t *Table) Number(file, low, limit int, get Get) (n int) {
	for n = low; n < limit; n = n&^63 + 64 {
		if free := ^t.used[n/64] >> (n % 64); free != 0 {
			if n += bits.TrailingZeros64(free); n >= limit || !t.Room(n, get) {
				break
			}
			t.set(n, file)
			return n
		}
	}
	return -1
}

// Room makes room for number n, which Replace wants, and reports false if there is no memory for it.
func (t *Table) Room(n int, get Get) bool { return fill(&t.numbers[uintptr(n)/perNumbers], get) }

// Replace gives file, which the caller holds, number n, for which there is Room. If n was another file's, Replace returns
// that file, which the caller must drop; otherwise -1.
func (t *Table) Replace(file, n int) (replaced int) {
	replaced = int(*t.number(n)) - 1
	t.set(n, file)
	return replaced
}

// set makes n, for which there is room, a number of file's.
func (t *Table) set(n, file int) {
	e := t.entry(file)
	if e.refs < 0 {
		e.refs = 0
		e.from, e.to = uint32(n), uint32(n)
	}
	e.from, e.to = min(e.from, uint32(n)), max(e.to, uint32(n))
	*t.number(n) = uint32(file) + 1
	e.refs++
	t.used[n/64] |= 1 << (n % 64)
	t.top = max(t.top, n+1)
}

// Hold returns the file of number n, which does not go away until Drop; -1: there is none.
func (t *Table) Hold(n int) (file int) {
	if file, _ = t.File(n); file >= 0 {
		t.entry(file).refs++
	}
	return file
}

// File returns the file of number n, -1: there is none; more says whether a larger number may be in use.
func (t *Table) File(n int) (file int, more bool) {
	if n < 0 || n >= t.top {
		return -1, false
	}
	file = -1
	if is := t.number(n); is != nil {
		file = int(*is) - 1
	}
	return file, n+1 < t.top
}

// Drop ends a Hold, or a number's use of the file. It reports true if that was the last: the caller
// then releases the file's data and calls Free.
func (t *Table) Drop(file int) (last bool) {
	e := t.entry(file)
	e.refs--
	if e.refs > 0 {
		return false
	}
	e.refs = -1
	return true
}

// Close takes number n away and returns the file, which the caller drops; -1: it was free.
func (t *Table) Close(n int) (file int) {
	if file, _ = t.File(n); file >= 0 {
		*t.number(n) = 0
		t.used[n/64] &^= 1 << (n % 64)
	}
	return file
}

// Each calls fn for file's numbers from n on, the smallest first, and returns -1 when there are no more. It looks at most looks times, at a word for 64 numbers
// within the file's bounds or at one of these that is in use; then it returns the number to go on with. A file that was duplicated to a
// large number so takes few looks where few files are open.
//
// Without the caller's lock it may miss a number that is just being given or taken, and no other: while a file has a number, its bounds only
// become wider, a page that a table has got it keeps, and a word of bits is stored whole, with the other numbers' bits as they are. A file that
// never was has none.
func (t *Table) Each(file, n, looks int, fn func(n int)) (rest int) {
	if t.entries[uintptr(file)/perEntries] == 0 {
		return -1
	}
	e := t.entry(file)
	for n = max(n, int(e.from)); n <= int(e.to); n++ {
		if looks--; looks < 0 {
			return n
		}
		used := t.used[n/64] >> (n % 64)
		if used == 0 {
			n |= 63
			continue
		}
		n += bits.TrailingZeros64(used)
		// A bit may be seen before the page that was there before it.
		if is := t.number(n); is != nil && int(*is) == file+1 {
			fn(n)
		}
	}
	return -1
}

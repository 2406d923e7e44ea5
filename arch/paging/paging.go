// Package paging keeps page tables of four levels with 512 entries each and pages of 4 KiB
// and 2 MiB, which is what both architectures have. The architecture says what its entries
// look like (Format) and which instructions go between the steps (Tables).
//
// Tables are changed under the kernel's memory lock and read by the hardware of all
// processors at any time. An entry is one aligned store, so a walk finds the old one or
// the new one. What a walk found it may keep: the translation of a page, and the way to a
// table of any level (SDM 3A, 4.10; Arm ARM, D8.13). It never keeps an entry that is not
// present. So
//
//   - an entry that becomes present takes no flush. A processor that does not see it yet
//     faults, asks the kernel, which finds it, and tries again.
//   - a page or a table goes away in two steps: Hide makes the entries not present but leaves
//     the frame numbers, the kernel has all processors flush, then Reap frees what is hidden.
//     Between the two nobody can get at a frame any more, and it is nobody else's yet. A table
//     in which nothing would be left is hidden itself, in the same step: so its frame, to
//     which a processor may have kept the way, waits for the same flush.
//   - an access that becomes forbidden holds once all have flushed. One that becomes allowed takes
//     no flush: a processor that has kept the old entry faults once more, and the kernel drops that
//     processor's translations.
//
// A page that may not be accessed keeps its frame in an entry that is not present, just as
// one that is hidden. The two cannot be confused: what Hide hides is reaped before the lock is
// given back.
package paging

import "unsafe"

const (
	PageSize = 4096
	HugeSize = 2 << 20

	pageShift = 12 // of the entries of the last level: what one maps
	hugeShift = 21
	topShift  = 39

	present = 1 << 0 // on both architectures
)

// Prot is what a page may be used for. It is never executed.
type Prot uint8

const (
	None Prot = iota
	Read
	Write // and read
)

// Format is the form of the architecture's entries.
type Format struct {
	Addr  uint64 // the bits of an entry that are an address
	Table uint64 // the other bits of one that leads to a table
	// IsTable: an entry above the last level leads to a table if of these bits it has those
	// that Table has. It tells also when the entry is not present.
	IsTable uint64
	// Page and Huge are the other bits of one that maps a page, by Prot. That for None is
	// not present.
	Page, Huge [3]uint64
	// Lent is a bit that the hardware does not look at. A page of PageSize that has it has
	// somebody else's frame, which is not freed with it.
	Lent uint64
}

// Tables are the tables of the address space, of which there is one.
type Tables struct {
	Format

	Base uintptr                       // the address at which physical address 0 is mapped
	Root func(va uintptr) uint64       // the table of the first level for va
	Get  func() uint64                 // a zeroed frame for a table, or 0
	Free func(pa uint64, size uintptr) // takes a frame of PageSize or HugeSize back

	// Ordered makes earlier stores, to a frame or a table, visible before later ones. Published
	// makes entries visible to this processor's own walks.
	Ordered, Published func()
	// Break has all processors flush at once, without the kernel's help, where a page of 2 MiB
	// must not become a table without having been absent in between (Arm ARM, D8.14.1); nil
	// where it may.
	Break func()

	// InUse counts tables that were taken by Get and not freed; Huges pages of 2 MiB that were
	// mapped, ever.
	InUse, Huges uint64

	Step func() // tests: called after every store to an entry; nil in an image
}

// State is what the tables say of an address.
type State struct {
	Held     bool // there is a frame
	Present  bool // and it can be read
	Writable bool // and written
	Empty    bool // the 2 MiB around hold neither page nor table
}

// entry returns the entry for va in the table at pa whose entries each span 1<<shift
// bytes.
func (t *Tables) entry(table uint64, va uintptr, shift uint) *uint64 {
	return (*uint64)(unsafe.Pointer(t.Base + uintptr(table&t.Addr) + va>>shift&511*8))
}

// set stores v in an entry.
func (t *Tables) set(e *uint64, v uint64) {
	*e = v
	if t.Step != nil {
		t.Step()
	}
}

// isTable reports whether e, an entry whose kind spans 1<<shift bytes, leads to a table,
// present or hidden.
func (t *Tables) isTable(e uint64, shift uint) bool {
	return shift > pageShift && e&t.IsTable == t.Table&t.IsTable
}

// bits are those of a page of 1<<shift bytes.
func (t *Tables) bits(p Prot, shift uint) uint64 {
	if shift == hugeShift {
		return t.Huge[p]
	}
	return t.Page[p]
}

// writable reports whether a page's entry, if present, lets it be written.
func (t *Tables) writable(e uint64) bool {
	differ := t.Page[Read] ^ t.Page[Write]
	return e&differ == t.Page[Write]&differ
}

// next returns the end of the span of 1<<shift bytes that va lies in, but at most end.
func next(va, end uintptr, shift uint) uintptr {
	n := (va>>shift + 1) << shift
	if n > end || n == 0 {
		return end
	}
	return n
}

// Leaf returns the entry that maps va, or would map it, at the level whose entries span
// 1<<shift bytes, and makes the tables above it. nil: no frame for a table, or a larger
// page lies there.
func (t *Tables) Leaf(va uintptr, shift uint) *uint64 {
	table := t.Root(va)
	for s := uint(topShift); ; s -= 9 {
		e := t.entry(table, va, s)
		if s == shift {
			return e
		}
		switch {
		case *e == 0:
			pa := t.get()
			if pa == 0 {
				return nil
			}
			t.Ordered() // its zeros, before the way to it
			t.set(e, pa|t.Table)
		case !t.isTable(*e, s):
			return nil
		}
		table = *e
	}
}

// get takes a frame for a table.
func (t *Tables) get() uint64 {
	pa := t.Get()
	if pa != 0 {
		t.InUse++
	}
	return pa
}

// Map maps the page of the given size (PageSize or HugeSize) at va, where nothing of that
// size is, to the frame at pa, which may have the bit Lent. It reports false if there is no frame for a table.
func (t *Tables) Map(va uintptr, pa uint64, size uintptr, p Prot) bool {
	shift := uint(pageShift)
	if size == HugeSize {
		shift = hugeShift
	}
	e := t.Leaf(va, shift)
	if e == nil {
		return false
	}
	if shift == hugeShift {
		t.Huges++
	}
	t.Ordered() // what the frame holds, before it can be reached
	t.set(e, pa|t.bits(p, shift))
	t.Published()
	return true
}

// Look returns what the tables say of va.
func (t *Tables) Look(va uintptr) State {
	table := t.Root(va)
	for s := uint(topShift); ; s -= 9 {
		e := *t.entry(table, va, s)
		if e == 0 {
			return State{Empty: s >= hugeShift}
		}
		if !t.isTable(e, s) {
			there := e&present != 0
			return State{Held: true, Present: there, Writable: there && t.writable(e)}
		}
		table = e
	}
}

// Cut makes sure that no page reaches across va. It reports false if there is no frame for the
// table that this needs. Nothing else changes.
func (t *Tables) Cut(va uintptr) bool {
	table := t.Root(va)
	for s := uint(topShift); va&(1<<s-1) != 0; s -= 9 {
		e := t.entry(table, va, s)
		if *e == 0 {
			return true
		}
		if !t.isTable(*e, s) {
			return t.split(e)
		}
		table = *e
	}
	return true
}

// split replaces the page of 2 MiB at e by a table of 512 pages with the same frames and the same access. The
// translation of every address stays the same, so a processor that still has the large one does no harm until it
// flushes. On an architecture that does not allow this, the page is absent for a moment: a processor that then faults
// waits in the kernel for the memory lock, even in a handler, and finds a page. The caller, which has that lock,
// cannot fault: it runs on its processor's own stack and touches only the kernel's memory, through pages that are
// never split.
func (t *Tables) split(e *uint64) bool {
	pa := t.get()
	if pa == 0 {
		return false
	}
	old := *e
	p := None
	if old&present != 0 {
		p = Read
		if t.writable(old) {
			p = Write
		}
	}
	for i := uint64(0); i < 512; i++ {
		*t.entry(pa, uintptr(i)<<pageShift, pageShift) = old&t.Addr + i<<pageShift | t.Page[p]
	}
	if t.Break != nil && p != None {
		t.set(e, 0)
		t.Break()
	}
	t.Ordered()
	t.set(e, pa|t.Table)
	t.Published()
	return true
}

// Hide takes all pages in [va, end) away from the processors, and the tables in which
// nothing else is. No page reaches across va or end (Cut). It reports whether a processor
// may have kept something, so that all have to flush before Reap.
func (t *Tables) Hide(va, end uintptr) (changed bool) { return t.hide(0, va, end, topShift) }

// hide is Hide for a part of a table whose entries span 1<<shift bytes; the first level's
// is found by the address.
func (t *Tables) hide(table uint64, va, end uintptr, shift uint) (changed bool) {
	for va < end {
		if shift == topShift {
			table = t.Root(va)
		}
		e := t.entry(table, va, shift)
		stop := next(va, end, shift)
		gone := *e&present != 0
		if gone && t.isTable(*e, shift) {
			changed = t.hide(*e, va, stop, shift-9) || changed
			gone = t.bare(*e, va, stop, shift-9)
		}
		if gone {
			t.set(e, *e&^present)
			changed = true
		}
		va = stop
	}
	return changed
}

// bare reports whether a table holds nothing but hidden entries in [va, end).
func (t *Tables) bare(table uint64, va, end uintptr, shift uint) bool {
	first, last := va>>shift&511, (end-1)>>shift&511
	for i := uintptr(0); i < 512; i++ {
		e := *t.entry(table, i<<shift, shift)
		if e&present != 0 || e != 0 && (i < first || i > last) {
			return false
		}
	}
	return true
}

// Reap frees all hidden pages and tables in [va, end), except for frames that are lent, after Hide. Every processor has flushed in
// between.
func (t *Tables) Reap(va, end uintptr) { t.reap(0, va, end, topShift) }

// reap is Reap for a part of a table; compare hide.
func (t *Tables) reap(table uint64, va, end uintptr, shift uint) {
	for va < end {
		if shift == topShift {
			table = t.Root(va)
		}
		e := t.entry(table, va, shift)
		stop := next(va, end, shift)
		if *e != 0 {
			if t.isTable(*e, shift) {
				t.reap(*e, va, stop, shift-9)
			}
			if old := *e; old&present == 0 {
				t.set(e, 0)
				t.free(old, shift)
			}
		}
		va = stop
	}
}

// free gives back what an entry held that spanned 1<<shift bytes.
func (t *Tables) free(old uint64, shift uint) {
	switch {
	case t.isTable(old, shift):
		t.InUse--
		t.Free(old&t.Addr, PageSize)
	case shift == hugeShift:
		t.Free(old&t.Addr, HugeSize)
	case old&t.Lent != 0:
	default:
		t.Free(old&t.Addr, PageSize)
	}
}

// Protect gives all pages in [va, end) the access p. No page reaches across va or end (Cut).
// It reports whether something that was allowed is not any more, so that all have to flush
// before that holds.
func (t *Tables) Protect(va, end uintptr, p Prot) (less bool) {
	less = t.protect(0, va, end, topShift, p)
	t.Published()
	return less
}

// protect is Protect for a part of a table; compare hide.
func (t *Tables) protect(table uint64, va, end uintptr, shift uint, p Prot) (less bool) {
	for va < end {
		if shift == topShift {
			table = t.Root(va)
		}
		e := t.entry(table, va, shift)
		stop := next(va, end, shift)
		switch old := *e; {
		case old == 0:
		case t.isTable(old, shift):
			less = t.protect(old, va, stop, shift-9, p) || less
		default:
			if old&present != 0 && (p == None || p == Read && t.writable(old)) {
				less = true
			}
			t.set(e, old&(t.Addr|t.Lent)|t.bits(p, shift))
		}
		va = stop
	}
	return less
}

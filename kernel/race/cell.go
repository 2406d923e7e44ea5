package race

import (
	"sync/atomic"
	"unsafe"
)

// wordSize is the size of the words of memory that cells are for, in bytes.
const wordSize = 8

// cell is what is known of the accesses to some bytes of a word. Each byte that was accessed belongs to one cell. A word has one cell
// until an access concerns only a part of the bytes of a cell: then it is split.
//
// The last plain write is one epoch: an earlier one happened before it, or was reported. Reads may be concurrent: reads is the last one's
// epoch if all others happened before it, else a vector with a number and a stack for each slot. A write that all of them happened
// before takes their place: who races with one of them races with the write, too.
type cell struct {
	write, reads           epoch
	writeStack, readsStack Stack
	atomics                ref // of the atomic accesses; 0: there was none
	next                   ref // the next cell of the word
	locks                  ref // in the first cell of a word: what is synchronised on there
	mask                   uint8
	_                      [3]byte
}

// atomics are the atomic accesses: two sets like cell.reads. They are apart because few words have any.
type atomics struct {
	reads, writes           epoch
	readsStack, writesStack Stack
}

// page holds the first cells of pageSize bytes of memory. Pages are not freed, so the first cell of a word stays where it is.
type page [pageSize / wordSize]cell

const pageSize = 4096

// region is memory that is watched, and the places of its pages.
type region struct {
	start, end uintptr
	dir        ref // of an array of refs
}

// Watch adds [start, end) to the memory that is watched, as region i, 0 or 1. Region i may reach up to most bytes from the first start.
func (d *Detector) Watch(i int, start, end, most uintptr) {
	r := &d.regions[i]
	if r.dir == 0 {
		r.start = start &^ (pageSize - 1)
		r.dir = d.alloc((most/pageSize + 2) * unsafe.Sizeof(ref(0)))
	}
	if end > r.start+most+pageSize {
		d.Fatal("the heap reaches beyond what the race detector can watch")
	}
	r.end = max(r.end, end)
}

// entry returns the address of the directory's entry for addr's page, 0 if it is not watched.
//
//go:nosplit
func (d *Detector) entry(addr uintptr) uintptr {
	r := &d.regions[1]
	if addr < r.start || r.end <= addr {
		if r = &d.regions[0]; addr < r.start || r.end <= addr {
			return 0
		}
	}
	return d.addr(r.dir) + (addr-r.start)/pageSize*unsafe.Sizeof(ref(0))
}

// find returns the first cell of addr's word; nil if its page is not there. It may run at any time.
//
//go:nosplit
func (d *Detector) find(addr uintptr) *cell {
	e := d.entry(addr)
	if e == 0 {
		return nil
	}
	p := atomic.LoadUint32((*uint32)(unsafe.Pointer(e)))
	if p == 0 {
		return nil
	}
	return &(*page)(d.ptr(ref(p)))[addr%pageSize/wordSize]
}

// cell is find, and makes the page; nil if the memory is not watched.
func (d *Detector) cell(addr uintptr) *cell {
	if c := d.find(addr); c != nil {
		return c
	}
	e := d.entry(addr)
	if e == 0 {
		return nil
	}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(e)), uint32(d.alloc(unsafe.Sizeof(page{})))) // find may look; the page is zero
	return d.find(addr)
}

// Watched reports whether addr is of memory that is watched. It may run at any time.
//
//go:nosplit
func (d *Detector) Watched(addr uintptr) bool { return d.entry(addr) != 0 }

// Touched reports whether anything may be known of addr's page. It may run at any time.
//
//go:nosplit
func (d *Detector) Touched(addr uintptr) bool { return d.find(addr) != nil }

// Known reports whether Access would change nothing: the memory is not watched, or the goroutine has done the same since it last synchronised,
// or more.
//
// It may run at any time, by the goroutine itself. Only that goroutine puts its present epoch anywhere. So if the word's first cell has
// it, the goroutine has accessed bytes of that word, those of the cell, and an access that came between and took the epoch away was
// compared with it, as it would be with this one: this access may as well have been before that one. A cell that is split keeps its
// epochs, in both parts, so an older mask does not matter. The word's first cell never becomes another word's.
//
//go:nosplit
func (d *Detector) Known(c Ctx, addr, size uintptr, write bool) bool {
	first := d.find(addr)
	if first == nil {
		return d.entry(addr) == 0
	}
	mask := bytesOf(addr, size)
	if mask == 0 || first.mask&mask != mask {
		return size == 0
	}
	now := uint64(d.at(uint32(c)).epoch())
	return atomic.LoadUint64((*uint64)(&first.write)) == now || !write && atomic.LoadUint64((*uint64)(&first.reads)) == now
}

// bytesOf is the mask of [addr, addr+size) if it lies in one word, else 0.
//
//go:nosplit
func bytesOf(addr, size uintptr) uint8 {
	off := addr % wordSize
	if off+size > wordSize {
		return 0
	}
	return uint8((1<<size - 1) << off)
}

// Access notes that c accesses size bytes from addr on, with the given stack, and reports the first race that this makes.
func (d *Detector) Access(c Ctx, addr, size uintptr, kind Kind, stack Stack) (r Race, found bool) {
	g := d.at(uint32(c))
	for end := addr + size; addr < end; {
		n := min(end, addr&^(wordSize-1)+wordSize) - addr
		if first := d.cell(addr); first != nil {
			g.touched = g.clock
			prev, old, was, bad := d.accessWord(g, first, bytesOf(addr, n), kind, stack)
			if bad && !found {
				found = true
				r = Race{Addr: addr, Kind: kind, Prev: was, Now: d.info(g.epoch()), Then: d.info(prev), Stack: stack, Old: old}
			}
		}
		addr += n
	}
	return r, found
}

// accessWord is Access of the bytes of mask of one word.
func (d *Detector) accessWord(g *goroutine, first *cell, mask uint8, kind Kind, stack Stack) (prev epoch, old Stack, was Kind, bad bool) {
	rest := mask
	for c := first; ; c = (*cell)(d.ptr(c.next)) {
		if c.mask&mask != 0 {
			if c.mask&^mask != 0 {
				d.split(c, mask)
			}
			rest &^= c.mask
			if e, s, k, b := d.update(g, c, kind, stack); b && !bad {
				prev, old, was, bad = e, s, k, true
			}
		}
		if c.next == 0 {
			break
		}
	}
	if rest != 0 {
		c := first
		if c.mask != 0 {
			c = d.newCell(first)
		}
		c.mask = rest
		d.update(g, c, kind, stack)
	}
	return prev, old, was, bad
}

// Classes in the arena.
const (
	lockClass    = 1
	atomicsClass = 2
	cellClass    = 3

	_ = uint(unit<<lockClass - unsafe.Sizeof(lock{})) // they are large enough
	_ = uint(unit<<atomicsClass - unsafe.Sizeof(atomics{}))
	_ = uint(unit<<cellClass - unsafe.Sizeof(cell{}))
)

// newCell adds an empty cell behind c.
func (d *Detector) newCell(c *cell) *cell {
	n := d.take(cellClass)
	more := (*cell)(d.ptr(n))
	more.next = c.next
	c.next = n
	return more
}

// split leaves c the bytes of mask, and gives the others to a new cell that knows the same.
func (d *Detector) split(c *cell, mask uint8) {
	more := d.newCell(c)
	more.write, more.writeStack = c.write, c.writeStack
	more.reads, more.readsStack = d.copySet(c.reads), c.readsStack
	if c.atomics != 0 {
		a := (*atomics)(d.ptr(c.atomics))
		more.atomics = d.take(atomicsClass)
		*(*atomics)(d.ptr(more.atomics)) = atomics{d.copySet(a.reads), d.copySet(a.writes), a.readsStack, a.writesStack}
	}
	more.mask = c.mask &^ mask
	c.mask &= mask
}

// update notes an access by g to the bytes of c, and returns an earlier one that it races with.
func (d *Detector) update(g *goroutine, c *cell, kind Kind, stack Stack) (prev epoch, old Stack, was Kind, bad bool) {
	now := g.epoch()
	if c.write == now || kind == Read && c.reads == now {
		return 0, 0, 0, false
	}
	check := func(e epoch, s Stack, k Kind) {
		if !bad && e != 0 {
			if prev, old, bad = d.unknown(g, e, s); bad {
				was = k
			}
		}
	}
	check(c.write, c.writeStack, Write)
	if kind&Write != 0 {
		check(c.reads, c.readsStack, Read)
	}
	if c.atomics != 0 && kind&Atomic == 0 {
		a := (*atomics)(d.ptr(c.atomics))
		check(a.writes, a.writesStack, AtomicWrite)
		if kind == Write {
			check(a.reads, a.readsStack, Atomic)
		}
	}
	switch kind {
	case Read:
		d.add(g, &c.reads, &c.readsStack, stack)
	case Write:
		d.forget(c)
		c.write, c.writeStack = now, stack
	default:
		if c.atomics == 0 {
			c.atomics = d.take(atomicsClass)
		}
		if a := (*atomics)(d.ptr(c.atomics)); kind == Atomic {
			d.add(g, &a.reads, &a.readsStack, stack)
		} else {
			d.add(g, &a.writes, &a.writesStack, stack)
		}
	}
	return prev, old, was, bad
}

// unknown returns an access of the set e that did not happen before what g does, if there is one.
func (d *Detector) unknown(g *goroutine, e epoch, s Stack) (epoch, Stack, bool) {
	if e&isVector == 0 {
		return e, s, !g.knows(d, e)
	}
	v := d.vec(e.vector())
	for slot := 0; slot < len(v)/2; slot++ {
		if one := epoch(slot)<<32 | epoch(v[2*slot]); one.clock() != 0 && !g.knows(d, one) {
			return one, Stack(v[2*slot+1]), true
		}
	}
	return 0, 0, false
}

// add adds g's present epoch to a set.
func (d *Detector) add(g *goroutine, set *epoch, stack *Stack, s Stack) {
	switch e := *set; {
	case e&isVector != 0:
	case e == 0 || g.knows(d, e):
		*set, *stack = g.epoch(), s
		return
	default:
		v := d.newVec(2 * (max(e.slot(), g.slot) + 1))
		n := d.vec(v)
		n[2*e.slot()], n[2*e.slot()+1] = e.clock(), uint32(*stack)
		*set = isVector | epoch(v)
	}
	v := set.vector()
	n := d.reach(&v, 2*(g.slot+1))
	n[2*g.slot], n[2*g.slot+1] = g.clock, uint32(s)
	*set = isVector | epoch(v)
}

// copySet returns a copy of a set.
func (d *Detector) copySet(e epoch) epoch {
	if e&isVector == 0 {
		return e
	}
	return isVector | epoch(d.copyVec(e.vector()))
}

// freeSet frees a set's vector.
func (d *Detector) freeSet(e epoch) {
	if e&isVector != 0 {
		d.freeVec(e.vector())
	}
}

// forget frees what c knows of accesses other than the last write.
func (d *Detector) forget(c *cell) {
	d.freeSet(c.reads)
	if c.atomics != 0 {
		a := (*atomics)(d.ptr(c.atomics))
		d.freeSet(a.reads)
		d.freeSet(a.writes)
		d.give(c.atomics, atomicsClass)
	}
	c.reads, c.readsStack, c.atomics = 0, 0, 0
}

// New forgets all that is known of size bytes from addr on: they are a new object. Both are multiples of a word.
func (d *Detector) New(addr, size uintptr) {
	for end := addr + size; addr < end; {
		n := min(end, addr&^(pageSize-1)+pageSize)
		if first := d.find(addr); first != nil {
			cells := unsafe.Slice(first, (n-addr+wordSize-1)/wordSize)
			for i := range cells {
				d.clearWord(&cells[i])
			}
		}
		addr = n
	}
}

// clearWord forgets all of a word. first is its first cell.
func (d *Detector) clearWord(first *cell) {
	if first.mask == 0 && first.locks == 0 {
		return
	}
	for l := first.locks; l != 0; {
		gone := (*lock)(d.ptr(l))
		next := gone.next
		d.freeVec(gone.vec)
		d.give(l, lockClass)
		l = next
	}
	for r := first.next; r != 0; {
		c := (*cell)(d.ptr(r))
		next := c.next
		d.forget(c)
		d.give(r, cellClass)
		r = next
	}
	d.forget(first)
	*first = cell{}
}

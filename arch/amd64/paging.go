package amd64

import "unsafe"

// Page tables: four levels, 4 KiB and 2 MiB pages (SDM 3A, 4.5). They are
// changed under the kernel's memory lock and read by the hardware at any time;
// an entry is one aligned store, so the hardware sees the old or the new one.
//
// A page goes away in two steps, because other processors may have its
// translation cached: Hide clears the present bit but leaves the frame number,
// the kernel has all processors flush, then Reap frees what is hidden. Between
// the two nobody can have a translation, and the frame is nobody else's yet.

const (
	PageSize = 4096
	HugeSize = 2 << 20

	pteP    = 1 << 0
	pteW    = 1 << 1
	ptePS   = 1 << 7
	pteNX   = 1 << 63
	pteAddr = 1<<52 - 1 - 0xfff
)

// pte returns the address of the entry for va in the table at pa whose
// entries each span 1<<shift bytes.
func pte(table uint64, va uintptr, shift uint) *uint64 {
	return (*uint64)(unsafe.Pointer(Phys(table&pteAddr) + va>>shift&511*8))
}

// leaf returns the entry that maps va, or would map it, at the level whose
// entries span 1<<shift bytes, and makes the tables above it. nil: no frame
// for a table, or a larger page lies there.
func leaf(va uintptr, shift uint) *uint64 {
	t := uint64(cr3())
	for s := uint(39); ; s -= 9 {
		e := pte(t, va, s)
		if s == shift {
			return e
		}
		if *e&pteP == 0 {
			pa := upTable()
			if pa == 0 {
				return nil
			}
			*e = pa | pteP | pteW
		} else if *e&ptePS != 0 {
			return nil
		}
		t = *e
	}
}

// Map maps the page of the given size (PageSize or HugeSize) at va, where
// nothing of that size is mapped, to the frame at pa: readable, writable, never
// executable. It reports false if there is no frame for a table.
func Map(va uintptr, pa uint64, size uintptr) bool {
	e, flags := leaf(va, 12), uint64(pteP|pteW|pteNX)
	if size == HugeSize {
		e, flags = leaf(va, 21), flags|ptePS
	}
	if e == nil {
		return false
	}
	*e = pa | flags
	return true
}

// Mapped reports whether va is mapped, and whether the 2 MiB around it hold
// any table or page.
func Mapped(va uintptr) (mapped, block bool) {
	t := uint64(cr3())
	for s := uint(39); ; s -= 9 {
		e := *pte(t, va, s)
		if s == 12 {
			return e&pteP != 0, true
		}
		if e&pteP == 0 {
			return false, s == 21 && e != 0
		}
		if e&ptePS != 0 {
			return true, true
		}
		t = e
	}
}

// next returns the end of the span of 1<<shift bytes that va lies in, but at
// most end.
func next(va, end uintptr, shift uint) uintptr {
	n := (va>>shift + 1) << shift
	if n > end || n == 0 {
		return end
	}
	return n
}

// Hide clears the present bit of all pages in [va, end), splitting 2 MiB pages
// that are only partly in it. changed says that there were any. ok is false if
// there was no frame for a split; then the rest is untouched.
func Hide(va, end uintptr) (changed, ok bool) {
	for va < end {
		t := uint64(cr3())
		s := uint(39)
		e := pte(t, va, s)
		for *e&pteP != 0 && s > 12 {
			if *e&ptePS != 0 {
				if va&(HugeSize-1) == 0 && end-va >= HugeSize {
					break
				}
				if !split(e) {
					return changed, false
				}
			}
			s -= 9
			e = pte(*e, va, s)
		}
		if *e&pteP != 0 {
			*e &^= pteP
			changed = true
		}
		va = next(va, end, s)
	}
	return changed, true
}

// split replaces a 2 MiB page by a table of 512 pages with the same frames.
// The translation of every address stays what it was, so a processor that
// still has the large one cached does no harm until it is told to flush.
func split(e *uint64) bool {
	pa := upTable()
	if pa == 0 {
		return false
	}
	old := *e
	for i := uint64(0); i < 512; i++ {
		*pte(pa, uintptr(i)<<12, 12) = old&pteAddr + i<<12 | old&(pteP|pteW|pteNX)
	}
	*e = pa | pteP | pteW
	return true
}

// Reap frees what Hide hid in [va, end). Every processor has flushed in
// between. Tables stay: they are a five-hundredth of what they mapped, and the
// runtime uses its address space again.
func Reap(va, end uintptr) {
	for va < end {
		s := uint(39)
		e := pte(uint64(cr3()), va, s)
		for *e&pteP != 0 && *e&ptePS == 0 && s > 21 {
			s -= 9
			e = pte(*e, va, s)
		}
		stop := next(va, end, s)
		switch {
		case s != 21 || *e == 0:
		case *e&ptePS != 0:
			if *e&pteP == 0 {
				upFree(*e&pteAddr, HugeSize)
				*e = 0
			}
		default:
			for a := va; a < stop; a += PageSize {
				if p := pte(*e, a, 12); *p != 0 && *p&pteP == 0 {
					upFree(*p&pteAddr, PageSize)
					*p = 0
				}
			}
		}
		va = stop
	}
}

// mapDirect extends the direct map, which the image builder made for the first
// 4 GiB, to physical addresses up to end. Boot only.
func mapDirect(end uint64) bool {
	for pa := uint64(4 << 30); pa < end; pa += HugeSize {
		e := leaf(Phys(pa), 21)
		if e == nil {
			return false
		}
		*e = pa | pteP | pteW | pteNX | ptePS
	}
	return true
}

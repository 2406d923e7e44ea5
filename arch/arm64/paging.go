//go:build arm64

package arm64

import "unsafe"

// Page tables: four levels, 4 KiB and 2 MiB pages (D8.3). They are changed under
// the kernel's memory lock and read by the hardware at any time; an entry is one
// aligned store, so the hardware sees the old or the new one. There are two roots,
// one for each half of the address space.
//
// A page goes away in two steps, because other processors may have its
// translation cached: Hide clears the valid bit but leaves the frame number,
// the kernel has all processors flush, then Reap frees what is hidden. Between
// the two nobody can have a translation, and the frame is nobody else's yet.
//
// An entry that was not valid is in nobody's cache (D8.13.1), so making one valid
// takes no flush. But the walk of the processor that does so must find it, hence
// published. Another one that does not find it yet faults, asks the kernel, which
// finds it, and tries again.

const (
	PageSize = 4096
	HugeSize = 2 << 20

	pteValid  = 1 << 0
	pteTable  = 1 << 1 // of a valid entry above the last level: a table, not a block
	pteDevice = 1 << 2 // attributes: AttrDevice
	pteShared = 3 << 8 // inner shareable
	pteAccess = 1 << 10
	pteNX     = 3 << 53 // neither privileged nor unprivileged
	pteAddr   = 1<<48 - 1 - 0xfff

	pteBlock = pteValid | pteShared | pteAccess
	ptePage  = pteBlock | pteTable // on the last level the bit says: a page
)

// root returns the table of the half of the address space that va is in.
func root(va uintptr) uint64 {
	if va>>63 != 0 {
		return readTTBR1()
	}
	return readTTBR0()
}

// pte returns the address of the entry for va in the table at pa whose
// entries each span 1<<shift bytes.
func pte(table uint64, va uintptr, shift uint) *uint64 {
	return (*uint64)(unsafe.Pointer(Phys(table&pteAddr) + va>>shift&511*8))
}

// leaf returns the entry that maps va, or would map it, at the level whose
// entries span 1<<shift bytes, and makes the tables above it. nil: no frame
// for a table, or a larger page lies there.
func leaf(va uintptr, shift uint) *uint64 {
	t := root(va)
	for s := uint(39); ; s -= 9 {
		e := pte(t, va, s)
		if s == shift {
			return e
		}
		if *e&pteValid == 0 {
			pa := upTable()
			if pa == 0 {
				return nil
			}
			// The zeros of the table are seen before the way to it.
			ordered()
			*e = pa | pteValid | pteTable
		} else if *e&pteTable == 0 {
			return nil
		}
		t = *e
	}
}

// Map maps the page of the given size (PageSize or HugeSize) at va, where
// nothing of that size is mapped, to the frame at pa: readable, writable, never
// executable. It reports false if there is no frame for a table.
func Map(va uintptr, pa uint64, size uintptr) bool {
	shift, flags := uint(12), uint64(ptePage|pteNX)
	if size == HugeSize {
		shift, flags = 21, pteBlock|pteNX
	}
	e := leaf(va, shift)
	if e == nil {
		return false
	}
	ordered() // what the frame holds, before it can be reached
	*e = pa | flags
	published()
	return true
}

// Mapped reports whether va is mapped, and whether the 2 MiB around it hold
// any table or page.
func Mapped(va uintptr) (mapped, block bool) {
	t := root(va)
	for s := uint(39); ; s -= 9 {
		e := *pte(t, va, s)
		if s == 12 {
			return e&pteValid != 0, true
		}
		if e&pteValid == 0 {
			return false, s == 21 && e != 0
		}
		if e&pteTable == 0 {
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
		t := root(va)
		s := uint(39)
		e := pte(t, va, s)
		for *e&pteValid != 0 && s > 12 {
			if *e&pteTable == 0 {
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
		if *e&pteValid != 0 {
			*e &^= pteValid
			changed = true
		}
		va = next(va, end, s)
	}
	return changed, true
}

// split replaces a 2 MiB page by a table of 512 pages with the same frames. A block
// may not become a table under a processor's eyes (D8.14.1), so it is absent for a
// moment: whoever faults meanwhile waits in the kernel for the memory lock, and then
// finds a page.
func split(e *uint64) bool {
	pa := upTable()
	if pa == 0 {
		return false
	}
	old := *e
	for i := uint64(0); i < 512; i++ {
		*pte(pa, uintptr(i)<<12, 12) = old&pteAddr + i<<12 | ptePage | pteNX
	}
	*e = 0
	flushAllTLBs()
	*e = pa | pteValid | pteTable
	published()
	return true
}

// Reap frees what Hide hid in [va, end). Every processor has flushed in
// between. Tables stay: they are a five-hundredth of what they mapped, and the
// runtime uses its address space again.
func Reap(va, end uintptr) {
	for va < end {
		s := uint(39)
		e := pte(root(va), va, s)
		for *e&pteValid != 0 && *e&pteTable != 0 && s > 21 {
			s -= 9
			e = pte(*e, va, s)
		}
		stop := next(va, end, s)
		switch {
		case s != 21 || *e == 0:
		case *e&pteTable == 0:
			if *e&pteValid == 0 {
				upFree(*e&pteAddr, HugeSize)
				*e = 0
			}
		default:
			for a := va; a < stop; a += PageSize {
				if p := pte(*e, a, 12); *p != 0 && *p&pteValid == 0 {
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
		*e = pa | pteBlock | pteNX
	}
	published()
	return true
}

// mapDeviceGiB makes the gigabyte of devices around physical address pa, which has no
// memory, reachable through Phys. It needs no table: the direct map's second level
// is there for 512 GiB. Boot only; it reports false beyond that.
func mapDeviceGiB(pa uint64) bool {
	if pa>>39 != 0 {
		return false
	}
	e := leaf(Phys(pa), 30)
	if e == nil || *e&pteValid != 0 {
		return e != nil
	}
	*e = pa&^(1<<30-1) | pteBlock | pteDevice | pteNX
	published()
	return true
}

package arch

import (
	"sched9/arch/arm64/layout"
	"sched9/arch/fdt"
	"sched9/arch/paging"
)

// This architecture's part of package paging: the form of entries (D8.3), barriers, two roots, one
// for each half of the address space, and the kernel's map of all physical memory.

const (
	pteValid  = 1 << 0
	pteTable  = 1 << 1 // of an entry above the last level: a table, not a block
	pteDevice = 1 << 2 // attributes: AttrDevice
	pteRO     = 1 << 7
	pteShared = 3 << 8 // inner shareable
	pteAccess = 1 << 10
	pteNX     = 3 << 53 // neither privileged nor unprivileged
	pteLent   = 1 << 55 // left to software (Arm ARM, D8.3.2)
	pteAddr   = 1<<48 - 1 - 0xfff

	pteNone  = pteShared | pteAccess | pteNX
	pteBlock = pteValid | pteNone
	ptePage  = pteTable // on the last level the bit says: a page
)

// pages are the page tables.
var pages = paging.Tables{
	Format: paging.Format{
		Addr:    pteAddr,
		Table:   pteValid | pteTable,
		IsTable: pteTable,
		Page:    [3]uint64{paging.None: ptePage | pteNone, paging.Read: ptePage | pteBlock | pteRO, paging.Write: ptePage | pteBlock},
		Huge:    [3]uint64{paging.None: pteNone, paging.Read: pteBlock | pteRO, paging.Write: pteBlock},
		Lent:    pteLent,
	},
	Root:      root,
	Get:       getTable,
	Free:      upFree,
	Ordered:   ordered,
	Published: published,
	Break:     flushAllTLBs,
}

// root returns the table of the half of the address space that va is in.
func root(va uintptr) uint64 {
	if va>>63 != 0 {
		return readTTBR1()
	}
	return readTTBR0()
}

// Before the kernel has memory for page tables, they are taken from what is behind the first ones, and reached where the image maps it: the
// direct map does not exist yet.

// spare is where the next table will be, in physical memory, and spareEnd is the end of the room. Only before closeTables.
var spare, spareEnd uint64

// spareLeast is how many tables are left for devices: each may need one.
const spareLeast = 10

// openTables begins that time, and closeTables ends it. Boot.
func openTables() {
	i := info()
	spare, spareEnd = i.Spare+i.Offset, i.ImageEnd+i.Offset
	pages.Base = -uintptr(i.Offset)
}

// closeTables: see openTables. The room is no longer mapped but in the direct map.
func closeTables() {
	i := info()
	for va := i.Tables; va < i.ImageEnd; va += PageSize {
		*pages.Leaf(uintptr(va), 12) = 0
	}
	flushAllTLBs()
	spare, spareEnd = 0, 0
	pages.InUse = 0
}

// getTable takes a table, which is zero.
func getTable() (pa uint64) {
	if spare == spareEnd {
		if spare == 0 {
			pa = upTable()
		}
		return pa
	}
	pa = spare
	spare += PageSize
	return pa
}

// mapWindow makes the 2 MiB around physical address pa readable at layout.Window. It reports false if it lies too high.
func mapWindow(pa uint64) bool {
	if pa >= layout.MapSize {
		return false
	}
	e := pages.Leaf(uintptr(layout.Window+pa), 21)
	if e == nil {
		return false
	}
	*e = pa&^(HugeSize-1) | pteBlock | pteRO
	published()
	return true
}

// mapMemory makes the direct map: all memory of the machine, in the largest pieces that fit. From here on Phys works, and
// page tables are reached by it; if the loader's map has no memory where the image is, they are not. What the tables do not suffice for is not used.
func mapMemory() {
	start, end := Image()
	// The image's own memory comes first.
	for _, own := range [...]bool{true, false} {
		for _, r := range machine.Memory.All() {
			if own == (r.Start <= start && end <= r.End) {
				r.Start = (r.Start + PageSize - 1) &^ (PageSize - 1)
				r.End &^= PageSize - 1
				if to := mapRange(r); to < r.End {
					machine.RAM.Cut(fdt.Range{Start: to, End: r.End})
				}
			}
		}
	}
	published()
	if machine.Memory.Has(fdt.Range{Start: start, End: end}) {
		pages.Base = layout.DirectMap
	}
}

// mapRange makes memory reachable through Phys, and returns how far it came. What of it is the image's and read-only is read-only
// here, too.
func mapRange(r fdt.Range) (to uint64) {
	start, end := Image()
	offset := info().Offset
	for to = r.Start; to < r.End && to < layout.MapSize; {
		shift := uint(30)
		for shift > 12 && (to&(1<<shift-1) != 0 || r.End-to < 1<<shift || to < end && start < to+1<<shift) {
			shift -= 9
		}
		if spareEnd-spare < spareLeast*PageSize {
			return to
		}
		e := pages.Leaf(Phys(to), shift)
		if e == nil {
			return to
		}
		*e = to | pteBlock
		if shift == 12 {
			*e |= ptePage
			if start <= to && to < end {
				if s := pages.Look(uintptr(to - offset)); s.Present && !s.Writable {
					*e |= pteRO
				}
			}
		}
		to += 1 << shift
	}
	return to
}

// Device makes the n bytes of device registers at physical address pa reachable, uncached, and returns their
// address; 0 if there is no frame for a page table. The mapping stays; mapping again is harmless. It maps
// pieces of 1 GiB: nothing accesses a device's memory that it was not told to, and memory that lies in one, too, is not accessed there.
// Boot, or the kernel's memory lock is held.
func Device(pa uint64, n uintptr) uintptr {
	const gib = 1 << 30
	if pa >= layout.MapSize || uint64(n) > layout.MapSize-pa {
		return 0
	}
	for at := pa &^ (gib - 1); at < pa+uint64(n); at += gib {
		e := pages.Leaf(uintptr(layout.Devices+at), 30)
		if e == nil {
			return 0
		}
		*e = at | pteBlock | pteDevice
	}
	published()
	return uintptr(layout.Devices + pa)
}

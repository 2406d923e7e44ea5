package arch

import (
	"sched9/arch/arm64/layout"
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
	},
	Base:      layout.DirectMap,
	Root:      root,
	Get:       upTable,
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

// mapDirect extends the direct map, which the image builder made for the first
// 4 GiB, to physical addresses up to end. Boot only.
func mapDirect(end uint64) bool {
	for pa := uint64(4 << 30); pa < end; pa += HugeSize {
		e := pages.Leaf(Phys(pa), 21)
		if e == nil {
			return false
		}
		*e = pa | pteBlock
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
	e := pages.Leaf(Phys(pa), 30)
	if e == nil || *e != 0 {
		return e != nil
	}
	*e = pa&^(1<<30-1) | pteBlock | pteDevice
	published()
	return true
}

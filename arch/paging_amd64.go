package arch

import (
	"sched9/arch/amd64/layout"
	"sched9/arch/paging"
)

// This architecture's part of package paging: the form of entries (SDM 3A, 4.5) and the kernel's
// map of all physical memory.

const (
	pteP    = 1 << 0
	pteW    = 1 << 1
	ptePS   = 1 << 7 // above the last level: a page, not a table
	pteNX   = 1 << 63
	pteLent = 1 << 9 // left to software (SDM 3A, table 4-20)
	pteAddr = 1<<52 - 1 - 0xfff
)

// pages are the page tables. Stores are seen in their order, by walks too, and a page of
// 2 MiB may become a table at any time.
var pages = paging.Tables{
	Format: paging.Format{
		Addr:    pteAddr,
		Table:   pteP | pteW,
		IsTable: ptePS,
		Page:    [3]uint64{paging.None: pteNX, paging.Read: pteP | pteNX, paging.Write: pteP | pteW | pteNX},
		Huge:    [3]uint64{paging.None: pteNX | ptePS, paging.Read: pteP | pteNX | ptePS, paging.Write: pteP | pteW | pteNX | ptePS},
		Lent:    pteLent,
	},
	Base:      layout.DirectMap,
	Root:      root,
	Get:       upTable,
	Free:      upFree,
	Ordered:   inOrder,
	Published: inOrder,
}

// root returns the table of the first level, for any address.
func root(uintptr) uint64 { return cr3() }

// inOrder stands for a barrier, which this architecture does not need.
func inOrder() {}

// mapDirect extends the direct map, which the image builder made for the first
// 4 GiB, to physical addresses up to end. Boot only.
func mapDirect(end uint64) bool {
	for pa := uint64(4 << 30); pa < end; pa += HugeSize {
		e := pages.Leaf(Phys(pa), 21)
		if e == nil {
			return false
		}
		*e = pa | pteP | pteW | pteNX | ptePS
	}
	return true
}

package boot

import (
	"debug/elf"
	"encoding/binary"

	"sched9/arch/amd64/layout"
)

// Bits of a paging entry (Intel SDM 3A, 4.5, tables 4-15 to 4-20).
const (
	ptePresent  = 1 << 0
	pteWrite    = 1 << 1
	ptePWT      = 1 << 3
	ptePCD      = 1 << 4
	pteLarge    = 1 << 7
	pteNX       = 1 << 63
	pteUncached = ptePCD | ptePWT

	largePage = 2 << 20
)

// lowLimit is the end of what the first tables can map one to one: one page
// directory's worth.
const lowLimit = 1 << 30

// The tables stand one after the other from layout.PageTables. The last level
// of the low gigabyte follows, a table for each 2 MiB in which something lies.
const (
	tablePML4 = iota // CR3 points here
	tableLowPDPT
	tableLowPD
	tableDirectPDPT
	tableDirectPD                     // four, one for each GiB
	tableLowPT    = tableDirectPD + 4 // as many as are needed
)

// The negative constant of a layout that is too small does not compile: even
// an image that fills the low gigabyte has room for its tables.
const _ = uint(layout.PageTablesEnd - layout.PageTables - (tableLowPT+lowLimit/largePage)*pageSize)

// tables is the memory from layout.PageTables on.
type tables []byte

// pageTables returns the first page tables. Low memory is mapped one to one,
// with 4 KiB pages, only where segs say and as their flags say: that is what
// makes page 0, the guards beside the boot stack and the tables themselves
// fault. segs are page-aligned, below lowLimit and do not share pages. The
// direct map shows all 4 GiB, writable and never executable.
func pageTables(segs []segment) []byte {
	t := make(tables, tableLowPT*pageSize)
	direct := layout.DirectMap >> 39 & 511
	t.set(tablePML4, 0, t.address(tableLowPDPT)|ptePresent|pteWrite)
	t.set(tableLowPDPT, 0, t.address(tableLowPD)|ptePresent|pteWrite)
	t.set(tablePML4, direct, t.address(tableDirectPDPT)|ptePresent|pteWrite)
	for gib := range 4 {
		t.set(tableDirectPDPT, gib, t.address(tableDirectPD+gib)|ptePresent|pteWrite)
		for i := range 512 {
			at := uint64(gib)<<30 | uint64(i)*largePage
			e := at | ptePresent | pteWrite | pteLarge | pteNX
			if at >= layout.DeviceFrom {
				e |= pteUncached
			}
			t.set(tableDirectPD+gib, i, e)
		}
	}
	for _, s := range segs {
		for at := s.addr; at < s.end(); at += pageSize {
			t.mapLow(at, protection(s.flags))
		}
	}
	return t
}

// protection is what a page entry says for a segment's flags.
func protection(flags elf.ProgFlag) uint64 {
	p := uint64(ptePresent)
	if flags&elf.PF_W != 0 {
		p |= pteWrite
	}
	if flags&elf.PF_X == 0 {
		p |= pteNX
	}
	return p
}

// mapLow maps the 4 KiB at physical address at one to one.
func (t *tables) mapLow(at, protection uint64) {
	pd := int(at / largePage)
	if t.get(tableLowPD, pd) == 0 {
		n := len(*t) / pageSize
		*t = append(*t, make([]byte, pageSize)...)
		t.set(tableLowPD, pd, t.address(n)|ptePresent|pteWrite)
	}
	pt := t.get(tableLowPD, pd) &^ (pageSize - 1)
	t.set(int(pt-layout.PageTables)/pageSize, int(at/pageSize%512), at|protection)
}

// address is the physical address of table n.
func (t tables) address(n int) uint64 { return layout.PageTables + uint64(n)*pageSize }

// get and set access one entry of a table, which is counted as in the list above.
func (t tables) get(table, index int) uint64 {
	return binary.LittleEndian.Uint64(t[table*pageSize+index*8:])
}

func (t tables) set(table, index int, entry uint64) {
	binary.LittleEndian.PutUint64(t[table*pageSize+index*8:], entry)
}

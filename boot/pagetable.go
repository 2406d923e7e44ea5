package boot

import (
	"debug/elf"
	"encoding/binary"
	"maps"
	"slices"

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

// lowLimit is the end of the addresses that the first tables can map one to one: one page
// directory's worth.
const lowLimit = 1 << 30

// The tables follow one another from layout.PageTables. The last level of the low gigabyte comes
// after them, a table for each 2 MiB with contents, and then that of the direct map, a table for
// each 2 MiB that is partly read-only.
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

// pageTables returns the first page tables. Low memory is mapped one to one, with 4 KiB pages, only
// at the addresses and with the protection of segs: so page 0, the guards beside the boot stack and
// the tables themselves fault. segs are page-aligned, below lowLimit and do not share pages. The
// direct map shows all 4 GiB, never executable, and writable except for pages that are read-only
// below.
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
	fixed := readOnly(segs)
	for _, span := range slices.Sorted(maps.Keys(fixed)) {
		t.fix(span, fixed[span])
	}
	return t
}

// readOnly returns the pages of segs that are not writable, by the 2 MiB that they lie in.
func readOnly(segs []segment) map[uint64][]uint64 {
	pages := map[uint64][]uint64{}
	for _, s := range segs {
		for at := s.addr; at < s.end() && s.flags&elf.PF_W == 0; at += pageSize {
			span := at / largePage * largePage
			pages[span] = append(pages[span], at)
		}
	}
	return pages
}

// fix makes pages of the 2 MiB at span read-only in the direct map.
func (t *tables) fix(span uint64, pages []uint64) {
	table, index := tableDirectPD+int(span>>30), int(span/largePage%512)
	if len(pages)*pageSize == largePage {
		t.set(table, index, t.get(table, index)&^pteWrite)
		return
	}
	n := len(*t) / pageSize
	*t = append(*t, make([]byte, pageSize)...)
	for i := range 512 {
		t.set(n, i, span+uint64(i)*pageSize|ptePresent|pteWrite|pteNX)
	}
	for _, at := range pages {
		t.set(n, int(at/pageSize%512), at|ptePresent|pteNX)
	}
	t.set(table, index, t.address(n)|ptePresent|pteWrite)
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

// run is a run of entries of page tables: Count of them from physical address To on, the first
// (High<<32 | Low), each Step more than the one before. The guest's first instructions make the tables of such runs, because
// the tables would be a fiftieth of a small image's file.
type run struct{ Count, To, Step, High, Low uint32 }

// tableRuns returns the runs of all entries of t that are not 0. It is to lie at address base.
func tableRuns(t []byte, base uint64) (runs []run) {
	for i := 0; i < len(t); i += 8 {
		e := binary.LittleEndian.Uint64(t[i:])
		if e == 0 {
			continue
		}
		to, high, low := uint32(base)+uint32(i), uint32(e>>32), uint32(e)
		if n := len(runs); n > 0 {
			r := &runs[n-1]
			follows := r.To+r.Count*8 == to && r.High == high
			if follows && r.Count == 1 {
				r.Step = low - r.Low
			}
			if follows && r.Low+r.Count*r.Step == low {
				r.Count++
				continue
			}
		}
		runs = append(runs, run{Count: 1, To: to, High: high, Low: low})
	}
	return runs
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

package boot

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"sched9/arch/arm64/layout"
)

// The header of an arm64 Image (Linux, Documentation/arch/arm64/booting.rst): code
// that branches to the entry, where memory's 2 MiB it wants to lie, how long it is
// with its zeroed part, flags, and a magic number.
type linuxHeader struct {
	Code0      uint32
	Code1      uint32
	TextOffset uint64
	ImageSize  uint64
	Flags      uint64
	_          [3]uint64
	Magic      uint32
	_          uint32
}

const (
	linuxMagic = 0x644d5241 // "ARM\x64"
	// linuxFlags: little-endian, pages of 4 KiB; anywhere in memory is not said.
	linuxFlags   = 1 << 1
	linuxMagicAt = 56

	textOffset = layout.Header - layout.RAM
)

// arm64Limit is the end of the addresses that the first tables can map one to one.
const arm64Limit = layout.Header + 256<<20

// Descriptors of translation tables (Arm ARM, D8.3).
const (
	descValid  = 1 << 0
	descTable  = 1 << 1 // above the last level; on it, a page
	descDevice = layout.AttrDevice << 2
	descRO     = 1 << 7
	descShared = 3 << 8 // inner
	descAccess = 1 << 10
	descPXN    = 1 << 53
	descUXN    = 1 << 54
)

// The tables stand one after the other. The last level of low
// memory follows, a table for each 2 MiB in which something lies.
const (
	tableLowL0  = iota // layout.Low
	tableHighL0        // layout.High
	tableLowL1
	tableLowL2
	tableDirectL1
	tableDirectL2 // of the gigabyte in which the image lies
	tableLowL3    // as many as are needed, and then some of the direct map
)

// arm64Tables are tables that are to lie at address at.
type arm64Tables struct {
	at   uint64
	data []byte
}

// pageTablesARM64 returns the first translation tables, which are to lie at address at: low memory one to one where segs
// say and as their flags say, and the direct map of the first 4 GiB, of which the
// first holds devices. No page of it is executable, and none is writable that is not below.
func pageTablesARM64(at uint64, segs []segment) []byte {
	t := arm64Tables{at: at, data: make([]byte, tableLowL3*pageSize)}
	const gib = 1 << 30
	t.set(tableLowL0, layout.Header>>39, t.address(tableLowL1)|descValid|descTable)
	t.set(tableLowL1, layout.Header>>30, t.address(tableLowL2)|descValid|descTable)
	t.set(tableHighL0, layout.DirectMap>>39&511, t.address(tableDirectL1)|descValid|descTable)
	for i := range 4 {
		e := uint64(i)*gib | descDirect
		if i == 0 {
			e |= descDevice
		}
		t.set(tableDirectL1, i, e)
	}
	for i := range 512 {
		t.set(tableDirectL2, i, layout.Header/gib*gib+uint64(i)*largePage|descDirect)
	}
	t.set(tableDirectL1, layout.Header/gib, t.address(tableDirectL2)|descValid|descTable)
	for _, s := range segs {
		for at := s.addr; at < s.end(); at += pageSize {
			t.mapLow(at, s.flags)
		}
	}
	fixed := readOnly(segs)
	for _, span := range slices.Sorted(maps.Keys(fixed)) {
		t.fix(span, fixed[span])
	}
	return t.data
}

// descDirect are the bits of a block of the direct map that is memory.
const descDirect = descValid | descShared | descAccess | descPXN | descUXN

// fix makes pages of the 2 MiB at span read-only in the direct map.
func (t *arm64Tables) fix(span uint64, pages []uint64) {
	index := int(span / largePage % 512)
	if len(pages)*pageSize == largePage {
		t.set(tableDirectL2, index, span|descDirect|descRO)
		return
	}
	n := t.add()
	for i := range 512 {
		t.set(n, i, span+uint64(i)*pageSize|descDirect|descTable)
	}
	for _, at := range pages {
		t.set(n, int(at/pageSize%512), at|descDirect|descTable|descRO)
	}
	t.set(tableDirectL2, index, t.address(n)|descValid|descTable)
}

// mapLow maps the 4 KiB at physical address at one to one.
func (t *arm64Tables) mapLow(at uint64, flags elf.ProgFlag) {
	l2 := int(at / largePage % 512)
	if t.get(tableLowL2, l2) == 0 {
		n := t.add()
		t.set(tableLowL2, l2, t.address(n)|descValid|descTable)
	}
	l3 := int(t.get(tableLowL2, l2)&^(pageSize-1)-t.at) / pageSize
	e := at | descValid | descTable | descShared | descAccess | descUXN
	if flags&elf.PF_W == 0 {
		e |= descRO
	}
	if flags&elf.PF_X == 0 {
		e |= descPXN
	}
	t.set(l3, int(at/pageSize%512), e)
}

// add appends a table and returns its number.
func (t *arm64Tables) add() (n int) {
	n = len(t.data) / pageSize
	t.data = append(t.data, make([]byte, pageSize)...)
	return n
}

// address is the physical address of table n.
func (t *arm64Tables) address(n int) uint64 { return t.at + uint64(n)*pageSize }

// get and set access one entry of a table.
func (t *arm64Tables) get(table, index int) uint64 {
	return binary.LittleEndian.Uint64(t.data[table*pageSize+index*8:])
}

func (t *arm64Tables) set(table, index int, entry uint64) {
	binary.LittleEndian.PutUint64(t.data[table*pageSize+index*8:], entry)
}

// imageARM64 puts header, runs and program together, as they lie in memory. What is zero behind the last
// segment's data is not in the file, nor are boot stack and page tables.
func (p program) imageARM64() ([]byte, error) {
	stack := segment{addr: p.end() + pageSize, size: layout.BootStackSize, flags: elf.PF_R | elf.PF_W}
	tablesAt := stack.end() + pageSize
	tables := pageTablesARM64(tablesAt, append([]segment{
		{addr: layout.Header, size: pageSize, flags: elf.PF_R | elf.PF_X},
		{addr: layout.InfoAt, size: pageSize, flags: elf.PF_R | elf.PF_W},
		stack,
	}, p.segments...))
	runs := tableRuns(tables, tablesAt)
	if len(runs) > layout.MaxRuns {
		return nil, fmt.Errorf("boot: the program has too many segments: its page tables are %d runs, %d are possible", len(runs), layout.MaxRuns)
	}
	imageEnd := tablesAt + uint64(len(tables))
	last := p.segments[len(p.segments)-1]
	dataEnd := (last.addr + uint64(len(last.data)) + 15) &^ 15
	img := make([]byte, dataEnd-layout.Header)
	put := func(at uint64, v any) {
		if _, err := binary.Encode(img[at-layout.Header:], binary.LittleEndian, v); err != nil {
			panic(err) // there is room, and all have a fixed size
		}
	}
	put(layout.Header, linuxHeader{
		Code0:      branchARM64(layout.Header, p.entry),
		TextOffset: textOffset,
		ImageSize:  imageEnd - layout.Header,
		Flags:      linuxFlags,
		Magic:      linuxMagic,
	})
	put(layout.RunsAt, runs)
	put(layout.InfoAt, layout.Info{
		Magic:      layout.InfoMagic,
		ImageStart: layout.Header,
		ImageEnd:   imageEnd,
		DataEnd:    dataEnd,
		ProgramEnd: p.end(),
		StackTop:   stack.end(),
		Tables:     tablesAt,
	})
	for _, s := range p.segments {
		copy(img[s.addr-layout.Header:], s.data)
	}
	return img, nil
}

// branchARM64 is the instruction B at address from, to address to (C6.2.25). Both are
// in the image, so within its reach.
func branchARM64(from, to uint64) uint32 { return 0x14000000 | uint32(to-from)>>2&0x3ffffff }

// isLinux reports whether img has the header of an arm64 Image.
func isLinux(img []byte) bool {
	return len(img) >= linuxMagicAt+4 && binary.LittleEndian.Uint32(img[linuxMagicAt:]) == linuxMagic
}

// arm64Info is the Info of an image, which is long enough to hold one.
func arm64Info(img []byte) (info layout.Info) {
	if _, err := binary.Decode(img[layout.InfoAt-layout.Header:], binary.LittleEndian, &info); err != nil {
		panic(err) // it has a fixed size
	}
	return info
}

// checkARM64 is Check for such an image.
func checkARM64(img []byte) error {
	var h linuxHeader
	if _, err := binary.Decode(img, binary.LittleEndian, &h); err != nil {
		return fmt.Errorf("boot: truncated image: %w", err)
	}
	if len(img) < layout.Program-layout.Header {
		return fmt.Errorf("boot: truncated image: %d bytes", len(img))
	}
	switch info := arm64Info(img); {
	case info.Magic != layout.InfoMagic:
		return fmt.Errorf("boot: not an image: Info at %#x has magic %#x, want %#x", layout.InfoAt, info.Magic, uint64(layout.InfoMagic))
	case h.TextOffset != textOffset || h.Flags != linuxFlags:
		return fmt.Errorf("boot: not an image: the header has offset %#x and flags %#x, want %#x and %#x",
			h.TextOffset, h.Flags, uint64(textOffset), uint64(linuxFlags))
	case info.ImageStart != layout.Header || info.ImageEnd != layout.Header+h.ImageSize:
		return fmt.Errorf("boot: broken image: Info says %#x to %#x, the header %#x to %#x",
			info.ImageStart, info.ImageEnd, uint64(layout.Header), layout.Header+h.ImageSize)
	case info.DataEnd != layout.Header+uint64(len(img)):
		return fmt.Errorf("boot: truncated image: Info says that it ends at offset %#x, the file at %#x",
			info.DataEnd-layout.Header, len(img))
	case binary.LittleEndian.Uint32(img[layout.RunsAt-layout.Header:]) == 0:
		return fmt.Errorf("boot: broken image: no page tables are described at %#x", uint64(layout.RunsAt))
	}
	return nil
}

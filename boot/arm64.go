package boot

import (
	"debug/elf"
	"encoding/binary"
	"fmt"

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
	PE         uint32 // offset of UEFI's header; the first two bytes are this kind of file's magic number, too
}

const (
	linuxMagic = 0x644d5241 // "ARM\x64"
	// linuxFlags: little-endian, pages of 4 KiB, anywhere in memory. A loader that knows it puts the image at
	// a multiple of 2 MiB; the image itself takes any multiple of 4 KiB.
	linuxFlags   = 1<<1 | 1<<3
	linuxMagicAt = 56

	// linuxCode0 does nothing, and begins with "MZ": ccmp x18, #0, #13, pl.
	linuxCode0 = 0xfa405a4d
	// beginAt is where loaders other than UEFI begin: X1 is 0, which it never is from UEFI.
	beginAt  = layout.Header + 0x1f0
	clearX1  = 0xd2800001 // mov x1, #0
	headerPE = 0x40       // of the first page
)

// arm64Limit is the end of the addresses that the first tables can map one to one.
const arm64Limit = layout.Header + 256<<20

// Descriptors of translation tables (Arm ARM, D8.3).
const (
	descValid  = 1 << 0
	descTable  = 1 << 1 // above the last level; on it, a page
	descRO     = 1 << 7
	descShared = 3 << 8 // inner
	descAccess = 1 << 10
	descPXN    = 1 << 53
	descUXN    = 1 << 54
)

// The tables stand one after the other. The last level follows, a table for each 2 MiB in which something lies.
const (
	tableLowL0  = iota // layout.Low
	tableHighL0        // layout.High
	tableSwitch        // layout.Switch
	tableLowL1  = tableSwitch + 4
	tableLowL2  = tableLowL1 + 1
	tableLowL3  = tableLowL2 + 1 // as many as are needed
)

// arm64Tables are tables that are linked to address at.
type arm64Tables struct {
	at   uint64
	data []byte
}

// pageTablesARM64 returns the first translation tables, which are linked to address at: they map segs as their flags say. Addresses in them
// are linked ones. All else is made by the guest, which knows where it is.
func pageTablesARM64(at uint64, segs []segment) []byte {
	t := arm64Tables{at: at, data: make([]byte, tableLowL3*pageSize)}
	t.set(tableLowL0, layout.Header>>39, t.address(tableLowL1)|descValid|descTable)
	t.set(tableLowL1, layout.Header>>30, t.address(tableLowL2)|descValid|descTable)
	for _, s := range segs {
		for at := s.addr; at < s.end(); at += pageSize {
			t.mapLow(at, s.flags)
		}
	}
	return t.data
}

// mapLow maps the 4 KiB at address at.
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

// address is the address of table n.
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
	room := segment{addr: tablesAt, size: (layout.Tables + 2*(tablesAt-layout.Header)/largePage) * pageSize, flags: elf.PF_R | elf.PF_W}
	imageEnd := room.end()
	tables := pageTablesARM64(tablesAt, append([]segment{
		{addr: layout.Header, size: pageSize, flags: elf.PF_R | elf.PF_X},
		{addr: layout.InfoAt, size: pageSize, flags: elf.PF_R | elf.PF_W},
		stack, room,
	}, p.segments...))
	runs := tableRuns(tables, tablesAt)
	if len(runs) > layout.MaxRuns {
		return nil, fmt.Errorf("boot: the program has too many segments: its page tables are %d runs, %d are possible", len(runs), layout.MaxRuns)
	}
	last := p.segments[len(p.segments)-1]
	dataEnd := (last.addr + uint64(len(last.data)) + 15) &^ 15
	img := make([]byte, dataEnd-layout.Header)
	put := func(at uint64, v any) {
		if _, err := binary.Encode(img[at-layout.Header:], binary.LittleEndian, v); err != nil {
			panic(err) // there is room, and all have a fixed size
		}
	}
	put(layout.Header, linuxHeader{
		Code0:     linuxCode0,
		Code1:     branchARM64(layout.Header+4, beginAt),
		ImageSize: imageEnd - layout.Header,
		Flags:     linuxFlags,
		Magic:     linuxMagic,
		PE:        headerPE,
	})
	put(beginAt, [2]uint32{clearX1, branchARM64(beginAt+4, p.entry)})
	put(layout.RunsAt, runs)
	put(layout.InfoAt, layout.Info{
		Magic:      layout.InfoMagic,
		ImageStart: layout.Header,
		ImageEnd:   imageEnd,
		DataEnd:    dataEnd,
		ProgramEnd: p.end(),
		StackTop:   stack.end(),
		Tables:     tablesAt,
		Spare:      tablesAt + uint64(len(tables)),
	})
	for _, s := range p.segments {
		copy(img[s.addr-layout.Header:], s.data)
	}
	copy(img[headerPE:beginAt-layout.Header], p.headersARM64(dataEnd, imageEnd))
	return img, nil
}

// headersARM64 are UEFI's headers of the image, whose parts lie in the file as they do in memory. dataEnd is the end of the file,
// imageEnd that of what it takes in memory.
func (p program) headersARM64(dataEnd, imageEnd uint64) []byte {
	sections := []section{{name: ".info", at: layout.InfoAt - layout.Header, size: pageSize, offset: pageSize, length: pageSize, flags: peData}}
	for i, s := range p.segments {
		end := s.end()
		if i == len(p.segments)-1 {
			end = imageEnd
		}
		n := section{at: int(s.addr - layout.Header), size: int(end - s.addr), length: int(min(end, dataEnd) - s.addr)}
		switch {
		case s.flags&elf.PF_X != 0:
			n.name, n.flags = ".text", peCode
		case s.flags&elf.PF_W != 0:
			n.name, n.flags = ".data", peData
		default:
			n.name, n.flags = ".rodata", peConstants
		}
		n.offset = n.at
		sections = append(sections, n)
	}
	return peHeaders(machineARM64, int(p.entry-layout.Header), pageSize, nil, sections)
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
	case h.Code0 != linuxCode0 || h.PE != headerPE:
		return fmt.Errorf("boot: not an image: the header begins with %#x, want %#x", h.Code0, uint64(linuxCode0))
	case h.TextOffset != 0 || h.Flags != linuxFlags:
		return fmt.Errorf("boot: not an image: the header has offset %#x and flags %#x, want 0 and %#x",
			h.TextOffset, h.Flags, uint64(linuxFlags))
	case info.ImageStart != layout.Header || info.ImageEnd != layout.Header+h.ImageSize:
		return fmt.Errorf("boot: broken image: Info says %#x to %#x, the header %#x to %#x",
			info.ImageStart, info.ImageEnd, uint64(layout.Header), layout.Header+h.ImageSize)
	case info.Line == 0 && info.DataEnd != layout.Header+uint64(len(img)):
		return fmt.Errorf("boot: truncated image: Info says that it ends at offset %#x, the file at %#x",
			info.DataEnd-layout.Header, len(img))
	case binary.LittleEndian.Uint32(img[layout.RunsAt-layout.Header:]) == 0:
		return fmt.Errorf("boot: broken image: no page tables are described at %#x", uint64(layout.RunsAt))
	}
	return nil
}

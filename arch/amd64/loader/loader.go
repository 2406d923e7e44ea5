// Package loader reads what a boot loader leaves in memory: the memory map, the command line, a
// module and the ACPI root pointer. It allocates nothing. The data may be arbitrary: reading always
// ends, and a message says what is wrong.
//
// Four loaders' forms are known: Xen's PVH start_info (QEMU's -kernel, Xen's
// include/public/arch-x86/hvm/start_info.h), Multiboot (specification 0.6.96, 3.3),
// Multiboot 2 (specification 2.0, 3.6), and our own UEFI application's (package efi).
package loader

import (
	"sched9/arch/efi"
	"sched9/arch/physical"
)

// Range is a piece of memory.
type Range = physical.Range

// Info is what was found. Ranges holds the first len entries of RAM; more are
// dropped and counted.
type Info struct {
	Cmdline uint64 // physical address of a string that ends in 0; 0: none
	RSDP    uint64 // 0: to be searched for
	Root    Root   // a copy of the root pointer, from a loader that says only that; see Root
	Module  Range  // the first file that the loader put beside the image; empty: none
	X2APIC  bool   // the command line asks for this mode of the local APICs
	Screen  Screen // without Width: none, or none that can be used
	RAM     [64]Range
	NRAM    int
	Dropped int

	// All that the map says is memory, RAM or the firmware's, the first len of it: where
	// tables may lie.
	Map  [64]Range
	NMap int
}

// Screen is a framebuffer whose pixels have 32 bits: all bits set are white, whatever their order. It lies below 4 GiB, and not in RAM.
type Screen struct {
	Base                 uint64
	Pitch, Width, Height uint32 // bytes from a line to the next; pixels
}

// Root is a copy of ACPI's root pointer, 20 bytes or 36; empty: none. Multiboot 2 passes a copy, in
// memory that is free for use later, and not where firmware has the original: under UEFI that may be anywhere.
type Root struct {
	Bytes [36]byte
	Len   int
}

const (
	pvhMagic        = 0x336ec578
	multibootMagic  = 0x2badb002
	multiboot2Magic = 0x36d76289

	// Types in both loaders' maps, which are BIOS's (ACPI specification 6.5, 15.2). QEMU's firmware
	// has its tables in reserved memory.
	ram      = 1
	firmware = 2
	broken   = 5 // and more is not memory

	// maxEntries is how many entries a map may have. BIOS's has at most 128.
	maxEntries = 1024

	// MaxLine is how far a command line is read at most, whatever is in it.
	MaxLine = 16 << 10
)

// What Read says.
const (
	unknown = "it left no description of this machine that sched9 knows"
	noMap   = "its memory map has no RAM"
	badMap  = "its memory map is broken"
	badTags = "its list of tags is broken"
	badLine = "its command line is not in memory"
	badFile = "the file beside the image is not in memory"
)

// Read fills info from what the loader left in EAX and EBX, and returns "", or what is wrong
// with it.
func Read(m *physical.Memory, eax, ebx uint64, info *Info) (wrong string) {
	// PVH leaves EAX undefined, and the firmware of QEMU's microvm has
	// Multiboot's magic in it, so what EBX points to decides.
	switch {
	case ebx != 0 && m.U32(ebx) == pvhMagic:
		wrong = info.pvh(m, ebx)
	case eax == multibootMagic:
		wrong = info.multiboot(m, ebx)
	case eax == multiboot2Magic:
		wrong = info.multiboot2(m, ebx)
	case eax == efi.Magic:
		wrong = info.efi(m, ebx)
	default:
		return unknown
	}
	m.Map = info.Map[:info.NMap]
	if !info.visible() {
		info.Screen = Screen{}
	}
	switch f := info.Module; {
	case wrong != "":
		return wrong
	case info.NRAM == 0:
		return noMap
	case info.Cmdline != 0 && (!m.Has(info.Cmdline, 1) || info.Cmdline+MaxLine > m.Limit):
		return badLine
	case f.Start != f.End && (f.End < f.Start || !m.Has(f.Start, f.End-f.Start)):
		return badFile
	}
	if pa := info.given(m); pa != 0 {
		info.RSDP = pa
	}
	return ""
}

// given returns the address in the word acpi_rsdp=0xADDRESS of the command line, 0 if there is none. Linux uses the same
// word: kexec has no other way to pass the address. It also looks for the word x2apic=1.
func (info *Info) given(m *physical.Memory) (pa uint64) {
	const word, wide = "acpi_rsdp=0x", "x2apic=1"
	if info.Cmdline == 0 {
		return 0
	}
	for at, before := info.Cmdline, byte(' '); at < info.Cmdline+MaxLine; at++ {
		c := m.U8(at)
		switch {
		case c == 0, before == ' ' && m.Is(at, "-- "):
			return pa // the program's arguments follow
		case before == ' ' && pa == 0 && m.Is(at, word):
			pa = hex(m, at+uint64(len(word)))
		case before == ' ' && m.Is(at, wide):
			next := m.U8(at + uint64(len(wide)))
			info.X2APIC = next == ' ' || next == 0
		}
		before = c
	}
	return pa
}

// hex returns the number at pa, up to a blank or the end of the line; 0 if it is none.
func hex(m *physical.Memory, pa uint64) (v uint64) {
	for ; ; pa++ {
		c := m.U8(pa)
		switch {
		case c == 0 || c == ' ':
			return v
		case v>>60 != 0:
			return 0
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0
		}
		v = v<<4 | uint64(c)
	}
}

// pvh reads the start_info at address at.
func (info *Info) pvh(m *physical.Memory, at uint64) (wrong string) {
	info.Cmdline = m.U64(at + 24)
	info.RSDP = m.U64(at + 32)
	if m.U32(at+12) > 0 {
		f := m.U64(at + 16)
		info.Module = Range{Start: m.U64(f), End: m.U64(f) + m.U64(f+8)}
	}
	if m.U32(at+4) < 1 { // version 0 has no map
		return noMap
	}
	e, n := m.U64(at+40), m.U32(at+48)
	if n > maxEntries {
		return badMap
	}
	for ; n > 0; n-- {
		info.add(m.U64(e), m.U64(e+8), m.U32(e+16))
		e += 24
	}
	return ""
}

// multiboot reads the information structure at address at.
func (info *Info) multiboot(m *physical.Memory, at uint64) (wrong string) {
	flags := m.U32(at)
	if flags&(1<<2) != 0 {
		info.Cmdline = uint64(m.U32(at + 16))
	}
	if flags&(1<<3) != 0 && m.U32(at+20) > 0 {
		f := uint64(m.U32(at + 24))
		info.Module = Range{Start: uint64(m.U32(f)), End: uint64(m.U32(f + 4))}
	}
	switch {
	case flags&(1<<6) != 0:
		p := uint64(m.U32(at + 48))
		n := 0
		for end := p + uint64(m.U32(at+44)); p < end; p += uint64(m.U32(p)) + 4 {
			if n++; n > maxEntries {
				return badMap
			}
			info.add(m.U64(p+4), m.U64(p+12), m.U32(p+20))
		}
	case flags&1 != 0:
		info.add(0, uint64(m.U32(at+4))<<10, ram)
		info.add(1<<20, uint64(m.U32(at+8))<<10, ram)
	}
	return ""
}

// Tags of Multiboot 2 (3.6.3 to 3.6.17), each with type, size and what it says, on a multiple of 8.
const (
	tagEnd     = 0
	tagCmdline = 1
	tagModule  = 3
	tagMap     = 6
	tagScreen  = 8
	tagOldRSDP = 14 // of ACPI 1.0
	tagRSDP    = 15

	tagHead = 8 // type and size
)

// multiboot2 reads the information at address at: its size, and tags.
func (info *Info) multiboot2(m *physical.Memory, at uint64) (wrong string) {
	end := at + uint64(m.U32(at))
	for p, n := at+8, 0; p+tagHead <= end; n++ {
		kind, size := m.U32(p), uint64(m.U32(p+4))
		if n > maxEntries || size < tagHead {
			return badTags
		}
		switch body := p + tagHead; kind {
		case tagEnd:
			return ""
		case tagCmdline:
			info.Cmdline = body
		case tagModule:
			if info.Module == (Range{}) {
				info.Module = Range{Start: uint64(m.U32(body)), End: uint64(m.U32(body + 4))}
			}
		case tagMap:
			each := uint64(m.U32(body))
			if each < 24 || size/each > maxEntries {
				return badMap
			}
			for e := body + 8; e+each <= p+size; e += each {
				info.add(m.U64(e), m.U64(e+8), m.U32(e+16))
			}
		case tagScreen:
			const colours, depth = 1, 32 // not a palette's, and not text
			if m.U8(body+20) == depth && m.U8(body+21) == colours {
				info.Screen = Screen{Base: m.U64(body), Pitch: m.U32(body + 8), Width: m.U32(body + 12), Height: m.U32(body + 16)}
			}
		case tagRSDP, tagOldRSDP:
			if kind == tagRSDP || info.Root.Len == 0 {
				info.Root.Len = int(min(size-tagHead, uint64(len(info.Root.Bytes))))
				for i := range info.Root.Len {
					info.Root.Bytes[i] = m.U8(body + uint64(i))
				}
			}
		}
		p += (size + 7) &^ 7
	}
	return badTags
}

// visible reports whether the screen can be used as it is described.
func (info *Info) visible() bool {
	s := info.Screen
	end := s.Base + uint64(s.Pitch)*uint64(s.Height)
	if s.Base == 0 || s.Width > s.Pitch/4 || end < s.Base || end > 1<<32 {
		return false
	}
	for _, r := range info.RAM[:info.NRAM] {
		if s.Base < r.End && r.Start < end {
			return false
		}
	}
	return true
}

// add notes n bytes of memory at start.
func (info *Info) add(start, n uint64, kind uint32) {
	r := Range{Start: start, End: start + n}
	if n == 0 || r.End < start || kind >= broken {
		return
	}
	// UEFI's maps have a hundred entries and more, most of which continue the one before.
	last := info.NRAM - 1
	if info.NMap > 0 && kind == ram && last >= 0 && info.RAM[last] == info.Map[info.NMap-1] && info.RAM[last].End == start {
		info.RAM[last].End, info.Map[info.NMap-1].End = r.End, r.End
		return
	}
	if info.NMap < len(info.Map) {
		info.Map[info.NMap] = r
		info.NMap++
	}
	if kind != ram {
		return
	}
	if info.NRAM == len(info.RAM) {
		info.Dropped++
		return
	}
	info.RAM[info.NRAM] = r
	info.NRAM++
}

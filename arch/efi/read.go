package efi

import (
	"sched9/arch/date"
	"sched9/arch/physical"
)

// Left is what the application left in memory M at physical address At. It may be arbitrary: reading ends, and stays within M.
type Left struct {
	M  *physical.Memory
	At uint64
}

// Types of memory (UEFI 2.10, 7.2.1).
const (
	Reserved     = 0
	LoaderCode   = 1
	ServicesData = 4 // of the boot services; so are 2 and 3 loader's or theirs
	RuntimeCode  = 5
	RuntimeData  = 6
	Conventional = 7
	Reclaim      = 9 // ACPI's tables
	NVS          = 10

	// WriteBack is the attribute of memory that can be cached.
	WriteBack = 1 << 3
)

// IsRAM reports whether memory of a type is free now that the firmware's services have ended: what they and their loader had is, the
// application itself included.
func IsRAM(kind uint32) bool {
	return kind == Conventional || kind >= LoaderCode && kind <= ServicesData
}

// maxEntries is how many entries a map may have.
const maxEntries = 1024

// Map calls fn with each range of the memory map, and reports whether it is a map.
func (l Left) Map(fn func(kind uint32, start, size, attributes uint64)) bool {
	e, size, each := l.At+MapAt, l.M.U64(l.At+OffMapSize), l.M.U64(l.At+OffEntry)
	if each < 32 || size > MaxMap || size/each > maxEntries {
		return false
	}
	for end := e + size; e+each <= end; e += each {
		pages := l.M.U64(e + 24)
		if pages >= 1<<52 {
			return false
		}
		attributes := uint64(WriteBack)
		if each >= 40 {
			attributes = l.M.U64(e + 32)
		}
		fn(l.M.U32(e), l.M.U64(e+8), pages*Page, attributes)
	}
	return true
}

// Root returns the address of ACPI's root pointer, of version 2.0 or else 1.0; 0: none.
func (l Left) Root() uint64 {
	if pa := l.table(0x11d3e4f1_8868e871, 0x81883cc7_800022bc); pa != 0 {
		return pa
	}
	return l.table(0x11d32d88_eb9d2d30, 0x4dc13f27_9000169a)
}

// Tree returns the address of the device tree; 0: none.
func (l Left) Tree() uint64 { return l.table(0x41a5f19c_b1b621d5, 0xe0aa692c_15d90b83) }

// table returns the address of the table with a GUID (4.6), given as two numbers; 0: none.
func (l Left) table(low, high uint64) uint64 {
	for i := range min(l.M.U64(l.At+OffTables), MaxTables) {
		if e := l.At + TablesAt + i*TableSize; l.M.U64(e) == low && l.M.U64(e+8) == high {
			return l.M.U64(e + 16)
		}
	}
	return 0
}

// Line returns the address of the load options if they are a command line, 0 if not: they have the word -- in them. Firmware passes other things
// there too, and its shell the program's name.
func (l Left) Line() uint64 {
	at := l.At + OptionsAt
	for pa := at; pa < at+MaxOptions && l.M.U8(pa) != 0; pa++ {
		if l.M.Is(pa, " --") && (l.M.U8(pa+3) == ' ' || l.M.U8(pa+3) == 0) {
			return at
		}
	}
	return 0
}

// Time returns the time since 1970, in seconds, when the application began. ok is false if the firmware did not know it.
func (l Left) Time() (s int64, ok bool) {
	t := int64(l.M.U64(l.At + OffTime)) // year, in 16 bits, and bytes for the others
	s, ok = date.Seconds(t&0xffff, t>>16&0xff, t>>24&0xff, t>>32&0xff, t>>40&0xff, t>>48&0xff)
	const unknown = 0x7ff // local time, without a zone
	if zone := int64(int16(l.M.U32(l.At + OffTime + 12))); ok && zone != unknown {
		s += zone * 60 // local time is UTC less this many minutes
	}
	return s, ok
}

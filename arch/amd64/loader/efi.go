package loader

import (
	"sched9/arch/amd64/physical"
	"sched9/arch/efi"
)

// Types of memory (UEFI 2.10, 7.2.1) that matter here.
const (
	efiReserved     = 0
	efiLoaderCode   = 1
	efiServicesData = 4 // of the boot services; so are 2 and 3 loader's or theirs
	efiRuntimeCode  = 5
	efiRuntimeData  = 6
	efiConventional = 7
	efiReclaim      = 9 // ACPI's tables
	efiNVS          = 10
)

// GUIDs of ACPI's root pointer, 2.0 and 1.0, in the table of tables (4.6), as two numbers.
const (
	rootLow, rootHigh       = 0x11d3e4f1_8868e871, 0x81883cc7_800022bc
	oldRootLow, oldRootHigh = 0x11d32d88_eb9d2d30, 0x4dc13f27_9000169a
)

// efi reads what our own UEFI application left at address at. Its services have ended: what they and their loader had is
// RAM now, the application itself included.
func (info *Info) efi(m *physical.Memory, at uint64) (wrong string) {
	base := m.U64(at)
	info.Cmdline = base + m.U64(at+efi.OffLine)
	if given := at + efi.OptionsAt; commandLine(m, given) {
		info.Cmdline = given
	}
	if n := m.U64(at + efi.OffSize); n > 0 {
		start := base + m.U64(at+efi.OffModule)
		info.Module = Range{Start: start, End: start + n}
	}
	e, size, each := at+efi.MapAt, m.U64(at+efi.OffMapSize), m.U64(at+efi.OffEntry)
	if each < 32 || size > efi.MaxMap || size/each > maxEntries {
		return badMap
	}
	for end := e + size; e+each <= end; e += each {
		pages := m.U64(e + 24)
		if pages >= 1<<52 {
			return badMap
		}
		info.add(m.U64(e+8), pages*efi.Page, efiKind(m.U32(e)))
	}
	for i := range min(m.U64(at+efi.OffTables), efi.MaxTables) {
		e := at + efi.TablesAt + i*efi.TableSize
		switch low, high := m.U64(e), m.U64(e+8); {
		case low == rootLow && high == rootHigh, low == oldRootLow && high == oldRootHigh && info.RSDP == 0:
			info.RSDP = m.U64(e + 16)
		}
	}
	// Of the four formats of pixels two have 32 bits of known colours (12.9.2): those are the first.
	const width, height, format, line, known = 4, 8, 12, 32, 2
	if mode := at + efi.OffMode; m.U32(mode+format) < known {
		info.Screen = Screen{Base: m.U64(at + efi.OffPixels), Pitch: m.U32(mode+line) * 4, Width: m.U32(mode + width), Height: m.U32(mode + height)}
	}
	return ""
}

// efiKind is a BIOS's type for one of UEFI's.
func efiKind(kind uint32) uint32 {
	switch kind {
	case efiReserved, efiRuntimeCode, efiRuntimeData, efiReclaim, efiNVS:
		return firmware
	}
	if kind == efiConventional || kind >= efiLoaderCode && kind <= efiServicesData {
		return ram
	}
	return broken
}

// commandLine reports whether the load options at pa are a command line: they have the word -- in them. Firmware passes other things
// there too, and its shell the program's name.
func commandLine(m *physical.Memory, pa uint64) bool {
	for end := pa + efi.MaxOptions; pa < end && m.U8(pa) != 0; pa++ {
		if m.Is(pa, " --") && (m.U8(pa+3) == ' ' || m.U8(pa+3) == 0) {
			return true
		}
	}
	return false
}

package loader

import (
	"sched9/arch/efi"
	"sched9/arch/physical"
)

// efi reads what our own UEFI application left at address at. Its services have ended: what they and their loader had is
// RAM now, the application itself included.
func (info *Info) efi(m *physical.Memory, at uint64) (wrong string) {
	left := efi.Left{M: m, At: at}
	base := m.U64(at)
	info.Cmdline = base + m.U64(at+efi.OffLine)
	if given := left.Line(); given != 0 {
		info.Cmdline = given
	}
	if n := m.U64(at + efi.OffSize); n > 0 {
		start := base + m.U64(at+efi.OffModule)
		info.Module = Range{Start: start, End: start + n}
	}
	if !left.Map(func(kind uint32, start, size, _ uint64) { info.add(start, size, efiKind(kind)) }) {
		return badMap
	}
	info.RSDP = left.Root()
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
	case efi.Reserved, efi.RuntimeCode, efi.RuntimeData, efi.Reclaim, efi.NVS:
		return firmware
	}
	if efi.IsRAM(kind) {
		return ram
	}
	return broken
}

// Package acpi reads the kernel's part of ACPI's tables: the MADT, which lists processors and
// interrupt controllers (ACPI specification 6.5, 5.2.5 to 5.2.12), and the DSDT, for devices that
// are on no bus. It allocates nothing.
//
// A malformed table is ignored: one outside the memory in the loader's map, of an impossible length,
// or with a wrong checksum. Whatever the tables say, the work is bounded: a limited number of
// tables, of limited length, each read once per search.
package acpi

import "sched9/arch/physical"

// Memory is where the tables lie.
type Memory struct{ *physical.Memory }

// FindRSDP searches the places where a PC's firmware puts the root pointer
// (5.2.5.1): the first KiB of the extended BIOS data area, and the BIOS's read-only
// memory below 1 MiB. 0: none.
func FindRSDP(m Memory) uint64 {
	ebda := uint64(m.U8(0x40e))<<4 | uint64(m.U8(0x40f))<<12
	if ebda != 0 {
		if pa := m.scan(ebda, ebda+1024); pa != 0 {
			return pa
		}
	}
	return m.scan(0xe0000, 0x100000)
}

// scan looks for a valid root pointer, which lies on a multiple of 16, in
// [from, to).
func (m Memory) scan(from, to uint64) uint64 {
	for pa := from &^ 15; pa < to; pa += 16 {
		if m.Is(pa, "RSD PTR ") && m.Sum(pa, 20) {
			return pa
		}
	}
	return 0
}

// Bounds: a wrong length must not make us read for ever. No machine is known that has a
// hundred tables, or one of this length.
const (
	maxTable  = 1 << 20
	maxTables = 256
)

// sized returns the length of the table at pa if it has signature sig; 0 if it has not, or is
// malformed.
func (m Memory) sized(pa uint64, sig string) (n uint64) {
	n = uint64(m.U32(pa + 4))
	if !m.Is(pa, sig) || n < 36 || n > maxTable || !m.Has(pa, n) || !m.Sum(pa, n) {
		return 0
	}
	return n
}

// table finds the first table with signature sig through the root pointer at rsdp. n is 0 if there
// is none, or if it is malformed.
func (m Memory) table(rsdp uint64, sig string) (pa, n uint64) {
	if !m.Has(rsdp, 36) || !m.Is(rsdp, "RSD PTR ") || !m.Sum(rsdp, 20) {
		return 0, 0
	}
	root, width, want := uint64(m.U32(rsdp+16)), uint64(4), "RSDT"
	if m.U8(rsdp+15) >= 2 && m.U64(rsdp+24) != 0 {
		root, width, want = m.U64(rsdp+24), 8, "XSDT"
	}
	size := min(m.sized(root, want), 36+maxTables*width)
	for off := uint64(36); off+width <= size; off += width {
		pa := uint64(m.U32(root + off))
		if width == 8 {
			pa = m.U64(root + off)
		}
		if m.Is(pa, sig) {
			return pa, m.sized(pa, sig)
		}
	}
	return 0, 0
}

// CPUs stores the APIC ids of the usable processors that the MADT lists, those up to most, into
// ids, in its order, and returns how many there are: more than len(ids) if
// they do not fit, 0 if there is no valid MADT.
func CPUs(m Memory, rsdp uint64, most uint32, ids []uint32) int {
	const (
		lapic   = 0 // entry type: 8 bytes: type, length, uid, id, flags
		x2apic  = 9 // 16 bytes: type, length, reserved (2), id, flags, uid
		enabled = 1 << 0
	)
	count := 0
	m.madt(rsdp, func(kind byte, at, size uint64) bool {
		id, flags := uint32(0), uint32(0)
		switch {
		case kind == lapic && size >= 8:
			id, flags = uint32(m.U8(at+3)), m.U32(at+4)
		case kind == x2apic && size >= 16:
			id, flags = m.U32(at+4), m.U32(at+8)
		}
		if flags&enabled != 0 && id <= most {
			if count < len(ids) {
				ids[count] = id
			}
			count++
		}
		return true
	})
	return count
}

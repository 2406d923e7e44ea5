// Package acpi reads what the kernel needs of ACPI's tables: the MADT, which lists
// processors and interrupt controllers (ACPI specification 6.5, 5.2.5 to 5.2.12),
// and the DSDT, for devices that are on no bus. It allocates nothing, and reads
// physical memory through a base address, so that a test can give it a buffer.
package acpi

import "unsafe"

// Memory is physical memory: address 0 is mapped at Base, and nothing at or
// above Limit may be read.
type Memory struct {
	Base  uintptr
	Limit uint64
}

// u8, u32 and u64 read little-endian numbers; beyond Limit everything is 0.
func (m Memory) u8(pa uint64) byte {
	if pa >= m.Limit {
		return 0
	}
	return *(*byte)(unsafe.Pointer(m.Base + uintptr(pa)))
}

func (m Memory) u32(pa uint64) uint32 {
	return uint32(m.u8(pa)) | uint32(m.u8(pa+1))<<8 | uint32(m.u8(pa+2))<<16 | uint32(m.u8(pa+3))<<24
}

func (m Memory) u64(pa uint64) uint64 {
	return uint64(m.u32(pa)) | uint64(m.u32(pa+4))<<32
}

// is reports whether the bytes at pa are s.
func (m Memory) is(pa uint64, s string) bool {
	for i := 0; i < len(s); i++ {
		if m.u8(pa+uint64(i)) != s[i] {
			return false
		}
	}
	return true
}

// sum reports whether the n bytes at pa add up to 0.
func (m Memory) sum(pa, n uint64) bool {
	var s byte
	for i := uint64(0); i < n; i++ {
		s += m.u8(pa + i)
	}
	return s == 0
}

// FindRSDP searches the places where a PC's firmware puts the root pointer
// (5.2.5.1): the first KiB of the extended BIOS data area, and the BIOS's read-only
// memory below 1 MiB. 0: none.
func FindRSDP(m Memory) uint64 {
	ebda := uint64(m.u8(0x40e))<<4 | uint64(m.u8(0x40f))<<12
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
		if m.is(pa, "RSD PTR ") && m.sum(pa, 20) {
			return pa
		}
	}
	return 0
}

// maxTable bounds a table's length: a wrong one must not make us read for ever.
const maxTable = 1 << 20

// table finds the table with signature sig through the root pointer at rsdp.
func (m Memory) table(rsdp uint64, sig string) (pa, n uint64) {
	if rsdp == 0 || !m.is(rsdp, "RSD PTR ") || !m.sum(rsdp, 20) {
		return 0, 0
	}
	root, width, want := uint64(m.u32(rsdp+16)), uint64(4), "RSDT"
	if m.u8(rsdp+15) >= 2 && m.u64(rsdp+24) != 0 {
		root, width, want = m.u64(rsdp+24), 8, "XSDT"
	}
	size := uint64(m.u32(root + 4))
	if !m.is(root, want) || size < 36 || size > maxTable || !m.sum(root, size) {
		return 0, 0
	}
	for off := uint64(36); off+width <= size; off += width {
		pa := uint64(m.u32(root + off))
		if width == 8 {
			pa = m.u64(root + off)
		}
		n := uint64(m.u32(pa + 4))
		if m.is(pa, sig) && n >= 44 && n <= maxTable && m.sum(pa, n) {
			return pa, n
		}
	}
	return 0, 0
}

// CPUs stores the APIC ids of the usable processors that the MADT lists into
// ids, in its order, and returns how many there are: more than len(ids) if
// they do not fit, 0 if there is no valid MADT.
func CPUs(m Memory, rsdp uint64, ids []uint32) int {
	const (
		lapic    = 0 // entry type: 8 bytes: type, length, uid, id, flags
		x2apic   = 9 // 16 bytes: type, length, reserved (2), id, flags, uid
		enabled  = 1 << 0
		maxXAPIC = 254 // 255 is the broadcast address
	)
	count := 0
	m.madt(rsdp, func(kind byte, at, size uint64) bool {
		id, flags := uint32(0), uint32(0)
		switch {
		case kind == lapic && size >= 8:
			id, flags = uint32(m.u8(at+3)), m.u32(at+4)
		case kind == x2apic && size >= 16:
			id, flags = m.u32(at+4), m.u32(at+8)
		}
		if flags&enabled != 0 && id <= maxXAPIC {
			if count < len(ids) {
				ids[count] = id
			}
			count++
		}
		return true
	})
	return count
}

package acpi

// What the MADT says of interrupts (5.2.12.3, 5.2.12.5).

// Types of entries, and their lengths.
const (
	madtHeader = 44

	typeIOAPIC   = 1 // type, length, id, reserved, address, first interrupt
	sizeIOAPIC   = 12
	typeOverride = 2 // type, length, bus, source, global interrupt, flags
	sizeOverride = 10
)

// IOAPIC returns the physical address of the i-th I/O APIC that the MADT lists, and
// the first global system interrupt that it serves; ok is false if there are
// not so many, or there is no valid MADT.
func IOAPIC(m Memory, rsdp uint64, i int) (pa uint64, first uint32, ok bool) {
	m.madt(rsdp, func(kind byte, at, size uint64) bool {
		if kind != typeIOAPIC || size < sizeIOAPIC {
			return true
		}
		if i > 0 {
			i--
			return true
		}
		pa, first, ok = uint64(m.U32(at+4)), m.U32(at+8), true
		return false
	})
	return pa, first, ok && pa != 0
}

// Override returns the global system interrupt that irq of the ISA bus comes as,
// and its form: level instead of an edge, low instead of high. Without an entry
// for it, it is what ISA has: the same number, an edge, active high.
func Override(m Memory, rsdp uint64, irq byte) (gsi uint32, level, low bool) {
	gsi = uint32(irq)
	m.madt(rsdp, func(kind byte, at, size uint64) bool {
		const isa = 0
		if kind != typeOverride || size < sizeOverride || m.U8(at+2) != isa || m.U8(at+3) != irq {
			return true
		}
		gsi = m.U32(at + 4)
		// 0 is what the bus has, 1 high or edge, 3 low or level.
		low = m.U8(at+8)&3 == 3
		level = m.U8(at+8)>>2&3 == 3
		return false
	})
	return gsi, level, low
}

// madt calls fn with the type, the address and the length of every entry of the
// MADT, until it returns false. An entry that does not fit ends the table.
func (m Memory) madt(rsdp uint64, fn func(kind byte, at, size uint64) bool) {
	pa, n := m.table(rsdp, "APIC")
	for off := uint64(madtHeader); off+2 <= n; {
		size := uint64(m.U8(pa + off + 1))
		if size < 2 || off+size > n || !fn(m.U8(pa+off), pa+off, size) {
			return
		}
		off += size
	}
}

package acpi

// Timer returns the port of the power management timer, and whether it has 32 bits or 24
// (4.8.3.3, 5.2.9); 0: the machine has none on a port.
func Timer(m Memory, rsdp uint64) (port uint16, wide bool) {
	const (
		old      = 76 // the port, in 32 bits
		oldLen   = 91
		flags    = 112
		extended = 208 // a generic address: kind, width, offset, size, and 64 bits
		wideFlag = 1 << 8
		portKind = 1
	)
	fadt, size := m.table(rsdp, "FACP")
	if size < flags+4 {
		return 0, false
	}
	wide = m.U32(fadt+flags)&wideFlag != 0
	if size >= extended+12 && m.U8(fadt+extended) == portKind {
		if at := m.U64(fadt + extended + 4); at != 0 && at < 1<<16 {
			return uint16(at), wide
		}
	}
	if at := m.U32(fadt + old); m.U8(fadt+oldLen) == 4 && at < 1<<16 {
		return uint16(at), wide
	}
	return 0, false
}

package acpi

// Restart is what makes the machine begin anew (4.8.3.6, 5.2.9): Value is written to a register, a port or an address in memory. A
// register in the configuration of a PCI device is not told of.
type Restart struct {
	At    uint64
	Port  bool
	Value byte
}

// FindRestart returns what restarts the machine; ok is false if the tables do not say.
func FindRestart(m Memory, rsdp uint64) (r Restart, ok bool) {
	const (
		flags      = 112
		register   = 116 // a generic address: kind, width, offset, size, and 64 bits
		value      = 128
		flagHas    = 1 << 10
		kindMemory = 0
		kindPort   = 1
	)
	fadt, size := m.table(rsdp, "FACP")
	if size < value+1 || m.U32(fadt+flags)&flagHas == 0 {
		return r, false
	}
	kind := m.U8(fadt + register)
	r = Restart{At: m.U64(fadt + register + 4), Port: kind == kindPort, Value: m.U8(fadt + value)}
	return r, r.At != 0 && (kind == kindMemory || kind == kindPort && r.At < 1<<16)
}

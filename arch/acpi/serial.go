package acpi

// Serial is a serial port that firmware uses as its console.
type Serial struct {
	Port    uintptr // of a 16550
	Divisor uint16  // of its clock, for the speed that the terminal has; 0: the port is set already
	GSI     uint32  // the interrupt, as a global number; or, with ISA, as the ISA bus calls it
	ISA     bool
}

// FindSerial returns the port that the SPCR describes (Microsoft's "Serial Port Console Redirection Table", version 1.10), if that is
// a 16550 reached by ports.
func FindSerial(m Memory, rsdp uint64) (s Serial, ok bool) {
	const (
		kind      = 36
		space     = 40 // of a generic address: kind, width, offset, size, and 64 bits
		address   = 44
		interrupt = 52
		irq       = 53
		gsi       = 54
		baud      = 58
		least     = 76

		compatible = 0x12 // as 0 and 1 are, a 16550; other kinds are other chips
		ports      = 1
		eight      = 8 // registers
		pic        = 1 << 0
	)
	t, size := m.table(rsdp, "SPCR")
	if size < least {
		return s, false
	}
	k, at := m.U8(t+kind), m.U64(t+address)
	if k > 1 && k != compatible || m.U8(t+space) != ports || at == 0 || at > 1<<16-eight {
		return s, false
	}
	s = Serial{Port: uintptr(at), GSI: m.U32(t + gsi)}
	if m.U8(t+interrupt)&pic != 0 {
		s.ISA, s.GSI = true, uint32(m.U8(t+irq))
	}
	switch m.U8(t + baud) {
	case 3:
		s.Divisor = 115200 / 9600
	case 4:
		s.Divisor = 115200 / 19200
	case 6:
		s.Divisor = 115200 / 57600
	case 7:
		s.Divisor = 1
	}
	return s, true
}

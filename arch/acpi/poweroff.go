package acpi

// Off is what turns the machine off (4.8.3.2, 7.4.2): a value for each of two control registers, which are ports; a port of 0
// is not there. Where Enable is not 0, firmware hands the registers over when Enable is written to the port Command
// (4.8.2.2, 16.3.2), unless it has already: then ControlA reads with bit 0 set.
type Off struct {
	ControlA, ControlB uint16
	ValueA, ValueB     uint16
	Command            uint16
	Enable             byte
}

// HandedOver is the bit of a control register that is set once firmware has left the registers to us (SCI_EN).
const HandedOver = 1 << 0

// PowerOff returns what turns the machine off; ok is false if the tables do not say. The DSDT is a program, but the
// object \_S5 is a package of constants in a fixed form wherever it stands, so it is looked for as bytes.
func PowerOff(m Memory, rsdp uint64) (off Off, ok bool) {
	const (
		command   = 48
		enable    = 52
		controlA  = 64
		controlB  = 68
		name      = "_S5_"
		packageOp = 0x12 // then a length of 1 to 4 bytes, and how many elements
		byteOp    = 0x0a // then the number; 0 and 1 stand for themselves
		least     = 5    // bytes from packageOp to the second number

		sleepEnable = 1 << 13
		sleepShift  = 10
		sleepTypes  = 7
	)
	fadt, size := m.table(rsdp, "FACP")
	if size < controlB+4 || m.U32(fadt+controlA) == 0 {
		return off, false
	}
	pa, n := m.dsdt(rsdp)
	for at := uint64(36); at+uint64(len(name))+least <= n; at++ {
		p := pa + at + uint64(len(name))
		if !m.Is(pa+at, name) || m.U8(p) != packageOp {
			continue
		}
		p += 1 + 1 + uint64(m.U8(p+1)>>6) + 1
		number := func() uint16 {
			v := m.U8(p)
			p++
			if v == byteOp {
				v = m.U8(p)
				p++
			}
			return uint16(v&sleepTypes)<<sleepShift | sleepEnable
		}
		off = Off{
			ControlA: uint16(m.U32(fadt + controlA)), ControlB: uint16(m.U32(fadt + controlB)),
			Command: uint16(m.U32(fadt + command)), Enable: m.U8(fadt + enable),
		}
		off.ValueA = number()
		off.ValueB = number()
		return off, p <= pa+n
	}
	return off, false
}

package arch

// PCI configuration space by mechanism #1: an address to one port, data at
// another (PCI Local Bus Specification 3.0, 3.2.2.3).

const (
	pciAddress = 0xcf8
	pciData    = 0xcfc
)

// pciBuses returns how many buses can be asked for: all, or none of a machine where nobody listens at the port.
func pciBuses() uint32 {
	if out32(pciAddress, 1<<31); in32(pciAddress) != 1<<31 {
		return 0
	}
	return 256
}

// Read32 reads the register at off, a multiple of 4.
func (f PCIFunction) Read32(off uint32) uint32 {
	out32(pciAddress, 1<<31|uint32(f)|off&0xfc)
	return in32(pciData)
}

// Write32 writes the register at off, a multiple of 4.
func (f PCIFunction) Write32(off, v uint32) {
	out32(pciAddress, 1<<31|uint32(f)|off&0xfc)
	out32(pciData, v)
}

// Read16 and Read8 read a part of a register.
func (f PCIFunction) Read16(off uint32) uint16 { return uint16(f.Read32(off) >> (off & 2 * 8)) }
func (f PCIFunction) Read8(off uint32) uint8   { return uint8(f.Read32(off) >> (off & 3 * 8)) }

// Write16 writes half a register; the other half is written as it was read, so
// this is for registers whose other half minds no writing.
func (f PCIFunction) Write16(off uint32, v uint16) {
	shift := off & 2 * 8
	f.Write32(off, f.Read32(off)&^(0xffff<<shift)|uint32(v)<<shift)
}

// Ports returns where region 0 of the function, of ports, answers: where the firmware
// put it, whatever at is. It lets the function answer there. 0: it is not of ports.
func (f PCIFunction) Ports(at uint32) uintptr {
	low := f.Read32(pciBAR0)
	if low&1 == 0 {
		return 0
	}
	f.command(commandPorts)
	return uintptr(low &^ 3)
}

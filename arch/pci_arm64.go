package arch

// PCI configuration space as memory (PCI Express Base Specification 5.0, 7.2.2). Functions without
// addresses from firmware get none; ports are given where they are needed (Ports).

// pciBuses returns how many buses the window shows.
func pciBuses() uint32 {
	const size = 1 << 20 // of a bus
	if mapped.ecam == 0 {
		return 0
	}
	return uint32((machine.ECAM.End - machine.ECAM.Start) / size)
}

// at is where the register at off is mapped.
func (f PCIFunction) at(off uint32) uintptr {
	return mapped.ecam + uintptr(f)<<4 + uintptr(off)
}

// Read32 reads the register at off, a multiple of 4, and Read16 and Read8 a part of
// one.
func (f PCIFunction) Read32(off uint32) uint32 { return Read32(f.at(off)) }
func (f PCIFunction) Read16(off uint32) uint16 { return Read16(f.at(off)) }
func (f PCIFunction) Read8(off uint32) uint8   { return Read8(f.at(off)) }

// Write32 writes the register at off, a multiple of 4, and Write16 half of one.
func (f PCIFunction) Write32(off, v uint32)        { Write32(f.at(off), v) }
func (f PCIFunction) Write16(off uint32, v uint16) { Write16(f.at(off), v) }

// Ports has region 0 of the function, of ports, answer at port at and those that
// follow, and returns where they are mapped; 0: there is no way to ports.
func (f PCIFunction) Ports(at uint32) uintptr {
	base := mapped.ports
	if base == 0 || uint64(at) >= machine.Ports.End-machine.Ports.Start || f.Read32(pciBAR0)&1 == 0 {
		return 0
	}
	f.Write32(pciBAR0, at)
	f.command(commandPorts)
	return base + uintptr(at)
}

// place returns 0: nothing that is used here has a region of memory.
func (f PCIFunction) place(n int) (pa uint64) { return 0 }

// ConnectMSIX reports false: there is no way for messages of devices.
func ConnectMSIX(f PCIFunction, entry, line int) bool { return false }

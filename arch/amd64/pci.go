package amd64

// PCI configuration space by mechanism #1: an address to one port, data at
// another (PCI Local Bus Specification 3.0, 3.2.2.3). One user at a time: the
// kernel's memory lock is held in all of this.

const (
	pciAddress = 0xcf8
	pciData    = 0xcfc

	pciVendor     = 0x00 // and device, in the upper half
	pciCommand    = 0x04 // and status
	pciHeader     = 0x0e // 8 bits; bit 7: further functions
	pciBAR0       = 0x10
	pciSecondary  = 0x19 // 8 bits: the bus behind a bridge
	pciCapList    = 0x34 // 8 bits
	pciNone       = 0xffff
	pciMany       = 0x80
	pciBridge     = 1
	statusCaps    = 1 << 4 // of status
	commandMemory = 1 << 1
	commandMaster = 1 << 2
)

// A PCIFunction is a function's address: bus, device and function as in
// pciAddress.
type PCIFunction uint32

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

// Enable lets the function answer in memory and read and write memory itself.
func (f PCIFunction) Enable() {
	// The status half clears what is written as ones: none.
	c := f.Read32(pciCommand)&0xffff | commandMemory | commandMaster
	f.Write32(pciCommand, c)
}

// Ports returns where region 0 of the function, of ports, answers: where the firmware
// put it, whatever at is. It lets the function answer there. 0: it is not of ports.
func (f PCIFunction) Ports(at uint32) uintptr {
	const commandPorts = 1 << 0
	low := f.Read32(pciBAR0)
	if low&1 == 0 {
		return 0
	}
	f.Write32(pciCommand, f.Read32(pciCommand)&0xffff|commandPorts)
	return uintptr(low &^ 3)
}

// Capability returns the offset of the first capability with the given id behind
// after (0: from the beginning), 0 if there is none.
func (f PCIFunction) Capability(id uint8, after uint32) uint32 {
	if f.Read32(pciCommand)>>16&statusCaps == 0 {
		return 0
	}
	at := uint32(0)
	if after == 0 {
		at = uint32(f.Read8(pciCapList)) & 0xfc
	} else {
		at = uint32(f.Read8(after+1)) & 0xfc
	}
	for n := 0; at != 0 && n < 48; n++ { // more cannot lie in 192 bytes
		if f.Read8(at) == id {
			return at
		}
		at = uint32(f.Read8(at+1)) & 0xfc
	}
	return 0
}

// BAR returns the physical address of memory region n; ok is false if the
// region is of ports, or the firmware gave it no address.
func (f PCIFunction) BAR(n int) (pa uint64, ok bool) {
	if n > 5 {
		return 0, false
	}
	low := f.Read32(pciBAR0 + 4*uint32(n))
	if low&1 != 0 {
		return 0, false
	}
	pa = uint64(low &^ 15)
	if low>>1&3 == 2 && n < 5 {
		pa |= uint64(f.Read32(pciBAR0+4*uint32(n)+4)) << 32
	}
	return pa, pa != 0
}

// FindPCI returns the function number n, counted from 0 in the order of
// addresses, whose vendor and device are one of ids (device in the upper half).
// It follows bridges as the firmware set them up.
func FindPCI(n int, ids ...uint32) (f PCIFunction, ok bool) {
	if out32(pciAddress, 1<<31); in32(pciAddress) != 1<<31 {
		return 0, false // nobody listens at the port: a machine without PCI
	}
	var buses [256 / 32]uint32 // those to be looked at
	buses[0] = 1
	for bus := uint32(0); bus < 256; bus++ {
		if buses[bus/32]>>(bus%32)&1 == 0 {
			continue
		}
		for dev := uint32(0); dev < 32*8; dev++ {
			f := PCIFunction(bus<<16 | dev<<8)
			id := f.Read32(pciVendor)
			if id&0xffff == pciNone {
				if dev%8 == 0 {
					dev += 7 // function 0 must be there for others to be
				}
				continue
			}
			for _, want := range ids {
				if id == want {
					if n == 0 {
						return f, true
					}
					n--
				}
			}
			header := f.Read8(pciHeader)
			if header&^pciMany == pciBridge {
				if b := uint32(f.Read8(pciSecondary)); b > bus {
					buses[b/32] |= 1 << (b % 32)
				}
			}
			if dev%8 == 0 && header&pciMany == 0 {
				dev += 7
			}
		}
	}
	return 0, false
}

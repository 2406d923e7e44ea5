//go:build arm64

package arm64

// PCI configuration space as memory (PCI Express Base Specification 5.0, 7.2.2).
// There is no firmware that gave functions their addresses; ports are given where
// they are wanted (Ports). One user at a time: boot, or the kernel's memory
// lock is held.

const (
	pciVendor     = 0x00 // and device, in the upper half
	pciCommand    = 0x04 // and status
	pciHeader     = 0x0e // 8 bits; bit 7: further functions
	pciBAR0       = 0x10
	pciCapList    = 0x34 // 8 bits
	pciNone       = 0xffff
	pciMany       = 0x80
	statusCaps    = 1 << 4 // of status
	commandPorts  = 1 << 0
	commandMemory = 1 << 1
	commandMaster = 1 << 2
)

// A PCIFunction is a function's address: bus, device and function from bit 8 on.
type PCIFunction uint32

// at is where the register at off is mapped.
func (f PCIFunction) at(off uint32) uintptr {
	return Phys(machine.ECAM.Start) + uintptr(f)<<4 + uintptr(off)
}

// Read32 reads the register at off, a multiple of 4, and Read16 and Read8 a part of
// one.
func (f PCIFunction) Read32(off uint32) uint32 { return Read32(f.at(off)) }
func (f PCIFunction) Read16(off uint32) uint16 { return Read16(f.at(off)) }
func (f PCIFunction) Read8(off uint32) uint8   { return Read8(f.at(off)) }

// Write32 writes the register at off, a multiple of 4, and Write16 half of one.
func (f PCIFunction) Write32(off, v uint32)        { Write32(f.at(off), v) }
func (f PCIFunction) Write16(off uint32, v uint16) { Write16(f.at(off), v) }

// Enable lets the function answer in memory and read and write memory itself.
func (f PCIFunction) Enable() {
	f.Write16(pciCommand, f.Read16(pciCommand)|commandMemory|commandMaster)
}

// Ports has region 0 of the function, of ports, answer at port at and those that
// follow, and returns where they are mapped; 0: there is no way to ports.
func (f PCIFunction) Ports(at uint32) uintptr {
	base := deviceAt(machine.Ports.Start)
	if base == 0 || uint64(at) >= machine.Ports.End-machine.Ports.Start || f.Read32(pciBAR0)&1 == 0 {
		return 0
	}
	f.Write32(pciBAR0, at)
	f.Write16(pciCommand, f.Read16(pciCommand)|commandPorts)
	return base + uintptr(at)
}

// Capability returns the offset of the first capability with the given id behind
// after (0: from the beginning), 0 if there is none.
func (f PCIFunction) Capability(id uint8, after uint32) uint32 {
	if f.Read32(pciCommand)>>16&statusCaps == 0 {
		return 0
	}
	at := uint32(pciCapList)
	if after != 0 {
		at = after + 1
	}
	at = uint32(f.Read8(at)) & 0xfc
	for n := 0; at != 0 && n < 48; n++ { // more cannot lie in 192 bytes
		if f.Read8(at) == id {
			return at
		}
		at = uint32(f.Read8(at+1)) & 0xfc
	}
	return 0
}

// BAR returns the physical address of memory region n; ok is false if the
// region is of ports, or nobody gave it an address.
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
// addresses, whose vendor and device are one of ids (device in the upper half). It
// looks at the first bus: no firmware numbered those behind bridges.
func FindPCI(n int, ids ...uint32) (f PCIFunction, ok bool) {
	if machine.ECAM.Start == 0 || !mapDeviceGiB(machine.ECAM.Start) {
		return 0, false
	}
	for dev := uint32(0); dev < 32*8; dev++ {
		f := PCIFunction(dev << 8)
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
		if dev%8 == 0 && f.Read8(pciHeader)&pciMany == 0 {
			dev += 7
		}
	}
	return 0, false
}

// ConnectMSIX reports false: there is no way for messages of devices.
func ConnectMSIX(f PCIFunction, entry, line int) bool { return false }

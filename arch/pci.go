package arch

// What PCI's functions have in their configuration space (PCI Local Bus Specification 3.0, 6.1, 6.7), however that is
// reached. One user at a time: boot, or the kernel's memory lock is held in all of this.

const (
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
	commandPorts  = 1 << 0
	commandMemory = 1 << 1
	commandMaster = 1 << 2
)

// A PCIFunction is a function's address: bus from bit 16 on, device and function from bit 8 on.
type PCIFunction uint32

// command sets bits of the command register. Ones written to the status register, its upper half, would clear bits
// there: none are written.
func (f PCIFunction) command(bits uint32) {
	f.Write32(pciCommand, f.Read32(pciCommand)&0xffff|bits)
}

// Enable lets the function answer in memory and read and write memory itself.
func (f PCIFunction) Enable() { f.command(commandMemory | commandMaster) }

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

// BAR returns the physical address of memory region n; ok is false if the region is of ports, or
// has no address and cannot be given one here.
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
	if pa == 0 {
		pa = f.place(n)
	}
	return pa, pa != 0
}

// FindPCI returns the function number n, counted from 0 in the order of
// addresses, whose vendor and device are one of ids (device in the upper half).
// It follows bridges as the firmware set them up.
func FindPCI(n int, ids ...uint32) (f PCIFunction, ok bool) {
	var buses [256 / 32]uint32 // those to be looked at
	buses[0] = 1
	for bus, most := uint32(0), min(pciBuses(), 256); bus < most; bus++ {
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
				if b := uint32(f.Read8(pciSecondary)); b > bus { // 0: firmware did not set the bridge up
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

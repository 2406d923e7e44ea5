package arch

import "sched9/arch/amd64/layout"

// PCI configuration space by mechanism #1: an address to one port, data at
// another (PCI Local Bus Specification 3.0, 3.2.2.3).

const (
	pciAddress = 0xcf8
	pciData    = 0xcfc
)

// pciBuses returns how many buses there may be: all, or none if the machine has nothing at the port.
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

// Firmware gives regions their addresses, except firmware that only loads an image, such as QEMU's qboot. Then used
// regions get addresses here, downwards from the devices at the end of the first 4 GiB, as SeaBIOS does it: no machine
// with such firmware has memory there.
const placeFrom = 0xf000_0000

// placeTop is the end of the free range; 0: it is not known yet whether firmware gave addresses.
var placeTop uint64

// place gives memory region n, which has no address, one; 0: the firmware gave others theirs and
// left this one out, or there is no room. The function does not answer for that time.
func (f PCIFunction) place(n int) (pa uint64) {
	if placeTop == 0 {
		placeTop = layout.DeviceFrom
		if anyPlaced() {
			placeTop = placeFrom
		}
	}
	at, command := pciBAR0+4*uint32(n), f.Read32(pciCommand)&0xffff
	f.Write32(pciCommand, 0)
	f.Write32(at, ^uint32(0)) // the bits that stay 0 count up to the size
	size := uint64(-(f.Read32(at) &^ 15))
	if pa = (placeTop - size) &^ (size - 1); pa >= placeFrom { // of no size it is 0
		placeTop = pa
	} else {
		pa = 0
	}
	f.Write32(at, uint32(pa))
	f.Write32(pciCommand, command)
	return pa
}

// anyPlaced reports whether a function of the first bus has a memory region with an address.
func anyPlaced() bool {
	for f := PCIFunction(0); f < 1<<16; f += 1 << 8 {
		if f.Read32(pciVendor)&0xffff == pciNone || f.Read8(pciHeader)&^pciMany != 0 {
			continue
		}
		for at := uint32(pciBAR0); at < pciBAR0+6*4; at += 4 {
			if low := f.Read32(at); low&1 == 0 && low&^15 != 0 {
				return true
			}
		}
	}
	return false
}

package arch

// Devices: access to their registers, and the vectors that they interrupt at.

// pageRegisters is the entry of a page of registers: uncached memory (SDM 3A, 12.12.2: PAT entry 3 out of reset).
const (
	pageRegisters = pteP | pteW | ptePWT | ptePCD | pteNX
	ptePWT        = 1 << 3
	ptePCD        = 1 << 4
)

// NumLines is how many interrupt lines there are for devices. Line n is vector
// vecDevice+n.
const NumLines = vecDeviceEnd - vecDevice

// trapDevice handles the interrupt of a line. The end of the interrupt comes
// last: a level-triggered pin that the device still holds would interrupt again
// at once otherwise (SDM 3A, 11.8.5).
func trapDevice(line int) {
	upDevice(line)
	eoi()
}

// deviceMap is where Device maps physical address 0: a part of the address
// space that nothing else uses.
const deviceMap = 0xffff_a000_0000_0000

// Device maps the n bytes of device registers at physical address pa, uncached, and returns their
// address; 0 if there is no frame for a page table. The mapping stays; mapping again is harmless.
// The kernel's memory lock is held.
func Device(pa uint64, n uintptr) uintptr {
	if pa>>46 != 0 {
		return 0 // not reached by deviceMap; no processor that QEMU has goes so far
	}
	for at := pa &^ (PageSize - 1); at < pa+uint64(n); at += PageSize {
		e := pages.Leaf(uintptr(deviceMap+at), 12)
		if e == nil {
			return 0
		}
		*e = at | pageRegisters
	}
	pages.Published()
	return uintptr(deviceMap + pa)
}

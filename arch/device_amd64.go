package arch

// Devices: access to their registers, and the vectors that they interrupt at.

// Read8 to Write32 access device registers: exactly one access of that width, in
// program order (SDM 3A, 9.2: the memory is uncached). An address below 64 KiB, where
// nothing else is, is a port.
func Read8(addr uintptr) uint8
func Read16(addr uintptr) uint16
func Read32(addr uintptr) uint32
func Write8(addr uintptr, v uint8)
func Write16(addr uintptr, v uint16)
func Write32(addr uintptr, v uint32)

// deviceMap is where Device maps physical address 0: a part of the address
// space that nothing else uses.
const deviceMap = 0xffff_a000_0000_0000

// Uncached memory (SDM 3A, 12.12.2: PAT entry 3 out of reset).
const (
	ptePWT = 1 << 3
	ptePCD = 1 << 4
)

// Device maps the n bytes of device registers at physical address pa, uncached,
// and returns where; 0 if there is no frame for a page table. What is mapped
// stays so; mapping it again does no harm. The kernel's memory lock is held.
func Device(pa uint64, n uintptr) uintptr {
	if pa>>46 != 0 {
		return 0 // not reached by deviceMap; no processor that QEMU has goes so far
	}
	for at := pa &^ (PageSize - 1); at < pa+uint64(n); at += PageSize {
		e := pages.Leaf(uintptr(deviceMap+at), 12)
		if e == nil {
			return 0
		}
		*e = at | pteP | pteW | ptePWT | ptePCD | pteNX
	}
	return uintptr(deviceMap + pa)
}

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

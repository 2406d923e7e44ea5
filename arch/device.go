package arch

// Read8 to Write32 access device registers: exactly one access of that width, in program order, and ordered with accesses to
// memory that devices use. A device that is notified by a write sees the stores before it; a load after a read is not made
// before it. (On amd64 the registers are uncached, which gives this order: SDM 3A, 9.2; and an address below 64 KiB, where
// nothing else is, is a port.)
func Read8(addr uintptr) uint8
func Read16(addr uintptr) uint16
func Read32(addr uintptr) uint32
func Write8(addr uintptr, v uint8)
func Write16(addr uintptr, v uint16)
func Write32(addr uintptr, v uint32)

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

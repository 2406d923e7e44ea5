package arch

// Read8 to Write32 access device registers: exactly one access of that width, in program order, and ordered with accesses to
// memory that devices look at: what was stored before a write is seen by the device that the write tells of it, and
// what is loaded after a read is not older. (On amd64 the memory is uncached, which has the processor do so: SDM 3A,
// 9.2; and an address below 64 KiB, where nothing else is, is a port.)
func Read8(addr uintptr) uint8
func Read16(addr uintptr) uint16
func Read32(addr uintptr) uint32
func Write8(addr uintptr, v uint8)
func Write16(addr uintptr, v uint16)
func Write32(addr uintptr, v uint32)

// deviceMap is where Device maps physical address 0: a part of the address
// space that nothing else uses.
const deviceMap = 0xffff_a000_0000_0000

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
		*e = at | pageRegisters
	}
	pages.Published()
	return uintptr(deviceMap + pa)
}

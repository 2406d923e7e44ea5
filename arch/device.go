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

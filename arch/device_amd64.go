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

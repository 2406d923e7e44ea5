// Package layout is the memory map that the host's image builder (boot) and
// the guest's architecture code (arch) agree on. It holds constants and
// one struct, imports nothing, and is compiled for both sides.
//
// Addresses as the image is linked to, and as they are while the program runs; what is not listed is not mapped:
//
//	0x4020_0000  Header       4 KiB  R X   the header that loaders know; it branches to the program's entry.
//	                                       Behind it is what the entry code makes the page tables of
//	0x4020_1000  InfoAt       4 KiB  RW    Info
//	0x4020_2000  Program      the Go image, each segment with the protection of its ELF header
//
// and behind its zeroed end what is in no file; Info tells where:
//
//	guard        4 KiB  absent
//	boot stack  68 KiB  RW    m0's g0 stack
//	guard        4 KiB  absent
//	tables   n x 4 KiB        the first page tables, and behind them memory for more; absent here but while the kernel makes
//	                          the direct map
//
// The image lies in physical memory in one piece, in this order, at any address that is a multiple of 4 KiB: where the loader
// has put it. On QEMU's virt that is where it is linked to.
//
// The kernel reaches physical memory, its frames and page tables, at DirectMap: there is what the loader says is memory, never
// executable, and writable but for what is not writable above. Devices' registers are at Devices, and what the loader left while
// the direct map does not exist yet at Window, read-only.
package layout

const (
	// RAM is where memory begins on QEMU's virt.
	RAM = 0x4000_0000

	Header  = 0x4020_0000
	InfoAt  = 0x4020_1000
	Program = 0x4020_2000

	// BootStackSize is how large the boot stack is.
	BootStackSize = 0x1_1000

	// RunsAt is the address of what the first page tables are made of: at most MaxRuns runs
	// of entries, of five words each, and a word of 0.
	RunsAt  = Header + 0x200
	MaxRuns = (InfoAt - 4 - RunsAt) / 20

	// TextStart is the address that the program's code is linked to. The linker puts headers into the page before it,
	// which are not in the image.
	TextStart = Program

	// Low and High are where, in the first page tables, the roots of the two halves of the address space are. From Switch on are four
	// tables, one of each level, that lead to the page with the code that turns translation on: the entry code makes them, because only
	// there it is known where that is.
	Low    = 0
	High   = 0x1000
	Switch = 0x2000

	// DirectMap is the virtual address of physical address 0. Devices and Window are where it is for other purposes.
	DirectMap = 0xffff_8000_0000_0000
	Devices   = 0xffff_a000_0000_0000
	Window    = 0xffff_b000_0000_0000
	// MapSize is how much physical memory each of them can show.
	MapSize = 1 << 44

	// Tables is how many pages there are for tables, beside two for each 2 MiB that the image lies in.
	Tables = 64
)

// Info is filled by the image builder but for Tree, Offset and Left, and read by the kernel. Addresses of what is in the image are linked ones.
type Info struct {
	Magic      uint64 // InfoMagic
	ImageStart uint64 // first byte of the image
	ImageEnd   uint64 // end of the image with all that is behind the program; there the memory for tables ends
	DataEnd    uint64 // end of what is in the file: what follows is to be zeroed
	Tree       uint64 // physical address of the device tree, by the entry code
	ProgramEnd uint64 // end of what is to be zeroed
	StackTop   uint64 // end of the boot stack
	Tables     uint64 // the first page tables
	Spare      uint64 // end of those that are used
	Offset     uint64 // physical addresses of the image minus linked ones, by the entry code
	Left       uint64 // physical address of what UEFI told (package efi), by the entry code; 0: it has not started the image
	Line       uint64 // a command line behind ImageEnd, which ends in 0; 0: none
	Module     uint64 // start and end of a file there; 0: none
	ModuleEnd  uint64
}

const (
	InfoMagic = 0x3964656863735f00 // "\x00_sched9" read as bytes

	OffImageEnd   = 0x10
	OffDataEnd    = 0x18
	OffTree       = 0x20
	OffProgramEnd = 0x28
	OffStackTop   = 0x30
	OffTables     = 0x38
	OffOffset     = 0x48
	OffLeft       = 0x50
)

// Memory attributes by their place in MAIR_EL1 (Arm ARM, D17.2.97), and the value
// of that register: normal write-back, and device nGnRE.
const (
	AttrNormal = 0
	AttrDevice = 1
	MAIR       = 0x04_ff
)

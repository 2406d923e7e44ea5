// Package layout is the memory map that the host's image builder (boot) and
// the guest's architecture code (arch) agree on. It holds constants and
// one struct, imports nothing, and is compiled for both sides.
//
// Physical memory, as the boot loader leaves it; RAM begins at 1 GiB, as on
// QEMU's virt, which puts its device tree above the image:
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
//	tables   n x 4 KiB        first page tables; mapped in the direct map only
//
// Virtual memory is the same there, and below 4 GiB only what is listed is mapped.
// The first 4 GiB of physical memory stand a second time at DirectMap, never
// executable: the first as device memory, the others writable but for what is not
// writable below. That alias is how the kernel reaches frames, page tables and devices.
package layout

const (
	// RAM is where memory begins.
	RAM = 0x4000_0000

	Header  = 0x4020_0000
	InfoAt  = 0x4020_1000
	Program = 0x4020_2000

	// BootStackSize is how large the boot stack is.
	BootStackSize = 0x1_1000

	// RunsAt is the address of what the first page tables are made of: at most MaxRuns runs
	// of entries, of five words each, and a word of 0.
	RunsAt  = Header + 0x40
	MaxRuns = (InfoAt - 4 - RunsAt) / 20

	// TextStart is the address that the program's code is linked to: the linker
	// puts headers into the page before it.
	TextStart = Program + 0x1000

	// Low and High are where, in the first page tables, the roots of the two halves of the address space are.
	Low  = 0
	High = 0x1000

	// DirectMap is the virtual address of physical address 0.
	DirectMap = 0xffff_8000_0000_0000
)

// Info is filled by the image builder but for Tree, and read by the kernel.
type Info struct {
	Magic      uint64 // InfoMagic
	ImageStart uint64 // first physical byte of the image
	ImageEnd   uint64 // physical end of the image with all that is behind the program; there the tables end
	DataEnd    uint64 // end of what is in the file: what follows is to be zeroed
	Tree       uint64 // address of the device tree, by the entry code
	ProgramEnd uint64 // end of what is to be zeroed
	StackTop   uint64 // end of the boot stack
	Tables     uint64 // the first page tables
}

const (
	InfoMagic = 0x3964656863735f00 // "\x00_sched9" read as bytes

	OffImageEnd   = 0x10
	OffDataEnd    = 0x18
	OffTree       = 0x20
	OffProgramEnd = 0x28
	OffStackTop   = 0x30
	OffTables     = 0x38
)

// Memory attributes by their place in MAIR_EL1 (Arm ARM, D17.2.97), and the value
// of that register: normal write-back, and device nGnRE.
const (
	AttrNormal = 0
	AttrDevice = 1
	MAIR       = 0x04_ff
)

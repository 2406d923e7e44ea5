// Package layout is the memory map that the host's image builder (boot) and
// the guest's architecture code (arch) agree on. It holds constants and
// one struct, imports nothing, and is compiled for both sides.
//
// Physical memory, as the boot loader leaves it:
//
//	0x0000_0000  real-mode area; virtual page 0 is never mapped
//	0x0000_8000  Trampoline: 16-bit code, copied there by the kernel
//	0x0010_0000  StubText      4 KiB  R X   loader's entry, 32 to 64 bit, AP's second half
//	0x0010_1000  StubData      4 KiB  RW    Info, AP mailbox, GDT
//	0x0010_2000  guard         4 KiB  absent
//	0x0010_3000  BootStack    68 KiB  RW    m0's g0 stack
//	0x0011_4000  guard         4 KiB  absent
//	0x0011_5000  PageTables    n x 4 KiB    first page tables; mapped in the direct map only
//	0x0040_0000  the Go image, each segment with the protection of its ELF header; or it begins at
//	0x0100_0000  in an image for real machines, whose firmware may keep memory below that
//
// Virtual memory is the same below 4 GiB, and only what is listed above is
// mapped there. All physical memory of the first 4 GiB stands a second time at
// DirectMap, never executable, and writable but for what is not writable below; that
// alias is how the kernel reaches frames, page tables and memory-mapped devices.
package layout

const (
	// Trampoline is where an application processor starts in real mode. It
	// is a page below 1 MiB, as the SIPI vector demands (Intel SDM 3A, 9.4.4).
	Trampoline = 0x8000

	StubText = 0x100000
	// TrampolineSource is the address, in StubText, of the 16-bit code that the kernel copies to
	// Trampoline. It is at most TrampolineSize bytes and position-dependent: assembled to run at
	// Trampoline.
	TrampolineSource = StubText + 0x800
	TrampolineSize   = 0x100

	StubData = 0x101000
	// InfoAt is the address of an Info.
	InfoAt = StubData
	// GDTAt is the address of the boot GDT: null, 0x08 64-bit code, 0x10
	// data, 0x18 32-bit code; every descriptor has its accessed bit set.
	GDTAt = StubData + 0x80
	// GDTRAt is the address of the 10-byte operand of LGDT for GDTAt.
	GDTRAt = StubData + 0x100
	// RootAt is room for a copy of ACPI's root pointer, 36 bytes, where a loader passes only that.
	RootAt = StubData + 0x120
	// RunsAt is the address of the list from which the stub makes the first page tables: at most
	// MaxRuns runs of 20 bytes (package boot) and an empty one.
	RunsAt  = StubData + 0x180
	MaxRuns = (StubData+0x1000-RunsAt)/20 - 1

	// BootStack is 64 KiB for the runtime's g0 and a page above the stack pointer with which the
	// runtime is entered.
	BootStack     = 0x103000
	BootStackTop  = 0x114000
	PageTables    = 0x115000
	PageTablesEnd = 0x400000

	// MetalText is where the code of a program begins in an image for real machines, a page behind its segment. OVMF keeps memory for
	// itself at 8 MiB.
	MetalText = 0x1001000

	// DirectMap is the virtual address of physical address 0.
	DirectMap = 0xffff_8000_0000_0000
	// Beyond is where two huge pages are shown that lie anywhere: far above the direct map, which is as large as the RAM.
	Beyond = 0xffff_ff00_0000_0000
	// DeviceFrom is the first physical address below 4 GiB that the direct
	// map holds uncached: I/O APIC, LAPIC and flash lie above it.
	DeviceFrom = 0xfec0_0000
)

// Info is filled partly by the image builder, partly by the stub, and read by
// the kernel. The mailbox hands an application processor its first registers.
type Info struct {
	Magic      uint64 // InfoMagic, by the builder
	ImageStart uint64 // first physical byte of stub and image, by the builder
	ImageEnd   uint64 // physical end of the image with its zeroed part, page-aligned, by the builder
	LoaderEAX  uint64 // EAX as the loader left it (0x2BADB002: Multiboot), by the stub
	LoaderEBX  uint64 // EBX as the loader left it: start_info or Multiboot info, by the stub
	Program    uint64 // where the program begins, by the builder; memory between PageTablesEnd and that may be anybody's
	_          [2]uint64

	// The mailbox at offset 0x40. The kernel fills it before INIT-SIPI; the
	// AP part of the stub loads SP, Arg into RDI, and jumps to Entry.
	APStack uint64
	APEntry uint64
	APArg   uint64
}

const (
	InfoMagic = 0x3964656863735f00 // "\x00_sched9" read as bytes

	OffLoaderEAX = 0x18
	OffLoaderEBX = 0x20
	OffAPStack   = 0x40
	OffAPEntry   = 0x48
	OffAPArg     = 0x50
)

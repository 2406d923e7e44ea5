// Package efi is what our own UEFI application (package boot makes it) and the kernel agree on. It holds constants and one
// struct, imports nothing, and is compiled for both sides.
package efi

// Info is what our own UEFI application leaves for the kernel: at address EBX, with Magic in EAX, when it enters the stub
// as another boot loader would. What UEFI says only through its services is in here, as the application got it; the
// kernel reads it (package loader). Offsets count from Base. Behind it lie copies of three things at fixed distances.
type Info struct {
	Base    uint64 // physical address of the application, below 4 GiB; by itself
	Line    uint64 // offset of the command line, which ends in 0; by the builder
	Module  uint64 // offset and size of the file beside the image; by the builder
	Size    uint64
	MapSize uint64 // bytes of the memory map, and of each of its entries (UEFI 2.10, 7.2.3)
	Entry   uint64
	Tables  uint64   // entries of the table of tables (4.6), MaxTables at most
	Pixels  uint64   // address of the framebuffer; 0: none
	Mode    [36]byte // its EFI_GRAPHICS_OUTPUT_MODE_INFORMATION (12.9.2)
	_       [4]byte
	Time    [16]byte // an EFI_TIME (8.3) of when the application began, on arm64; zero: not known
}

const (
	Magic = 0x39494645 // "EFI9" read as bytes

	// Page is what a memory map counts in.
	Page = 4096

	OffLine    = 0x08
	OffModule  = 0x10
	OffSize    = 0x18
	OffMapSize = 0x20
	OffEntry   = 0x28
	OffTables  = 0x30
	OffPixels  = 0x38
	OffMode    = 0x40
	ModeSize   = 36
	OffTime    = 0x68

	// TablesAt is the distance from the struct to its copy of the table of tables: a GUID and an address each.
	TablesAt  = 0x200
	TableSize = 24
	MaxTables = 64
	// OptionsAt is the distance to the load options, a byte for each of their 16 bits, MaxOptions at most and a 0.
	OptionsAt  = 0x800
	MaxOptions = 0x7ff
	// MapAt is the distance to the memory map.
	MapAt  = 0x1000
	MaxMap = 0x10000
	// DataSize is the size of all that.
	DataSize = MapAt + MaxMap
)

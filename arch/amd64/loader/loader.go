// Package loader reads what a boot loader leaves in memory: the memory map,
// the command line and the ACPI root pointer. It allocates nothing and reads
// physical memory through a base address, so that a test can give it a buffer.
//
// Two loaders' forms are known: Xen's PVH start_info (QEMU's -kernel, Xen's
// include/public/arch-x86/hvm/start_info.h) and Multiboot v1 (specification
// 0.6.96, 3.3).
package loader

import "unsafe"

// Range is a piece of usable RAM.
type Range struct{ Start, End uint64 }

// Info is what was found. Ranges holds the first len entries of RAM; more are
// dropped and counted.
type Info struct {
	Loader  string // "PVH" or "Multiboot"
	Cmdline uint64 // physical address of a string that ends in 0; 0: none
	RSDP    uint64 // 0: to be searched for
	RAM     [64]Range
	NRAM    int
	Dropped int
}

const (
	pvhMagic       = 0x336ec578
	multibootMagic = 0x2badb002
	ram            = 1 // type in both loaders' maps
)

// u32 and u64 read little-endian numbers at physical address pa.
func u32(base uintptr, pa uint64) uint32 {
	return *(*uint32)(unsafe.Pointer(base + uintptr(pa)))
}

func u64(base uintptr, pa uint64) uint64 {
	return uint64(u32(base, pa)) | uint64(u32(base, pa+4))<<32
}

// Read fills info from what the loader left in EAX and EBX. Physical address 0
// is mapped at base. It reports false if neither loader is recognised, or if
// there is no memory map.
func Read(base uintptr, eax, ebx uint64, info *Info) bool {
	// PVH leaves EAX undefined, and the firmware of QEMU's microvm has
	// Multiboot's magic in it, so what EBX points to decides.
	if ebx != 0 && u32(base, ebx) == pvhMagic {
		return info.pvh(base, ebx)
	}
	if eax == multibootMagic {
		return info.multiboot(base, ebx)
	}
	return false
}

// pvh reads the start_info at address at.
func (info *Info) pvh(base uintptr, at uint64) bool {
	info.Loader = "PVH"
	info.Cmdline = u64(base, at+24)
	info.RSDP = u64(base, at+32)
	if u32(base, at+4) < 1 { // version 0 has no map
		return false
	}
	memmap := u64(base, at+40)
	for i := uint64(0); i < uint64(u32(base, at+48)); i++ {
		e := memmap + i*24
		if u32(base, e+16) == ram {
			info.add(u64(base, e), u64(base, e+8))
		}
	}
	return info.NRAM > 0
}

// multiboot reads the information structure at address at.
func (info *Info) multiboot(base uintptr, at uint64) bool {
	info.Loader = "Multiboot"
	flags := u32(base, at)
	if flags&(1<<2) != 0 {
		info.Cmdline = uint64(u32(base, at+16))
	}
	switch {
	case flags&(1<<6) != 0:
		p := uint64(u32(base, at+48))
		for end := p + uint64(u32(base, at+44)); p < end; p += uint64(u32(base, p)) + 4 {
			if u32(base, p+20) == ram {
				info.add(u64(base, p+4), u64(base, p+12))
			}
		}
	case flags&1 != 0:
		info.add(0, uint64(u32(base, at+4))<<10)
		info.add(1<<20, uint64(u32(base, at+8))<<10)
	}
	return info.NRAM > 0
}

// add notes n bytes of RAM at start.
func (info *Info) add(start, n uint64) {
	if n == 0 || start+n < start {
		return
	}
	if info.NRAM == len(info.RAM) {
		info.Dropped++
		return
	}
	info.RAM[info.NRAM] = Range{start, start + n}
	info.NRAM++
}

package arch

import (
	"unsafe"

	"sched9/arch/amd64/layout"
)

// beyond shows two huge pages of physical memory, wherever they are: firmware's tables may lie above what the first page tables show, where no
// RAM is that MapRAM would show. It is used at boot, and by the one processor that turns the machine off.
var beyond struct {
	tables [3 * PageSize]byte // two of these pages hold the tables of the second and third level
	at     uint64             // where in physical memory the first huge page begins
	cpu    int                // who was shown it, and 1: another processor may remember an earlier one
}

// showBeyond is package physical's Beyond: it shows the huge page of address pa, and the next one. It returns 0 if the processor has no such
// address. Boot, or the last processor.
func showBeyond(pa uint64) uintptr {
	const sizes = 0x8000_0008 // the CPUID leaf whose EAX has the number of bits of a physical address (SDM 2A, CPUID)
	bits, _, _, _ := cpuid(sizes, 0)
	at := pa &^ (HugeSize - 1)
	if (at+2*HugeSize-1)>>(bits&0xff) != 0 {
		return 0
	}
	if cpu := ID() + 1; beyond.at != at || beyond.cpu != cpu {
		beyond.at, beyond.cpu = at, cpu
		second := (uint64(uintptr(unsafe.Pointer(&beyond.tables))) + PageSize - 1) &^ (PageSize - 1) // the image's addresses are physical ones
		third := second + PageSize
		entry := func(table uint64, i uintptr) *uint64 { return (*uint64)(unsafe.Pointer(Phys(table) + i*8)) }
		*entry(third, 0) = at | pteP | ptePS | pteNX
		*entry(third, 1) = at + HugeSize | pteP | ptePS | pteNX
		*entry(second, 0) = third | pteP | pteW
		*entry(cr3(), layout.Beyond>>39%512) = second | pteP | pteW
		FlushTLB()
	}
	return layout.Beyond + uintptr(pa-at)
}

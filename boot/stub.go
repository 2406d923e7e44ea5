package boot

import (
	"encoding/binary"
	"fmt"

	"sched9/arch/amd64/layout"
)

const pageSize = 4096

// Selectors of the boot GDT; layout.GDTAt fixes them.
const (
	selCode64 = 0x08
	selData   = 0x10
	selCode32 = 0x18
)

// Bits of the control registers (Intel SDM 3A, 2.5).
const (
	cr0PE = 1 << 0  // protected mode
	cr0MP = 1 << 1  // WAIT obeys TS
	cr0EM = 1 << 2  // no x87: SSE would fault
	cr0TS = 1 << 3  // task switched: SSE would fault
	cr0NE = 1 << 5  // x87 errors come as #MF
	cr0WP = 1 << 16 // read-only pages bind the kernel too
	cr0NW = 1 << 29 // caches not written through
	cr0CD = 1 << 30 // caches off
	cr0PG = 1 << 31 // paging

	cr4PAE        = 1 << 5
	cr4OSFXSR     = 1 << 9  // SSE allowed
	cr4OSXMMEXCPT = 1 << 10 // SSE errors come as #XM
)

// IA32_EFER and its bits (Intel SDM 3A, 2.2.1).
const (
	msrEFER = 0xc0000080
	eferLME = 1 << 8  // paging turns long mode on
	eferNXE = 1 << 11 // page entries may forbid execution
)

// What CPUID leaf 0x80000001 must show in EDX (Intel SDM 2A, CPUID).
const (
	cpuidNX = 1 << 20
	cpuidLM = 1 << 29
)

// The first serial port and its line status bit "holding register empty"
// (NS16550 data sheet, 8.6.3). A port that nothing answers reads as 0xff, so
// waiting for the bit ends there as well.
const (
	com1       = 0x3f8
	com1Status = com1 + 5
	com1Empty  = 1 << 5
)

// debugExit is QEMU's isa-debug-exit port: QEMU ends with status 2v+1 when v
// is written there. On a machine without it the write does nothing.
const debugExit = 0xf4

// noLongModeStatus is written to debugExit by a CPU that cannot run the image.
const noLongModeStatus = 0x3f

const noLongModeMessage = "sched9: this CPU has no 64-bit mode with no-execute pages\r\n"

// loaderWordsAt is where in the stub's page the words stand that make a loader
// know the image: the PVH note or the Multiboot header. The page is the first
// one after the file's headers, hence within the 8 KiB that Multiboot demands. The header of
// Multiboot 2 follows that of version 1, on a multiple of 8.
const (
	loaderWordsAt = layout.StubText + 0xa00
	multiboot2At  = loaderWordsAt + 16
)

// stubText is the page at layout.StubText for a program that starts at entry.
// Nothing writes to this page at run time. Bytes between its parts are INT3,
// so that a stray jump into it traps at once.
func stubText(entry uint32) []byte {
	page := make([]byte, pageSize)
	for i := range page {
		page[i] = 0xcc
	}
	code, ap := stub(entry)
	place(page, layout.StubText, code, layout.TrampolineSource)
	place(page, layout.TrampolineSource, trampoline(ap), layout.TrampolineSource+layout.TrampolineSize)
	return page
}

// place copies code to address at of the stub's page. The limit holds for code
// of this package alone, never for input: passing it is a mistake and panics.
func place(page []byte, at uint32, code []byte, limit uint32) {
	if at+uint32(len(code)) > limit {
		panic(fmt.Sprintf("boot: %d bytes of code at %#x reach beyond %#x", len(code), at, limit))
	}
	copy(page[at-layout.StubText:], code)
}

// stub is the code at layout.StubText and the address of its second half,
// where an application processor comes in.
//
// The loader enters in 32-bit protected mode, paging off, interrupts off,
// segments flat, EAX and EBX telling who it is (Multiboot 0.6.96, 3.2; Xen's
// "x86/HVM direct boot ABI", where only EBX is defined). The loader's GDT need
// not exist any more, so no selector is loaded before the own GDT is.
//
// There is no stack until 64-bit mode, and nothing here needs one.
func stub(entry uint32) (code []byte, ap uint32) {
	a := newAsm(32, layout.StubText)
	a.cli()
	a.cld()
	a.lgdt(layout.GDTRAt)
	a.jmpFar(selCode32, "flat")
	a.label("flat")
	loadDataSegments(a)
	a.movToMem(layout.InfoAt+layout.OffLoaderEAX, eax)
	a.movImmToMem(layout.InfoAt+layout.OffLoaderEAX+4, 0)
	a.movToMem(layout.InfoAt+layout.OffLoaderEBX, ebx)
	a.movImmToMem(layout.InfoAt+layout.OffLoaderEBX+4, 0)
	fillTables(a)
	requireLongMode(a, "no long mode")
	enterLongMode(a, "long")
	loadDataSegments(a)
	a.movImm32(esp, layout.BootStackTop) // a 32-bit move clears the upper half
	a.xor(ebp, ebp)                      // the end of every frame chain
	a.movImm32(eax, entry)
	a.jmpReg(rax)

	a.bits = 32
	a.label("no long mode")
	refuse(a)

	// The trampoline leaves an application processor here, in 32-bit
	// protected mode with the boot GDT. Its first registers come from the
	// mailbox, which the kernel filled before it sent the SIPI and does not
	// fill again before this processor has answered.
	a.label("ap")
	ap = a.pc()
	loadDataSegments(a)
	enterLongMode(a, "ap long")
	loadDataSegments(a)
	a.mov64FromMem(rsp, layout.InfoAt+layout.OffAPStack)
	a.mov64FromMem(rdi, layout.InfoAt+layout.OffAPArg)
	a.xor(ebp, ebp)
	a.jmpMem(layout.InfoAt + layout.OffAPEntry)
	return a.bytes(), ap
}

// loadDataSegments gives all data segments the flat descriptor. It spares EAX
// and EBX, which still hold the loader's words when it first runs.
func loadDataSegments(a *asm) {
	a.movImm32(ecx, selData)
	for _, s := range []segReg{ds, es, ss, fs, gs} {
		a.movToSeg(s, ecx)
	}
}

// requireLongMode jumps to label otherwise unless the CPU has long mode and
// NX. Leaf 0x80000001 may be read only if 0x80000000 says that it is there
// (Intel SDM 2A, CPUID). CPUID overwrites EAX to EDX.
func requireLongMode(a *asm, otherwise string) {
	a.movImm32(eax, 0x80000000)
	a.cpuid()
	a.cmpImm32(eax, 0x80000001)
	a.jb(otherwise)
	a.movImm32(eax, 0x80000001)
	a.cpuid()
	a.andImm32(edx, cpuidLM|cpuidNX)
	a.cmpImm32(edx, cpuidLM|cpuidNX)
	a.jnz(otherwise)
}

// fillTables makes the first page tables from the runs at layout.RunsAt: see run. The memory of the
// tables is zero.
func fillTables(a *asm) {
	a.movImm32(esi, layout.RunsAt)
	a.label("next run")
	a.lodsd()
	a.mov(ecx, eax) // count
	a.jecxz("tables made")
	a.lodsd()
	a.mov(edi, eax) // to
	a.lodsd()
	a.mov(edx, eax) // step
	a.lodsd()
	a.mov(ebp, eax) // high
	a.lodsd()       // low
	a.label("next entry")
	a.stosd()
	a.xchgEAX(ebp)
	a.stosd()
	a.xchgEAX(ebp)
	a.add(eax, edx)
	a.loop("next entry")
	a.jmp("next run")
	a.label("tables made")
}

// enterLongMode follows Intel SDM 3A, 10.8.5: PAE, CR3, LME, and then paging
// in one write of CR0; the far jump leaves compatibility mode. On return the
// emitter is in 64-bit mode, at label long.
//
// CR4 is written whole: what a loader may have left there (5-level paging,
// global pages, PCIDs) must not change the meaning of the first tables. NXE
// stands before paging is on, for otherwise the NX bits of the tables would be
// reserved bits and the first fetch would fault. EFER keeps its other bits.
func enterLongMode(a *asm, long string) {
	a.movImm32(eax, cr4PAE|cr4OSFXSR|cr4OSXMMEXCPT)
	a.movToCR(4, eax)
	a.movImm32(eax, layout.PageTables)
	a.movToCR(3, eax)
	a.movImm32(ecx, msrEFER)
	a.rdmsr()
	a.orImm32(eax, eferLME|eferNXE)
	a.wrmsr()
	a.movFromCR(eax, 0)
	a.andImm32(eax, ^uint32(cr0EM|cr0TS|cr0NW|cr0CD))
	a.orImm32(eax, cr0PG|cr0WP|cr0NE|cr0MP|cr0PE)
	a.movToCR(0, eax)
	a.jmpFar(selCode64, long)
	a.bits = 64
	a.label(long)
}

// refuse says on COM1 that this CPU will not do, ends QEMU, and stops.
func refuse(a *asm) {
	a.movLabel(esi, "message")
	a.movImm32(ecx, uint32(len(noLongModeMessage)))
	a.label("next byte")
	a.movImm32(edx, com1Status)
	a.label("wait")
	a.inALDX()
	a.testAL(com1Empty)
	a.jz("wait")
	a.lodsb()
	a.movImm32(edx, com1)
	a.outDXAL()
	a.loop("next byte")
	exit(a, noLongModeStatus)
	a.label("message")
	a.text(noLongModeMessage)
}

// exit ends QEMU with status 2*status+1, or stops this CPU if there is no such device.
func exit(a *asm, status uint32) {
	a.movImm32(edx, debugExit)
	a.movImm32(eax, status)
	a.outDXEAX()
	a.label("stop")
	a.cli()
	a.hlt()
	a.jmp("stop")
}

// trampoline is the code that the kernel copies from layout.TrampolineSource to layout.Trampoline,
// where an application processor starts in real mode, CS being the page and IP 0 (Intel SDM 3A,
// 9.4.4). It turns protected mode on (10.9.1) and jumps to the stub's second half at ap.
//
// The operand of LGDT follows the code, because the one at layout.GDTRAt is out of reach in real
// mode.
func trampoline(ap uint32) []byte {
	a := newAsm(16, layout.Trampoline)
	a.cli()
	a.cld()
	a.movFromSeg(eax, cs)
	a.movToSeg(ds, eax)
	a.lgdt16("operand")
	a.movFromCR(eax, 0)
	a.orImm32(eax, cr0PE)
	a.movToCR(0, eax)
	a.define("ap", ap)
	a.jmpFar(selCode32, "ap")
	a.label("operand")
	a.emit16(gdtLimit)
	a.emit32(layout.GDTAt)
	return a.bytes()
}

// gdt is the boot GDT (Intel SDM 3A, 3.4.5). Accessed bits are set beforehand:
// a CPU that loads a selector then writes nothing.
var gdt = [...]uint64{
	0,
	selCode64 / 8: 0x00af_9b00_0000_ffff,
	selData / 8:   0x00cf_9300_0000_ffff,
	selCode32 / 8: 0x00cf_9b00_0000_ffff,
}

// gdtLimit is the offset of the GDT's last byte.
const gdtLimit = uint16(len(gdt)*8 - 1)

// runSize is how long a run is in memory.
const runSize = 20

// stubData is the beginning of the page at layout.StubData of an image whose program is from start to end and whose first page tables
// are made of runs, which end with one of no entries. What follows is zero.
func stubData(start, end uint64, runs []run) []byte {
	page := make([]byte, pageSize)
	put := func(at int, v any) {
		if _, err := binary.Encode(page[at-layout.StubData:], binary.LittleEndian, v); err != nil {
			panic(err) // the page holds all of them, and all have a fixed size
		}
	}
	put(layout.InfoAt, layout.Info{
		Magic:      layout.InfoMagic,
		ImageStart: layout.StubText,
		ImageEnd:   end,
		Program:    start,
	})
	put(layout.GDTAt, gdt)
	put(layout.GDTRAt, gdtLimit)
	put(layout.GDTRAt+2, uint64(layout.GDTAt))
	runs = append(runs, run{})
	put(layout.RunsAt, runs)
	return page[:layout.RunsAt-layout.StubData+len(runs)*runSize]
}

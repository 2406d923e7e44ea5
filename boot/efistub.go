package boot

import (
	"sched9/arch/amd64/layout"
	"sched9/arch/efi"
)

// Offsets in UEFI's structures for 64-bit processors (UEFI 2.10; the section has the structure).
const (
	efiConOut     = 64 // system table, 4.3
	efiServices   = 96
	efiTableCount = 104
	efiTableArray = 112

	efiAllocatePages = 40 // boot services, 4.4: each is a function's address
	efiGetMemoryMap  = 56
	efiHandle        = 152 // HandleProtocol
	efiExit          = 216
	efiExitServices  = 232
	efiLocate        = 320 // LocateProtocol

	efiOutputString = 8 // simple text output, 12.4

	efiOptionsSize = 48 // loaded image, 9.1
	efiOptions     = 56

	efiMode       = 24 // graphics output, 12.9
	efiModeInfo   = 8  // its mode
	efiModePixels = 24
)

// Two protocols' GUIDs, as they lie in memory (9.1, 12.9).
const (
	efiLoadedImage = "\xa1\x31\x1b\x5b\x62\x95\xd2\x11\x8e\x3f\x00\xa0\xc9\x69\x72\x3b"
	efiGraphics    = "\xde\xa9\x42\x90\xdc\x23\x38\x4a\x96\xfb\x7a\xde\xd0\x80\x51\x6a"
)

// efiPlan is what the code is for.
type efiPlan struct {
	size uint32 // of the application
	low  uint32 // the end of the image where it will run
	list uint32 // offset of the list of segments
}

// What the application says on the console if it cannot go on.
var efiMessages = []struct{ label, text string }{
	{"no memory", "sched9: the firmware has no memory for this program\r\n"},
	{"no room", "sched9: this machine has too little memory\r\n"},
	{"no map", "sched9: the firmware does not tell its memory map, or does not end\r\n"},
}

// efiStub is the code of the UEFI application, from its start. The firmware calls it in 64-bit mode with a stack, interrupts on and
// memory mapped one to one, by Microsoft's calling convention (2.3.4): RCX is the image's handle, RDX the system table; a
// callee has 32 bytes on the stack, may change RAX, RCX, RDX and R8 to R11, and returns 0 in RAX for success.
//
// The image must be put at fixed addresses, which may hold what the firmware still needs: its page tables, its stack, this
// code. So the application first copies itself to memory that lies behind them and below 4 GiB, ends the firmware's
// services, and then, in 32-bit mode without paging and without a stack, puts the image there. From there on it is a boot loader as
// any other.
//
// RBX is the table of boot services, RBP the copy, R12 the handle, R13 the system table, R14 a status.
func efiStub(p efiPlan) []byte {
	const (
		frame   = 0x48 // 32 bytes for callees, a fifth argument, and two words of our own; keeps the stack on a multiple of 16
		fifth   = 0x20
		version = 0x30
		word    = 0x38

		below4G = 0xffff_ffff
		tries   = 8
		flags   = 1<<17 | 1<<23 // CR4.PCIDE and CR4.CET: paging cannot end before these

		maxAddress, loaderCode = 1, 1 // kinds of AllocatePages and of memory (7.2.1)
	)
	a := newAsm(64, efiCodeAt)
	a.define("base", 0)
	at := func(off uint32) int32 { return int32(efiDataAt + off) }
	a.sub64Imm(rsp, frame)
	a.mov64(r12, rcx)
	a.mov64(r13, rdx)
	a.load(rbx, rdx, efiServices)

	// The firmware gives the highest that it has.
	a.movImm32(eax, below4G)
	a.store(rsp, word, rax)
	a.movImm32(ecx, maxAddress)
	a.movImm32(edx, loaderCode)
	a.movImm32(r8, p.size/efi.Page)
	a.lea(r9, rsp, word)
	a.callMem(rbx, efiAllocatePages)
	a.mov64(r14, rax)
	a.test(rax)
	a.jz("has memory")
	a.leaLabel(rdx, "no memory")
	a.jmpNear("fail")
	a.label("has memory")
	a.load(rbp, rsp, word)
	a.cmp64Imm(rbp, int32(p.low))
	a.jae("has room")
	a.leaLabel(rdx, "no room")
	a.jmpNear("fail")
	a.label("has room")
	a.leaLabel(rsi, "base")
	a.mov64(rdi, rbp)
	a.movImm32(ecx, p.size)
	a.repMovsb()
	a.leaLabel(rax, "copy")
	a.leaLabel(rcx, "base")
	a.sub64(rax, rcx)
	a.add64(rax, rbp)
	a.jmpReg(rax)
	a.label("copy")
	a.store(rbp, at(0), rbp)

	// The load options, if there are any, become bytes.
	a.mov64(rcx, r12)
	a.leaLabel(rdx, "loaded image")
	a.lea(r8, rsp, word)
	a.callMem(rbx, efiHandle)
	a.test(rax)
	a.jnz("no options")
	a.load(rdx, rsp, word)
	a.load(rsi, rdx, efiOptions)
	a.load32(ecx, rdx, efiOptionsSize)
	a.half32(ecx)
	a.cmpImm32(ecx, efi.MaxOptions)
	a.jbe("not too many")
	a.movImm32(ecx, efi.MaxOptions)
	a.label("not too many")
	a.jrcxz("no options")
	a.lea(rdi, rbp, at(efi.OptionsAt))
	a.label("next option")
	a.lodsw()
	a.testAH()
	a.jz("a byte")
	a.movALImm('?')
	a.label("a byte")
	a.stosb()
	a.loop("next option")
	a.label("no options")

	// The framebuffer.
	a.leaLabel(rcx, "graphics")
	a.xor(edx, edx)
	a.lea(r8, rsp, word)
	a.callMem(rbx, efiLocate)
	a.test(rax)
	a.jnz("no screen")
	a.load(rdx, rsp, word)
	a.load(rdx, rdx, efiMode)
	a.load(rax, rdx, efiModePixels)
	a.store(rbp, at(efi.OffPixels), rax)
	a.load(rsi, rdx, efiModeInfo)
	a.lea(rdi, rbp, at(efi.OffMode))
	a.movImm32(ecx, efi.ModeSize)
	a.repMovsb()
	a.label("no screen")

	// The table of tables.
	a.load(rcx, r13, efiTableCount)
	a.cmp64Imm(rcx, efi.MaxTables)
	a.jbe("few tables")
	a.movImm32(ecx, efi.MaxTables)
	a.label("few tables")
	a.store(rbp, at(efi.OffTables), rcx)
	a.load(rsi, r13, efiTableArray)
	a.lea(rdi, rbp, at(efi.TablesAt))
	a.mul32Imm(ecx, efi.TableSize)
	a.repMovsb()

	// The services end if the map is still the one that was read last; the first try may change it (7.4.6).
	a.movImm32(r15, tries)
	a.label("again")
	a.movImm32(eax, efi.MaxMap)
	a.store(rbp, at(efi.OffMapSize), rax)
	a.lea(rcx, rbp, at(efi.OffMapSize))
	a.lea(rdx, rbp, at(efi.MapAt))
	a.lea(r8, rsp, word)
	a.lea(r9, rbp, at(efi.OffEntry))
	a.lea(rax, rsp, version)
	a.store(rsp, fifth, rax)
	a.callMem(rbx, efiGetMemoryMap)
	a.mov64(r14, rax)
	a.test(rax)
	a.jnz("no end")
	a.mov64(rcx, r12)
	a.load(rdx, rsp, word)
	a.callMem(rbx, efiExitServices)
	a.mov64(r14, rax)
	a.test(rax)
	a.jz("ended")
	a.dec32(r15)
	a.jnz("again")
	a.label("no end")
	a.leaLabel(rdx, "no map")

	// fail says the text at RDX and gives the machine back with the status in R14, that of the last service.
	a.label("fail")
	a.load(rcx, r13, efiConOut)
	a.jrcxz("unsaid")
	a.callMem(rcx, efiOutputString)
	a.label("unsaid")
	a.mov64(rcx, r12)
	a.mov64(rdx, r14)
	a.xor(eax, eax)
	a.mov64(r8, rax)
	a.mov64(r9, rax)
	a.callMem(rbx, efiExit)
	a.label("stop")
	a.cli()
	a.hlt()
	a.jmp("stop")

	a.label("ended")
	a.cli()
	a.cld()
	a.movFromCR(eax, 4)
	a.andImm32(eax, ^uint32(flags))
	a.movToCR(4, eax)
	a.leaLabel(rax, "gdt")
	a.leaLabel(rdx, "gdtr")
	a.store(rdx, 2, rax)
	a.lgdtMem(rdx, 0)
	a.pushImm(selCode32)
	a.leaLabel(rax, "flat")
	a.push(rax)
	a.retFar()

	a.bits = 32
	a.label("flat")
	loadDataSegments(a)
	a.movFromCR(eax, 0)
	a.andImm32(eax, ^uint32(cr0PG))
	a.movToCR(0, eax)
	a.mov(esi, ebp)
	a.addImm32(esi, p.list)
	a.label("next segment")
	a.lodsd()
	a.mov(ecx, eax)
	a.jecxz("placed")
	a.mov(edi, eax)
	a.lodsd()
	a.mov(ecx, eax) // bytes
	a.lodsd()
	a.mov(edx, eax) // zeros
	a.lodsd()
	a.mov(ebx, esi)
	a.mov(esi, ebp)
	a.add(esi, eax)
	a.repMovsb()
	a.mov(ecx, edx)
	a.xor(eax, eax)
	a.repStosb()
	a.mov(esi, ebx)
	a.jmp("next segment")
	a.label("placed")
	a.movImm32(eax, efi.Magic)
	a.mov(ebx, ebp)
	a.addImm32(ebx, efiDataAt)
	a.define("image", layout.StubText)
	a.jmpFar(selCode32, "image")

	a.label("loaded image")
	a.text(efiLoadedImage)
	a.label("graphics")
	a.text(efiGraphics)
	a.label("gdt")
	for _, d := range gdt {
		a.emit32(uint32(d))
		a.emit32(uint32(d >> 32))
	}
	a.label("gdtr")
	a.emit16(gdtLimit)
	a.emit32(0)
	a.emit32(0)
	for _, m := range efiMessages {
		a.label(m.label)
		for _, c := range m.text + "\x00" {
			a.emit16(uint16(c))
		}
	}
	return a.bytes()
}

// Sections cited in the files for amd64 are those of the Intel Software Developer's Manual (SDM) unless another
// document is named.

package arch

import (
	"unsafe"

	"sched9/arch/amd64/layout"
)

// CPU is what a processor needs to know about itself. GS holds its address
// from initCPU on, so that interrupt entry finds it without touching the
// interrupted program's registers.
type CPU struct {
	self   uintptr // its own address, at GS:0
	id     uint64  // number, 0 for the boot processor
	irqG   uintptr // the g that interrupt handlers run as
	faultG uintptr // the g that exception handlers run as
	apic   uint32  // APIC id
	inUse  uint32  // 1 from bring-up on

	gdt [7]uint64
	tss [26]uint32 // 104 bytes (SDM 3A, 8.7)
}

// bootTLS is the boot processor's thread-local storage until the runtime sets
// its own; g lies 8 bytes below FS.
var bootTLS [16]uintptr

// Segment selectors; the layout of the boot GDT, with the TSS behind it.
const (
	selCode64 = 0x08
	selData   = 0x10
	selTSS    = 0x20
)

// Interrupt stack table entries (SDM 3A, 6.14.5).
const (
	istIRQ   = 1 // external interrupts
	istFault = 2 // exceptions
	istNMI   = 3 // NMI, double fault, machine check: these may strike in the others
)

// initCPU loads the tables of processor id, whose APIC id is apic, and puts
// its address into GS. It runs on that processor, once, with interrupts off
// and with noG as g.
func initCPU(id int, apic uint32, st Stacks) {
	c := &cpus[id]
	c.self = uintptr(unsafe.Pointer(c))
	c.id = uint64(id)
	c.apic = apic
	c.irqG = uintptr(unsafe.Pointer(&noG))
	c.faultG = uintptr(unsafe.Pointer(&noG))
	c.inUse = 1

	c.setIST(istIRQ, st.IRQ)
	c.setIST(istFault, st.Fault)
	c.setIST(istNMI, st.NMI)
	c.tss[25] = 104 << 16 // no I/O permission map: it would begin past the limit

	t := uint64(uintptr(unsafe.Pointer(&c.tss)))
	c.gdt[selCode64/8] = 0x00af_9b00_0000_ffff // 64-bit code, accessed
	c.gdt[selData/8] = 0x00cf_9300_0000_ffff   // data, accessed
	c.gdt[selTSS/8] = 103 | t&0xffffff<<16 | 0x89<<40 | t>>24&0xff<<56
	c.gdt[selTSS/8+1] = t >> 32

	loadTables(uintptr(unsafe.Pointer(&c.gdt)), unsafe.Sizeof(c.gdt)-1, uintptr(unsafe.Pointer(&idt)), unsafe.Sizeof(idt)-1)
	wrmsr(msrGSBase, uint64(c.self))
	initSyscall()
	initFPU()
	resetFPU()
	initMachineCheck()
	initLAPIC()
}

// setIST writes entry i of the interrupt stack table, which lies unaligned in
// the TSS.
func (c *CPU) setIST(i int, top uintptr) {
	c.tss[7+2*i] = uint32(top)
	c.tss[8+2*i] = uint32(top >> 32)
}

// apicOf returns processor id's APIC id.
func apicOf(id int) uint32 { return cpus[id].apic }

// Info returns the block that image builder and stub filled.
func info() *layout.Info { return (*layout.Info)(unsafe.Pointer(uintptr(layout.InfoAt))) }

// Physical returns the physical address of something in the image.
func Physical(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// Phys returns the address at which physical address pa is mapped.
func Phys(pa uint64) uintptr { return uintptr(layout.DirectMap + pa) }

// Model-specific registers (SDM 4).
const (
	msrCounter  = 0x10 // time-stamp counter, and what was added to it
	msrAdjust   = 0x3b
	msrAPICBase = 0x1b
	msrBanks    = 0x179 // how many banks of machine checks there are; of one: control, status, address
	msrBank0    = 0x400
	msrEFER     = 0xc000_0080
	msrSTAR     = 0xc000_0081
	msrLSTAR    = 0xc000_0082
	msrFMASK    = 0xc000_0084
	msrGSBase   = 0xc000_0101
)

// initSyscall has the instruction SYSCALL, which assembly of other packages may
// contain, come to syscallEntry (SDM 3A, 5.8.8). There is one privilege level:
// flags and stack stay as they are.
func initSyscall() {
	const enable = 1 << 0 // EFER.SCE
	wrmsr(msrSTAR, selCode64<<32)
	wrmsr(msrLSTAR, uint64(syscallEntryPC()))
	wrmsr(msrFMASK, 0)
	wrmsr(msrEFER, rdmsr(msrEFER)|enable)
}

// initMachineCheck has errors of the hardware come as exceptions (SDM 3B, 16.7). Without it one resets the machine, and nobody learns why.
// Which errors do is as firmware has left it in the banks.
func initMachineCheck() {
	const (
		has = 1<<7 | 1<<14 // EDX of cpuidFeatures: the exception, and banks that tell of it
		on  = 1 << 6       // CR4
	)
	if _, _, _, d := cpuid(cpuidFeatures, 0); d&has == has {
		setCR4(cr4() | on)
	}
}

// initFPU enables SSE, and AVX where the processor has it, and notes how
// handlers save the registers. All processors are the same in this.
func initFPU() {
	const osxsave = 1 << 18 // CR4
	fninit()                // INIT leaves the x87 unit in another state than programs expect
	_, _, c, _ := cpuid(1, 0)
	if c&(1<<26) == 0 { // no XSAVE: FXSAVE holds all there is (SSE)
		return
	}
	setCR4(cr4() | osxsave)
	const (
		x87, sse, avx = 1 << 0, 1 << 1, 1 << 2
		avx512        = 7 << 5
	)
	a, _, _, _ := cpuid(0xd, 0)
	mask := a & (x87 | sse | avx | avx512)
	if mask&avx == 0 || mask&avx512 != avx512 {
		mask &^= avx512
	}
	xsetbv(mask)
	_, size, _, _ := cpuid(0xd, 0)
	if size > maxFPState {
		mask = x87 | sse
		xsetbv(mask)
		size = 576
	}
	fpMask = uint64(mask)
	fpSize = uint64(size)
}

// fpReset holds what resetFP loads, at an address that is a multiple of 64: control
// words as after a reset, all else zero.
var fpReset [640]byte

// resetFPU gives this processor's floating-point and vector registers the values of a
// reset (SDM 3A, table 9-1). After initFPU.
func resetFPU() {
	const fcw, mxcsr = 0x037f, 0x1f80
	p := (uintptr(unsafe.Pointer(&fpReset)) + 63) &^ 63
	*(*uint16)(unsafe.Pointer(p)) = fcw
	*(*uint32)(unsafe.Pointer(p + 24)) = mxcsr
	resetFP(p, fpMask)
}

// maxFPState bounds what a handler's stack spends on registers: AVX-512 needs
// 2,696 bytes.
const maxFPState = 4096

var (
	// fpMask is the set of states that XSAVE saves; 0: FXSAVE is used.
	fpMask uint64
	// fpSize is the room they need.
	fpSize uint64 = 512
)

package arch

import (
	"unsafe"

	"sched9/arch/acpi"
	"sched9/arch/amd64/layout"
	"sched9/arch/amd64/loader"
	"sched9/arch/physical"
)

// boot is what the loader left, and memory what it and the firmware say of it is read through: what the first
// page tables show without the devices at its end, and what else the loader's map has.
var (
	boot   loader.Info
	memory = physical.Memory{Base: layout.DirectMap, Limit: layout.DeviceFrom, Beyond: showBeyond}
)

// earlyStacks serve the boot processor's traps until the kernel has memory for
// guarded ones. 16 bytes of alignment is what the processor wants.
var earlyStacks [3][FaultStack]byte

// InitEarly makes the boot processor able to trap: from here on a fault is
// reported. It silences the legacy interrupt controllers.
func InitEarly() {
	const pic1Data, pic2Data = 0x21, 0xa1
	out8(pic1Data, 0xff)
	out8(pic2Data, 0xff)
	findLAPIC()
	initIDT()
	top := func(i int) uintptr { return uintptr(unsafe.Pointer(&earlyStacks[i])) + FaultStack }
	initCPU(0, apicID(), Stacks{IRQ: top(0), Fault: top(1), NMI: top(2)})
}

// SetStacks gives the calling processor other interrupt stacks. Interrupts are
// off and none is being handled.
func SetStacks(st Stacks) {
	c := &cpus[ID()]
	c.setIST(istIRQ, st.IRQ)
	c.setIST(istFault, st.Fault)
	c.setIST(istNMI, st.NMI)
}

// InitClock starts the clock; false: the machine has no timer to measure it by. Call it
// after ReadLoader.
func InitClock() bool { return initClock() }

// ReadLoader reads what the boot loader left, and returns "", or what is wrong with it.
// Cmdline returns the address of the command line, 0 if there is none;
// RAM calls fn with every range of usable memory.
func ReadLoader() (wrong string) {
	i := info()
	wrong = loader.Read(&memory, i.LoaderEAX, i.LoaderEBX, &boot)
	if n := boot.Root.Len; n > 0 && boot.RSDP == 0 {
		copy((*[len(boot.Root.Bytes)]byte)(unsafe.Pointer(Phys(layout.RootAt)))[:], boot.Root.Bytes[:n])
		boot.RSDP = layout.RootAt
	}
	if wrong == "" {
		findSerial()
	}
	return wrong
}

// Cmdline: see ReadLoader.
func Cmdline() uintptr {
	if boot.Cmdline == 0 {
		return 0
	}
	return Phys(boot.Cmdline)
}

// Module returns where in physical memory the file lies that the boot loader put beside the image;
// 0, 0: there is none. Phys reaches it.
func Module() (start, end uint64) { return boot.Module.Start, boot.Module.End }

// RAM: see ReadLoader.
func RAM(fn func(start, end uint64)) {
	for i := 0; i < boot.NRAM; i++ {
		fn(boot.RAM[i].Start, boot.RAM[i].End)
	}
}

// KeepLow says whether memory below the image is left alone: it is the firmware's and the trampoline's.
const KeepLow = true

// EarlyRAM is the end of the physical memory that is reachable before MapRAM.
const EarlyRAM = 4 << 30

// Image returns the physical range that stub, page tables and image occupy.
func Image() (start, end uint64) {
	i := info()
	return i.ImageStart, i.ImageEnd
}

// Fixed calls fn with each range of physical memory that is used at fixed addresses, whatever the
// loader's map says, and with what lies there.
func Fixed(fn func(start, end uint64, what string)) {
	i := info()
	fn(i.ImageStart, layout.PageTablesEnd, "the image")
	fn(i.Program, i.ImageEnd, "the image")
	fn(layout.Trampoline, layout.Trampoline+PageSize, "the code that processors start with")
}

// BootStack returns the lowest address of the stack that the kernel boots on and
// that becomes m0's g0; the page below it is absent.
func BootStack() uintptr { return layout.BootStack }

// UserLow is the lowest address that programs may have memory at: the image lies
// below.
const UserLow = 1 << 30

// HWCap would tell programs what the processor can do (Linux's AT_HWCAP). Here they
// ask it themselves.
func HWCap() uintptr { return 0 }

// MapRAM makes physical memory up to end reachable through Phys.
func MapRAM(end uint64) bool { return mapDirect(end) }

// FindCPUs counts the processors by ACPI's MADT and returns how many there
// are: more than MaxCPU if there are more than can be used, 1 if the machine
// has no such table. Those that do not start are left out, absent is called with the number of each. The interrupt controllers that the table lists are made silent. Call it after
// InitClock, before interrupts are on.
func FindCPUs(absent func(id uint64)) int {
	widenLAPIC(boot.X2APIC)
	cpus[0].apic = apicID()
	findIOAPICs()
	var ids [MaxCPU]uint32
	m, rsdp := tables()
	most := uint32(maxXAPIC)
	if x2apic {
		most = maxX2APIC
	}
	found := acpi.CPUs(m, rsdp, most, ids[:])
	apicIDs[0] = cpus[0].apic
	numCPU = 1
	for _, id := range ids[:min(found, MaxCPU)] {
		if id != apicIDs[0] && numCPU < MaxCPU {
			apicIDs[numCPU] = id
			numCPU++
		}
	}
	copyTrampoline()
	dropAbsent(absent)
	return max(found, 1)
}

// Random returns 64 random bits from the processor, or false if it has no
// source of them.
func Random() (uint64, bool) {
	const rdrandBit = 1 << 30
	if _, _, c, _ := cpuid(1, 0); c&rdrandBit == 0 {
		return 0, false
	}
	for try := 0; try < 10; try++ { // SDM 1, 7.3.17.1: ten tries
		if v, ok := rdrand(); ok {
			return v, true
		}
	}
	return 0, false
}

// Own returns the physical range of the boot stack and of the first page tables, and of zeros behind them.
func Own() (start, end uint64) { return layout.BootStack, layout.PageTablesEnd }

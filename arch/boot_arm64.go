package arch

import (
	"unsafe"

	"sched9/arch/arm64/layout"
	"sched9/arch/fdt"
)

// machine is what the device tree says.
var (
	tree    fdt.Tree
	machine fdt.Machine
)

// earlyStacks serve the boot processor's traps until the kernel has memory for
// guarded ones.
var earlyStacks [3][FaultStack]byte

// InitEarly makes the boot processor able to trap: from here on a fault is
// reported. It reads the device tree, or what UEFI told, because all else is found by that.
func InitEarly() {
	openTables()
	if left := info().Left; left != 0 {
		readEFI(left)
	} else {
		if openTree(info().Tree) {
			machine.Read(&tree)
		}
		mapMemory()
	}
	mapDevices()
	if machine.Controller != fdt.NoController && !irq().find() {
		machine.Controller = fdt.NoController
	}
	top := func(i int) uintptr { return (uintptr(unsafe.Pointer(&earlyStacks[i])) + FaultStack) &^ 15 }
	initCPU(0, Stacks{IRQ: top(0), Fault: top(1), NMI: top(2)})
	connectButton()
}

// openTree opens the device tree at physical address at. Loaders leave it in memory that may be mapped in pieces of 2 MiB,
// and no longer than one (Linux, booting.rst).
func openTree(at uint64) bool {
	if at == 0 {
		return false
	}
	for pa := at &^ (HugeSize - 1); pa < at+fdt.MaxSize; pa += HugeSize {
		if !mapWindow(pa) {
			return false
		}
	}
	return tree.Open(uintptr(layout.Window+at), fdt.MaxSize)
}

// SetStacks gives the calling processor other interrupt stacks. Interrupts are
// off and none is being handled; an FIQ that comes meanwhile finds the old ones or
// the new ones, which are both there.
func SetStacks(st Stacks) { cpus[ID()].setStacks(st) }

// ReadLoader reads what the boot loader left, and returns "", or what is wrong with it.
// Cmdline returns the address of the command line, 0 if there is none;
// RAM calls fn with every range of usable memory.
func ReadLoader() (wrong string) {
	switch m := machine.Module; {
	case len(machine.RAM.All()) == 0 || machine.Controller == fdt.NoController:
		return "it left no description of this machine that sched9 knows"
	case m != fdt.Range{} && !machine.Memory.Has(m):
		return "the file beside the image is not in memory"
	}
	return ""
}

// Cmdline: see ReadLoader.
func Cmdline() uintptr { return machine.Cmdline }

// Module returns where in physical memory the file lies that the boot loader put beside the image, Linux's
// initrd; 0, 0: there is none. Phys reaches it.
func Module() (start, end uint64) {
	return machine.Module.Start, machine.Module.End
}

// RAM: see ReadLoader.
func RAM(fn func(start, end uint64)) {
	for _, r := range machine.RAM.All() {
		fn(r.Start, r.End)
	}
}

// Image returns the physical range that entry code, page tables and image occupy.
func Image() (start, end uint64) {
	i := info()
	return i.ImageStart + i.Offset, i.ImageEnd + i.Offset
}

// KeepLow says whether memory below the image is left alone.
const KeepLow = false

// Fixed calls fn with each range of physical memory that is used at fixed addresses, whatever the
// loader's map says, and with what lies there.
func Fixed(fn func(start, end uint64, what string)) {
	start, end := Image()
	fn(start, end, "the image")
}

// BootStack returns the lowest address of the stack that the kernel boots on and
// that becomes m0's g0; the page below it is absent.
func BootStack() uintptr { return uintptr(info().StackTop) - layout.BootStackSize }

// UserLow is the lowest address that programs may have memory at: the image lies
// below.
const UserLow = 4 << 30

// EarlyRAM is the end of the physical memory that is reachable before MapRAM.
const EarlyRAM = 1 << 48

// MapRAM makes physical memory up to end reachable through Phys, once the kernel has memory below EarlyRAM: from then on it gives page tables.
func MapRAM(end uint64) bool {
	closeTables()
	return true
}

// FindCPUs counts the processors of the device tree and returns how many there
// are: more than MaxCPU if there are more than can be used. Those that do not start are left out, absent is called with the affinity
// of each. Call it after InitClock.
func FindCPUs(absent func(id uint64)) int {
	cpuIDs[0] = cpus[0].affinity
	numCPU = 1
	for i, id := range machine.CPUs[:min(machine.NumCPUs, len(machine.CPUs))] {
		at := machine.Release[i]
		if id == cpuIDs[0] || numCPU == MaxCPU || !machine.PSCI && at == 0 {
			continue
		}
		if !answers(id, at) {
			absent(id)
			continue
		}
		cpuIDs[numCPU], releases[numCPU] = id, at
		numCPU++
	}
	return max(machine.NumCPUs, 1)
}

// Random returns 64 random bits from the processor, or false if it has no
// source of them (FEAT_RNG).
func Random() (uint64, bool) {
	if readISAR0()>>60 == 0 {
		return 0, false
	}
	for try := 0; try < 10; try++ {
		if v, ok := randomNumber(); ok {
			return v, true
		}
	}
	return 0, false
}

// HWCap tells programs what the processor can do beyond what all have, in the form of
// Linux's AT_HWCAP (arch/arm64/include/uapi/asm/hwcap.h). SVE and SME are not among it,
// because their registers are not kept (boot_arm64.s).
func HWCap() uintptr {
	const (
		fp, simd, cpuid = 1 << 0, 1 << 1, 1 << 11
		aes, pmull      = 1 << 3, 1 << 4
		sha1, sha2      = 1 << 5, 1 << 6
		crc32, atomics  = 1 << 7, 1 << 8
		sha3, sha512    = 1 << 17, 1 << 21
		dit             = 1 << 24
	)
	c := uintptr(fp | simd | cpuid)
	for _, f := range [...]struct {
		reg         uint64
		shift, from uint
		cap         uintptr
	}{
		{readISAR0(), 4, 1, aes},
		{readISAR0(), 4, 2, pmull},
		{readISAR0(), 8, 1, sha1},
		{readISAR0(), 12, 1, sha2},
		{readISAR0(), 12, 2, sha512},
		{readISAR0(), 16, 1, crc32},
		{readISAR0(), 20, 2, atomics},
		{readISAR0(), 32, 1, sha3},
		{readPFR0(), 48, 1, dit},
	} {
		if f.reg>>f.shift&15 >= uint64(f.from) {
			c |= f.cap
		}
	}
	return c
}

// Own returns the physical range of the boot stack and of the first page tables, and of zeros behind them.
func Own() (start, end uint64) {
	i := info()
	return i.StackTop - layout.BootStackSize + i.Offset, i.ImageEnd + i.Offset
}

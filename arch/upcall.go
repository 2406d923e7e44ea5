package arch

import _ "unsafe" // for go:linkname

// What the architecture calls in the kernel above it. The kernel imports this
// package, so these are bound by the linker.

// upBoot is the kernel's start: boot processor, boot stack, interrupts off. It
// returns the arguments for the runtime.
//
//go:linkname upBoot sched9/kernel.boot
func upBoot() (argc, argv uintptr)

// upFault handles an exception: it mends the cause or changes f, and returns,
// or it ends the run. upNMI does the same for an NMI.
//
//go:linkname upFault sched9/kernel.trapFault
func upFault(f *Frame)

//go:linkname upNMI sched9/kernel.trapNMI
func upNMI(f *Frame)

// upTimer, upKick, upPreempt and upFlush handle the interrupts of those names.
//
//go:linkname upTimer sched9/kernel.trapTimer
func upTimer(f *Frame)

//go:linkname upKick sched9/kernel.trapKick
func upKick()

//go:linkname upPreempt sched9/kernel.trapPreempt
func upPreempt(f *Frame)

//go:linkname upFlush sched9/kernel.trapFlush
func upFlush()

// upDevice handles the interrupt of a device's line.
//
//go:linkname upDevice sched9/kernel.trapDevice
func upDevice(line int)

// upArrive tells that the calling processor, not the boot processor, runs; its
// traps work and its interrupts are off.
//
//go:linkname upArrive sched9/kernel.arrive
func upArrive()

// upTable returns a zeroed 4 KiB frame for a page table, or 0. upFree takes
// back a frame of the given size.
//
//go:linkname upTable sched9/kernel.allocTable
func upTable() uint64

//go:linkname upFree sched9/kernel.freeFrame
func upFree(pa uint64, size uintptr)

// bootKernel is called by Boot.
func bootKernel() (argc, argv uintptr) { return upBoot() }

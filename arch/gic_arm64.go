package arch

import (
	"unsafe"

	"sched9/arch/fdt"
)

// The generic interrupt controller, versions 2 (Arm IHI 0048) and 3 (IHI 0069): the distributor,
// which is the same in both except for the destination of interrupts, and the processors'
// interfaces.
//
// There are two groups of interrupts. Group 1 comes as IRQ, group 0 as FIQ. A version 2 acknowledges with who sent it above
// the number.

// The distributor's registers, and those of a version 3 redistributor's second page.
const (
	gicdControl  = 0x000
	gicdType     = 0x004
	gicGroup     = 0x080 // a bit for each interrupt
	gicEnable    = 0x100
	gicDisable   = 0x180
	gicPriority  = 0x400 // 8 bits
	gicTargets   = 0x800 // version 2: 8 bits
	gicConfig    = 0xc00 // 2 bits, of which the upper one is set for edges
	gicdSGI      = 0xf00 // version 2
	gicdRoute    = 0x6000
	gicdSize     = 0x10000
	groupEnables = 3 // of gicdControl
	affinityOn   = 1 << 4

	priorityIRQ = 0xa0 // lower goes first
	priorityFIQ = 0x20
)

// gic is where the controller is mapped, and whether group 0 is ours, in a version 3: else it is the firmware's, in EL3, and an NMI comes as IRQ like others, so
// that a processor takes it when it lets those in.
var gic struct {
	dist, cpu uintptr
	group0    bool
}

// gicFind is controller.find: all shared interrupts are in group 1.
func gicFind() bool {
	gic.dist, gic.cpu = Device(machine.GICD, gicdSize), Device(machine.GICC.Start, uintptr(machine.GICC.End-machine.GICC.Start))
	if gic.dist == 0 || gic.cpu == 0 {
		return false
	}
	Write32(gic.dist+gicdControl, 0)
	n := (Read32(gic.dist+gicdType)&31 + 1) * 32
	for i := uintptr(32); i < uintptr(min(n, noInterrupt)); i += 32 {
		Write32(gic.dist+gicDisable+i/8, ^uint32(0))
		Write32(gic.dist+gicGroup+i/8, ^uint32(0))
	}
	for i := uintptr(32); i < uintptr(min(n, noInterrupt)); i += 4 {
		Write32(gic.dist+gicPriority+i, priorityIRQ*0x01010101)
	}
	on := uint32(groupEnables)
	if machine.Controller == fdt.GICv3 {
		on |= affinityOn
	}
	Write32(gic.dist+gicdControl, on)
	return true
}

// initPrivate sets up a processor's own interrupts, whose registers are from private on, and turns on those that processors send each other and the
// timer's.
func initPrivate(private uintptr) {
	Write32(private+gicDisable, ^uint32(0))
	Write32(private+gicGroup, ^uint32(1<<sgiNMI))
	for i := uintptr(0); i < 32; i += 4 {
		Write32(private+gicPriority+i, priorityIRQ*0x01010101)
	}
	Write32(private+gicPriority, priorityIRQ*0x01010100|priorityFIQ)
	Write32(private+gicEnable, 0xffff|1<<machine.Timer.ID)
}

// gicConnect is controller.connect.
func gicConnect(id uint32, edge, fiq bool) {
	bit, word := uint32(1)<<(id%32), uintptr(id/32*4)
	Write32(gic.dist+gicDisable+word, bit)
	config := gic.dist + gicConfig + uintptr(id/16*4)
	v := Read32(config) &^ (2 << (id % 16 * 2))
	if edge {
		v |= 2 << (id % 16 * 2)
	}
	Write32(config, v)
	if fiq {
		group := gic.dist + gicGroup + word
		Write32(group, Read32(group)&^bit)
		Write8(gic.dist+gicPriority+uintptr(id), priorityFIQ)
	}
	if machine.Controller == fdt.GICv3 {
		*(*uint64)(unsafe.Pointer(gic.dist + gicdRoute + uintptr(id)*8)) = cpus[0].affinity
	} else {
		Write8(gic.dist+gicTargets+uintptr(id), uint8(cpus[0].gicMask))
	}
	Write32(gic.dist+gicEnable+word, bit)
}

package arch

import "unsafe"

// The generic interrupt controller, versions 2 (Arm IHI 0048) and 3 (IHI 0069): the distributor,
// which is the same in both except for the destination of interrupts, and the processors'
// interfaces.
//
// There are two groups of interrupts. Group 1 comes as IRQ, which the kernel masks. Group 0 comes
// as FIQ, which is masked only in a handler's first and last instructions and in the handler of
// another FIQ: this serves as the NMI.

// Software-generated interrupts.
const (
	sgiNMI     = 0 // group 0
	sgiKick    = 1
	sgiPreempt = 2
	sgiFlush   = 3

	interruptID = 0x3ff // of what acknowledging returns; above it who sent it (version 2)
	noInterrupt = 1020
)

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

	// The processor interface of version 2: control, with both groups on, IRQ
	// acknowledging both, group 0 as FIQ.
	giccControl = 0x00
	giccMask    = 0x04
	giccIAR     = 0x0c
	giccEOIR    = 0x10
	giccOn      = 0xf

	// A redistributor of version 3.
	gicrType   = 0x08 // 64 bits: affinity in the upper half, last one of the region
	gicrWaker  = 0x14
	gicrSGI    = 0x10000
	gicrStride = 0x20000
	gicrLast   = 1 << 4
	wakerSleep = 1 << 1 // asked to sleep
	wakerDone  = 1 << 2 // does
)

// gic is where the controller is mapped.
var gic struct {
	dist, cpu uintptr
	v3        bool
}

// findGIC sets the distributor up: all shared interrupts off, in group 1, to the boot
// processor. It reports false if there is no controller that is known.
func findGIC() bool {
	if machine.GICVersion == 0 {
		return false
	}
	gic.v3 = machine.GICVersion == 3
	gic.dist, gic.cpu = Device(machine.GICD, gicdSize), Device(machine.GICC.Start, uintptr(machine.GICC.End-machine.GICC.Start))
	if gic.dist == 0 || gic.cpu == 0 {
		machine.GICVersion = 0
		return false
	}
	write32(gic.dist+gicdControl, 0)
	n := (read32(gic.dist+gicdType)&31 + 1) * 32
	for i := uintptr(32); i < uintptr(min(n, noInterrupt)); i += 32 {
		write32(gic.dist+gicDisable+i/8, ^uint32(0))
		write32(gic.dist+gicGroup+i/8, ^uint32(0))
	}
	for i := uintptr(32); i < uintptr(min(n, noInterrupt)); i += 4 {
		write32(gic.dist+gicPriority+i, priorityIRQ*0x01010101)
	}
	on := uint32(groupEnables)
	if gic.v3 {
		on |= affinityOn
	}
	write32(gic.dist+gicdControl, on)
	return true
}

// initGIC sets up what the controller has for the calling processor, and turns on
// software-generated interrupts and the timer's.
func initGIC(c *CPU) {
	private := gic.dist
	if gic.v3 {
		if c.gicr = findRedistributor(c.affinity); c.gicr == 0 {
			Stop() // StartCPU's limit reports it
		}
		wakeRedistributor(c.gicr)
		private = c.gicr + gicrSGI
	}
	write32(private+gicDisable, ^uint32(0))
	write32(private+gicGroup, ^uint32(1<<sgiNMI))
	for i := uintptr(0); i < 32; i += 4 {
		write32(private+gicPriority+i, priorityIRQ*0x01010101)
	}
	write32(private+gicPriority, priorityIRQ*0x01010100|priorityFIQ)
	write32(private+gicEnable, 0xffff|1<<machine.Timer.ID)
	if gic.v3 {
		iccInit()
		return
	}
	// These registers read as the processor's own bit.
	c.gicMask = read32(gic.dist+gicTargets) & 0xff
	write32(gic.cpu+giccMask, 0xff)
	write32(gic.cpu+giccControl, giccOn)
}

// Stop halts this processor for ever, with interrupts off. The controller passes no more interrupts
// to it: a pending one would end each wait at once, and the processor would spin, at the cost of
// others if an emulator runs them in turn.
func Stop() {
	maskAll()
	stopTimer()
	switch {
	case gic.dist == 0:
	case gic.v3:
		iccClose()
	default:
		write32(gic.cpu+giccMask, 0)
	}
	wait()
}

// findRedistributor returns the redistributor of the processor with the given
// affinity, 0 if there is none.
func findRedistributor(affinity uint64) uintptr {
	want := uint32(affinity&0xff_ffff | affinity>>32<<24)
	end := gic.cpu + uintptr(machine.GICC.End-machine.GICC.Start)
	for r := gic.cpu; r < end; r += gicrStride {
		if read32(r+gicrType+4) == want {
			return r
		}
		if read32(r+gicrType)&gicrLast != 0 {
			return 0
		}
	}
	return 0
}

// wakeRedistributor has it pass on interrupts.
func wakeRedistributor(r uintptr) {
	write32(r+gicrWaker, read32(r+gicrWaker)&^wakerSleep)
	for n := 0; n < 1_000_000 && read32(r+gicrWaker)&wakerDone != 0; n++ {
		Pause()
	}
}

// acknowledgeIRQ and acknowledgeFIQ take the interrupt that is pending; endIRQ and endFIQ
// end it. Version 2 has one register for both.
func acknowledgeIRQ() uint32 {
	if gic.v3 {
		return iccAcknowledge1()
	}
	return read32(gic.cpu + giccIAR)
}

// acknowledgeFIQ: see acknowledgeIRQ.
func acknowledgeFIQ() uint32 {
	if gic.v3 {
		return iccAcknowledge0()
	}
	return read32(gic.cpu + giccIAR)
}

// endIRQ: see acknowledgeIRQ. ack is what that returned.
func endIRQ(ack uint32) {
	if gic.v3 {
		iccEnd1(ack)
		return
	}
	write32(gic.cpu+giccEOIR, ack)
}

// endFIQ is endIRQ for acknowledgeFIQ.
func endFIQ(ack uint32) {
	if gic.v3 {
		iccEnd0(ack)
		return
	}
	write32(gic.cpu+giccEOIR, ack)
}

// sgi interrupts processor id. Any context. That processor sees all earlier stores: write32 orders
// them, and so do the other two.
func sgi(id int, sgi uint32) {
	c := &cpus[id]
	if !gic.v3 {
		write32(gic.dist+gicdSGI, c.gicMask<<16|sgi)
		return
	}
	a := c.affinity
	v := a>>32&0xff<<48 | a>>16&0xff<<32 | a>>8&0xff<<16 | a>>4&0xf<<44 | 1<<(a&0xf) | uint64(sgi)<<24
	if sgi == sgiNMI {
		iccSGI0(v)
	} else {
		iccSGI1(v)
	}
}

// Kick interrupts processor id, to end a Halt and for nothing else.
func Kick(id int) { sgi(id, sgiKick) }

// SendPreempt has processor id call trapPreempt, SendFlush trapFlush.
func SendPreempt(id int) { sgi(id, sgiPreempt) }
func SendFlush(id int)   { sgi(id, sgiFlush) }

// SendNMI interrupts processor id whatever it does.
func SendNMI(id int) { sgi(id, sgiNMI) }

// enableShared turns shared interrupt id on, for the boot processor.
func enableShared(id uint32, edge, fiq bool) {
	bit, word := uint32(1)<<(id%32), uintptr(id/32*4)
	write32(gic.dist+gicDisable+word, bit)
	config := gic.dist + gicConfig + uintptr(id/16*4)
	v := read32(config) &^ (2 << (id % 16 * 2))
	if edge {
		v |= 2 << (id % 16 * 2)
	}
	write32(config, v)
	if fiq {
		group := gic.dist + gicGroup + word
		write32(group, read32(group)&^bit)
		Write8(gic.dist+gicPriority+uintptr(id), priorityFIQ)
	}
	if gic.v3 {
		*(*uint64)(unsafe.Pointer(gic.dist + gicdRoute + uintptr(id)*8)) = cpus[0].affinity
	} else {
		Write8(gic.dist+gicTargets+uintptr(id), uint8(cpus[0].gicMask))
	}
	write32(gic.dist+gicEnable+word, bit)
}

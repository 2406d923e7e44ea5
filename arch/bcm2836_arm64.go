package arch

import "math/bits"

// The pair of controllers of a Raspberry Pi 2 and 3. The one for each processor ("ARM Quad A7 core", BCM2836, rev 3.4) has its timers
// and four mailboxes of 32 bits, which any processor can set bits in: mailbox 0 interrupts by IRQ, mailbox 1 by FIQ, and a bit in
// it is an interrupt's number. Behind it is the one for devices (BCM2835 ARM Peripherals, 7), 72 lines in three registers, all of which go to one processor.
//
// Neither knows of interrupts that are being handled: a line interrupts for as long as it is high, so what brings it down comes before
// the processor lets IRQ in again.
const (
	// The one for processors. Registers for each processor follow each other, by 4 bytes, mailboxes' by 16.
	coreDevices  = 0x0c // to which processor devices interrupt by IRQ, and by FIQ
	corePMUClear = 0x18
	coreLocal    = 0x34 // a timer for all
	coreTimers   = 0x40
	coreMailbox  = 0x50
	coreIRQ      = 0x60 // what is pending
	coreFIQ      = 0x70
	mailboxSet   = 0x80
	mailboxClear = 0xc0 // and read

	timerVirtual = 1 << 3 // of coreTimers, coreIRQ
	mailboxIRQ   = 1 << 0 // of coreMailbox: mailbox 0 by IRQ, mailbox 1 by FIQ
	mailboxFIQ   = 1 << 5
	pendingBox   = 1 << 4 // of coreIRQ and coreFIQ: mailbox 0; the others follow
	pendingGPU   = 1 << 8

	// The one for devices. An interrupt's number is 32 for each register before its own, and the bit.
	gpuPending = 0x00 // three registers, the first with a summary of the others above its own bits
	gpuOwn     = 0xff // these bits
	gpuFIQ     = 0x0c
	gpuEnable1 = 0x10 // 1, 2, and then 0
	gpuEnable2 = 0x14
	gpuEnable0 = 0x18
	gpuDisable = 0x1c // likewise
)

// bcm is where the two are mapped: for processors, and for devices.
var bcm struct{ core, gpu uintptr }

// bcmFind is controller.find.
func bcmFind() bool {
	bcm.core, bcm.gpu = Device(machine.GICD, 0x100), Device(machine.GICC.Start, uintptr(machine.GICC.End-machine.GICC.Start))
	if machine.GICD == 0 || machine.GICC.Start == 0 || bcm.core == 0 || bcm.gpu == 0 {
		return false
	}
	bcmMaskDevices()
	Write32(bcm.core+coreLocal, 0)
	boot := uint32(affinity(readMPIDR()) & 3)
	Write32(bcm.core+coreDevices, boot<<2|boot)
	return true
}

// bcmMaskDevices turns all interrupts of devices off.
func bcmMaskDevices() {
	for r := uintptr(gpuDisable); r < gpuDisable+12; r += 4 {
		Write32(bcm.gpu+r, ^uint32(0))
	}
	Write32(bcm.gpu+gpuFIQ, 0)
}

// bcmInit is controller.init.
func bcmInit(c *CPU) {
	n := uintptr(c.affinity & 3)
	for box := uintptr(0); box < 4; box++ {
		Write32(bcm.core+mailboxClear+16*n+4*box, ^uint32(0))
	}
	Write32(bcm.core+corePMUClear, 0x11<<n)
	Write32(bcm.core+coreMailbox+4*n, mailboxIRQ|mailboxFIQ)
	Write32(bcm.core+coreTimers+4*n, timerVirtual)
}

// bcmClose is controller.close.
func bcmClose() {
	c := &cpus[ID()]
	Write32(bcm.core+coreMailbox+4*uintptr(c.affinity&3), 0)
	if c == &cpus[0] {
		bcmMaskDevices()
	}
}

// bcmTake is controller.take. What a processor sent is acknowledged by clearing its bit, before it is handled: a bit that is set again later interrupts again.
func bcmTake(c *CPU, fiq bool) uint32 {
	n := uintptr(c.affinity & 3)
	if fiq {
		if Read32(bcm.core+coreFIQ+4*n)&(pendingBox<<1) == 0 {
			return noInterrupt
		}
		Write32(bcm.core+mailboxClear+16*n+4, 1<<sgiNMI)
		return sgiNMI
	}
	switch pending := Read32(bcm.core + coreIRQ + 4*n); {
	case pending&pendingBox != 0:
		box := bcm.core + mailboxClear + 16*n
		i := uint32(bits.TrailingZeros32(Read32(box)))
		Write32(box, 1<<i)
		return i
	case pending&timerVirtual != 0:
		return machine.Timer.ID
	case pending&pendingGPU != 0:
		own := uint32(gpuOwn)
		for i := uint32(0); i < 3; i++ {
			if set := Read32(bcm.gpu+gpuPending+4*uintptr(i)) & own; set != 0 {
				return firstShared + 32*i + uint32(bits.TrailingZeros32(set))
			}
			own = ^uint32(0)
		}
	}
	return noInterrupt
}

// bcmEnd is controller.end: there is nothing to say.
func bcmEnd(ack uint32, fiq bool) {}

// bcmSend is controller.send: Write32 orders the stores.
func bcmSend(c *CPU, sgi uint32) {
	box := uintptr(0)
	if sgi == sgiNMI {
		box = 1
	}
	Write32(bcm.core+mailboxSet+16*uintptr(c.affinity&3)+4*box, 1<<sgi)
}

// bcmConnect is controller.connect. No device's interrupt comes by FIQ: the only one that would is a power button, which these machines have not.
func bcmConnect(id uint32, edge, fiq bool) {
	at := bcm.gpu + gpuEnable0
	switch id / 32 {
	case 2:
		at = bcm.gpu + gpuEnable1
	case 3:
		at = bcm.gpu + gpuEnable2
	}
	Write32(at, 1<<(id%32))
}

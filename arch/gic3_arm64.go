package arch

// A GIC of version 3: each processor has a redistributor, which holds what is its own, and reaches its interface by system registers.
const (
	// A redistributor.
	gicrType   = 0x08 // 64 bits: affinity in the upper half, last one of the region
	gicrWaker  = 0x14
	gicrSGI    = 0x10000
	gicrStride = 0x20000
	gicrLast   = 1 << 4
	wakerSleep = 1 << 1 // asked to sleep
	wakerDone  = 1 << 2 // does
)

// gic3Init is controller.init.
func gic3Init(c *CPU) {
	if c.gicr = findRedistributor(c.affinity); c.gicr == 0 {
		maskAll() // StartCPU's limit reports it
		wait()
	}
	wakeRedistributor(c.gicr)
	initPrivate(c.gicr + gicrSGI)
	// The registers of groups read as 0 where they are not ours.
	gic.group0 = iccInit() && Read32(c.gicr+gicrSGI+gicGroup) != 0
}

// gic3Take is controller.take.
func gic3Take(c *CPU, fiq bool) uint32 {
	if fiq {
		return iccAcknowledge0()
	}
	return iccAcknowledge1()
}

// gic3End is controller.end.
func gic3End(ack uint32, fiq bool) {
	if fiq {
		iccEnd0(ack)
		return
	}
	iccEnd1(ack)
}

// gic3Send is controller.send: iccSGI0 and iccSGI1 order the stores.
func gic3Send(c *CPU, sgi uint32) {
	a := c.affinity
	v := a>>32&0xff<<48 | a>>16&0xff<<32 | a>>8&0xff<<16 | a>>4&0xf<<44 | 1<<(a&0xf) | uint64(sgi)<<24
	if sgi == sgiNMI && gic.group0 {
		iccSGI0(v)
	} else {
		iccSGI1(v)
	}
}

// findRedistributor returns the redistributor of the processor with the given
// affinity, 0 if there is none.
func findRedistributor(affinity uint64) uintptr {
	want := uint32(affinity&0xff_ffff | affinity>>32<<24)
	end := gic.cpu + uintptr(machine.GICC.End-machine.GICC.Start)
	for r := gic.cpu; r < end; r += gicrStride {
		if Read32(r+gicrType+4) == want {
			return r
		}
		if Read32(r+gicrType)&gicrLast != 0 {
			return 0
		}
	}
	return 0
}

// wakeRedistributor has it pass on interrupts.
func wakeRedistributor(r uintptr) {
	Write32(r+gicrWaker, Read32(r+gicrWaker)&^wakerSleep)
	for n := 0; n < 1_000_000 && Read32(r+gicrWaker)&wakerDone != 0; n++ {
		Pause()
	}
}

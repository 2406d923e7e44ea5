package arch

// A GIC of version 2, such as a GIC-400: up to 8 processors, and registers in memory for all.
const (
	// The processor interface: control, with both groups on, IRQ
	// acknowledging both, group 0 as FIQ.
	giccControl = 0x00
	giccMask    = 0x04
	giccIAR     = 0x0c
	giccEOIR    = 0x10
	giccOn      = 0xf
)

// gic2Init is controller.init.
func gic2Init(c *CPU) {
	initPrivate(gic.dist)
	// These registers read as the processor's own bit.
	c.gicMask = Read32(gic.dist+gicTargets) & 0xff
	Write32(gic.cpu+giccMask, 0xff)
	Write32(gic.cpu+giccControl, giccOn)
}

// gic2Close is controller.close.
func gic2Close() { Write32(gic.cpu+giccMask, 0) }

// gic2Take is controller.take. There is one register for both ways.
func gic2Take(c *CPU, fiq bool) uint32 { return Read32(gic.cpu + giccIAR) }

// gic2End is controller.end.
func gic2End(ack uint32, fiq bool) { Write32(gic.cpu+giccEOIR, ack) }

// gic2Send is controller.send: Write32 orders the stores.
func gic2Send(c *CPU, sgi uint32) { Write32(gic.dist+gicdSGI, c.gicMask<<16|sgi) }

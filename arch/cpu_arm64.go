// Sections cited in the files for arm64 are those of the Arm Architecture Reference Manual for A-profile (Arm ARM,
// DDI 0487) unless another document is named.

package arch

import (
	"unsafe"

	"sched9/arch/arm64/layout"
	"sched9/arch/fdt"
)

// CPU is what a processor needs to know about itself. TPIDR_EL1 holds its address
// from initCPU on, and so does SP_EL1, which nothing but the first instructions of
// a trap uses: they find here where to save registers, and the stack to go on with.
type CPU struct {
	scratch [4]uintptr // R0 to R3 while entry finds its stack
	stacks  [4]uintptr // tops, by class of trap (trap_arm64.s)
	id      uint64     // number, 0 for the boot processor
	irqG    uintptr    // the g that interrupt handlers run as
	faultG  uintptr    // the g that all other handlers run as
	inUse   uint64     // 1 from bring-up on

	affinity uint64  // as in MPIDR_EL1, of its four levels
	gicr     uintptr // GIC version 3: its redistributor
	gicMask  uint32  // GIC version 2: its bit in lists of targets
	rings    uint32  // interrupts of the timer
	_        uintptr
}

// SP_EL1 must be a multiple of 16: the linker sees to the first one, this to the rest.
const _ = -(unsafe.Sizeof(CPU{}) % 16)

// Classes of traps, each with a stack of its own: one may strike in another.
const (
	classFault = iota // synchronous exceptions
	classIRQ
	classFIQ   // what no mask but a handler's own keeps out: NMI
	classError // SError, and traps that should not be
)

// initCPU sets up the calling processor, number id: traps, interrupt controller,
// timer, and registers as after a reset. Once for each start, with all interrupts
// off and noG as g; traps work when it returns, and FIQ comes in.
func initCPU(id int, st Stacks) {
	c := &cpus[id]
	c.id = uint64(id)
	c.irqG = NoG()
	c.faultG = NoG()
	c.inUse = 1
	c.affinity = affinity(readMPIDR())
	c.setStacks(st)
	loadCPU(uintptr(unsafe.Pointer(c)))
	StopTimer()
	if machine.Controller != fdt.NoController {
		irq().init(c)
	}
	unmaskFIQ()
}

// setStacks notes the tops of the interrupt stacks.
func (c *CPU) setStacks(st Stacks) {
	c.stacks = [4]uintptr{classFault: st.Fault, classIRQ: st.IRQ, classFIQ: st.NMI, classError: st.NMI}
}

// affinity takes the levels of affinity out of MPIDR_EL1 (D17.2.100).
func affinity(mpidr uint64) uint64 { return mpidr & 0xff_00ff_ffff }

// info returns the block that the image builder and the entry code filled.
func info() *layout.Info { return (*layout.Info)(unsafe.Pointer(uintptr(layout.InfoAt))) }

// Physical returns the physical address of something in the image.
func Physical(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) + info().Offset }

// Phys returns the address at which physical address pa is mapped, which is memory.
func Phys(pa uint64) uintptr { return uintptr(layout.DirectMap + pa) }

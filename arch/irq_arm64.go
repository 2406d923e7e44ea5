package arch

import "sched9/arch/fdt"

// controller is a kind of interrupt controller, of which a machine has one. Whatever the kind, an interrupt's number is what a GIC
// calls it (package fdt).
//
// There are two ways to a processor. IRQ the kernel masks. FIQ is masked only in a handler's first and last instructions and in the handler of
// another FIQ: this serves as the NMI.
type controller struct {
	name string
	// find sets up what all processors share, with all interrupts of devices off. It reports false if its registers cannot be mapped. Boot.
	find func() bool
	// init sets up what there is for the calling processor, and turns on the interrupts that processors send each other, and the timer's.
	init func(c *CPU)
	// close has no more interrupts come to the calling processor.
	close func()

	// take acknowledges the interrupt for the calling processor c that is pending, as FIQ or as IRQ. Its number is in the bits
	// interruptID; from noInterrupt on, none is. end ends it: before that none of its number comes. All but devices' end before they are handled.
	take func(c *CPU, fiq bool) (ack uint32)
	end  func(ack uint32, fiq bool)

	// send interrupts processor c by number sgi, sgiNMI by FIQ. Any context. The processor sees all earlier stores.
	send func(c *CPU, sgi uint32)
	// connect has interrupt id of a device come to the boot processor.
	connect func(id uint32, edge, fiq bool)
}

// controllers are all kinds; machine.Controller says which one is there. They are no interface, whose methods' types and wrappers would be in each image.
var controllers = [...]controller{
	fdt.GICv2:   {"GICv2", gicFind, gic2Init, gic2Close, gic2Take, gic2End, gic2Send, gicConnect},
	fdt.GICv3:   {"GICv3", gicFind, gic3Init, iccClose, gic3Take, gic3End, gic3Send, gicConnect},
	fdt.BCM2836: {"BCM2836", bcmFind, bcmInit, bcmClose, bcmTake, bcmEnd, bcmSend, bcmConnect},
}

// irq returns the machine's. There is one, once the boot processor is set up: without one the kernel ends there.
//
//go:noinline
func irq() *controller { return &controllers[machine.Controller] }

// Numbers of what processors send each other.
const (
	sgiNMI     = 0 // by FIQ
	sgiKick    = 1
	sgiPreempt = 2
	sgiFlush   = 3

	interruptID = 0x3ff // of what take returns; above it is the controller's own
	noInterrupt = 1020
	firstShared = 32 // below are processors' own
)

// Stop halts this processor for ever, with interrupts off. The controller passes no more interrupts
// to it: a pending one would end each wait at once, and the processor would spin, at the cost of
// others if an emulator runs them in turn.
func Stop() {
	maskAll()
	stopTimer()
	if machine.Controller != fdt.NoController {
		irq().close()
	}
	wait()
}

// sgi interrupts processor id by a number. Any context.
//
//go:noinline
func sgi(id int, number uint32) { irq().send(&cpus[id], number) }

// Kick interrupts processor id, to end a Halt and for nothing else.
func Kick(id int) { sgi(id, sgiKick) }

// SendPreempt has processor id call trapPreempt, SendFlush trapFlush.
func SendPreempt(id int) { sgi(id, sgiPreempt) }
func SendFlush(id int)   { sgi(id, sgiFlush) }

// SendNMI interrupts processor id whatever it does.
func SendNMI(id int) { sgi(id, sgiNMI) }

package arch

import "unsafe"

// Frame is what entry (trap_arm64.s) saves of the interrupted program, on the stack of
// the handler.
type Frame struct {
	G      uintptr // the interrupted g
	R      [31]uintptr
	Stack  uintptr // its stack pointer
	Next   uintptr // where it goes on (ELR_EL1)
	State  uintptr // SPSR_EL1
	Kind   uintptr // which vector: below
	ESR    uintptr // what happened, of an exception
	FAR    uintptr // at which address
	Thread uintptr // TPIDR_EL0
	FPCR   uintptr
	FPSR   uintptr
	_      [15]uintptr // trap's frame and caller's slots: Frame__size is a multiple of 16
	V      [64]uint64
}

// Kinds of traps.
const (
	kindSync = iota
	kindIRQ
	kindFIQ
	kindError
	kindWrong // through a vector that nothing should go through
)

// Registers with a role.
const (
	regFP = 29
	regLR = 30
)

// PC, SP and FP are the frame's program counter, stack and frame pointer. Caller is
// where the function that was interrupted would return to, had it just been
// called; LR is the same where the architecture has a link register.
func (f *Frame) PC() uintptr     { return f.Next }
func (f *Frame) SP() uintptr     { return f.Stack }
func (f *Frame) FP() uintptr     { return f.R[regFP] }
func (f *Frame) Caller() uintptr { return f.R[regLR] }
func (f *Frame) LR() uintptr     { return f.R[regLR] }

// push puts the link register on the interrupted program's stack, where the callee
// that pc will be expects it, below what a function keeps there below its stack
// pointer: the frame pointer.
func (f *Frame) push() {
	f.Stack -= 16
	*(*uintptr)(unsafe.Pointer(f.Stack)) = f.R[regLR]
	*(*uintptr)(unsafe.Pointer(f.Stack - 8)) = f.R[regFP]
}

// Call makes the interrupted program call pc as if from ret when it goes on, with a
// function that puts link register and stack pointer right again, or never
// returns. There must be room for three words on its stack.
func (f *Frame) Call(pc, ret uintptr) {
	f.push()
	f.R[regLR] = ret
	f.Next = pc
}

// Jump makes the interrupted program go on at pc, as if its caller had called that
// instead. Room as for Call.
func (f *Frame) Jump(pc uintptr) {
	f.push()
	f.Next = pc
}

// Classes of exceptions (ESR_EL1.EC, D17.2.37).
const (
	ecUnknown     = 0x00
	ecState       = 0x0e
	ecSVE         = 0x19
	ecSME         = 0x1d
	ecInstruction = 0x21
	ecPC          = 0x22
	ecData        = 0x25
	ecStack       = 0x26
	ecFloat       = 0x2c
	ecBreak       = 0x3c
)

// class is the exception's class.
func (f *Frame) class() uintptr { return f.ESR >> 26 & 0x3f }

// Fault classifies an exception; addr and access are meaningful for FaultPage alone.
func (f *Frame) Fault() (k Kind, addr uintptr, access Access) {
	switch f.Kind {
	case kindFIQ:
		return FaultNMI, 0, Read
	case kindSync:
	default:
		return FaultOther, 0, Read
	}
	switch f.class() {
	case ecUnknown, ecState, ecSVE, ecSME:
		return FaultIllegal, 0, Read
	case ecPC, ecStack:
		return FaultAddress, 0, Read
	case ecFloat:
		return FaultFloat, 0, Read
	case ecBreak:
		return FaultBreakpoint, 0, Read
	case ecData, ecInstruction:
		const write = 1 << 6 // ESR_EL1.WnR
		switch {
		case f.class() == ecInstruction:
			access = Fetch
		case f.ESR&write != 0:
			access = Store
		}
		const translation, permission = 1, 3 // and the level in the lowest two bits
		switch f.ESR >> 2 & 0xf {
		case translation, permission:
			return FaultPage, f.FAR, access
		}
		return FaultAddress, 0, Read
	}
	return FaultOther, 0, Read
}

// Name names the trap.
func (f *Frame) Name() string {
	switch f.Kind {
	case kindIRQ:
		return "interrupt"
	case kindFIQ:
		return "FIQ"
	case kindError:
		return "SError"
	case kindWrong:
		return "trap on the way into or out of a handler"
	}
	switch f.class() {
	case ecUnknown:
		return "undefined instruction"
	case ecState:
		return "illegal execution state"
	case ecSVE, ecSME:
		return "vector instruction that is not enabled"
	case ecInstruction:
		return "instruction abort"
	case ecPC:
		return "misaligned program counter"
	case ecData:
		return "data abort"
	case ecStack:
		return "misaligned stack pointer"
	case ecFloat:
		return "floating-point exception"
	case ecBreak:
		return "breakpoint"
	}
	return "exception"
}

// Each calls fn with the name and value of every register.
func (f *Frame) Each(fn func(name string, v uintptr)) {
	names := [...]string{"x0 ", "x1 ", "x2 ", "x3 ", "x4 ", "x5 ", "x6 ", "x7 ", "x8 ", "x9 ", "x10", "x11", "x12", "x13", "x14", "x15",
		"x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30"}
	for i, n := range names {
		fn(n, f.R[i])
	}
	fn("sp ", f.Stack)
	fn("pc ", f.Next)
	fn("psr", f.State)
	fn("esr", f.ESR)
	fn("far", f.FAR)
	fn("g  ", f.G)
}

// trap is called by entry with the registers saved, interrupts off, on the stack of
// the trap's class, as the g of irqG or faultG.
func trap(f *Frame) {
	switch f.Kind {
	case kindIRQ:
		interrupt(f, false)
	case kindFIQ:
		interrupt(f, true)
	default:
		if f.Kind == kindSync && f.class() == ecUnknown && f.Next == semihostPC() {
			f.Next += 4
			return
		}
		upFault(f)
	}
}

// interrupt handles the interrupt that is pending. All except devices' end before they are
// handled. The timer's line stays high until the timer is silenced, and a device's until it is
// served, so these come first.
//
// The timer handler adds a small varying delay. An emulator that counts instructions lets the timer
// ring at multiples of 16 of them, and a loop whose length divides that would be interrupted at the
// same instruction for ever, perhaps one where it cannot be preempted [A3].
func interrupt(f *Frame, fiq bool) {
	c, pic := &cpus[ID()], irq()
	ack := pic.take(c, fiq)
	id := ack & interruptID
	switch {
	case id == sgiNMI:
		pic.end(ack, fiq)
		upNMI(f)
	case id == sgiKick:
		pic.end(ack, fiq)
		upKick()
	case id == sgiPreempt:
		pic.end(ack, fiq)
		upPreempt(f)
	case id == sgiFlush:
		pic.end(ack, fiq)
		upFlush()
	case id == machine.Timer.ID:
		stopTimer()
		pic.end(ack, fiq)
		c.rings++
		spin(c.rings % 16)
		upTimer(f)
	case id >= noInterrupt: // no longer pending
	case id == machine.GPIO.IRQ.ID:
		quietButton()
		pic.end(ack, fiq)
		upNMI(f)
	default:
		upDevice(lineOf(id))
		pic.end(ack, fiq)
	}
}

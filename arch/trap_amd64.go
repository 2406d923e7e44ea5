package arch

import "unsafe"

// Frame is what entry (trap_amd64.s) saves of the interrupted program, in the order
// in which it lies on the stack.
type Frame struct {
	G   uintptr // the interrupted g, from thread-local storage
	CR2 uintptr // faulting address of a page fault
	AX, BX, CX, DX, SI, DI, BP,
	R8, R9, R10, R11, R12, R13, R14, R15 uintptr
	Vector, Error            uintptr
	RIP, CS, RFLAGS, RSP, SS uintptr
}

// PC, SP and FP are the frame's program counter, stack and frame pointer. Caller is
// where the function that was interrupted would return to, had it just been
// called; LR is the same where the architecture has a link register, and 0 here.
func (f *Frame) PC() uintptr     { return f.RIP }
func (f *Frame) SP() uintptr     { return f.RSP }
func (f *Frame) FP() uintptr     { return f.BP }
func (f *Frame) Caller() uintptr { return *(*uintptr)(unsafe.Pointer(f.RSP)) }
func (f *Frame) LR() uintptr     { return 0 }

// Call makes the interrupted program call pc as if from ret when it goes on.
// There must be room for a word on its stack.
func (f *Frame) Call(pc, ret uintptr) {
	f.RSP -= 8
	*(*uintptr)(unsafe.Pointer(f.RSP)) = ret
	f.RIP = pc
}

// Jump makes the interrupted program go on at pc.
func (f *Frame) Jump(pc uintptr) { f.RIP = pc }

// Fault classifies an exception; addr and access are meaningful for FaultPage alone.
func (f *Frame) Fault() (k Kind, addr uintptr, access Access) {
	switch f.Vector {
	case 0:
		return FaultDivide, 0, Read
	case 2:
		return FaultNMI, 0, Read
	case 3:
		return FaultBreakpoint, 0, Read
	case 6:
		return FaultIllegal, 0, Read
	case 12, 13:
		return FaultAddress, 0, Read
	case 14:
		const write, fetch = 1 << 1, 1 << 4 // SDM 3A, 4.7
		switch {
		case f.Error&fetch != 0:
			access = Fetch
		case f.Error&write != 0:
			access = Store
		}
		return FaultPage, f.CR2, access
	case 16, 19:
		return FaultFloat, 0, Read
	}
	return FaultOther, 0, Read
}

// exceptions are the names of the vectors (SDM 3A, table 6-1).
var exceptions = [32]string{
	"#DE divide error", "#DB debug", "NMI", "#BP breakpoint", "#OF overflow", "#BR bound range", "#UD invalid opcode", "#NM no math device",
	"#DF double fault", "9", "#TS invalid TSS", "#NP segment not present", "#SS stack fault", "#GP general protection", "#PF page fault", "15",
	"#MF math fault", "#AC alignment check", "#MC machine check", "#XM SIMD exception", "#VE virtualization", "#CP control protection", "22", "23",
	"24", "25", "26", "27", "#HV hypervisor injection", "#VC VMM communication", "#SX security", "31",
}

// Name names the frame's vector.
func (f *Frame) Name() string {
	if f.Vector < 32 {
		return exceptions[f.Vector]
	}
	return "interrupt"
}

// Each calls fn with the name and value of every register; of a machine check also with the number, status and address of
// each bank that has an error (SDM 3B, 16.3.2).
func (f *Frame) Each(fn func(name string, v uintptr)) {
	names := [...]string{"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8 ", "r9 ", "r10", "r11", "r12", "r13", "r14", "r15"}
	regs := (*[15]uintptr)(unsafe.Pointer(&f.AX))
	for i, n := range names {
		fn(n, regs[i])
	}
	fn("rsp", f.RSP)
	fn("rip", f.RIP)
	fn("rfl", f.RFLAGS)
	fn("cr2", f.CR2)
	fn("err", f.Error)
	fn("g  ", f.G)
	if f.Vector == vecMachineCheck {
		for i := range uint32(rdmsr(msrBanks) & 0xff) {
			if status := rdmsr(msrBank0 + 1 + 4*i); int64(status) < 0 { // valid
				fn("mcn", uintptr(i))
				fn("mcs", uintptr(status))
				fn("mca", uintptr(rdmsr(msrBank0+2+4*i)))
			}
		}
	}
}

// Interrupt vectors. The timer is below the other processors' requests: of two pending ones the
// higher vector comes first (SDM 3A, 10.8.3). Devices are below all of them, in a priority class of
// their own: a stop of the world must not wait for them.
const (
	vecMachineCheck = 18

	vecDevice    = 0x30
	vecDeviceEnd = 0x40

	vecTimer    = 0x40
	vecKick     = 0x41
	vecPreempt  = 0x42
	vecFlush    = 0x43
	vecSpurious = 0x4f

	// vecStray is where all vectors from it on go. None of them is ours: what firmware, or the kernel that has started
	// this one, left pending in the local APIC comes when interrupts are first enabled.
	vecStray   = 0x50
	numVectors = 256
)

var idt [numVectors][2]uint64

// initIDT fills the interrupt descriptor table with interrupt gates (SDM 3A,
// 6.11): interrupts are off in every handler.
func initIDT() {
	pc := uint64(vectorsPC())
	for v := range idt {
		ist := uint64(istIRQ)
		switch {
		case v == 2 || v == 8 || v == vecMachineCheck:
			ist = istNMI
		case v < 32:
			ist = istFault
		}
		a := pc + uint64(min(v, vecStray))*8
		idt[v][0] = a&0xffff | selCode64<<16 | ist<<32 | 0x8e<<40 | a>>16&0xffff<<48
		idt[v][1] = a >> 32
	}
}

// vectorsPC returns the address of the vectors' code (trap_amd64.s).
func vectorsPC() uintptr

// trap is called by entry with the registers saved, interrupts off, on an
// interrupt stack, as the g of irqG or faultG.
func trap(f *Frame) {
	switch f.Vector {
	case 2:
		upNMI(f)
	case vecTimer:
		eoi()
		upTimer(f)
	case vecKick:
		eoi()
		upKick()
	case vecPreempt:
		eoi()
		upPreempt(f)
	case vecFlush:
		eoi()
		upFlush()
	case vecSpurious: // no EOI (SDM 3A, 10.9)
	default:
		switch {
		case f.Vector < 32:
			upFault(f)
		case f.Vector >= vecDevice && f.Vector < vecDeviceEnd:
			trapDevice(int(f.Vector - vecDevice))
		default:
			eoi() // a stray one
		}
	}
}

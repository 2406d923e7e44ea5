package arch

// The functions of asm_amd64.s that arm64 has not; the assembly says what each does.

// in8 and the three below are port input and output.
func in8(port uint16) uint8
func in32(port uint16) uint32
func out8(port uint16, v uint8)
func out32(port uint16, v uint32)

// read32 and write32 access device memory: exactly one access of that width.
func read32(addr uintptr) uint32
func write32(addr uintptr, v uint32)

// Leaves around the instructions of those names: model-specific registers, CPUID,
// XCR0, FNINIT and CR3, CR4.
func rdmsr(msr uint32) uint64
func wrmsr(msr uint32, v uint64)

// fence returns when all earlier stores can be seen by other processors, before any later instruction, a write of a model-specific
// register included, begins.
func fence()
func cpuid(leaf, sub uint32) (a, b, c, d uint32)
func xsetbv(mask uint32)
func fninit()
func cr4() uint64
func setCR4(v uint64)
func cr3() uint64

// loadTables makes the given GDT and IDT this processor's, reloads the data
// segments and loads the task register. Interrupts are off.
func loadTables(gdt, gdtLimit, idt, idtLimit uintptr)

// resetFP loads floating-point and vector registers as after a reset.
func resetFP(state uintptr, mask uint64)

// Stop halts this processor for ever, with interrupts off.
func Stop()

// rdrand is RDRAND; ok is false if there was no number just then.
func rdrand() (v uint64, ok bool)

// apTryPC returns the address of apTry.
func apTryPC() uintptr

// syscallEntryPC returns the address of syscallEntry.
func syscallEntryPC() uintptr

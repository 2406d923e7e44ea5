//go:build arm64

package arm64

// The functions of asm.s, which says what each does.

// Leaves around system registers.
func readMPIDR() uint64
func readISAR0() uint64
func readISAR1() uint64
func readPFR0() uint64
func readFrequency() uint64
func readTTBR0() uint64
func readTTBR1() uint64

// counter reads the virtual counter, no earlier than what stands before it.
func counter() uint64

// setCompare has the virtual timer ring when the counter reaches v; stopTimer
// silences it.
func setCompare(v uint64)
func stopTimer()

// loadCPU makes the CPU at p the calling processor's: TPIDR_EL1, SP_EL1 and the
// vectors, and registers that software can set as after a reset.
func loadCPU(p uintptr)

// FlushTLB drops all translations of this processor. flushAllTLBs drops those of all
// processors.
func FlushTLB()
func flushAllTLBs()

// published makes stores to page tables seen by this processor's walks that come
// later; ordered makes all stores seen before what follows, also by devices.
func published()
func ordered()

// SaveIRQ turns this processor's interrupts off and tells whether they were on;
// RestoreIRQ turns them on again if so. They nest.
func SaveIRQ() (on uintptr)
func RestoreIRQ(on uintptr)

// EnableIRQ and DisableIRQ turn this processor's interrupts on and off.
func EnableIRQ()
func DisableIRQ()

// unmaskFIQ lets FIQ and SError in.
func unmaskFIQ()

// Halt waits for an interrupt and lets it be handled. Interrupts are off on
// entry and on return; one that was pending on entry ends the wait at once.
func Halt()

// maskAll keeps all interrupts out; wait waits for what cannot come.
func maskAll()
func wait()

// Pause tells the processor that it spins.
func Pause()

// spin executes three times n instructions, and some.
func spin(n uint32)

// Zero clears n bytes at p, n a multiple of 8. p may be any mapped address;
// no write barrier applies.
func Zero(p, n uintptr)

// Boot is the image's first Go code; assembly, called by the runtime's entry.
func Boot()

// apEntryPC returns the address of apEntry, where a processor that starts begins,
// and restart goes there with a (smp.go).
func apEntryPC() uintptr
func restart(a *APArg)

// randomNumber is RNDR; ok is false if there was no number just then.
func randomNumber() (v uint64, ok bool)

// semihostExit asks a debugger or an emulator to end the machine with the given
// status. It returns if nobody listens: then the instruction is undefined, and trap
// passes by it. semihostPC returns its address.
func semihostExit(status uint64)
func semihostPC() uintptr

// hvc and smc call the firmware.
func hvc(fn, a, b, c uint64) uint64
func smc(fn, a, b, c uint64) uint64

// The interrupt controller's processor interface, version 3.
func iccInit()
func iccClose()
func iccAcknowledge0() uint32
func iccAcknowledge1() uint32
func iccEnd0(id uint32)
func iccEnd1(id uint32)
func iccSGI0(v uint64)
func iccSGI1(v uint64)

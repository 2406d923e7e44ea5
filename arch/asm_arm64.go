package arch

// The functions of asm_arm64.s that amd64 has not; the assembly says what each does.

// Leaves around system registers.
func readMPIDR() uint64
func readMIDR() uint64
func readISAR0() uint64
func readISAR1() uint64
func readPFR0() uint64
func readFrequency() uint64
func readTTBR0() uint64
func readTTBR1() uint64

// setCompare has the virtual timer ring when the counter reaches v; stopTimer
// silences it.
func setCompare(v uint64)
func stopTimer()

// loadCPU makes the CPU at p the calling processor's: TPIDR_EL1, SP_EL1 and the
// vectors, and registers that software can set as after a reset.
func loadCPU(p uintptr)

// flushAllTLBs drops all translations of all processors.
func flushAllTLBs()

// published makes stores to page tables visible to this processor's later walks; ordered makes all
// earlier stores visible before later ones, also to devices.
func published()
func ordered()

// unmaskFIQ lets FIQ and SError in.
func unmaskFIQ()

// cleanAndSignal makes what was stored at addr visible to who reads it without caches, and then ends the WFE of all processors.
func cleanAndSignal(addr uintptr)

// maskAll keeps all interrupts out; wait waits for what cannot come.
func maskAll()
func wait()

// spin executes three times n instructions, and some.
func spin(n uint32)

// randomNumber is RNDR; ok is false if there was no number just then.
func randomNumber() (v uint64, ok bool)

// semihostExit asks a debugger or an emulator to end the machine with the given
// status. It returns if nobody listens: then the instruction is undefined, and trap
// passes by it. semihostPC returns its address.
func semihostExit(status uint64)
func semihostPC() uintptr

// apTryPC returns the address of apTry.
func apTryPC() uintptr

// hvc and smc call the firmware.
func hvc(fn, a, b, c uint64) uint64
func smc(fn, a, b, c uint64) uint64

// The interrupt controller's processor interface, version 3. iccInit reports whether group 0 is ours.
func iccInit() bool
func iccClose()
func iccAcknowledge0() uint32
func iccAcknowledge1() uint32
func iccEnd0(id uint32)
func iccEnd1(id uint32)
func iccSGI0(v uint64)
func iccSGI1(v uint64)

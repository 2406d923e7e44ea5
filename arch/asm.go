package arch

// The functions that each architecture has in its asm_*.s, which says what each does.

// Boot is the image's first Go code; assembly, called by the runtime's entry.
func Boot()

// SaveIRQ turns this processor's interrupts off and tells whether they were on;
// RestoreIRQ turns them on again if so. They nest.
func SaveIRQ() (on uintptr)
func RestoreIRQ(on uintptr)

// EnableIRQ and DisableIRQ turn this processor's interrupts on and off.
func EnableIRQ()
func DisableIRQ()

// Halt waits for an interrupt and lets it be handled. Interrupts are off on
// entry and on return; one that was pending on entry ends the wait at once.
func Halt()

// Pause tells the processor that it spins.
func Pause()

// Zero clears n bytes at p, n a multiple of 8. p may be any mapped address;
// no write barrier applies.
func Zero(p, n uintptr)

// FlushTLB drops all translations of this processor.
func FlushTLB()

// apEntryPC returns the address of apEntry, where a processor that starts begins,
// and restart goes there with a.
func apEntryPC() uintptr
func restart(a *APArg)

// counter reads the clock's counter: amd64's time-stamp counter, or arm64's virtual one, the latter not
// before earlier instructions have completed.
func counter() uint64

// countPhase reads the counter and tells how many instructions before that it took this value, where QEMU counts instructions; 0 if they are
// as many as counts.
func countPhase() (count, over uint64)

// burn executes n instructions, and always as many more.
func burn(n uint64)

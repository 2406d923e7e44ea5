package arch

// The local APIC in xAPIC mode (SDM 3A, chapter 10): its registers are memory,
// the same address on every processor reaching that processor's own.

const (
	lapicID      = 0x20
	lapicVersion = 0x30
	lapicEOI     = 0xb0
	lapicSVR     = 0xf0
	lapicCMCI    = 0x2f0
	lapicICRLow  = 0x300
	lapicICRHigh = 0x310
	lapicTimer   = 0x320
	lapicThermal = 0x330
	lapicPerf    = 0x340
	lapicLINT0   = 0x350
	lapicLINT1   = 0x360
	lapicError   = 0x370
	lapicInitial = 0x380
	lapicCurrent = 0x390
	lapicDivide  = 0x3e0

	svrEnable  = 1 << 8
	lvtMasked  = 1 << 16
	lvtNMI     = 4 << 8
	icrFixed   = 0 << 8
	icrNMI     = 4 << 8
	icrInit    = 5 << 8
	icrStartup = 6 << 8
	icrAssert  = 1 << 14
	icrPending = 1 << 12
	divideBy16 = 3
)

// lapicBase is where the registers are mapped.
var lapicBase uintptr

// findLAPIC notes the address of the local APIC's registers.
func findLAPIC() {
	lapicBase = Phys(rdmsr(msrAPICBase) &^ 0xfff & (1<<52 - 1))
}

// initLAPIC enables this processor's local APIC, with the timer silent, and masks what firmware or
// another kernel had it interrupt for. How many entries the local vector table has depends on the processor
// (10.5.1, 10.4.8).
func initLAPIC() {
	write32(lapicBase+lapicSVR, svrEnable|vecSpurious)
	last := read32(lapicBase+lapicVersion) >> 16 & 0xff
	for _, e := range [...]struct {
		number uint32
		reg    uintptr
	}{{4, lapicPerf}, {5, lapicThermal}, {6, lapicCMCI}} {
		if last >= e.number {
			write32(lapicBase+e.reg, lvtMasked)
		}
	}
	write32(lapicBase+lapicLINT0, lvtMasked)
	write32(lapicBase+lapicLINT1, lvtNMI) // the host's inject-nmi comes here
	write32(lapicBase+lapicError, lvtMasked)
	write32(lapicBase+lapicDivide, divideBy16)
	write32(lapicBase+lapicInitial, 0)
	write32(lapicBase+lapicTimer, vecTimer) // one-shot
}

// apicID returns this processor's APIC id, by asking its APIC.
func apicID() uint32 { return read32(lapicBase+lapicID) >> 24 }

// eoi ends the interrupt that is being handled (SDM 3A, 10.8.5).
func eoi() { write32(lapicBase+lapicEOI, 0) }

// sendIPI sends the command low to the processor with the given APIC id and
// waits until it is on its way. Interrupts are off: an interrupt handler that
// sends one between the two writes would change the destination.
func sendIPI(apic, low uint32) {
	for read32(lapicBase+lapicICRLow)&icrPending != 0 {
		Pause()
	}
	write32(lapicBase+lapicICRHigh, apic<<24)
	write32(lapicBase+lapicICRLow, low)
}

// sendFixed interrupts processor id at vector vec. Any context.
func sendFixed(id int, vec uint32) {
	on := SaveIRQ()
	sendIPI(cpus[id].apic, icrFixed|icrAssert|vec)
	RestoreIRQ(on)
}

// Kick interrupts processor id, to end a Halt and for nothing else.
func Kick(id int) { sendFixed(id, vecKick) }

// SendPreempt has processor id call trapPreempt, SendFlush trapFlush.
func SendPreempt(id int) { sendFixed(id, vecPreempt) }
func SendFlush(id int)   { sendFixed(id, vecFlush) }

// SendNMI interrupts processor id whatever it does.
func SendNMI(id int) {
	on := SaveIRQ()
	sendIPI(cpus[id].apic, icrNMI|icrAssert)
	RestoreIRQ(on)
}

package arch

// The local APIC (SDM 3A, chapter 10). In xAPIC mode its registers are memory, the same address on every processor reaching that
// processor's own, and an id has 8 bits. In x2APIC mode (10.12) they are model-specific registers, and an id has 32.
//
// The mode is what firmware left: it turns x2APIC on where an id needs it. A processor that is in x2APIC mode cannot always
// leave it, and one that is not may be on a board whose devices reach no processor in that mode unless interrupts are
// remapped, which this kernel does not do. The word x2apic=1 on the command line turns it on all the same.

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

// A bit of the register msrAPICBase; where the APIC's own begin: one for each 16 bytes of xAPIC's.
const (
	apicX2     = 1 << 10
	msrX2First = 0x800

	// The greatest ids; one more is all processors.
	maxXAPIC  = 0xfe
	maxX2APIC = 0xffff_fffe
)

// Written at boot, by the boot processor, before others start.
var (
	lapicBase uintptr // where the registers are mapped
	x2apic    bool    // they are model-specific registers
)

// findLAPIC notes where the local APIC's registers are.
func findLAPIC() {
	base := rdmsr(msrAPICBase)
	x2apic = base&apicX2 != 0
	lapicBase = Phys(base &^ 0xfff & (1<<52 - 1))
}

// widenLAPIC turns x2APIC mode on, if the processor has it and is asked to. The registers keep their values (10.12.5). Boot
// processor, after findLAPIC, before others start; it may have sent no interrupt.
func widenLAPIC(asked bool) {
	const has = 1 << 21
	if _, _, c, _ := cpuid(cpuidFeatures, 0); !asked || c&has == 0 {
		return
	}
	x2apic = true
	enterX2()
}

// enterX2 has this processor's APIC in the mode of x2apic. An INIT may have taken it back.
func enterX2() {
	if base := rdmsr(msrAPICBase); x2apic && base&apicX2 == 0 {
		wrmsr(msrAPICBase, base|apicX2)
	}
}

// readLAPIC and writeLAPIC access a register of this processor's, named by its place in memory. In x2APIC mode a write may overtake
// stores before it (10.12.3).
func readLAPIC(reg uintptr) uint32 {
	if x2apic {
		return uint32(rdmsr(msrX2First + uint32(reg>>4)))
	}
	return read32(lapicBase + reg)
}

// writeLAPIC: see readLAPIC.
func writeLAPIC(reg uintptr, v uint32) {
	if x2apic {
		wrmsr(msrX2First+uint32(reg>>4), uint64(v))
		return
	}
	write32(lapicBase+reg, v)
}

// initLAPIC enables this processor's local APIC, with the timer silent, and masks what firmware or
// another kernel had it interrupt for. How many entries the local vector table has depends on the processor
// (10.5.1, 10.4.8).
func initLAPIC() {
	enterX2()
	writeLAPIC(lapicSVR, svrEnable|vecSpurious)
	last := readLAPIC(lapicVersion) >> 16 & 0xff
	for _, w := range [...]struct {
		entry uint32 // of the table, if there may be fewer
		reg   uintptr
		value uint32
	}{
		{4, lapicPerf, lvtMasked},
		{5, lapicThermal, lvtMasked},
		{6, lapicCMCI, lvtMasked},
		{0, lapicLINT0, lvtMasked},
		{0, lapicLINT1, lvtNMI}, // the host's inject-nmi comes here
		{0, lapicError, lvtMasked},
		{0, lapicDivide, divideBy16},
		{0, lapicInitial, 0},
		{0, lapicTimer, vecTimer}, // one-shot
	} {
		if last >= w.entry {
			writeLAPIC(w.reg, w.value)
		}
	}
}

// apicID returns this processor's APIC id, by asking its APIC.
func apicID() uint32 {
	if x2apic {
		return readLAPIC(lapicID)
	}
	return readLAPIC(lapicID) >> 24
}

// eoi ends the interrupt that is being handled (SDM 3A, 10.8.5).
func eoi() { writeLAPIC(lapicEOI, 0) }

// sendIPI sends the command low to the processor with the given APIC id and
// waits until it is on its way. Interrupts are off: an interrupt handler that
// sends one between the two writes would change the destination.
//
// What the sender stored before is for the receiver to see. In xAPIC mode the registers are uncached memory, so the write follows all earlier
// stores. In x2APIC mode it is one write, which waits for nothing: fence makes it (10.12.3).
func sendIPI(apic, low uint32) {
	if x2apic {
		fence()
		wrmsr(msrX2First+lapicICRLow>>4, uint64(apic)<<32|uint64(low))
		return
	}
	for readLAPIC(lapicICRLow)&icrPending != 0 {
		Pause()
	}
	writeLAPIC(lapicICRHigh, apic<<24)
	writeLAPIC(lapicICRLow, low)
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

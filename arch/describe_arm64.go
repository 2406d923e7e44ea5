package arch

// Describe tells what the machine is, as far as the kernel knows it or the processor says it. Any context after boot.
func Describe(to Facts) {
	fact(to, "arch", "arm64")
	to.Word("processor") // MIDR_EL1: implementer, variant, architecture, part and revision (Arm DDI 0487, D24.2)
	to.Address(uintptr(readMIDR()))
	to.End()
	fact(to, "interrupts", irq().name)
	for id := range numCPU {
		to.Word("cpu")
		to.Int(int64(id))
		to.Address(uintptr(cpuIDs[id]))
		to.End()
	}
	number(to, "clock-hz", readFrequency())
	fact(to, "clock-rate", "told by CNTFRQ_EL0")
	starts := "nothing: there is no PSCI"
	switch {
	case releases[numCPU-1] != 0:
		starts = "a word in memory: they spin"
	case machine.SMC:
		starts = "PSCI by SMC"
	case machine.PSCI:
		starts = "PSCI by HVC"
	}
	fact(to, "processors-start-by", starts)
}

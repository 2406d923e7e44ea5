package arch

// Rates as CPUID reports them.

// Leaves (SDM 2A, CPUID), and those of hypervisors.
const (
	cpuidLeaves     = 0
	cpuidFeatures   = 1
	cpuidMore       = 7
	cpuidCrystal    = 0x15
	cpuidBase       = 0x16
	cpuidHypervisor = 0x4000_0000
	cpuidTiming     = 0x4000_0010 // VMware's, and KVM's: kHz of the time-stamp counter and of the APIC's timer

	hypervisorBit = 1 << 31 // in ECX of cpuidFeatures
)

// toldRates returns the rates of the time-stamp counter and of the clock that the APIC's timer divides,
// in Hz; 0: CPUID does not tell exactly.
func toldRates() (tscHz, apicHz uint64) {
	if _, _, c, _ := cpuid(cpuidFeatures, 0); c&hypervisorBit != 0 {
		if hasTiming() {
			a, b, _, _ := cpuid(cpuidTiming, 0)
			return uint64(a) * 1000, uint64(b) * 1000
		}
		return crystal(), 0 // whose APIC may be any
	}
	if tscHz = crystal(); tscHz != 0 {
		_, _, c, _ := cpuid(cpuidCrystal, 0)
		apicHz = uint64(c) // SDM 3A, 11.5.4
	}
	return tscHz, apicHz
}

// hasTiming reports whether the hypervisor has the leaf.
func hasTiming() bool {
	last, b, c, d := cpuid(cpuidHypervisor, 0)
	is := func(s string) bool {
		word := func(i int) uint32 { return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24 }
		return b == word(0) && c == word(4) && d == word(8)
	}
	return last >= cpuidTiming && last < cpuidHypervisor+0x1_0000 && (is("KVMKVMKVM\x00\x00\x00") || is("VMwareVMware"))
}

// crystal returns the rate of the time-stamp counter by that of the crystal, 0 if it is not told.
func crystal() uint64 {
	if last, _, _, _ := cpuid(cpuidLeaves, 0); last < cpuidCrystal {
		return 0
	}
	a, b, c, _ := cpuid(cpuidCrystal, 0)
	if a == 0 || b == 0 || c == 0 {
		return 0
	}
	return mulDiv(uint64(c), uint64(b), uint64(a))
}

// roughRate returns the rate of the time-stamp counter to about a hundredth: what the processor is sold
// with; 0: it is not told.
func roughRate() uint64 {
	if last, _, _, _ := cpuid(cpuidLeaves, 0); last < cpuidBase {
		return 0
	}
	a, _, _, _ := cpuid(cpuidBase, 0)
	return uint64(a&0xffff) * 1e6
}

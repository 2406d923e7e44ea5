package arch

import "unsafe"

// described is where names that the processor has are put together; they are the same each time.
var described struct {
	brand      [48]byte
	hypervisor [12]byte
}

// Describe tells what the machine is, as far as the kernel knows it or the processor says it. Any context after boot.
func Describe(to Facts) {
	const (
		brandFrom    = 0x8000_0002
		lastExtended = 0x8000_0000
		power        = 0x8000_0007
		invariant    = 1 << 8 // EDX of power (SDM 3B, 18.17.1)
	)
	fact(to, "arch", "amd64")
	last, _, _, _ := cpuid(lastExtended, 0)
	if last >= brandFrom+2 {
		words := (*[12]uint32)(unsafe.Pointer(&described.brand))
		for i := range uint32(3) {
			words[4*i], words[4*i+1], words[4*i+2], words[4*i+3] = cpuid(brandFrom+i, 0)
		}
		fact(to, "processor", trimmed(described.brand[:]))
	}
	signature, _, features, _ := cpuid(cpuidFeatures, 0)
	to.Word("signature")
	to.Address(uintptr(signature))
	to.End()
	if features&hypervisorBit != 0 {
		words := (*[3]uint32)(unsafe.Pointer(&described.hypervisor))
		_, words[0], words[1], words[2] = cpuid(cpuidHypervisor, 0)
		fact(to, "hypervisor", trimmed(described.hypervisor[:]))
	}
	mode := "xapic"
	if x2apic {
		mode = "x2apic"
	}
	fact(to, "interrupts", mode)
	for _, a := range ioapics[:numIOAPICs] {
		to.Word("ioapic")
		to.Int(int64(a.first))
		to.Int(int64(a.pins))
		to.End()
	}
	for id := range numCPU {
		to.Word("cpu")
		to.Int(int64(id))
		to.Int(int64(apicIDs[id]))
		to.End()
	}
	number(to, "clock-hz", mulDiv(1e9, 1<<32, countMult))
	source := "measured by the interval timer, or as the processor is sold"
	if hz, _ := toldRates(); hz != 0 {
		source = "told by CPUID"
	} else if watch.port != 0 {
		source = "measured by ACPI's timer"
	}
	fact(to, "clock-rate", source)
	steady := "not said to be constant"
	if last >= power {
		if _, _, _, d := cpuid(power, 0); d&invariant != 0 {
			steady = "constant"
		}
	}
	fact(to, "clock-steady", steady)
	step := "as found"
	if counterSet {
		step = "set"
	}
	fact(to, "clock-step", step)
	if watch.port != 0 {
		if ppm, ok := ClockError(); ok {
			number(to, "clock-wrong-ppm", ppm)
		}
	}
	if _, rsdp := tables(); rsdp != 0 {
		to.Word("acpi")
		to.Address(uintptr(rsdp))
		to.End()
	} else {
		fact(to, "acpi", "no tables")
	}
	to.Word("serial")
	to.Address(serial.Port)
	to.End()
}

// trimmed returns the text in b, which a zero may end, without blanks around it.
func trimmed(b []byte) string {
	n := 0
	for n < len(b) && b[n] != 0 {
		n++
	}
	for n > 0 && b[n-1] == ' ' {
		n--
	}
	at := 0
	for at < n && b[at] == ' ' {
		at++
	}
	return unsafe.String(unsafe.SliceData(b[at:]), n-at)
}

package amd64

import "sched9/arch/amd64/acpi"

// virtioSize is how much address space a virtio device's registers take.
const virtioSize = 0x200

// FindVirtio returns where the registers of virtio device n are mapped that is on
// no bus, in the order of addresses; ok is false if ACPI lists no more. The
// kernel's memory lock is held.
func FindVirtio(n int) (base uintptr, ok bool) {
	m, rsdp := tables()
	v, ok := acpi.FindVirtio(m, rsdp, n)
	if !ok {
		return 0, false
	}
	base = Device(v.Base, virtioSize)
	return base, base != 0
}

// ConnectVirtio has the interrupt of that device come to line. Same context.
func ConnectVirtio(n, line int) bool {
	m, rsdp := tables()
	v, ok := acpi.FindVirtio(m, rsdp, n)
	return ok && ConnectGSI(v.GSI, v.Level, v.Low, line)
}

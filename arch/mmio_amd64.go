package arch

import "sched9/arch/amd64/acpi"

// Serial and Clock return the addresses of the first serial port (a 16550) and of the real-time
// clock (an MC146818): ports. Their drivers find out whether a device answers there.
func Serial() uintptr { return 0x3f8 }

// Clock: see Serial.
func Clock() uintptr { return 0x70 }

// ConnectSerial has the serial port's interrupt come to line. It reports false if the
// machine has no way for it. The kernel's memory lock is held.
func ConnectSerial(line int) bool {
	const irq = 4 // of the ISA bus
	return connectISA(irq, line)
}

// PowerOff turns the machine off as its ACPI tables say, and returns if they do not, or it does not go off. Nobody
// learns the status: an emulator ends as if all had gone well.
func PowerOff(status uint64) {
	m, rsdp := tables()
	off, ok := acpi.PowerOff(m, rsdp)
	if !ok {
		return
	}
	const wait = 1e9 // ns, for firmware and for the power to go away
	if Read16(uintptr(off.ControlA))&acpi.HandedOver == 0 && off.Enable != 0 {
		Write8(uintptr(off.Command), off.Enable)
		for end := Nanotime() + wait; Read16(uintptr(off.ControlA))&acpi.HandedOver == 0 && Nanotime() < end; {
			Pause()
		}
	}
	Write16(uintptr(off.ControlA), off.ValueA)
	if off.ControlB != 0 {
		Write16(uintptr(off.ControlB), off.ValueB)
	}
	for end := Nanotime() + wait; Nanotime() < end; {
		Pause()
	}
}

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

// ConnectVirtio routes that device's interrupt to line. Same context.
func ConnectVirtio(n, line int) bool {
	m, rsdp := tables()
	v, ok := acpi.FindVirtio(m, rsdp, n)
	return ok && connectGSI(v.GSI, v.Level, v.Low, line)
}

package arch

import "sched9/arch/acpi"

// serial is the serial port of the console: the first one of every PC, unless firmware uses another.
var serial = acpi.Serial{Port: 0x3f8, Divisor: 1, GSI: 4, ISA: true}

// findSerial sets serial. Boot, when the loader's map is known.
func findSerial() {
	if s, ok := acpi.FindSerial(tables()); ok {
		serial = s
	}
}

// Serial and Clock return the addresses of the console's serial port (a 16550) and of the real-time
// clock (an MC146818): ports. Their drivers find out whether a device answers there. Serial may change in ReadLoader.
func Serial() uintptr { return serial.Port }

// SerialDivisor returns what the port's clock is to be divided by for the speed of its terminal; 0: it is set already.
func SerialDivisor() uint16 { return serial.Divisor }

// Clock: see Serial.
func Clock() uintptr { return 0x70 }

// ConnectSerial has the serial port's interrupt come to line. It reports false if the
// machine has no way for it. The kernel's memory lock is held.
func ConnectSerial(line int) bool {
	if serial.ISA {
		return connectISA(uint8(serial.GSI), line)
	}
	return connectGSI(serial.GSI, false, false, line)
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

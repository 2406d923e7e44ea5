package arch

import (
	"sched9/arch/acpi"
	"sched9/arch/amd64/layout"
)

// The I/O APIC (Intel 82093AA data sheet): devices' pins to vectors.

// Registers: a window, and the registers behind it.
const (
	ioapicSelect = 0x00
	ioapicWindow = 0x10

	ioapicVersion  = 0x01
	ioapicRedirect = 0x10 // two for each pin: low, high

	// Low half of a redirection; with all other bits 0: vector, fixed delivery and physical
	// destination.
	redirectLow    = 1 << 13 // active low
	redirectLevel  = 1 << 15
	redirectMasked = 1 << 16
)

// maxIOAPIC is the most that are used; QEMU's machines have one or two.
const maxIOAPIC = 4

// An ioapic has pins for the global interrupts from first on.
type ioapic struct {
	base  uintptr // 0: none
	first uint32
	pins  uint32
}

var (
	ioapics    [maxIOAPIC]ioapic
	numIOAPICs int
)

// read and write access a register through the window.
func (a *ioapic) read(reg uint32) uint32 {
	write32(a.base+ioapicSelect, reg)
	return read32(a.base + ioapicWindow)
}

// write: see read.
func (a *ioapic) write(reg, v uint32) {
	write32(a.base+ioapicSelect, reg)
	write32(a.base+ioapicWindow, v)
}

// tables returns where the machine's ACPI tables are; rsdp is 0 if there are none.
func tables() (m acpi.Memory, rsdp uint64) {
	m = acpi.Memory{Memory: &memory}
	if boot.RSDP == 0 {
		boot.RSDP = acpi.FindRSDP(m)
	}
	return m, boot.RSDP
}

// findIOAPICs masks every pin of every I/O APIC that the MADT lists: firmware or another kernel may have
// left devices connected. Interrupts have never been enabled yet.
func findIOAPICs() {
	m, rsdp := tables()
	for i := 0; numIOAPICs < maxIOAPIC; i++ {
		pa, first, ok := acpi.IOAPIC(m, rsdp, i)
		if !ok {
			break
		}
		if pa < layout.DeviceFrom || pa >= 1<<32 {
			continue // not where the direct map has devices
		}
		base := Phys(pa)
		a := &ioapics[numIOAPICs]
		a.base, a.first = base, first
		a.pins = a.read(ioapicVersion)>>16&0xff + 1
		for pin := uint32(0); pin < a.pins; pin++ {
			a.write(ioapicRedirect+2*pin, redirectMasked)
		}
		numIOAPICs++
	}
}

// connectISA has the interrupt that the ISA bus calls irq come to line: edges,
// active high, unless an override of the MADT says otherwise. It reports false if
// no I/O APIC has a pin for it.
func connectISA(irq uint8, line int) bool {
	m, rsdp := tables()
	gsi, level, low := acpi.Override(m, rsdp, irq)
	return connectGSI(gsi, level, low, line)
}

// connectGSI has global system interrupt gsi come to line, on the boot
// processor. It reports false if no I/O APIC has a pin for it.
func connectGSI(gsi uint32, level, low bool, line int) bool {
	for i := range ioapics[:numIOAPICs] {
		a := &ioapics[i]
		if gsi < a.first || gsi-a.first >= a.pins {
			continue
		}
		v := uint32(vecDevice + line)
		if level {
			v |= redirectLevel
		}
		if low {
			v |= redirectLow
		}
		pin := ioapicRedirect + 2*(gsi-a.first)
		a.write(pin, redirectMasked) // never half of the old and half of the new
		a.write(pin+1, apicOf(0)<<24)
		a.write(pin, v)
		return true
	}
	return false
}

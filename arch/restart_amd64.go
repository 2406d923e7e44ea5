package arch

import "sched9/arch/acpi"

// restartBy is the register that ACPI's tables name for it: a port or an address; 0: none.
var restartBy struct {
	register uintptr
	value    byte
}

// FindRestart looks for what Restart writes to. The kernel's memory lock is held.
func FindRestart() {
	m, rsdp := tables()
	r, ok := acpi.FindRestart(m, rsdp)
	switch {
	case !ok:
		return
	case r.Port:
		restartBy.register = uintptr(r.At)
	default:
		restartBy.register = Device(r.At, 1)
	}
	restartBy.value = r.Value
}

// Restart has the machine begin anew: by the register of its ACPI tables, or else by what PCs have for it. It returns if nothing
// works. The last processor, after FindRestart; interrupts are off.
func Restart() {
	const (
		wait     = 100e6  // ns
		control  = 0xcf9  // of Intel's chip sets since the PIIX3 (ICH9 data sheet, 13.7.5)
		hard     = 1 << 1 // a reset of all, not of the processors alone
		now      = 1 << 2
		keyboard = 0x64 // its controller's command port, and the command that pulls the line of a reset (8042 data sheet)
		pulse    = 0xfe
	)
	pause := func() {
		for end := Nanotime() + wait; Nanotime() < end; {
			Pause()
		}
	}
	if restartBy.register != 0 {
		Write8(restartBy.register, restartBy.value)
		pause()
	}
	Write8(control, hard)
	Write8(control, hard|now)
	pause()
	Write8(keyboard, pulse)
	pause()
}

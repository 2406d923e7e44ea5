package arch

import "unsafe"

// cpuIDs are the affinities of the processors, the boot processor first.
var cpuIDs [MaxCPU]uint64

// Functions of the firmware (PSCI, Arm DEN 0022, 5.1).
const (
	psciOn  = 0xc400_0003
	psciOff = 0x8400_0008 // of the machine
)

// firmware calls a PSCI function.
func firmware(fn, a, b, c uint64) uint64 {
	if machine.SMC {
		return smc(fn, a, b, c)
	}
	return hvc(fn, a, b, c)
}

// PowerOff turns the machine off. An emulator that takes calls of a debugger's
// semihosting ends at once with the given status; firmware knows of none. It returns
// if there is neither.
func PowerOff(status uint64) {
	semihostExit(status)
	if machine.PSCI {
		firmware(psciOff, 0, 0, 0)
	}
}

// startLimit is how long a processor may take to start, in nanoseconds.
const startLimit = 10_000_000_000

// StartCPU has the firmware start processor id and waits until it runs. One at a
// time; the caller holds a lock. It reports false if the processor does not
// answer. M14: the new processor begins from a fixed state, nothing of the caller's
// is copied.
func StartCPU(id int, a *APArg) bool {
	a.id = id
	a.ready.Store(0)
	// It reads a only with its caches on.
	if firmware(psciOn, cpuIDs[id], uint64(apEntryPC())+info().Offset, uint64(uintptr(unsafe.Pointer(a)))) != 0 {
		return false
	}
	for end := Nanotime() + startLimit; a.ready.Load() == 0; {
		if Nanotime() >= end {
			return false
		}
		Pause()
	}
	return true
}

// RestartCPU takes the calling processor, number id, back to where one begins that has
// just been started, with a's stack, thread and entry: system registers that software
// can have changed, floating point and interrupt controller as new [M11, M14].
// Interrupts are off. It does not return.
func RestartCPU(id int, a *APArg) {
	a.id = id
	restart(a)
}

// apInit runs on a processor that has just got its address translation.
func apInit(a *APArg) {
	initCPU(a.id, a.IST)
	a.ready.Store(1)
	upArrive()
}

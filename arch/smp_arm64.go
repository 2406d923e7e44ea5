package arch

import (
	"sync/atomic"
	"unsafe"
)

// cpuIDs are the affinities of the processors, the boot processor first, and releases where those look for what to do that firmware has spin.
var cpuIDs, releases [MaxCPU]uint64

// Functions of the firmware (PSCI, Arm DEN 0022, 5.1).
const (
	psciOn  = 0xc400_0003
	psciOff = 0x8400_0008 // of the machine
	psciRe  = 0x8400_0009 // SYSTEM_RESET
	psciAsk = 0xc400_0004 // AFFINITY_INFO: the state of a processor

	psciIsOff   = 1
	psciUnknown = -1 // there is no such function
)

// firmware calls a PSCI function.
func firmware(fn, a, b, c uint64) uint64 {
	if machine.SMC {
		return smc(fn, a, b, c)
	}
	return hvc(fn, a, b, c)
}

// trying is the physical address of the word that the processor spins at that answers tries; read without caches.
var trying uint64

// answers reports whether a processor does what StartCPU will ask of it. It is tried, because a processor is counted in at boot, and nothing takes it back when it does not
// start. With release not 0 it spins at that word, otherwise the firmware starts it. It executes apTry, which needs no memory of its own, and is then where it was. If that takes
// longer than startLimit, it does not answer. One that comes late is turned off again, or finds its word cleared.
func answers(affinity, release uint64) bool {
	entry := uint64(apTryPC()) + info().Offset
	if release != 0 {
		trying = release
		cleanAndSignal(uintptr(unsafe.Pointer(&trying)))
		if !spinTo(release, entry) {
			return false
		}
	} else {
		how := uint64(1)
		if machine.SMC {
			how = 2
		}
		switch was := stateOf(affinity); {
		case was == psciUnknown:
			return true // nothing would tell when it is off again
		case was != psciIsOff, firmware(psciOn, affinity, entry, how) != 0:
			return false
		}
	}
	for end := Nanotime() + startLimit; ; Pause() {
		switch {
		case release != 0 && (*atomic.Uint64)(unsafe.Pointer(Device(release, 8))).Load() == 0, release == 0 && stateOf(affinity) == psciIsOff:
			return true
		case Nanotime() >= end:
			return release != 0 && !spinTo(release, 0)
		}
	}
}

// stateOf asks the firmware for the state of a processor.
func stateOf(affinity uint64) int32 { return int32(firmware(psciAsk, affinity, 0, 0)) }

// A BCM2835's watchdog, which Broadcom documents nowhere: from Linux's drivers/watchdog/bcm2835_wdt.c. Firmware that begins after a reset with
// that status turns the board off.
const (
	watchdogReset    = 0x1c
	watchdogStatus   = 0x20
	watchdogCount    = 0x24
	watchdogPassword = 0x5a << 24 // with each write
	watchdogFull     = 0x20       // of watchdogReset, in watchdogMode
	watchdogMode     = 0x30
	watchdogOff      = 0x555 // of watchdogStatus
	watchdogTicks    = 10    // of 16 us

	watchdogSpin = 1 << 29 // more turns than it needs to act
)

// PowerOff turns the machine off. An emulator that takes calls of a debugger's
// semihosting ends at once with the given status; firmware and watchdog know of none. It returns
// if there is none of them.
func PowerOff(status uint64) {
	semihostExit(status)
	if machine.PSCI {
		firmware(psciOff, 0, 0, 0)
	}
	if w := mapped.watchdog; w != 0 {
		Write32(w+watchdogStatus, watchdogPassword|Read32(w+watchdogStatus)|watchdogOff)
		bite(w)
	}
}

// FindRestart has nothing to look for: Restart needs what PowerOff needs. The kernel's memory lock is held.
func FindRestart() {}

// Restart has the machine begin anew, by its firmware or the watchdog, and returns if there is neither. The last processor.
func Restart() {
	if machine.PSCI {
		firmware(psciRe, 0, 0, 0)
	}
	if w := mapped.watchdog; w != 0 {
		Write32(w+watchdogStatus, watchdogPassword|Read32(w+watchdogStatus)&^watchdogOff)
		bite(w)
	}
}

// bite has the watchdog whose registers are at w reset the board.
func bite(w uintptr) {
	Write32(w+watchdogCount, watchdogPassword|watchdogTicks)
	Write32(w+watchdogReset, watchdogPassword|Read32(w+watchdogReset)&^watchdogMode|watchdogFull)
	spin(watchdogSpin)
}

// startLimit is how long a processor may take to start, in nanoseconds.
const startLimit = 10_000_000_000

// starting is StartCPU's argument for a processor that spins, which is told an address and nothing else. One that does not answer in time ends the run,
// so none comes late and finds another's.
var starting uintptr

// spinTo has the processor go to entry that spins until the word at physical address at is not 0 (Linux, booting.rst, spin-table). It looks there
// without caches, and its firmware wrote the word so, or has cleaned it. The word is in memory that is not ours, so all that caches can hold of it is what was fetched ahead of time
// where memory is mapped. So it is stored as to a device, past the caches; then what they hold is dropped, before the event that ends the processor's WFE.
func spinTo(at, entry uint64) bool {
	word := Device(at, 8)
	if word == 0 || at%8 != 0 {
		return false
	}
	*(*uint64)(unsafe.Pointer(word)) = entry
	cleanAndSignal(word)
	return true
}

// StartCPU has the firmware start processor id, or end its spinning, and waits until it runs. One at a
// time; the caller holds a lock. It reports false if the processor does not
// answer. M14: the new processor begins from a fixed state, nothing of the caller's
// is copied.
func StartCPU(id int, a *APArg) bool {
	a.id = id
	a.ready.Store(0)
	// It reads a, and starting, only with its caches on.
	entry := uint64(apEntryPC()) + info().Offset
	if at := releases[id]; at != 0 {
		starting = uintptr(unsafe.Pointer(a))
		if !spinTo(at, entry) {
			return false
		}
	} else if firmware(psciOn, cpuIDs[id], entry, uint64(uintptr(unsafe.Pointer(a)))) != 0 {
		return false
	}
	for end := Nanotime() + startLimit; a.ready.Load() == 0; Pause() {
		if Nanotime() >= end {
			return false
		}
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

package arch

import (
	"sync/atomic"
	"unsafe"

	"sched9/arch/amd64/layout"
)

// apicIDs are the processors that the MADT lists, the boot processor first.
var apicIDs [MaxCPU]uint32

// initSettle is how long a processor has for an INIT before its first SIPI, in
// ns. The manual's 10 ms are for boards with a separate APIC chip; if it is too
// short for one, the SIPIs that follow are not.
const initSettle = 200_000

// StartCPU wakes processor id and waits until it
// runs. One at a time; the caller holds a lock. It reports false if the
// processor does not answer. M14: the new processor begins from the stub's
// fixed state, nothing of the caller's is copied.
func StartCPU(id int, a *APArg) bool {
	a.id = id
	if !wake(apicIDs[id], a.Stack, apEntryPC(), uintptr(unsafe.Pointer(a)), &a.ready) {
		return false
	}
	a.ahead = inStep(a)
	a.seen.Store(stepDone)
	return true
}

// wake has the processor with the given APIC id begin at entry by INIT-SIPI (SDM 3A, 8.4.4), and waits until it has set ready. It reports false if
// that does not happen for 9 s.
func wake(apic uint32, stack, entry, arg uintptr, ready *atomic.Uint32) bool {
	mail := info()
	mail.APStack = uint64(stack)
	mail.APEntry = uint64(entry)
	mail.APArg = uint64(arg)

	command(apic, icrInit|icrAssert)
	wait(initSettle)
	// One SIPI can be lost when the host is busy: repeat it until the
	// processor answers. It ignores those that come after it has started,
	// but it must have ignored the last one before it relies on its timer:
	// QEMU (7.2, TCG) takes one event at a time, and after a SIPI that is
	// ignored it goes back to the program without a look for others. An
	// interrupt that became pending together with it then waits until
	// something else stops the processor, which a loop without calls does
	// not. So the new processor waits for seen before it goes on.
	for try := int64(1); try <= 60 && ready.Load() == 0; try++ {
		command(apic, icrStartup|icrAssert|layout.Trampoline>>12)
		for end := Nanotime() + 5_000_000*try; ready.Load() == 0 && Nanotime() < end; {
			Pause()
		}
	}
	return ready.Load() != 0
}

// command is sendIPI where interrupts may be on.
//
//go:noinline
func command(apic, low uint32) {
	on := SaveIRQ()
	sendIPI(apic, low)
	RestoreIRQ(on)
}

// there is set by the processor that dropAbsent tries.
var there atomic.Uint32

// dropAbsent takes those processors off apicIDs that do not start, and calls absent with the APIC id of each. How many there are is fixed at boot: the
// runtime makes a P for each, and has no way back when one does not start that a P was given to. So each is tried, at an entry that needs no memory
// but there, and then taken back by another INIT to where it was: it waits for a SIPI, and takes no NMI. That INIT is sent to one that has not answered, too: none starts late,
// with the next one's mail.
func dropAbsent(absent func(id uint64)) {
	n := 1
	for _, apic := range apicIDs[1:numCPU] {
		there.Store(0)
		if wake(apic, 0, apTryPC(), uintptr(unsafe.Pointer(&there)), &there) {
			apicIDs[n] = apic
			n++
		} else {
			absent(uint64(apic))
		}
		command(apic, icrInit|icrAssert)
	}
	numCPU = n
}

// RestartCPU takes the calling processor, number id, back to where one begins that has
// just been started, with a's stack, thread and entry: tables, model-specific
// registers, floating point and local APIC as new [M11, M14]. Interrupts are off. It
// does not return. There is no INIT: the boot processor would begin in the firmware.
func RestartCPU(id int, a *APArg) {
	a.id = id
	a.seen.Store(stepDone) // it gets no further SIPI, and its counter is as it was
	restart(a)
}

// wait spins for ns nanoseconds.
func wait(ns int64) {
	for end := Nanotime() + ns; Nanotime() < end; {
		Pause()
	}
}

// apInit runs on a processor that has just entered 64-bit mode.
func apInit(a *APArg) {
	initCPU(a.id, apicIDs[a.id], a.IST)
	a.ready.Store(1)
	tellStep(a)
	upArrive()
}

// copyTrampoline puts the 16-bit entry where a SIPI can reach it.
func copyTrampoline() {
	src := uintptr(layout.TrampolineSource)
	dst := Phys(layout.Trampoline)
	for i := uintptr(0); i < layout.TrampolineSize; i += 8 {
		*(*uint64)(unsafe.Pointer(dst + i)) = *(*uint64)(unsafe.Pointer(src + i))
	}
}

package amd64

import (
	"sync/atomic"
	"unsafe"

	"sched9/arch/amd64/layout"
)

// APArg is what a processor that starts is given. It must stay in place for
// ever; the fields without a comment are the kernel's to fill.
type APArg struct {
	TLS   uintptr // thread pointer; g lies 8 bytes below
	G     uintptr // the language's g to enter with
	Entry uintptr // where to go, never to return
	Stack uintptr // top of the stack to go there with
	IST   Stacks

	id    int
	ready atomic.Uint32 // set by the processor when it runs
}

// apicIDs are the processors that the MADT lists, the boot processor first.
var (
	apicIDs [MaxCPU]uint32
	numCPU  = 1
)

// NumCPU returns how many processors there are, at most MaxCPU.
func NumCPU() int { return numCPU }

// StartCPU wakes processor id with INIT-SIPI (SDM 3A, 8.4.4) and waits until it
// runs. One at a time; the caller holds a lock. It reports false if the
// processor does not answer. M14: the new processor begins from the stub's
// fixed state, nothing of the caller's is copied.
func StartCPU(id int, a *APArg) bool {
	info := Info()
	a.id = id
	info.APStack = uint64(a.Stack)
	info.APEntry = uint64(apEntryPC())
	info.APArg = uint64(uintptr(unsafe.Pointer(a)))

	apic := apicIDs[id]
	on := SaveIRQ()
	sendIPI(apic, icrInit|icrAssert)
	RestoreIRQ(on)
	wait(10_000_000)
	// One SIPI can be lost when the host is busy: repeat it until the
	// processor answers. It ignores those that come after it has started.
	for try := 0; try < 20; try++ {
		on := SaveIRQ()
		sendIPI(apic, icrStartup|icrAssert|layout.Trampoline>>12)
		RestoreIRQ(on)
		for end := Nanotime() + 1_000_000*int64(1+try); Nanotime() < end; {
			if a.ready.Load() != 0 {
				return true
			}
			Pause()
		}
	}
	return a.ready.Load() != 0
}

// wait spins for ns nanoseconds.
func wait(ns int64) {
	for end := Nanotime() + ns; Nanotime() < end; {
		Pause()
	}
}

// apInit runs on a processor that has just entered 64-bit mode.
func apInit(a *APArg) {
	InitCPU(a.id, apicIDs[a.id], a.IST)
	upArrive()
	a.ready.Store(1)
}

// copyTrampoline puts the 16-bit entry where a SIPI can reach it.
func copyTrampoline() {
	src := uintptr(layout.TrampolineSource)
	dst := Phys(layout.Trampoline)
	for i := uintptr(0); i < layout.TrampolineSize; i += 8 {
		*(*uint64)(unsafe.Pointer(dst + i)) = *(*uint64)(unsafe.Pointer(src + i))
	}
}

package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/record"
	"sched9/sched/atomic"
)

// cpu is the kernel's record of a processor.
type cpu struct {
	online  atomic.Uint32  // it runs; set once, before it does anything else
	flushed atomic.Uint64  // the last flush request it has carried out (flush.go)
	waits   atomic.Uintptr // address it waits on (futex.go), or 0
	halted  atomic.Uint32  // in arch.Halt: 1, and 2 from a device's interrupt on (futex.go)
	frozen  atomic.Uintptr // the *arch.Frame of an NMI that stopped it (fault.go)
	slept   atomic.Int64   // how long it has halted, in ns, less the clock's time while it halts (usage.go)

	// Owned by the processor itself, with interrupts off.
	lives    int    // how often it was made like new
	tickAt   int64  // when its timer will tick (trapTimer); 0: not at all
	faults   int    // exceptions being handled (trapFault)
	profile  uint64 // as it was when it last set its timer (profile.go)
	sampleAt int64  // when its next sample is due, if it does not halt before; 0: there is no profile
	samples  uint32 // how many periods it began
	overruns int    // how many of the last ticks came before the handler of the one before had ended (trapTimer)

	start arch.APArg
}

var (
	cpus [arch.MaxCPU]cpu
	// starting is 1 while a processor is brought up.
	starting atomic.Uint32
)

// A processor's stacks lie in an area of their own, with an absent page below
// each: running off the end of one faults.
//
//	+0x00000 guard   +0x01000 g0      64 KiB
//	+0x11000 guard   +0x12000 IRQ     32 KiB
//	+0x1a000 guard   +0x1b000 faults  32 KiB, for two
//	+0x23000 guard   +0x24000 NMI     16 KiB
const (
	stackArea   = 0x5000_0000_0000
	stackStride = 0x40000

	offG0    = 0x01000
	offIRQ   = 0x12000
	offFault = 0x1b000
	offNMI   = 0x24000

	sizeG0    = 0x10000
	sizeIRQ   = 0x08000
	sizeFault = arch.FaultStack
	sizeNMI   = 0x04000
)

const _ = uint(offNMI - arch.PageSize - offFault - sizeFault)

// G0Stack and IRQStack return the bounds of processor id's stacks, which are
// mapped from its start on; they never move or go away.
func G0Stack(id int) (lo, hi uintptr) {
	lo = stackArea + uintptr(id)*stackStride + offG0
	return lo, lo + sizeG0
}

// IRQStack: see G0Stack.
func IRQStack(id int) (lo, hi uintptr) {
	lo = stackArea + uintptr(id)*stackStride + offIRQ
	return lo, lo + sizeIRQ
}

// interrupted returns the registers of the code that the handler at f has interrupted on processor id; nil if f is not in
// a handler. The processor is stopped, or handles f.
func interrupted(id int, f *arch.Frame) *arch.Frame {
	const half = sizeFault / 2 // of an exception in a handler of one
	base := stackArea + uintptr(id)*stackStride
	for _, s := range [...]struct{ off, size uintptr }{{offIRQ, sizeIRQ}, {offFault, half}, {offFault + half, half}} {
		if lo := base + s.off; f.SP()-lo < s.size {
			return arch.Saved(lo + s.size)
		}
	}
	return nil
}

// cpuStacks maps the stacks of processor id and returns the tops of those that traps use. The boot
// processor's g0 is the boot stack, so it gets no other.
func cpuStacks(id int) arch.Stacks {
	base := stackArea + uintptr(id)*stackStride
	if id != 0 {
		mapStack(base+offG0, sizeG0)
	}
	mapStack(base+offIRQ, sizeIRQ)
	mapStack(base+offFault, sizeFault)
	mapStack(base+offNMI, sizeNMI)
	return arch.Stacks{
		IRQ:   base + offIRQ + sizeIRQ,
		Fault: base + offFault + sizeFault,
		NMI:   base + offNMI + sizeNMI,
	}
}

// guardName names the stack whose guard page addr is in, or returns "".
func guardName(addr uintptr) string {
	if lo := arch.BootStack(); addr < lo && addr >= lo-arch.PageSize {
		return "scheduler (g0)"
	}
	if addr < stackArea || addr >= stackArea+arch.MaxCPU*stackStride {
		return ""
	}
	switch (addr - stackArea) % stackStride &^ (arch.PageSize - 1) {
	case offG0 - arch.PageSize:
		return "scheduler (g0)"
	case offIRQ - arch.PageSize:
		return "interrupt"
	case offFault - arch.PageSize:
		return "exception"
	case offNMI - arch.PageSize:
		return "NMI"
	}
	return ""
}

// StartCPU brings up processor id, the lowest that does not run, with stacks
// of its own, and has it call entry as g, with the thread pointer tls. It
// returns when the processor runs. Interrupts may be on; not in a trap.
func StartCPU(id int, tls, g, entry uintptr) {
	c := &cpus[id]
	_, top := G0Stack(id)
	c.start = arch.APArg{TLS: tls, G: g, Entry: entry, Stack: top, IST: cpuStacks(id)}
	// The new processor reads and writes g's memory and its thread's before
	// it can take a page fault.
	touch(tls - 8)
	touch(tls)
	touch(g)

	// Interrupts stay on: another processor may want this one to flush.
	for !starting.CompareAndSwap(0, 1) {
		arch.Pause()
	}
	ok := arch.StartCPU(id, &c.start) // returns before the processor arrives
	starting.Store(0)
	if !ok {
		var b [20]byte
		Fatal("processor ", utoa(&b, uint64(id)), " does not start")
	}
}

// RestartCPU makes this processor like new and has it call entry as g, with the thread
// pointer tls, on the stack that ends at top [M11]. Scheduler stack; the processor
// has no P. It does not return.
func RestartCPU(id int, tls, g, entry, top uintptr) {
	c := &cpus[id]
	arch.DisableIRQ()
	c.tickAt = 0
	c.lives++
	c.start.TLS, c.start.G, c.start.Entry, c.start.Stack = tls, g, entry, top&^15
	arch.RestartCPU(id, &c.start)
}

// StartForeign brings up processor id at entry, for code that belongs to no M. It runs on the
// empty g, with the thread pointer tls.
func StartForeign(id int, tls, entry uintptr) { StartCPU(id, tls, arch.NoG(), entry) }

// Idle lets the calling processor, which has nothing to do any more, halt for ever and
// still answer interrupts.
func Idle() {
	for {
		haltUntil(&cpus[arch.ID()], 0, func() bool { return true })
	}
}

// ID returns the number of the processor that runs the caller. Scheduler stack, or where
// there is no goroutine.
func ID() int { return arch.ID() }

// arrive is called by a processor that has just started, interrupts off.
//
// It joins those that flush requests wait for (flush.go). Until then it has used no memory that can
// be unmapped, but it may have cached translations of some. The order closes the gap: it counts
// itself in (with a number for which no request waits), reads the last request, notes it, and
// flushes. A request that saw it not counted, or with the first number, changed the tables before
// that, so before the flush. Any later one waits.
func arrive() {
	c := &cpus[arch.ID()]
	c.flushed.Store(^uint64(0))
	c.slept.Store(arch.Nanotime())
	c.online.Store(1)
	c.flushed.Store(flushWanted.Load())
	arch.FlushTLB()
	note(record.EvBoot, 0, 0)
}

// touch makes sure that the page at p is there.
func touch(p uintptr) { (*atomic.Uintptr)(unsafe.Pointer(p)).Load() }

// SetIRQG makes g the g of this processor's interrupt handlers; its stack bounds are IRQStack's.
// Scheduler stack, before the processor runs Gs.
func SetIRQG(g uintptr) {
	on := arch.SaveIRQ()
	arch.SetIRQG(g)
	arch.RestoreIRQ(on)
}

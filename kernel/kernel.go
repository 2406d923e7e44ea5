// Package kernel is the portable part of what lies under the Go runtime in an
// image: memory, console, clock, faults, processors, and the leaf layer that
// answers where the stock runtime would call Linux.
//
// It runs below the runtime: it does not allocate, it stores no pointers that
// the collector knows, and it takes no lock of the runtime's. Its code runs on
// a scheduler stack (g0), in a trap, or at boot; never on a goroutine's stack.
// Locks are Spin locks, held with interrupts off, so no handler on the same
// processor can want a lock that the processor holds.
//
// Order of locks: mem.lock, then con.lock. Nothing is taken under con.lock.
package kernel

import (
	"sched9/arch"
	"sched9/drivers"
	"sched9/sched"
)

// Exit statuses of a guest that the kernel ends.
const (
	StatusFault  = 126 // a fault in the kernel, or a machine it cannot run on
	StatusMemory = 2   // out of memory: what the runtime's own fatal errors end with
)

var (
	consoleDev, errorsDev, reportDev, exitDev *drivers.Dev

	// numCPU is the number of processors.
	numCPU int
)

// boot is the start of the image: boot processor, boot stack, interrupts off.
// It returns argc and argv for the runtime's own start.
func boot() (argc, argv uintptr) {
	arch.InitEarly()
	consoleDev = drivers.Find(drivers.Console)
	errorsDev = drivers.Find(drivers.Errors)
	reportDev = drivers.Find(drivers.Report)
	exitDev = drivers.Find(drivers.Exit)
	if !arch.ReadLoader() {
		Fatal("the boot loader left no description of this machine that sched9 knows")
	}
	if !arch.InitClock() {
		Fatal("this machine has no timer to measure its clock by")
	}
	argc, argv = buildArgs() // before the loader's memory is used for anything else
	initWall()
	if n := arch.FindCPUs(); n > arch.MaxCPU {
		var b [20]byte
		Fatal("this machine has ", utoa(&b, uint64(n)), " processors; sched9 runs on 1 to 64")
	}
	numCPU = arch.NumCPU()
	initMemory()
	cpus[0].online.Store(1)
	cpus[0].start.IST = cpuStacks(0)
	arch.SetStacks(cpus[0].start.IST)
	record(sched.EvBoot, 0, 0)
	arch.EnableIRQ()
	return argc, argv
}

// NumCPU returns the number of processors.
func NumCPU() int { return numCPU }

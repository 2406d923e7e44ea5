// Package kernel is the portable part of the code below the Go runtime in an image: memory,
// console, clock, faults, processors, and the leaf layer, which answers the stock runtime's Linux
// system calls.
//
// It runs below the runtime: it does not allocate, it stores no pointers that the collector knows,
// and it takes none of the runtime's locks. Its code runs on a scheduler stack (g0), in a trap, or
// at boot; never on a goroutine's stack. Locks are Spin locks, held with interrupts off, so no
// handler on the same processor can need a lock that the processor holds.
//
// Order of locks: a file's, then mem.lock, then a disk's or a stream's. The turn to write is not
// such a lock: its owner has interrupts on, and may fault.
package kernel

import (
	"sched9/arch"
	"sched9/drivers"
	"sched9/kernel/names"
	"sched9/record"
)

// Exit statuses of a guest that the kernel ends.
const (
	StatusFault  = 126 // a fault in the kernel, or a machine it cannot run on
	StatusMemory = 2   // out of memory: what the runtime's own fatal errors end with
)

var (
	reportDev, exitDev *drivers.Dev

	// numCPU is the number of processors.
	numCPU int
)

// boot is the start of the image: boot processor, boot stack, interrupts off.
// It returns argc and argv for the runtime's own start.
func boot() (argc, argv uintptr) {
	arch.InitEarly()
	con.out.dev = drivers.Find(drivers.Console)
	con.err.dev = drivers.Find(drivers.Errors)
	reportDev = drivers.Find(drivers.Report)
	exitDev = drivers.Find(drivers.Exit)
	wrong := arch.ReadLoader()
	con.out.dev = drivers.Find(drivers.Console) // firmware's tables may name another
	con.screen = drivers.Find(drivers.Screen)
	if wrong != "" {
		Fatal("the boot loader: ", wrong)
	}
	checkFixed()
	if !arch.InitClock() {
		Fatal("this machine has no timer to measure its clock by")
	}
	argc, argv = buildArgs() // before the loader's memory is used for anything else
	initCalls()
	con.merged = Option("merged") == 1
	if Option("coms") == 1 {
		con.err.dev = drivers.Find(drivers.PortErrors)
		reportDev = drivers.Find(drivers.PortReport)
	}
	initWall()
	if n := arch.FindCPUs(leftOut); n > arch.MaxCPU {
		var b [20]byte
		Print("sched9: this machine has ", utoa(&b, uint64(n)), " processors, 64 are used\n")
	}
	numCPU = arch.NumCPU()
	initMemory()
	initFiles()
	if names.Served {
		keepBoot()
	}
	cpus[0].online.Store(1)
	cpus[0].start.IST = cpuStacks(0)
	arch.SetStacks(cpus[0].start.IST)
	note(record.EvBoot, 0, 0)
	con.out.port, con.err.port, con.signals, wire.port = findPorts()
	arch.EnableIRQ()
	return argc, argv
}

// leftOut says that the processor that firmware calls id is not used. Boot.
func leftOut(id uint64) {
	Print("sched9: processor ")
	PrintInt(int64(id))
	Print(" is listed, but does not start; it is left out\n")
}

// NumCPU returns the number of processors.
func NumCPU() int { return numCPU }

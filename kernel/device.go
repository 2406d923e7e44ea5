package kernel

import (
	"sched9/arch"
	"sched9/drivers"
	"sched9/drivers/virtioblk"
	"sched9/sched/atomic"
)

// Devices that programs can use. They are looked for when a program first asks
// for one: an image whose program does not never touches them.

// Interrupt lines (package arch), one for each device.
const (
	lineInput   = 0
	lineConsole = 1
	lineDisk    = 2 // the first of maxDisks
	lineNet     = lineDisk + maxDisks
	lineHost    = lineNet + 1
)

const maxDisks = virtioblk.MaxDisks

const _ = uint(arch.NumLines - lineHost - 1)

// trapDevice handles the interrupt of a device's line. Interrupt context: no lock
// of the runtime's.
func trapDevice(line int) {
	cpus[arch.ID()].halted.CompareAndSwap(1, 2)
	switch {
	case line == lineInput:
		trapInput()
	case line == lineConsole:
		trapConsole()
	case line == lineNet, line == lineHost:
		callTrap(line - lineNet)
	case line >= lineDisk && line < lineDisk+maxDisks:
		trapDisk(line - lineDisk)
	}
	pollWake()
}

// disks are the machine's. A disk's lock guards its driver. It may be taken under
// a file's lock; nothing is taken under it.
var disks struct {
	looked atomic.Uint32 // findDisks has been here; set last
	n      int           // fixed then
	named  atomic.Uint32 // the tree has them; set with tree.lock held
	each   [maxDisks]struct {
		lock Spin
	}
}

// findDisks looks for disks, once, and returns how many there are. Scheduler stack.
func findDisks() int {
	if disks.looked.Load() != 0 {
		return disks.n
	}
	on := mem.lock.Lock()
	if disks.looked.Load() == 0 {
		if drivers.Find(drivers.Disks) != nil {
			for connectDisk(disks.n) {
				disks.n++
			}
		}
		disks.looked.Store(1)
	}
	mem.lock.Unlock(on)
	return disks.n
}

// connectDisk gives disk i memory, and an interrupt, and reports whether there is
// such a disk. mem.lock is held.
func connectDisk(i int) bool {
	d := drivers.Get(drivers.Disks).Unit(i)
	if d == nil {
		return false
	}
	pa, ok := mem.Frames.GetBlock()
	if !ok {
		outOfMemory(virtioblk.Memory, nil)
	}
	va := arch.Phys(pa)
	arch.Zero(va, virtioblk.BufferSize) // the queue is in front of the buffers
	if !d.Connect(va, pa, lineDisk+i) {
		Fatal("a disk of this machine cannot be driven: it is older than virtio 1.0, or has no interrupt")
	}
	return true
}

// delay holds the processor for n microseconds, at most maxDelay, and stores as many
// zero bytes at p: /dev/delay, a device that makes its caller wait [M4].
// Interrupts are on. Scheduler stack.
func delay(p, n uintptr) uintptr {
	n = min(n, maxDelay)
	upSyscallBlocks()
	for end := arch.Nanotime() + int64(n)*1000; arch.Nanotime() < end; {
		arch.Pause()
	}
	if n > 0 && clearOut(p, n) < n {
		return fail(eFAULT)
	}
	return n
}

// maxDelay is in microseconds.
const maxDelay = 1_000_000

package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/drivers"
	"sched9/drivers/virtioblk"
	"sched9/drivers/virtioblk/slot"
)

// Transfers between programs' memory and disks. The device never sees a program's memory: a slot's
// buffer is between them, so no memory has to be pinned, and a request may outlive its caller.
//
// There are two ways. A polled transfer holds the processor until the device is done. A transfer of
// a file opened with O_NONBLOCK only begins, and the file's slot remembers it (file.go).

const sector = virtioblk.SectorSize

// Each processor is in at most one line.
const _ = uint(slot.Line - arch.MaxCPU)

// unitOf returns disk i, which there is. It is called, not inlined: the calls are many.
//
//go:noinline
func unitOf(i int) *virtioblk.Disk { return drivers.Get(drivers.Disks).Unit(i) }

// diskSize returns disk i's size in bytes.
func diskSize(i int) int64 { return int64(unitOf(i).Sectors() * sector) }

// trapDisk handles disk i's interrupt.
func trapDisk(i int) {
	on := disks.each[i].lock.Lock()
	unitOf(i).Quiet()
	reap(i)
	unlockDisk(i, on)
}

// unlockDisk unlocks disk i, and wakes the first in its line if its state has changed. It must
// follow every change of a slot's owner.
func unlockDisk(i int, on uintptr) {
	place := unitOf(i).Slots.News()
	disks.each[i].lock.Unlock(on)
	if place != nil {
		futexWake(uintptr(unsafe.Pointer(place)), 1)
	}
}

// reap takes back the requests that disk i has finished, and marks the files that wait for them.
// The disk's lock is held. The interrupt that reports the marks comes after the device was done,
// and finds them (pollWake). The bound is for a device that never stops finishing.
func reap(i int) {
	d := unitOf(i)
	for range virtioblk.MaxSlots {
		owner, ok := d.Reap()
		if !ok {
			return
		}
		if owner != 0 {
			pollMarkFile(int(owner - 1))
		}
	}
}

// grabFileSlot takes one of disk i's slots for a file that has it for itself; -1: none is free.
func grabFileSlot(i int) int {
	on := disks.each[i].lock.Lock()
	n := unitOf(i).Slots.Take(slot.Polled, slot.Max)
	disks.each[i].lock.Unlock(on)
	return n
}

// releaseSlot gives a slot back, as soon as the device does not use it.
func releaseSlot(i, n int) {
	on := disks.each[i].lock.Lock()
	unitOf(i).Slots.Release(n)
	unlockDisk(i, on)
}

// slotsInUse returns how many slots of all disks are not free. The end of a run: all others are stopped.
func slotsInUse() (n int) {
	for i := range disks.n {
		n += unitOf(i).Slots.InUse()
	}
	return n
}

// beginDisk starts a request in slot n, the caller's: size bytes from byte at on,
// both whole sectors. owner: 1 plus the place of the file that is marked when it
// is done, or 0. It returns the slot's word.
func beginDisk(i, n, op int, at int64, size uintptr, owner int) slot.Word {
	d := unitOf(i)
	on := disks.each[i].lock.Lock()
	d.Begin(n, op, uint64(at)/sector, uint32(size), uintptr(owner))
	w := d.Slots.Word(n)
	disks.each[i].lock.Unlock(on)
	return w
}

// awaitDisk spins until the device is done with slot n's request, of word w ([M4]: it holds the
// processor). It reports false if that takes too long (slot.Patience). Interrupts are on, so that
// this processor serves the requests of others.
func awaitDisk(i, n int, w slot.Word) bool {
	d := unitOf(i)
	if d.Slots.Word(n) != w {
		return true // the usual case under QEMU: the interrupt is there when the notice returns
	}
	upSyscallBlocks()
	var p slot.Patience
	for d.Slots.Word(n) == w {
		late := p.Over(arch.Nanotime(), d.Slots.Passed(n))
		if late || d.Finished() {
			on := disks.each[i].lock.Lock()
			reap(i)
			if late = late && d.Slots.Word(n) == w; late {
				d.Slots.GiveUp()
			}
			unlockDisk(i, on)
			if late {
				return false
			}
		}
		arch.Pause()
	}
	return true
}

// doDisk carries out a request in slot n, which is the caller's alone, and waits for it.
func doDisk(i, n, op int, at int64, size uintptr) bool {
	return awaitDisk(i, n, beginDisk(i, n, op, at, size, 0)) && unitOf(i).Slots.Word(n).State() == slot.Done
}

// standInLine waits until the caller has one of the slots for calls that wait, with the right to write if
// write is set; -1: it will never get one. Each owner gives its slot back within a bounded time, so the
// wait is bounded too.
//
// It sleeps: under QEMU a processor that spins while others have their turns takes host time from them,
// and there is a turn for each piece. No wake-up is lost: the place's number is the one at the time when
// Enter refused; a later change changes the number and then wakes the sleeper (futexWait).
func standInLine(i int, write bool) int {
	t := &unitOf(i).Slots
	on := disks.each[i].lock.Lock()
	ticket := t.Join()
	place := t.Place(ticket)
	for {
		n, quit := t.Enter(ticket, write)
		seen := place.Load()
		unlockDisk(i, on)
		if n >= 0 || quit {
			return n
		}
		futexWait(uintptr(unsafe.Pointer(place)), seen, -1)
		on = disks.each[i].lock.Lock()
	}
}

// copyDisk moves n bytes between p, the program's, and f's disk from byte at on, with the
// device polled, and returns how many: fewer at the disk's end or after an error, which
// it returns if there were none. Scheduler stack, interrupts on.
func (f *file) copyDisk(write bool, at int64, p, n uintptr) uintptr {
	size := diskSize(f.unit)
	if at < 0 {
		return fail(eINVAL)
	}
	if at >= size {
		if write && n > 0 {
			return fail(eNOSPC)
		}
		return 0
	}
	n = min(n, uintptr(size-at))
	var moved uintptr
	errno := 0
	for moved < n && errno == 0 {
		var k uintptr
		k, errno = f.copyPiece(write, at+int64(moved), p+moved, n-moved)
		moved += k
	}
	if moved == 0 {
		return fail(errno)
	}
	return moved
}

// copyPiece moves as much of n bytes as a slot holds. The slot is the caller's for this piece only: others
// have their turns between two pieces. To write a part of a sector it reads the whole sector first; no
// other polled write runs until then. If a piece cannot be read from the program's memory to its end,
// nothing of it is written.
func (f *file) copyPiece(write bool, at int64, p, n uintptr) (moved uintptr, errno int) {
	i := f.unit
	s := standInLine(i, write)
	if s < 0 {
		return 0, eIO
	}
	first := at &^ (sector - 1)
	skip := uintptr(at - first)
	n = min(n, virtioblk.BufferSize-skip)
	whole := (skip + n + sector - 1) &^ (sector - 1)
	piece := unsafe.Pointer(unitOf(i).Buffer(s) + skip)
	switch {
	case (!write || whole != n) && !doDisk(i, s, virtioblk.Read, first, whole):
		errno = eIO
	case !write:
		moved = copyOut(p, piece, n)
		if moved < n {
			errno = eFAULT
		}
	case copyIn(piece, p, n) < n:
		errno = eFAULT
	case !doDisk(i, s, virtioblk.Write, first, whole):
		errno = eIO
	default:
		moved = n
		f.wrote(at, piece, n)
	}
	releaseSlot(i, s)
	return moved, errno
}

// flushDisk makes disk i write its cache.
func flushDisk(i int) (errno int) {
	if !unitOf(i).CanFlush() {
		return 0
	}
	s := standInLine(i, false)
	if s < 0 {
		return eIO
	}
	if !doDisk(i, s, virtioblk.Flush, 0, 0) {
		errno = eIO
	}
	releaseSlot(i, s)
	return errno
}

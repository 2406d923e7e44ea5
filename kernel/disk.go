package kernel

import (
	"sched9/arch"
	"sched9/drivers"
	"sched9/drivers/virtioblk"
	"sched9/sched/atomic"
)

// Transfers between programs' memory and disks. The device never sees a program's
// memory: a slot's buffer is between them, so nothing has to be pinned, and a
// request may outlive whoever made it.
//
// Two ways lead there. A polled transfer holds the processor until the device is
// done. A transfer of a file that was opened with O_NONBLOCK only begins, and
// the file's slot remembers it (file.go).

// The first slots are for polled transfers, each for the length of one; a file with
// O_NONBLOCK has one of the others for itself. So no transfer waits for a slot
// that somebody may keep for ever.
const polledSlots = 8

// diskLimit is how long a device may take for one request, in nanoseconds of the
// guest's clock.
const diskLimit = 10_000_000_000

const sector = virtioblk.SectorSize

// unitOf returns disk i, which there is.
func unitOf(i int) *virtioblk.Disk { return drivers.Get(drivers.Disks).Unit(i) }

// diskSize returns disk i's size in bytes.
func diskSize(i int) int64 { return int64(unitOf(i).Sectors() * sector) }

// trapDisk handles disk i's interrupt.
func trapDisk(i int) {
	on := disks.each[i].lock.Lock()
	unitOf(i).Quiet()
	reap(i)
	disks.each[i].lock.Unlock(on)
}

// reap takes back what disk i is done with, and marks the files that wait for it.
// The disk's lock is held: the interrupt that tells of the marks, which comes
// after the device was done, finds them (pollWake).
func reap(i int) {
	d := unitOf(i)
	for {
		owner, ok := d.Reap()
		if !ok {
			return
		}
		if owner != 0 {
			pollMark(int(owner - 1))
		}
	}
}

// grabSlot takes one of disk i's slots from low on and below high; -1: none is free.
func grabSlot(i, low, high int) int {
	on := disks.each[i].lock.Lock()
	slot := unitOf(i).Grab(low, high)
	disks.each[i].lock.Unlock(on)
	return slot
}

// releaseSlot gives a slot back, as soon as the device does not use it.
func releaseSlot(i, slot int) {
	on := disks.each[i].lock.Lock()
	unitOf(i).Release(slot)
	disks.each[i].lock.Unlock(on)
}

// beginDisk starts a request in a slot of the caller's: n bytes from byte at on,
// both whole sectors. owner: 1 plus the number of the file that is marked when it
// is done, or 0.
func beginDisk(i, slot, op int, at int64, n uintptr, owner int) {
	on := disks.each[i].lock.Lock()
	unitOf(i).Begin(slot, op, uint64(at)/sector, uint32(n), uintptr(owner))
	disks.each[i].lock.Unlock(on)
}

// awaitDisk spins until the device is done with a slot of the caller's (M4: it
// holds the processor). It reports done if so within diskLimit, and ok if the
// device succeeded. Interrupts are on, so that this processor does what others
// ask of it.
func awaitDisk(i, slot int) (done, ok bool) {
	d := unitOf(i)
	if d.State(slot) == virtioblk.Busy {
		upHold()
	}
	for end := arch.Nanotime() + diskLimit; ; {
		switch d.State(slot) {
		case virtioblk.Done:
			d.Settle(slot)
			return true, true
		case virtioblk.Failed:
			d.Settle(slot)
			return true, false
		case virtioblk.Idle:
			return true, true
		}
		if d.Finished() {
			on := disks.each[i].lock.Lock()
			reap(i)
			disks.each[i].lock.Unlock(on)
			continue
		}
		if arch.Nanotime() >= end {
			return false, false
		}
		arch.Pause()
	}
}

// polledSlot takes a slot for one transfer. Others hold theirs for a bounded time,
// but a device that is gone keeps what it had: then there is none, ever.
func polledSlot(i int) int {
	for end := arch.Nanotime() + diskLimit; ; {
		if slot := grabSlot(i, 0, polledSlots); slot >= 0 || arch.Nanotime() >= end {
			return slot
		}
		arch.Pause()
	}
}

// copyDisk moves n bytes between p and disk i from byte at on, with the device
// polled, and returns how many: fewer at the disk's end or after an error, which
// it returns if there were none. Scheduler stack, interrupts on.
func copyDisk(i int, write bool, at int64, p, n uintptr) uintptr {
	size := diskSize(i)
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
	slot := polledSlot(i)
	if slot < 0 {
		return fail(eIO)
	}
	if write {
		lockParts(&disks.each[i].parts)
	}
	var moved uintptr
	for moved < n {
		k, ok := copyPiece(i, slot, write, at+int64(moved), p+moved, n-moved)
		if !ok {
			break
		}
		moved += k
	}
	if write {
		disks.each[i].parts.Store(0)
	}
	releaseSlot(i, slot)
	if moved == 0 && n > 0 {
		return fail(eIO)
	}
	return moved
}

// copyPiece moves as much of n bytes as a slot holds. A part of a sector is written
// by reading the whole sector first: nobody else who polls writes meanwhile.
func copyPiece(i, slot int, write bool, at int64, p, n uintptr) (moved uintptr, ok bool) {
	first := at &^ (sector - 1)
	skip := uintptr(at - first)
	moved = min(n, virtioblk.BufferSize-skip)
	whole := (skip + moved + sector - 1) &^ (sector - 1)
	buffer := unitOf(i).Buffer(slot)
	if !write || whole != moved {
		beginDisk(i, slot, virtioblk.Read, first, whole, 0)
		if _, ok := awaitDisk(i, slot); !ok {
			return 0, false
		}
	}
	if !write {
		copy(bytesAt(p, moved), bytesAt(buffer+skip, moved))
		return moved, true
	}
	copy(bytesAt(buffer+skip, moved), bytesAt(p, moved))
	beginDisk(i, slot, virtioblk.Write, first, whole, 0)
	_, ok = awaitDisk(i, slot)
	return moved, ok
}

// lockParts waits for the right to write with the device polled. Whoever has it
// runs, and on another processor.
func lockParts(parts *atomic.Uint32) {
	for !parts.CompareAndSwap(0, 1) {
		arch.Pause()
	}
}

// flushDisk has disk i write what its cache holds.
func flushDisk(i int) (errno int) {
	if !unitOf(i).CanFlush() {
		return 0
	}
	slot := polledSlot(i)
	if slot < 0 {
		return eIO
	}
	beginDisk(i, slot, virtioblk.Flush, 0, 0, 0)
	if _, ok := awaitDisk(i, slot); !ok {
		errno = eIO
	}
	releaseSlot(i, slot)
	return errno
}

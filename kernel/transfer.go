package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/drivers/virtioblk"
	"sched9/drivers/virtioblk/slot"
)

// Reading and writing a disk's file at its position. With O_NONBLOCK a read only
// begins: it answers EAGAIN, and when the device is done the file is ready and
// the read that is tried again finds the data. A write returns when its data is in
// the file's buffer; the next call answers EAGAIN until the device has it.

// polled reports whether calls wait for the device, holding the processor, and
// returns the file's position.
func (f *file) polled() (pos int64, polled bool) {
	on := f.lock.Lock()
	pos, polled = f.pos, f.slot < 0 || f.flags&openNonblock == 0
	f.lock.Unlock(on)
	return pos, polled
}

// settle waits until the device has the data written to the file's own slot, if there is any. A read
// that another goroutine has there, or is about to find there, stays. settle returns EIO if the
// write, which had returned, failed. The file's lock is held for both looks at the slot: between
// them another goroutine may begin any request.
func (f *file) settle() (errno int) {
	if f.slot < 0 {
		return 0
	}
	t := &unitOf(f.unit).Slots
	on := f.lock.Lock()
	if w := t.Word(f.slot); f.own.Unwritten(w) {
		f.lock.Unlock(on)
		if !awaitDisk(f.unit, f.slot, w) {
			return eIO
		}
		on = f.lock.Lock()
	}
	if f.own.Lost(t, f.slot) {
		errno = eIO
	}
	f.lock.Unlock(on)
	return errno
}

// wrote updates the file's own slot after a polled write of n bytes at p to byte at of the disk. If
// the slot's read covers them and the device is working on it, the read may bring the old bytes, so
// wrote waits for it; a read that begins later does not need this.
func (f *file) wrote(at int64, p unsafe.Pointer, n uintptr) {
	d := unitOf(f.unit)
	var w slot.Word
	on := f.lock.Lock()
	for waited := false; ; waited = true {
		from, to, size := f.own.Overlap(at, n)
		if size == 0 { // a file that has no slot holds nothing
			break
		}
		is := d.Slots.Word(f.slot)
		if waited && !is.Same(w) {
			break
		}
		if is.State() != slot.Busy {
			arch.Copy(unsafe.Pointer(d.Buffer(f.slot)+to), unsafe.Add(p, from), size)
			break
		}
		if waited { // and the device does not answer
			f.own.Stale()
			break
		}
		w = is
		f.lock.Unlock(on)
		awaitDisk(f.unit, f.slot, w)
		on = f.lock.Lock()
	}
	f.lock.Unlock(on)
}

// advance moves the position by what a polled call transferred, and returns that.
func (f *file) advance(pos int64, r uintptr) uintptr {
	if r <= 1<<62 { // not an error
		on := f.lock.Lock()
		f.pos = pos + int64(r)
		f.lock.Unlock(on)
	}
	return r
}

// readDisk reads up to n bytes into p at the position of the file at place n.
func (f *file) readDisk(place int, p, n uintptr) uintptr {
	if pos, polled := f.polled(); polled {
		if errno := f.settle(); errno != 0 {
			return fail(errno)
		}
		return f.advance(pos, f.copyDisk(false, pos, p, n))
	}
	on := f.lock.Lock()
	r := f.readLater(place, p, n)
	f.lock.Unlock(on)
	return r
}

// look is what a call of kind k, with O_NONBLOCK, finds in the file's slot: if errno is not 0 the call
// must return it. f.lock is held.
//
// No wake-up is lost (package slot): the device was not done when the word said Busy, so its interrupt
// marks the file after the runtime had reset its readiness flag, which it does before each try.
// Between that store and the load of the word lie exchanges, by which the call was entered and the
// lock taken: no processor, not even QEMU's, makes the load first.
func (f *file) look(k slot.Kind) (errno int) {
	switch f.own.Look(&unitOf(f.unit).Slots, f.slot, k) {
	case slot.Wait:
		return eAGAIN
	case slot.Broken:
		return eIO
	}
	return 0
}

// yields reports whether a call of kind k, with O_NONBLOCK, lets one of the other kind go first: it
// answers EAGAIN, and the file is marked for both. f.lock is held.
func (f *file) yields(place int, k slot.Kind) bool {
	if f.own.Turn(k) {
		return false
	}
	pollMarkFile(place)
	pollWake()
	return true
}

// readLater is readDisk with O_NONBLOCK. f.lock is held.
func (f *file) readLater(place int, p, n uintptr) uintptr {
	if errno := f.look(slot.Reading); errno != 0 {
		return fail(errno)
	}
	size := diskSize(f.unit)
	if n == 0 || f.pos >= size {
		return 0
	}
	n = min(n, virtioblk.BufferSize)
	if _, skip, held := f.own.Overlap(f.pos, n); held > 0 && f.own.At <= f.pos {
		n = copyOut(p, unsafe.Pointer(unitOf(f.unit).Buffer(f.slot)+skip), held)
		if n == 0 {
			return fail(eFAULT)
		}
		f.pos += int64(n)
		f.own.Found()
		return n
	}
	f.own.Held = 0 // it is of another place
	if f.yields(place, slot.Reading) {
		return fail(eAGAIN)
	}
	at := f.pos &^ (sector - 1)
	end := (uintptr(f.pos-at) + n + sector - 1) &^ (sector - 1)
	n = min(end, virtioblk.BufferSize, uintptr(size-at))
	f.own.Begins(slot.Reading, at, n)
	beginDisk(f.unit, f.slot, virtioblk.Read, at, n, place+1)
	return fail(eAGAIN)
}

// writeDisk writes n bytes at p at the position of file number number.
func (f *file) writeDisk(place int, p, n uintptr) uintptr {
	pos, polled := f.polled()
	if !polled {
		on := f.lock.Lock()
		r, done := f.writeLater(place, p, n)
		f.lock.Unlock(on)
		if done {
			return r
		}
		// A part of a sector has to be read first, and the poller cannot wait for that.
		n = min(n, uintptr(sector-pos%sector))
	} else if errno := f.settle(); errno != 0 {
		return fail(errno)
	}
	return f.advance(pos, f.copyDisk(true, pos, p, n))
}

// writeLater is writeDisk with O_NONBLOCK, for whole sectors; done is false if no whole sector is
// written at the position. f.lock is held.
func (f *file) writeLater(place int, p, n uintptr) (r uintptr, done bool) {
	if errno := f.look(slot.Writing); errno != 0 {
		return fail(errno), true
	}
	size := diskSize(f.unit)
	switch {
	case n == 0:
		return 0, true
	case f.pos >= size:
		return fail(eNOSPC), true
	case f.yields(place, slot.Writing):
		return fail(eAGAIN), true
	}
	f.own.Held = 0
	if f.pos%sector != 0 || n < sector {
		return 0, false
	}
	n = min(n&^(sector-1), virtioblk.BufferSize, uintptr(size-f.pos))
	n = copyIn(unsafe.Pointer(unitOf(f.unit).Buffer(f.slot)), p, n) &^ (sector - 1)
	if n == 0 {
		return fail(eFAULT), true
	}
	f.own.Begins(slot.Writing, 0, 0)
	beginDisk(f.unit, f.slot, virtioblk.Write, f.pos, n, place+1)
	f.pos += int64(n)
	return n, true
}

package kernel

import (
	"unsafe"

	"sched9/drivers/virtioblk"
)

// Reading and writing a disk's file at its position. With O_NONBLOCK a read only
// begins: it answers EAGAIN, and when the device is done the file is ready and
// the read that is tried again finds the data. A write returns when its data is in
// the file's buffer; the next call answers EAGAIN until the device has it.

// bytesAt is the n bytes of memory at p.
func bytesAt(p, n uintptr) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), n) }

// polled reports whether calls wait for the device, holding the processor, and
// returns the file's position.
func (f *file) polled() (pos int64, polled bool) {
	on := f.lock.Lock()
	pos, polled = f.pos, f.slot < 0 || f.flags&openNonblock == 0
	f.lock.Unlock(on)
	return pos, polled
}

// settle waits for what the device does for the file's own slot, if there is
// something. What was read there is forgotten. It returns EIO if it was a write,
// which had returned, that failed.
func (f *file) settle() (errno int) {
	if f.slot < 0 {
		return 0
	}
	_, ok := awaitDisk(f.unit, f.slot)
	on := f.lock.Lock()
	if !ok && f.held == 0 {
		errno = eIO
	}
	f.held = 0
	f.lock.Unlock(on)
	return errno
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

// readDisk reads up to n bytes into p at the position of file number n.
func (f *file) readDisk(number int, p, n uintptr) uintptr {
	if pos, polled := f.polled(); polled {
		if errno := f.settle(); errno != 0 {
			return fail(errno)
		}
		return f.advance(pos, copyDisk(f.unit, false, pos, p, n))
	}
	on := f.lock.Lock()
	r := f.readLater(number, p, n)
	f.lock.Unlock(on)
	return r
}

// readLater is readDisk with O_NONBLOCK. f.lock is held.
//
// No wake-up is lost: the device was not done when State said Busy, so its
// interrupt marks the file after the language had reset its note of readiness,
// which it does before each try.
func (f *file) readLater(number int, p, n uintptr) uintptr {
	d := unitOf(f.unit)
	switch d.State(f.slot) {
	case virtioblk.Busy:
		return fail(eAGAIN)
	case virtioblk.Failed: // this read, or the write before it
		d.Settle(f.slot)
		f.held = 0
		return fail(eIO)
	case virtioblk.Done:
		d.Settle(f.slot)
	}
	size := diskSize(f.unit)
	if n == 0 || f.pos >= size {
		return 0
	}
	if f.pos >= f.at && f.pos < f.at+int64(f.held) {
		skip := uintptr(f.pos - f.at)
		n = min(n, f.held-skip)
		copy(bytesAt(p, n), bytesAt(d.Buffer(f.slot)+skip, n))
		f.pos += int64(n)
		f.held = 0 // once: who reads there again wants to know what is there then
		return n
	}
	f.at = f.pos &^ (sector - 1)
	n = min(n, virtioblk.BufferSize) // so that what follows does not overflow
	end := (uintptr(f.pos-f.at) + n + sector - 1) &^ (sector - 1)
	f.held = min(end, virtioblk.BufferSize, uintptr(size-f.at))
	beginDisk(f.unit, f.slot, virtioblk.Read, f.at, f.held, number+1)
	return fail(eAGAIN)
}

// writeDisk writes n bytes at p at the position of file number number.
func (f *file) writeDisk(number int, p, n uintptr) uintptr {
	pos, polled := f.polled()
	if !polled {
		on := f.lock.Lock()
		r, done := f.writeLater(number, p, n)
		f.lock.Unlock(on)
		if done {
			return r
		}
		// A part of a sector has to be read first, and that nobody waits for in
		// the poller.
		n = min(n, uintptr(sector-pos%sector))
	} else if errno := f.settle(); errno != 0 {
		return fail(errno)
	}
	return f.advance(pos, copyDisk(f.unit, true, pos, p, n))
}

// writeLater is writeDisk with O_NONBLOCK, for whole sectors; done is false if
// there is none to be written at the position. f.lock is held.
func (f *file) writeLater(number int, p, n uintptr) (r uintptr, done bool) {
	d := unitOf(f.unit)
	switch d.State(f.slot) {
	case virtioblk.Busy:
		return fail(eAGAIN), true
	case virtioblk.Failed:
		d.Settle(f.slot)
		if f.held == 0 { // the write before this one
			return fail(eIO), true
		}
	case virtioblk.Done:
		d.Settle(f.slot)
	}
	f.held = 0
	size := diskSize(f.unit)
	switch {
	case n == 0:
		return 0, true
	case f.pos >= size:
		return fail(eNOSPC), true
	case f.pos%sector != 0 || n < sector:
		return 0, false
	}
	n = min(n&^(sector-1), virtioblk.BufferSize, uintptr(size-f.pos))
	copy(bytesAt(d.Buffer(f.slot), n), bytesAt(p, n))
	beginDisk(f.unit, f.slot, virtioblk.Write, f.pos, n, number+1)
	f.pos += int64(n)
	return n, true
}

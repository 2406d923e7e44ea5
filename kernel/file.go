package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/drivers/virtioblk"
	"sched9/kernel/fd"
)

// Open files: the leaves that take a file's number. 0 to 2 are the console, always
// open; the others are devices by the names in openFile. docs/devices.md tells
// what each does.

// file is what a number of files.table stands for.
type file struct {
	kind  fileKind
	unit  int     // of a disk
	write bool    // opened for writing
	read  bool    // and for reading
	flags uintptr // what F_GETFL answers

	// slot is the disk's slot that the file has for itself, less than 0 if it
	// was opened without O_NONBLOCK. It never changes while the file is open.
	slot int

	// lock guards what follows. It is held while a slot's buffer is copied, which
	// may take a page fault; a disk's lock may be taken under it.
	lock Spin
	pos  int64
	// What the slot's buffer holds, or will when the device is done: held bytes
	// from byte at of the disk on. 0: nothing that was read.
	at   int64
	held uintptr
}

type fileKind uint8

const (
	fileDisk fileKind = iota
	fileDelay
)

// files.lock guards the table alone. Nothing is taken under it.
var files struct {
	lock  Spin
	table fd.Table
	each  [fd.Max]file
}

// Errors by Linux's numbers, beside those in memory.go.
const (
	ePERM   = 1
	eIO     = 5
	eAGAIN  = 11
	eEXIST  = 17
	eNOTDIR = 20
	eNFILE  = 23
	eMFILE  = 24
	eNOSPC  = 28
	eSPIPE  = 29
)

// Flags of open and fcntl (Linux's include/uapi/asm-generic/fcntl.h).
const (
	accessMode    = 3
	accessWrite   = 1
	accessBoth    = 2
	openCreate    = 0o100
	openExclusive = 0o200
	openNonblock  = 0o4000

	getFlagsFD  = 1
	setFlagsFD  = 2
	getFlags    = 3
	setFlags    = 4
	closeOnExec = 1
)

// holdFile returns open file n, which does not go away until dropFile, or nil. dropFile
// undoes what belongs to a file that was closed meanwhile. Scheduler stack.
func holdFile(n int) *file {
	on := files.lock.Lock()
	ok := files.table.Hold(n)
	files.lock.Unlock(on)
	if !ok {
		return nil
	}
	return &files.each[n]
}

// dropFile: see holdFile.
func dropFile(n int) {
	on := files.lock.Lock()
	last := files.table.Drop(n)
	files.lock.Unlock(on)
	if !last {
		return
	}
	// The number is nobody's now, and out of the poller even if the program closed
	// it behind the language's back. A request that the device still has goes on
	// in its slot, which is free when it ends: the buffer is the slot's, and the
	// file is not told.
	if f := &files.each[n]; f.slot >= 0 {
		PollClose(n)
		releaseSlot(f.unit, f.slot)
	}
	on = files.lock.Lock()
	files.table.Free(n)
	files.lock.Unlock(on)
}

// withFile calls fn with open file n and returns what it returns, or EBADF.
func withFile(n uintptr, fn func(f *file) uintptr) uintptr {
	f := (*file)(nil)
	if n < fd.Max {
		f = holdFile(int(n))
	}
	if f == nil {
		return fail(eBADF)
	}
	r := fn(f)
	dropFile(int(n))
	return r
}

// openFile is openat: x.b is the path's address, x.c flags.
func openFile(x args) uintptr {
	kind, unit, errno := device(x.b)
	if errno != 0 {
		return fail(errno)
	}
	flags := x.c
	write := flags&accessMode == accessWrite || flags&accessMode == accessBoth
	switch {
	case flags&accessMode == accessMode:
		return fail(eINVAL)
	case flags&arch.OpenDirectory != 0:
		return fail(eNOTDIR)
	case flags&(openCreate|openExclusive) == openCreate|openExclusive:
		return fail(eEXIST)
	case write && kind == fileDelay, write && kind == fileDisk && unitOf(unit).ReadOnly():
		return fail(eACCES)
	}
	slot := -1
	if kind == fileDisk && flags&openNonblock != 0 {
		if slot = grabSlot(unit, polledSlots, virtioblk.MaxSlots); slot < 0 {
			return fail(eNFILE)
		}
	}
	on := files.lock.Lock()
	n := files.table.Open()
	files.lock.Unlock(on)
	if n < 0 {
		if slot >= 0 {
			releaseSlot(unit, slot)
		}
		return fail(eMFILE)
	}
	f := &files.each[n]
	f.kind, f.unit, f.slot = kind, unit, slot
	f.write, f.read = write, flags&accessMode != accessWrite
	f.flags = flags & (accessMode | openNonblock)
	f.pos, f.at, f.held = 0, 0, 0
	on = files.lock.Lock()
	files.table.Publish(n)
	files.lock.Unlock(on)
	return uintptr(n)
}

// device returns the device that the path at p names.
func device(p uintptr) (kind fileKind, unit, errno int) {
	switch {
	case pathIs(p, "/dev/delay\x00"):
		return fileDelay, 0, 0
	case pathIs(p, "/dev/vd"):
		const name = uintptr(len("/dev/vd"))
		letter := *(*byte)(unsafe.Pointer(p + name))
		if letter < 'a' || letter >= 'a'+maxDisks || *(*byte)(unsafe.Pointer(p + name + 1)) != 0 {
			break
		}
		if unit = int(letter - 'a'); unit < findDisks() {
			return fileDisk, unit, 0
		}
	}
	return 0, 0, eNOENT
}

// pathIs reports whether the bytes at p begin with s. It reads none behind the
// first that differs.
func pathIs(p uintptr, s string) bool {
	for i := 0; i < len(s); i++ {
		if *(*byte)(unsafe.Pointer(p + uintptr(i))) != s[i] {
			return false
		}
	}
	return true
}

// closeFile is close. The console's three files stay open.
func closeFile(x args) uintptr {
	if x.a < fd.First {
		return 0
	}
	if x.a >= fd.Max {
		return fail(eBADF)
	}
	on := files.lock.Lock()
	ok := files.table.Close(int(x.a))
	files.lock.Unlock(on)
	if !ok {
		return fail(eBADF)
	}
	dropFile(int(x.a))
	return 0
}

// readFile is read, writeFile write.
func readFile(x args) uintptr {
	switch x.a {
	case 0:
		return readInput(x.b, x.c)
	case 1, 2:
		return fail(eBADF)
	}
	return withFile(x.a, func(f *file) uintptr {
		switch {
		case !f.read:
			return fail(eBADF)
		case f.kind == fileDelay:
			return delay(x.b, x.c)
		}
		return f.readDisk(int(x.a), x.b, x.c)
	})
}

// writeFile: see readFile.
func writeFile(x args) uintptr {
	switch x.a {
	case 0:
		return fail(eBADF)
	case 1, 2:
		Write(int(x.a), x.b, x.c)
		return x.c
	}
	return withFile(x.a, func(f *file) uintptr {
		if !f.write {
			return fail(eBADF)
		}
		return f.writeDisk(int(x.a), x.b, x.c)
	})
}

// readAt is pread64, writeAt pwrite64: with the device polled in any case, because
// package os does not use the poller for them.
func readAt(x args) uintptr {
	if x.a < fd.First {
		return fail(eSPIPE)
	}
	return withFile(x.a, func(f *file) uintptr {
		switch {
		case !f.read:
			return fail(eBADF)
		case f.kind == fileDelay:
			return delay(x.b, x.c)
		}
		if errno := f.settle(); errno != 0 {
			return fail(errno)
		}
		return copyDisk(f.unit, false, int64(x.d), x.b, x.c)
	})
}

// writeAt: see readAt.
func writeAt(x args) uintptr {
	if x.a < fd.First {
		return fail(eSPIPE)
	}
	return withFile(x.a, func(f *file) uintptr {
		if !f.write {
			return fail(eBADF)
		}
		if errno := f.settle(); errno != 0 {
			return fail(errno)
		}
		return copyDisk(f.unit, true, int64(x.d), x.b, x.c)
	})
}

// seek is lseek.
func seek(x args) uintptr {
	if x.a < fd.First {
		return fail(eSPIPE)
	}
	return withFile(x.a, func(f *file) uintptr {
		if f.kind != fileDisk {
			return fail(eSPIPE)
		}
		const start, here, end = 0, 1, 2
		on := f.lock.Lock()
		pos, r := int64(x.b), fail(eINVAL)
		switch x.c {
		case start:
		case here:
			pos += f.pos
		case end:
			pos += diskSize(f.unit)
		default:
			pos = -1
		}
		if pos >= 0 {
			f.pos, r = pos, uintptr(pos)
		}
		f.lock.Unlock(on)
		return r
	})
}

// syncFile is fsync and fdatasync: it waits, with the device polled, until what was
// written is on the disk, and returns the error of a write that failed after it
// had returned.
func syncFile(x args) uintptr {
	if x.a < fd.First {
		return fail(eINVAL)
	}
	return withFile(x.a, func(f *file) uintptr {
		if f.kind != fileDisk {
			return fail(eINVAL)
		}
		if errno := f.settle(); errno != 0 {
			return fail(errno)
		}
		return fail(flushDisk(f.unit))
	})
}

// control is fcntl.
func control(x args) uintptr {
	if x.a < fd.First {
		switch x.b {
		case getFlags:
			if x.a == 0 && inputConnected() && input.blocking.Load() == 0 {
				return openNonblock
			}
		case setFlags:
			if x.a == 0 {
				input.blocking.Store(uint32(1 - x.c&openNonblock/openNonblock))
			}
		}
		return 0
	}
	return withFile(x.a, func(f *file) uintptr {
		on := f.lock.Lock()
		r := uintptr(0)
		switch x.b {
		case getFlagsFD:
			r = closeOnExec
		case setFlagsFD: // nothing is ever executed
		case getFlags:
			r = f.flags
		case setFlags:
			f.flags = f.flags&^openNonblock | x.c&openNonblock
		default:
			r = fail(eINVAL)
		}
		f.lock.Unlock(on)
		return r
	})
}

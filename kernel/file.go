package kernel

import (
	"unsafe"

	"sched9/drivers/virtioblk/slot"
	"sched9/kernel/fd"
	"sched9/kernel/names"
)

// Open files: the leaves that take a file's number. The file's kind decides what a read or a write
// does: the console's three, files in the tree (tree.go), pipes (pipes.go), served files (served.go), and
// devices (chars.go, transfer.go). docs/files.md describes each.

// file is an open file. One that has several numbers (dup) is one file still.
type file struct {
	kind  fileKind
	unit  int      // of the console, a disk, or which of the devices of chars.go
	write bool     // opened for writing
	read  bool     // and for reading
	node  uintptr  // the open node of the tree, held; 0 for the console as long as there is no tree
	pipe  uintptr  // the page of a pipe
	ends  [2]int32 // as one of its ends, to read and to write: the next file that is, 1 plus its place (pipes.lock guards it)
	lease int32    // 1: it has its node locked with others, -1: alone (tree.lock guards it)

	// made says what the file shows, if the image has such files (made.go): a node's device number. command is a page with
	// what was written to it and is to be done, 0: nothing. Set by the write, under files.lock, and cleared by commandOf.
	made    uint64
	command uintptr

	// slot is the disk's slot that the file has for itself, less than 0 if it
	// was opened without O_NONBLOCK. It never changes while the file is open.
	slot int

	// lock guards the fields below. It is held while a slot's buffer is copied, which may take a
	// page fault; a disk's lock may be taken under it.
	lock  Spin
	flags uintptr // what F_GETFL answers
	pos   int64   // tree.lock guards that of a file in the tree
	own   slot.Own
}

type fileKind uint8

const (
	fileConsole fileKind = iota
	fileTree
	filePipe
	fileChar
	fileDisk
	fileDelay
	fileServed // this and the next have no position
	fileWire
)

// files.lock guards the table alone, and the pages. Only poll.lock is taken under it, because a number and its
// registration with the poller go at once, and mem.lock, for pages.
var files struct {
	lock  Spin
	table fd.Table
	pages [(fd.MaxFiles + perPage - 1) / perPage]uintptr // of files; a page is there before a file in it is handed out
}

// perPage is how many files are in a page.
const perPage = int(fd.Page / unsafe.Sizeof(file{}))

// fileShare is which part of memory the tables of files may take: one in so many frames. Then there is ENFILE, and memory is left.
const fileShare = 8

// filePages is how many pages the tables of files have. files.lock guards it.
var filePages uint64

// filePage returns a page of zeros for the tables of files, which keep it, or 0. files.lock is held.
func filePage() uintptr {
	total, _, _ := mem.Frames.Stats()
	if filePages >= total/fileShare {
		return 0
	}
	page := getPage()
	if page != 0 {
		filePages++
	}
	return page
}

// fileAt returns the file at place i, which newFile has returned. Its many callers would make images larger by a copy each.
//
//go:noinline
func fileAt(i int) *file {
	return (*file)(unsafe.Pointer(files.pages[i/perPage] + uintptr(i%perPage)*unsafe.Sizeof(file{})))
}

// initFiles opens the console's three files. Boot.
func initFiles() {
	for unit := range 3 {
		i := newFile()
		f := fileAt(i)
		f.unit, f.read, f.write = unit, unit == 0, unit != 0
		publish(i, 0)
	}
}

// Errors by Linux's numbers, beside those in memory.go.
const (
	ePERM   = 1
	eSRCH   = 3
	eIO     = 5
	eNXIO   = 6
	eINTR   = 4
	eAGAIN  = 11
	eBUSY   = 16
	eEXIST  = 17
	eNOTDIR = 20
	eISDIR  = 21
	eNFILE  = 23
	eMFILE  = 24
	eFBIG   = 27
	eNOSPC  = 28
	eSPIPE  = 29
	ePIPE   = 32
	eRANGE  = 34

	eOPNOTSUPP = 95
)

// Flags of open and fcntl (Linux's include/uapi/asm-generic/fcntl.h).
const (
	accessMode    = 3
	accessWrite   = 1
	accessBoth    = 2
	openCreate    = 0o100
	openExclusive = 0o200
	openTruncate  = 0o1000
	openAppend    = 0o2000
	openNonblock  = 0o4000
	openPath      = 0o10000000

	dupFD        = 0
	getFlagsFD   = 1
	setFlagsFD   = 2
	getFlags     = 3
	setFlags     = 4
	getLock      = 5
	setLock      = 6
	setLockWait  = 7
	dupFDCloexec = 1030
	closeOnExec  = 1
)

// holdFile returns the file of number n and its place, or nil. It does not go away until
// dropFile. Scheduler stack.
func holdFile(n uintptr) (f *file, i int) {
	on := files.lock.Lock()
	i = files.table.Hold(int(n))
	files.lock.Unlock(on)
	if i < 0 {
		return nil, -1
	}
	return fileAt(i), i
}

// dropFile ends holdFile, or a number's use of file i. The last use releases the file's data.
// Scheduler stack.
func dropFile(i int) {
	on := files.lock.Lock()
	last := files.table.Drop(i)
	files.lock.Unlock(on)
	if !last {
		return
	}
	undo(i)
}

// undo releases file i, which has no number any more or never had one, with its data.
func undo(i int) {
	f := fileAt(i)
	// A request that a device still has goes on in its slot, which is free when it ends: the
	// buffer is the slot's, and the file is not told.
	if f.slot >= 0 {
		releaseSlot(f.unit, f.slot)
	}
	if f.pipe != 0 {
		closeEnd(i)
	}
	if names.Served && f.command != 0 {
		putPage(f.command)
		f.command = 0
	}
	if names.Served && f.kind == fileWire {
		closeWire(i)
	}
	if f.node != 0 {
		f.unlock()
		dropNode(f.node)
	}
	on := files.lock.Lock()
	files.table.Free(i)
	files.lock.Unlock(on)
}

// newFile returns a file for the caller to fill and publish, or undo; -ENFILE: there is no memory for more.
func newFile() (i int) {
	on := files.lock.Lock()
	if i = files.table.New(filePage); i >= 0 {
		page := &files.pages[i/perPage]
		if *page == 0 {
			*page = filePage()
		}
		if *page == 0 {
			files.table.Free(i)
			i = -eNFILE
		}
	} else {
		i = -eNFILE
	}
	files.lock.Unlock(on)
	if i >= 0 {
		f := fileAt(i) // of words, none of which is a pointer
		clear(unsafe.Slice((*uint64)(unsafe.Pointer(f)), unsafe.Sizeof(*f)/8))
		f.slot = -1
	}
	return i
}

// publish gives file i the lowest free number from low on; EMFILE if there is none below the limit, or no memory for it.
func publish(i, low int) uintptr {
	on := files.lock.Lock()
	n := files.table.Number(i, low, int(openLimit[0]), filePage)
	files.lock.Unlock(on)
	if n < 0 {
		return fail(eMFILE)
	}
	return uintptr(n)
}

// publishOr is publish for a new file, which is undone if there is no number for it, or if errno says what went wrong
// before.
func publishOr(i, errno int) (r uintptr) {
	if r = fail(errno); errno == 0 {
		r = publish(i, 0)
	}
	if r >= fd.Max {
		undo(i)
	}
	return r
}

// withFile calls fn with the file of number n and its place, and returns fn's result, or EBADF.
func withFile(n uintptr, fn func(f *file, i int) uintptr) uintptr {
	f, i := holdFile(n)
	if f == nil {
		return fail(eBADF)
	}
	r := fn(f, i)
	dropFile(i)
	return r
}

// closeFile is close.
func closeFile(x args) uintptr {
	on := files.lock.Lock()
	i := files.table.Close(int(x.a))
	if i >= 0 {
		// Remove it from the poller, even if the program closed it behind the runtime's back, and
		// before the number is given to another file: that file's registration must stay.
		PollClose(int(x.a))
	}
	files.lock.Unlock(on)
	if i < 0 {
		return fail(eBADF)
	}
	dropFile(i)
	return 0
}

// readFile is read.
func readFile(x args) uintptr {
	return withFile(x.a, func(f *file, i int) uintptr {
		if !f.read {
			return fail(eBADF)
		}
		switch f.kind {
		case fileConsole:
			return readInput(x.b, x.c)
		case fileTree:
			return f.readTree(x.b, x.c, -1)
		case filePipe:
			return f.readPipe(x.b, x.c)
		case fileChar:
			return f.readChar(x.b, x.c)
		case fileDelay:
			return delay(x.b, x.c)
		case fileServed:
			return fail(eNOSYS)
		}
		if names.Served && f.kind == fileWire {
			return readWire(x.b, x.c)
		}
		return f.readDisk(i, x.b, x.c)
	})
}

// writeFile is write.
func writeFile(x args) uintptr {
	return withFile(x.a, func(f *file, i int) uintptr {
		if !f.write {
			return fail(eBADF)
		}
		switch f.kind {
		case fileConsole:
			if names.Served && !upInCall() {
				keepMessage(x.b, x.c) // the runtime prints
			}
			n := Write(f.unit, x.b, x.c)
			if n == 0 && x.c != 0 {
				return fail(eFAULT)
			}
			return n
		case fileTree:
			if names.Served && f.made != 0 {
				return f.writeMade(x.a, x.b, x.c)
			}
			return f.writeTree(x.b, x.c, -1)
		case filePipe:
			return f.writePipe(x.b, x.c)
		case fileChar:
			return f.writeChar(x.c)
		case fileServed:
			return fail(eNOSYS)
		}
		if names.Served && f.kind == fileWire {
			return writeWire(x.b, x.c)
		}
		return f.writeDisk(i, x.b, x.c)
	})
}

// readAt is pread64, writeAt pwrite64: with the device polled in any case, because
// package os does not use the poller for them.
func readAt(x args) uintptr {
	return withFile(x.a, func(f *file, _ int) uintptr {
		switch {
		case f.kind == fileConsole || f.kind == filePipe || f.kind >= fileServed:
			return fail(eSPIPE)
		case int64(x.d) < 0:
			return fail(eINVAL)
		case !f.read:
			return fail(eBADF)
		case f.kind == fileTree:
			return f.readTree(x.b, x.c, int64(x.d))
		case f.kind == fileChar:
			return f.readChar(x.b, x.c)
		case f.kind == fileDelay:
			return delay(x.b, x.c)
		}
		if errno := f.settle(); errno != 0 {
			return fail(errno)
		}
		return f.copyDisk(false, int64(x.d), x.b, x.c)
	})
}

// writeAt: see readAt.
func writeAt(x args) uintptr {
	return withFile(x.a, func(f *file, _ int) uintptr {
		switch {
		case f.kind == fileConsole || f.kind == filePipe || f.kind >= fileServed:
			return fail(eSPIPE)
		case int64(x.d) < 0:
			return fail(eINVAL)
		case !f.write:
			return fail(eBADF)
		case f.kind == fileTree:
			if names.Served && f.made != 0 {
				return f.writeMade(x.a, x.b, x.c)
			}
			return f.writeTree(x.b, x.c, int64(x.d))
		case f.kind == fileChar:
			return f.writeChar(x.c)
		}
		if errno := f.settle(); errno != 0 {
			return fail(errno)
		}
		return f.copyDisk(true, int64(x.d), x.b, x.c)
	})
}

// seek is lseek.
func seek(x args) uintptr {
	return withFile(x.a, func(f *file, _ int) uintptr {
		switch f.kind {
		case fileTree:
			return f.seekTree(int64(x.b), x.c)
		case fileChar:
			return 0
		case fileDisk:
		default:
			return fail(eSPIPE)
		}
		on := f.lock.Lock()
		r := f.seekTo(int64(x.b), x.c, diskSize(f.unit))
		f.lock.Unlock(on)
		return r
	})
}

// seekTo is lseek in a file of the given size. The lock that guards f's position is held.
func (f *file) seekTo(pos int64, whence uintptr, size int64) uintptr {
	const start, here, end = 0, 1, 2
	switch whence {
	case start:
	case here:
		pos += f.pos
	case end:
		pos += size
	default:
		return fail(eINVAL)
	}
	if pos < 0 {
		return fail(eINVAL)
	}
	f.pos = pos
	return uintptr(pos)
}

// syncFile is fsync and fdatasync: it waits, with the device polled, until written data is on the
// disk, and returns the error of a write that failed after it had returned.
func syncFile(x args) uintptr {
	return withFile(x.a, func(f *file, _ int) uintptr {
		switch f.kind {
		case fileTree:
			return 0
		case fileDisk:
		default:
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
	return withFile(x.a, func(f *file, i int) uintptr {
		switch x.b {
		case dupFD, dupFDCloexec:
			if x.c >= mostFiles() {
				return fail(eINVAL)
			}
			return publish(i, int(x.c))
		case getFlagsFD:
			return closeOnExec
		case setFlagsFD: // nothing is ever executed
			return 0
		case getLock, setLock, setLockWait:
			return f.lockRange(x.b, x.c)
		}
		if f.kind == fileConsole {
			return controlConsole(f.unit, x.b, x.c)
		}
		on := f.lock.Lock()
		r := uintptr(0)
		switch x.b {
		case getFlags:
			r = f.flags
		case setFlags:
			const settable = openNonblock | openAppend
			f.flags = f.flags&^settable | x.c&settable
		default:
			r = fail(eINVAL)
		}
		f.lock.Unlock(on)
		return r
	})
}

// controlConsole is control of the console's file number unit.
func controlConsole(unit int, what, flags uintptr) uintptr {
	switch what {
	case getFlags:
		if unit == 0 && inputConnected() && input.blocking.Load() == 0 {
			return openNonblock
		}
	case setFlags:
		if unit == 0 {
			input.blocking.Store(uint32(1 - flags&openNonblock/openNonblock))
		}
	}
	return 0
}

// nonblock reports whether calls answer EAGAIN instead of waiting.
func (f *file) nonblock() bool {
	on := f.lock.Lock()
	r := f.flags&openNonblock != 0
	f.lock.Unlock(on)
	return r
}

// duplicate is dup.
func duplicate(x args) uintptr {
	return withFile(x.a, func(_ *file, i int) uintptr { return publish(i, 0) })
}

// duplicateTo is dup3, and dup2 except when a number is duplicated to itself.
func duplicateTo(x args) uintptr {
	switch {
	case x.a == x.b:
		return fail(eINVAL)
	case x.b >= mostFiles():
		return fail(eBADF)
	}
	return withFile(x.a, func(_ *file, i int) uintptr {
		on := files.lock.Lock()
		if !files.table.Room(int(x.b), filePage) {
			files.lock.Unlock(on)
			return fail(eMFILE)
		}
		replaced := files.table.Replace(i, int(x.b))
		if replaced >= 0 {
			PollClose(int(x.b)) // see closeFile
		}
		files.lock.Unlock(on)
		if replaced >= 0 {
			dropFile(replaced)
		}
		return x.b
	})
}

// deviceControl is ioctl: there is nothing to be asked of a file that is not a terminal, and none is one.
func deviceControl(x args) uintptr {
	return withFile(x.a, func(*file, int) uintptr { return fail(eNOTTY) })
}

package kernel

import (
	"unsafe"

	"sched9/kernel/fd"
)

// Served files: files whose calls are carried out by Go code of the image, as those of sockets are (srv/net). That code
// runs on the calling goroutine, before the call would come here (goruntime's std/syscall), so it may lock, allocate
// and wait as any goroutine does, and no processor is held. The kernel knows that such a file has its numbers,
// whether it has O_NONBLOCK, and how the poller is told of it. A read or a write that comes here all the same, from
// assembly, answers ENOSYS.

// serveFile opens a served file with x.a's O_NONBLOCK, and returns its number, with its place in the upper half.
func serveFile(flags uintptr) uintptr {
	i := newFile()
	if i < 0 {
		return fail(eNFILE)
	}
	f := &files.each[i]
	f.kind, f.read, f.write = fileServed, true, true
	f.flags = accessBoth | flags&openNonblock
	n := publishOr(i, 0)
	if n >= fd.Max {
		return n
	}
	return uintptr(i)<<32 | n
}

// serveReady tells the poller that the served file at a place may be read or written now. The file may be gone, and the
// place another file's: that one's goroutines then look in vain.
func serveReady(place uintptr) uintptr {
	if place >= fd.Max {
		return fail(eINVAL)
	}
	pollMarkFile(int(place))
	pollWake()
	return 0
}

// ServeIn copies n bytes at p, the program's, to memory of a server's, and returns how many it could (copyIn).
// ServeOut copies to the program's memory. Scheduler stack: the program's goroutine, whose stack p may be on, does not move.
func ServeIn(to unsafe.Pointer, p, n uintptr) uintptr { return copyIn(to, p, n) }

// ServeOut: see ServeIn.
func ServeOut(p uintptr, from unsafe.Pointer, n uintptr) uintptr { return copyOut(p, from, n) }

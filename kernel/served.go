package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/fd"
	"sched9/kernel/ramfs"
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
		return fail(-i)
	}
	f := fileAt(i)
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
	if place >= uintptr(fd.MaxFiles) {
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

// Served paths: a directory of the tree may have a server's in its place (srv/mount). The tree only has the mark (ramfs.Node.Mount): the leaves
// go by without looking at it, and so does every program until something is mounted. From then on the server asks here, before the call, whether its path
// leads through such a directory.

// ServeCross finds the first marked directory that a path leads through (ramfs.Cross), the n bytes at path relative to the directory of file number dir. errno
// is for a rest that is too long. Scheduler stack.
func ServeCross(dir uintptr, path unsafe.Pointer, n uintptr, end ramfs.End, c *ramfs.Crossing) (errno int) {
	var w walk
	if n == 0 || n >= uintptr(len(w.path.text)) {
		return 0
	}
	arch.Copy(unsafe.Pointer(&w.path.text), path, n)
	w.path.n = int(n)
	if w.start(dir) != 0 {
		return 0
	}
	e := tree.fs.Cross(node(w.from), w.path.bytes(), end, c)
	w.end(0)
	return int(e)
}

// ServeMark marks the directory that a path leads to, the n bytes at path, or takes its mark off: mount is 0. One that is marked is not
// marked again: EBUSY. A marked directory stays though its name may go. Scheduler stack.
func ServeMark(path unsafe.Pointer, n uintptr, mount uint16) (errno int) {
	var w walk
	if n >= uintptr(len(w.path.text)) {
		return int(ramfs.ENAMETOOLONG)
	}
	arch.Copy(unsafe.Pointer(&w.path.text), path, n)
	w.path.n = int(n)
	if errno := w.start(atCWD); errno != 0 {
		return errno
	}
	to, errno := w.existing(ramfs.Follow)
	switch {
	case errno != 0:
	case !to.IsDir():
		errno = eNOTDIR
	case to == tree.fs.Root() || mount != 0 && to.Mount != 0:
		errno = eBUSY
	case mount == 0 && to.Mount == 0:
		errno = eINVAL
	default:
		if to.Mount = mount; mount != 0 {
			to.Hold()
		} else {
			w.gone = uintptr(unsafe.Pointer(to)) // the mark's hold
		}
	}
	w.end(0)
	return errno
}

package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/archive"
	"sched9/kernel/fd"
	"sched9/kernel/frame"
	"sched9/kernel/names"
	"sched9/kernel/ramfs"
)

// The tree of names: files in memory (kernel/ramfs) and, as nodes of it, devices. It is made when
// a program first gives a path.

// tree.lock guards the tree, the working directory and umask, and the positions of files in the
// tree. mem.lock may be taken under it. It is held while a page is copied, which may take a page
// fault, and never for more than some hundred pages.
var tree = struct {
	fs    ramfs.FS // first, so that the host finds it when the guest has ended (tools/internal/guest)
	lock  Spin
	made  bool
	cwd   uintptr // a node, held
	umask uint32
}{fs: ramfs.FS{Get: getPage, Put: putPage, Number: nodeOf, Refresh: refresh}}

// numbersDir is the directory of open files.
const numbersDir = "/proc/self/fd"

// nodeOf returns the node of the file with number n, or nil; more says that there are larger numbers in use. The
// tree's lock is held: as long as it is the node does not go away, though the file may.
func nodeOf(n int) (is *ramfs.Node, more bool) {
	on := files.lock.Lock()
	i, more := files.table.File(n)
	if i >= 0 {
		is = node(fileAt(i).node)
	}
	files.lock.Unlock(on)
	return is, more
}

// treeShare is which part of memory the tree may take: one in so many frames.
const treeShare = 2

// Device numbers as Linux packs them: major from bit 8 on, minor below. Those of disks and of
// /dev/delay are from the ranges for local use (Linux's Documentation/admin-guide/devices.txt).
const (
	rdevDisk  = 254 << 8 // and 16 for each disk
	rdevDelay = 240 << 8
	rdevWire  = 241 << 8
	rdevTTY   = 5 << 8 // nothing opens it: the program has no terminal that it could speak of

	rdevConsole = 4 << 8 // and 0 to 2 for standard input, output, and error
)

// getPage returns a page of zeros, as the kernel sees it, or 0. putPage takes it back.
func getPage() uintptr {
	on := mem.lock.Lock()
	pa := allocTable()
	mem.lock.Unlock(on)
	if pa == 0 {
		return 0
	}
	return arch.Phys(pa)
}

// putPage: see getPage.
func putPage(p uintptr) {
	on := mem.lock.Lock()
	freeFrame(uint64(p-arch.Phys(0)), frame.Size)
	mem.lock.Unlock(on)
}

// now returns the time in nanoseconds since 1970.
func now() int64 {
	sec, nsec := Walltime()
	return sec*1e9 + int64(nsec)
}

// lockTree takes the lock, and makes the tree if there is none.
func lockTree() (on uintptr) {
	on = tree.lock.Lock()
	if !tree.made {
		tree.made = true
		makeTree()
	}
	return on
}

// makeTree makes the program's initial tree: the files in the loader's module, and devices. The
// working directory is PWD's, if it exists. The tree's lock is held.
func makeTree() {
	total, _, _ := mem.Frames.Stats()
	tree.umask = 0o022
	fs, at := &tree.fs, now()
	if !fs.Init(int64(total/treeShare), at) {
		outOfMemory(ramfs.PageSize, nil)
	}
	plant("dev", ramfs.ModeDir|0o755, 0, at)
	plant("tmp", ramfs.ModeDir|0o1777, 0, at)
	fillTree(at)
	for _, dir := range [...]string{"proc", "proc/self", "proc/self/fd"} {
		if n := plant(dir, ramfs.ModeDir|0o555, 0, at); n != nil && dir == "proc/self/fd" {
			fs.SetNumbers(n)
			if l := plant("dev/fd", ramfs.ModeLink|0o777, 0, at); l != nil {
				l.Borrow(uintptr(unsafe.Pointer(unsafe.StringData(numbersDir))), int64(len(numbersDir)))
			}
		}
	}
	for _, d := range [...]struct {
		name string
		mode uint32
		rdev uint64
	}{
		{"dev/null", 0o666, majorMemory<<8 | charNull},
		{"dev/zero", 0o666, majorMemory<<8 | charZero},
		{"dev/full", 0o666, majorMemory<<8 | charFull},
		{"dev/random", 0o666, majorMemory<<8 | charRandom},
		{"dev/urandom", 0o666, majorMemory<<8 | charUrandom},
		{"dev/delay", 0o444, rdevDelay},
		{"dev/tty", 0o666, rdevTTY},
		{"dev/cons", 0o620, rdevConsole + 1},
		{"dev/stdin", 0o620, rdevConsole},
		{"dev/stdout", 0o620, rdevConsole + 1},
		{"dev/stderr", 0o620, rdevConsole + 2},
	} {
		n := plant(d.name, ramfs.ModeChar|d.mode, d.rdev, at)
		if unit := int(d.rdev & 0xff); d.rdev>>8 == rdevConsole>>8 && n != nil && d.name != "dev/cons" {
			n.Hold()
			fileAt(unit).node = uintptr(unsafe.Pointer(n))
		}
	}
	plantNames(at)
	cwd := fs.Root()
	if dir := variable("PWD="); dir != "" {
		if p, e := fs.Walk(cwd, unsafe.Slice(unsafe.StringData(dir), len(dir)), ramfs.Follow); e == 0 && p.Node != nil && p.Node.IsDir() {
			cwd = p.Node
		}
	}
	cwd.Hold()
	tree.cwd = uintptr(unsafe.Pointer(cwd))
}

// plant makes what the first tree has by a name: a directory, or with another mode a device, a file or
// a symbolic link. It returns nil if the name is taken or has no directory. The tree's lock
// is held.
func plant(name string, mode uint32, rdev uint64, at int64) (n *ramfs.Node) {
	p, e := tree.fs.Walk(tree.fs.Root(), unsafe.Slice(unsafe.StringData(name), len(name)), ramfs.Entry)
	if e != 0 {
		return nil
	}
	// The directory is still new, and it may be a read-only one.
	readOnly, changed := p.Dir.ReadOnly, p.Dir.Mtime
	p.Dir.ReadOnly = false
	if mode&ramfs.ModeKind == ramfs.ModeDir {
		n, e = tree.fs.Mkdir(p, mode, at)
	} else {
		n, e = tree.fs.Make(p, mode, rdev, at)
	}
	if e == ramfs.ENOSPC {
		outOfMemory(ramfs.PageSize, nil)
	}
	p.Dir.ReadOnly, p.Dir.Mtime = readOnly, changed
	return n
}

// fillTree plants the files of the loader's module. Their bytes stay there until they are written
// to. The tree's lock is held.
func fillTree(at int64) {
	start, end := arch.Module()
	rest := unsafe.Slice((*byte)(unsafe.Pointer(arch.Phys(start))), end-start)
	for {
		f, next, ok := archive.Next(rest)
		if !ok {
			break
		}
		rest = next
		kind := f.Mode & ramfs.ModeKind
		if kind != ramfs.ModeDir && kind != ramfs.ModeFile && (kind != ramfs.ModeLink || len(f.Data) == 0) {
			continue // what the archive may hold besides, nothing could open
		}
		n := plant(unsafe.String(unsafe.SliceData(f.Name), len(f.Name)), f.Mode, 0, at)
		if n == nil {
			continue
		}
		if kind != ramfs.ModeDir {
			n.Borrow(uintptr(unsafe.Pointer(unsafe.SliceData(f.Data))), int64(len(f.Data)))
		}
		n.Mtime, n.ReadOnly = int64(f.Time)*1e9, f.ReadOnly
	}
}

// makeDisks puts the disks into the tree, once. It looks for disks when a path may lead to one: an
// image whose program uses no such path never touches them.
func makeDisks() {
	if disks.named.Load() != 0 {
		return
	}
	n := findDisks()
	on := lockTree()
	if disks.named.Load() == 0 {
		name := [...]byte{'d', 'e', 'v', '/', 'v', 'd', 'a'}
		for i := range n {
			mode := uint32(0o660)
			if unitOf(i).ReadOnly() {
				mode = 0o440
			}
			name[len(name)-1] = 'a' + byte(i)
			plant(unsafe.String(&name[0], len(name)), ramfs.ModeBlock|mode, rdevDisk|uint64(i)<<4, now())
		}
		disks.named.Store(1)
	}
	tree.lock.Unlock(on)
}

// node is the one at p.
func node(p uintptr) *ramfs.Node { return (*ramfs.Node)(unsafe.Pointer(p)) }

// dropNode ends a hold of the node at p.
func dropNode(p uintptr) {
	on := tree.lock.Lock()
	for node(p).Doomed() && tree.fs.Shrink(node(p), 0) {
		tree.lock.Unlock(on)
		on = tree.lock.Lock()
	}
	tree.fs.Drop(node(p))
	tree.lock.Unlock(on)
}

// pathname is a path that a program gave.
type pathname struct {
	text [ramfs.MaxPath]byte
	n    int
}

// read reads the path at p, the program's memory, which ends at a zero.
func (path *pathname) read(p uintptr) (errno int) {
	const step = 256
	for path.n = 0; path.n < len(path.text); {
		got := int(copyIn(unsafe.Pointer(&path.text[path.n]), p+uintptr(path.n), step))
		for range got {
			if path.text[path.n] == 0 {
				return 0
			}
			path.n++
		}
		if got < step {
			return eFAULT
		}
	}
	return int(ramfs.ENAMETOOLONG)
}

// bytes are the path's.
func (path *pathname) bytes() []byte { return path.text[:path.n] }

// atCWD means the working directory where a directory's file is wanted.
const atCWD = ^uintptr(99) // -100

// walk is a path on its way: begin, place or existing, end.
type walk struct {
	path pathname
	from uintptr // the node where it begins, held
	gone uintptr // a node that the call may take the last name of, held
	on   uintptr
}

// begin reads the path at p and finds where it begins: at the root, in the working directory, or in the
// directory that is file dir. It returns with the tree's lock held, which end gives up, unless it
// returns an error.
func (w *walk) begin(dir, p uintptr) (errno int) {
	if errno := w.path.read(p); errno != 0 {
		return errno
	}
	return w.start(dir)
}

// start is begin with the path read.
func (w *walk) start(dir uintptr) (errno int) {
	rooted := w.path.n > 0 && w.path.text[0] == '/'
	const dev = "/dev"
	if !rooted || w.path.n >= len(dev) && string(w.path.text[:len(dev)]) == dev {
		makeDisks()
	}
	var f *file
	place := -1
	if !rooted && dir != atCWD {
		if f, place = holdFile(dir); f == nil {
			return eBADF
		}
		if f.node == 0 || !node(f.node).IsDir() {
			dropFile(place)
			return eNOTDIR
		}
	}
	w.on = lockTree()
	switch {
	case rooted:
		w.from = uintptr(unsafe.Pointer(tree.fs.Root()))
	case f == nil:
		w.from = tree.cwd
	default:
		w.from = f.node
	}
	node(w.from).Hold()
	if f != nil { // the node stays though the file may go
		tree.lock.Unlock(w.on)
		dropFile(place)
		w.on = tree.lock.Lock()
	}
	return 0
}

// place returns the place where the path ends.
func (w *walk) place(end ramfs.End) (at ramfs.Place, errno int) {
	at, e := tree.fs.Walk(node(w.from), w.path.bytes(), end)
	return at, int(e)
}

// existing returns the node at the end of the path, which must exist.
func (w *walk) existing(end ramfs.End) (n *ramfs.Node, errno int) {
	at, errno := w.place(end)
	if errno == 0 {
		errno = there(at)
	}
	return at.Node, errno
}

// there returns an error if the place has no entry.
func there(at ramfs.Place) (errno int) {
	switch {
	case at.Node == nil:
		return eNOENT
	case at.Slash && !at.Node.IsDir():
		return eNOTDIR
	}
	return 0
}

// keep holds n until the end, when its memory goes in steps if it had its last name taken.
func (w *walk) keep(n *ramfs.Node) {
	if n != nil {
		n.Hold()
		w.gone = uintptr(unsafe.Pointer(n))
	}
}

// end ends a walk that was begun, and makes an answer of errno.
func (w *walk) end(errno int) uintptr {
	tree.lock.Unlock(w.on)
	dropNode(w.from)
	if w.gone != 0 {
		dropNode(w.gone)
	}
	return fail(errno)
}

// openFile is openat: x.a is the directory, x.b the path's address, x.c flags, x.d a new file's mode.
func openFile(x args) uintptr {
	flags := x.c
	if flags&accessMode == accessMode {
		return fail(eINVAL)
	}
	write := flags&accessMode != 0
	if flags&openPath != 0 {
		write = false
		flags &= openPath | arch.OpenDirectory | arch.OpenNoFollow
	}
	want := uint(0)
	for _, f := range [...]struct {
		flag uintptr
		want uint
	}{
		{openCreate, ramfs.OpenCreate}, {openExclusive, ramfs.OpenExclusive}, {openTruncate, ramfs.OpenTruncate},
		{arch.OpenDirectory, ramfs.OpenDirectory}, {arch.OpenNoFollow, ramfs.OpenNoFollow}, {openPath, ramfs.OpenPath},
	} {
		if flags&f.flag != 0 {
			want |= f.want
		}
	}
	if write {
		want |= ramfs.OpenWrite
	}
	i := newFile()
	if i < 0 {
		return fail(-i)
	}
	var w walk
	if errno := w.begin(x.a, x.b); errno != 0 {
		undo(i)
		return fail(errno)
	}
	n, _, e := tree.fs.Open(node(w.from), w.path.bytes(), want, uint32(x.d)&^tree.umask, now())
	if e == 0 {
		n.Hold()
		fileAt(i).node = uintptr(unsafe.Pointer(n))
	}
	if w.end(int(e)); e != 0 {
		undo(i)
		return fail(int(e))
	}
	f := fileAt(i)
	f.read, f.write = flags&accessMode != accessWrite && flags&openPath == 0, write
	f.flags = flags & (accessMode | openNonblock | openAppend | openPath)
	errno := 0
	if flags&openPath != 0 {
		f.kind = fileTree
	} else {
		errno = openNode(i, flags)
	}
	made := names.Served && f.made != 0
	r := publishOr(i, errno)
	if made && r < fd.Max {
		r |= unserved
	}
	return r
}

// openNode makes file i ready for the kind of thing that its node is.
func openNode(i int, flags uintptr) (errno int) {
	f := fileAt(i)
	n := node(f.node)
	switch n.Mode & ramfs.ModeKind {
	case ramfs.ModeFile, ramfs.ModeDir:
		f.kind = fileTree
		if names.Served && n.IsFile() && n.Rdev != 0 {
			return openMade(f, n.Rdev)
		}
		return 0
	case ramfs.ModeFifo:
		return openEnd(i, flags&openNonblock != 0)
	case ramfs.ModeChar, ramfs.ModeBlock:
	default:
		return eNXIO // a socket
	}
	switch major := n.Rdev >> 8; {
	case major == majorMemory:
		f.kind, f.unit = fileChar, int(n.Rdev&0xff)
	case major == rdevConsole>>8:
		f.kind, f.unit = fileConsole, int(n.Rdev&0xff)
	case names.Served && n.Rdev == rdevWire:
		return openWire(i)
	case n.Rdev == rdevDelay:
		f.kind = fileDelay
		if f.write {
			return eACCES
		}
	case major == rdevDisk>>8 && int(n.Rdev&0xff)>>4 < disks.n:
		f.kind, f.unit = fileDisk, int(n.Rdev&0xff)>>4
		if f.write && unitOf(f.unit).ReadOnly() {
			return eACCES
		}
		if flags&openNonblock != 0 {
			if f.slot = grabFileSlot(f.unit); f.slot < 0 {
				return eNFILE
			}
		}
	default:
		return eNXIO
	}
	return 0
}

// readTree reads up to n bytes to p, the program's, from byte at on; -1: from the file's position on,
// which goes with them.
func (f *file) readTree(p, n uintptr, at int64) uintptr {
	done, here := uintptr(0), at < 0
	for {
		on := tree.lock.Lock()
		from := node(f.node)
		if from.IsDir() {
			tree.lock.Unlock(on)
			return fail(eISDIR)
		}
		if here {
			at = f.pos
		}
		q, size := from.View(at, int64(min(n-done, 1<<30)))
		got := uintptr(size)
		if q == 0 {
			got = clearOut(p+done, got)
		} else {
			got = copyOut(p+done, unsafe.Pointer(q), got)
		}
		done += got
		at += int64(got)
		if here {
			f.pos = at
		}
		tree.lock.Unlock(on)
		switch {
		case got < uintptr(size) && done == 0:
			return fail(eFAULT)
		case got < uintptr(size) || size == 0 || done == n:
			return done
		}
	}
}

// reserveStep is for how many bytes memory is got at a time.
const reserveStep = 64 << 10

// writeTree writes n bytes at p, the program's, from byte at on; -1: from the file's position on, or at
// the end if it was opened for that.
//
// Where they go is settled in one step, so that what several append stays apart. The rest is done by
// pieces, between which others run.
func (f *file) writeTree(p, n uintptr, at int64) uintptr {
	if n == 0 {
		return 0
	}
	n = min(n, 1<<40)
	on := tree.lock.Lock()
	to := node(f.node)
	size, ahead := to.Size, false
	switch {
	case f.flags&openAppend != 0:
		if at < 0 {
			f.pos = size + int64(n)
		}
		at, ahead = size, true
		if e := tree.fs.Extend(to, size+int64(n)); e != 0 {
			tree.lock.Unlock(on)
			return fail(int(e))
		}
	case at < 0:
		at = f.pos
		f.pos += int64(n)
		ahead = true
	}
	begin, done, errno := at, uintptr(0), 0
	for done < n && errno == 0 {
		room, e := tree.fs.Reserve(to, at, int64(min(n-done, reserveStep)))
		errno = int(e)
		for room > 0 && errno == 0 {
			q, size := to.Edit(at, room, now())
			got := copyIn(unsafe.Pointer(q), p+done, uintptr(size))
			done += got
			at += int64(got)
			room -= int64(got)
			if got < uintptr(size) {
				errno = eFAULT
			}
		}
		tree.lock.Unlock(on)
		on = tree.lock.Lock()
	}
	if done < n && ahead {
		// The range taken ahead and not used is given back, unless another call has moved the
		// position since.
		if f.pos == begin+int64(n) {
			f.pos = at
		}
		if f.flags&openAppend != 0 && to.Size == begin+int64(n) {
			tree.fs.Truncate(to, at, now())
		}
	}
	tree.lock.Unlock(on)
	if done == 0 {
		return fail(errno)
	}
	return done
}

// seekTree is lseek.
func (f *file) seekTree(pos int64, whence uintptr) uintptr {
	on := tree.lock.Lock()
	r := f.seekTo(pos, whence, node(f.node).Size)
	tree.lock.Unlock(on)
	return r
}

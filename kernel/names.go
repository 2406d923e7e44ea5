package kernel

import (
	"unsafe"

	"sched9/kernel/ramfs"
)

// The leaves that change and read the tree of names.

// Flags of the calls that take a directory's file and a path (Linux's include/uapi/linux/fcntl.h).
const (
	atNoFollow  = 0x100
	atRemoveDir = 0x200
	atFollow    = 0x400
	atEmptyPath = 0x1000
)

// ending is what a call with those flags does at the end of its path.
func ending(flags uintptr) ramfs.End {
	if flags&atNoFollow != 0 {
		return ramfs.NoFollow
	}
	return ramfs.Follow
}

// Calls that are about an entry, or two.
const (
	entryMkdir = iota
	entryMknod
	entryUnlink
	entryRmdir
	entrySymlink
	entryRename
	entryLink
)

// makeDirectory is mkdirat.
func makeDirectory(x args) uintptr {
	const allowed = 0o1777
	return withEntry(entryMkdir, x.a, x.b, uint32(x.c)&allowed, nil)
}

// makeNode is mknodat. Only the kernel makes devices; a socket's node cannot be opened.
func makeNode(x args) uintptr {
	mode := uint32(x.c)
	switch mode & ramfs.ModeKind {
	case 0:
		mode |= ramfs.ModeFile
	case ramfs.ModeFile, ramfs.ModeFifo, ramfs.ModeSocket:
	case ramfs.ModeDir, ramfs.ModeChar, ramfs.ModeBlock:
		return fail(ePERM)
	default:
		return fail(eINVAL)
	}
	return withEntry(entryMknod, x.a, x.b, mode&(ramfs.ModeKind|ramfs.ModeAllowed), nil)
}

// unlink is unlinkat.
func unlink(x args) uintptr {
	switch x.c {
	case 0:
		return withEntry(entryUnlink, x.a, x.b, 0, nil)
	case atRemoveDir:
		return withEntry(entryRmdir, x.a, x.b, 0, nil)
	}
	return fail(eINVAL)
}

// symlink is symlinkat: x.a is the target, x.b and x.c where the link goes.
func symlink(x args) uintptr {
	var target pathname
	if errno := target.read(x.a); errno != 0 {
		return fail(errno)
	}
	return withEntry(entrySymlink, x.b, x.c, 0, target.bytes())
}

// withEntry carries out a call about the entry at path p relative to directory dir. mode is for
// what it creates, apart from umask, target for a symbolic link.
func withEntry(call int, dir, p uintptr, mode uint32, target []byte) uintptr {
	var w walk
	if errno := w.begin(dir, p); errno != 0 {
		return fail(errno)
	}
	at, errno := w.place(ramfs.Entry)
	if errno == 0 {
		var e ramfs.Errno
		w.keep(at.Node)
		mode &^= tree.umask
		switch call {
		case entryMkdir:
			_, e = tree.fs.Mkdir(at, mode, now())
		case entryMknod:
			_, e = tree.fs.Make(at, mode, 0, now())
		case entryUnlink:
			e = tree.fs.Unlink(at, now())
		case entryRmdir:
			e = tree.fs.Rmdir(at, now())
		case entrySymlink:
			e = tree.fs.Symlink(at, target, now())
		}
		errno = int(e)
	}
	return w.end(errno)
}

// rename is renameat2.
func rename(x args) uintptr { return withTwo(entryRename, x, ramfs.Entry) }

// link is linkat.
func link(x args) uintptr {
	if x.e&^(atFollow|atEmptyPath) != 0 {
		return fail(eINVAL)
	}
	end := ramfs.NoFollow
	if x.e&atFollow != 0 {
		end = ramfs.Follow
	}
	return withTwo(entryLink, x, end)
}

// withTwo carries out a call about two paths: from at x.b, of directory x.a, which ends as end says, and to at
// x.d, of directory x.c.
func withTwo(call int, x args, end ramfs.End) uintptr {
	var from, to walk
	if errno := to.begin(x.c, x.d); errno != 0 {
		return fail(errno)
	}
	tree.lock.Unlock(to.on)
	if errno := from.begin(x.a, x.b); errno != 0 {
		dropNode(to.from)
		return fail(errno)
	}
	var at ramfs.Place
	old, errno := from.place(end)
	if errno == 0 && call == entryLink {
		errno = there(old)
	}
	if errno == 0 {
		if at, errno = to.place(ramfs.Entry); errno == 0 {
			var e ramfs.Errno
			if call == entryLink {
				e = tree.fs.Link(old.Node, at, now())
			} else {
				from.keep(at.Node)
				e = tree.fs.Rename(old, at, uint(x.e), now())
			}
			errno = int(e)
		}
	}
	r := from.end(errno)
	dropNode(to.from)
	return r
}

// readLink is readlinkat.
func readLink(x args) uintptr {
	if int(x.d) <= 0 {
		return fail(eINVAL)
	}
	var w walk
	if errno := w.begin(x.a, x.b); errno != 0 {
		return fail(errno)
	}
	size := uintptr(0)
	n, errno := w.existing(ramfs.NoFollow)
	switch {
	case errno != 0:
	case !n.IsLink():
		errno = eINVAL
	default:
		t := w.path.target(n)
		if size = min(uintptr(len(t)), x.d); copyOut(x.c, unsafe.Pointer(unsafe.SliceData(t)), size) < size {
			errno = eFAULT
		}
	}
	if r := w.end(errno); errno != 0 {
		return r
	}
	return size
}

// target returns what link n points to. For one to an open file that is made up, in path: a name of it, if it has
// one. The tree's lock is held.
func (path *pathname) target(n *ramfs.Node) []byte {
	behind := tree.fs.Behind(n)
	if behind == nil {
		return n.Target()
	}
	b := path.text[:]
	if at, e := tree.fs.Name(behind, b); e == 0 {
		return b[at:]
	}
	if behind.Mode&ramfs.ModeKind != ramfs.ModeFifo {
		return b[:copy(b, "/ (deleted)")]
	}
	const pipe, end = "pipe:[", 32
	b[end] = ']'
	at := ramfs.Decimal(b[:end], behind.Number) - len(pipe)
	copy(b[at:], pipe)
	return b[at : end+1]
}

// access is faccessat and faccessat2. The caller is root, which permissions do not keep from
// reading and writing; it may not execute what has no execute bit at all.
func access(x args) uintptr {
	const execute, write, all = 1, 2, 7
	const effective = 0x200 // AT_EACCESS: root's rights are the same
	if x.c&^all != 0 || x.d&^(effective|atNoFollow|atEmptyPath) != 0 {
		return fail(eINVAL)
	}
	var w walk
	if errno := w.begin(x.a, x.b); errno != 0 {
		return fail(errno)
	}
	n, errno := w.existing(ending(x.d))
	switch {
	case errno != 0:
	case x.c&write != 0 && n.ReadOnly:
		errno = int(ramfs.EROFS)
	case x.c&execute != 0 && !n.IsDir() && n.Mode&0o111 == 0:
		errno = eACCES
	}
	return w.end(errno)
}

// beginNode is begin and existing: it returns the node that path p names from directory dir, with
// the tree's lock held. p is 0, or the path empty and empty true: the node of file dir itself.
func (w *walk) beginNode(dir, p uintptr, empty bool, end ramfs.End) (n *ramfs.Node, errno int) {
	if p != 0 {
		if errno := w.path.read(p); errno != 0 {
			return nil, errno
		}
		if !empty || w.path.n != 0 {
			if errno := w.start(dir); errno != 0 {
				return nil, errno
			}
			if n, errno = w.existing(end); errno != 0 {
				w.end(errno)
			}
			return n, errno
		}
	}
	if dir == atCWD {
		w.on = lockTree()
		w.from = tree.cwd
		node(w.from).Hold()
		return node(w.from), 0
	}
	f, i := holdFile(dir)
	if f == nil {
		return nil, eBADF
	}
	if f.node == 0 {
		dropFile(i)
		return nil, eINVAL
	}
	w.on = tree.lock.Lock()
	w.from = f.node
	node(w.from).Hold()
	tree.lock.Unlock(w.on)
	dropFile(i)
	w.on = tree.lock.Lock()
	return node(w.from), 0
}

// changeMode is fchmodat2, and fchmod with p 0. A symbolic link has no permissions to change.
func changeMode(dir, p uintptr, mode uint32, flags uintptr) uintptr {
	var w walk
	n, errno := w.beginNode(dir, p, flags&atEmptyPath != 0, ending(flags))
	if errno != 0 {
		return fail(errno)
	}
	if n.IsLink() {
		return w.end(eOPNOTSUPP)
	}
	return w.end(int(n.Chmod(mode, now())))
}

// changeOwner is fchownat, and fchown with x.b 0: x.c is the owner, x.d the group, x.e flags.
func changeOwner(x args) uintptr {
	var w walk
	n, errno := w.beginNode(x.a, x.b, x.e&atEmptyPath != 0, ending(x.e))
	if errno != 0 {
		return fail(errno)
	}
	return w.end(int(n.Chown(uint32(x.c), uint32(x.d), now())))
}

// changeTimes is utimensat: x.c is where the times of the last access and of the last change are; if it is 0, both become the
// present time.
func changeTimes(x args) uintptr {
	var t [2]timespec
	if x.c == 0 {
		t[0].nsec, t[1].nsec = timeNow, timeNow
	} else if !get(x.c, &t) {
		return fail(eFAULT)
	}
	return setTimes(x, t)
}

// Values of a nanosecond with a meaning of their own.
const (
	timeNow  = 1<<30 - 1
	timeOmit = 1<<30 - 2
)

// setTimes is changeTimes with the times at hand.
func setTimes(x args, t [2]timespec) uintptr {
	for _, t := range t {
		if t.nsec != timeNow && t.nsec != timeOmit && (t.nsec < 0 || t.nsec >= 1e9) {
			return fail(eINVAL)
		}
	}
	var w walk
	n, errno := w.beginNode(x.a, x.b, x.d&atEmptyPath != 0, ending(x.d))
	if errno != 0 {
		return fail(errno)
	}
	if n.ReadOnly {
		return w.end(int(ramfs.EROFS))
	}
	at := now()
	for i := range t {
		to := at
		switch t[i].nsec {
		case timeOmit:
			continue
		case timeNow:
		default:
			to = t[i].sec*1e9 + t[i].nsec
		}
		if i == 0 {
			n.Atime = to
		} else {
			n.Mtime = to
		}
	}
	n.Ctime = at
	return w.end(0)
}

// truncateNode makes the node at p, which is held, size bytes long.
func truncateNode(p uintptr, size int64) (errno int) {
	on := tree.lock.Lock()
	for size >= 0 && tree.fs.Shrink(node(p), size) {
		tree.lock.Unlock(on)
		on = tree.lock.Lock()
	}
	e := tree.fs.Truncate(node(p), size, now())
	tree.lock.Unlock(on)
	return int(e)
}

// truncatePath is truncate.
func truncatePath(x args) uintptr {
	var w walk
	n, errno := w.beginNode(atCWD, x.a, false, ramfs.Follow)
	if errno != 0 {
		return fail(errno)
	}
	p := uintptr(unsafe.Pointer(n))
	n.Hold()
	w.end(0)
	errno = truncateNode(p, int64(x.b))
	dropNode(p)
	return fail(errno)
}

// truncateFile is ftruncate.
func truncateFile(x args) uintptr {
	return withFile(x.a, func(f *file, _ int) uintptr {
		if f.kind != fileTree || !f.write {
			return fail(eINVAL)
		}
		return fail(truncateNode(f.node, int64(x.b)))
	})
}

// changeDirectory is chdir to the path at p, or, with p 0, fchdir to file dir.
func changeDirectory(dir, p uintptr) uintptr {
	var w walk
	n, errno := w.beginNode(dir, p, false, ramfs.Follow)
	if errno != 0 {
		return fail(errno)
	}
	if !n.IsDir() {
		return w.end(eNOTDIR)
	}
	n.Hold()
	w.gone, tree.cwd = tree.cwd, uintptr(unsafe.Pointer(n))
	return w.end(0)
}

// workingDirectory is getcwd: it returns the length of the path, with the zero behind it.
func workingDirectory(x args) uintptr {
	var path pathname
	on := lockTree()
	begin, e := tree.fs.Path(node(tree.cwd), path.text[:len(path.text)-1])
	tree.lock.Unlock(on)
	if e != 0 {
		return fail(int(e))
	}
	n := uintptr(len(path.text) - begin)
	if n > x.b {
		return fail(eRANGE)
	}
	if copyOut(x.a, unsafe.Pointer(&path.text[begin]), n) < n {
		return fail(eFAULT)
	}
	return n
}

// readDirectory is getdents64.
func readDirectory(x args) uintptr {
	return withFile(x.a, func(f *file, _ int) uintptr {
		if f.kind != fileTree || !node(f.node).IsDir() {
			return fail(eNOTDIR)
		}
		on := tree.lock.Lock()
		var part ramfs.Part
		for f.pos == 0 && tree.fs.Renew(node(f.node), nil, &part) {
			tree.lock.Unlock(on)
			on = tree.lock.Lock()
		}
		r := f.readEntries(x.b, x.c)
		tree.lock.Unlock(on)
		return r
	})
}

// readEntries stores entries from the file's position on at p, up to n bytes. The tree's lock is held.
func (f *file) readEntries(p, n uintptr) uintptr {
	// Linux's struct linux_dirent64, with room for the longest name.
	var entry struct {
		number uint64
		next   int64
		size   uint16
		kind   uint8
		name   [ramfs.MaxName + 1]byte
	}
	const nameAt = 19
	done := uintptr(0)
	for {
		name, child, next := node(f.node).Next(f.pos)
		if child == nil {
			return done
		}
		size := (nameAt + uintptr(len(name)) + 1 + 7) &^ 7
		if size > n-done {
			if done == 0 {
				return fail(eINVAL)
			}
			return done
		}
		entry.number, entry.next, entry.size = child.Number, next, uint16(size)
		entry.kind = uint8(child.Mode & ramfs.ModeKind >> 12)
		clear(entry.name[copy(entry.name[:], name):])
		if copyOut(p+done, unsafe.Pointer(&entry), size) < size {
			if done == 0 {
				return fail(eFAULT)
			}
			return done
		}
		done += size
		f.pos = next
	}
}

// setUmask is umask.
func setUmask(x args) uintptr {
	on := lockTree()
	old := tree.umask
	tree.umask = uint32(x.a) & 0o777
	tree.lock.Unlock(on)
	return uintptr(old)
}

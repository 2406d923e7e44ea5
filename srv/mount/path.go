package mount

import (
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"sched9/kernel/ramfs"
	"sched9/srv/call"
)

// Flags of the calls that take a directory's file and a path (Linux's include/uapi/linux/fcntl.h), and what else package syscall does not name.
const (
	atCWD       = ^uintptr(99) // -100
	atNoFollow  = 0x100
	atRemoveDir = 0x200
	atFollow    = 0x400
	atEmptyPath = 0x1000

	renameNoReplace = 1

	sysFaccessat2 = 439
	sysFchmodat2  = 452
)

// pathCall is a call about one path or two: where its arguments are, and what becomes of a symbolic link at the end.
type pathCall struct {
	dir, path *uintptr // dir is nil: the working directory
	end       ramfs.End
	create    bool

	dir2, path2 *uintptr // of a second path, nil if there is none

	// Memory of the program's that the call has besides, n bytes, to be read or to be written to.
	in, out *uintptr
	n       uintptr
	text    bool // in is a text that ends at a zero
}

// follows is the end of a call with flags.
func follows(flags uintptr) ramfs.End {
	if flags&atNoFollow != 0 {
		return ramfs.NoFollow
	}
	return ramfs.Follow
}

// shape says where the paths of call c are; ok is false if it has none.
func shape(c *call.Call) (p pathCall, ok bool) {
	p = pathCall{dir: &c.A, path: &c.B}
	switch c.Num {
	case syscall.SYS_OPENAT:
		const exclusive = syscall.O_CREAT | syscall.O_EXCL
		switch {
		case c.C&exclusive == exclusive:
			p.end = ramfs.Entry
		case c.C&syscall.O_NOFOLLOW != 0:
			p.end = ramfs.NoFollow
		}
		p.create = c.C&syscall.O_CREAT != 0 && c.C&pathOnly == 0
	case sysNewfstatat:
		p.end, p.out, p.n = follows(c.D), &c.C, unsafe.Sizeof(syscall.Stat_t{})
	case syscall.SYS_MKDIRAT, syscall.SYS_MKNODAT, syscall.SYS_UNLINKAT:
		p.end = ramfs.Entry
	case syscall.SYS_SYMLINKAT:
		p.dir, p.path, p.end, p.in, p.text = &c.B, &c.C, ramfs.Entry, &c.A, true
	case syscall.SYS_READLINKAT:
		p.end, p.out, p.n = ramfs.NoFollow, &c.C, min(c.D, ramfs.MaxPath)
	case syscall.SYS_FACCESSAT, syscall.SYS_FCHMODAT:
	case sysFaccessat2, sysFchmodat2:
		p.end = follows(c.D)
	case syscall.SYS_FCHOWNAT:
		p.end = follows(c.E)
	case syscall.SYS_UTIMENSAT:
		p.end = follows(c.D)
		if c.C != 0 {
			p.in, p.n = &c.C, unsafe.Sizeof([2]syscall.Timespec{})
		}
	case syscall.SYS_RENAMEAT, sysRenameat2:
		p.end, p.dir2, p.path2 = ramfs.Entry, &c.C, &c.D
	case syscall.SYS_LINKAT:
		p.end, p.dir2, p.path2 = ramfs.NoFollow, &c.C, &c.D
		if c.E&atFollow != 0 {
			p.end = ramfs.Follow
		}
	case syscall.SYS_TRUNCATE, syscall.SYS_CHDIR:
		p.dir, p.path = nil, &c.A
	case sysLchown:
		p.dir, p.path, p.end = nil, &c.A, ramfs.NoFollow
	default:
		return p, false
	}
	return p, true
}

// text reads a text of the program's that ends at a zero.
func text(c *call.Call, p uintptr) (string, syscall.Errno) {
	var b [ramfs.MaxPath]byte
	const step = 256
	for n := 0; n < len(b); n += step {
		// What lies behind the text may be no memory: byte by byte, if not all can be read.
		if !c.In(b[n:n+step], p+uintptr(n)) {
			for i := n; i < n+step; i++ {
				if !c.In(b[i:i+1], p+uintptr(i)) {
					return "", syscall.EFAULT
				}
				if b[i] == 0 {
					break
				}
			}
		}
		if i := bytes.IndexByte(b[n:n+step], 0); i >= 0 {
			return string(b[:n+i]), 0
		}
	}
	return "", syscall.ENAMETOOLONG
}

// servePath carries out a call about paths, if a server has one of them.
//
//go:noinline
func servePath(c call.Call) (r uintptr, served bool) {
	p, ok := shape(&c)
	const nonsense = syscall.O_CREAT | syscall.O_DIRECTORY
	switch {
	case !ok:
		return 0, false
	case c.Num == syscall.SYS_OPENAT && c.C&nonsense == nonsense && c.C&pathOnly == 0: // before the path is looked at
		return call.Fail(syscall.EINVAL), true
	}
	dir := uintptr(atCWD)
	if p.dir != nil {
		dir = *p.dir
	}
	name, errno := "", syscall.Errno(0)
	if *p.path != 0 {
		if name, errno = text(&c, *p.path); errno != 0 {
			return 0, false // the kernel says so
		}
	}
	// A call may be about the directory's file itself.
	if f := fileAt(dir); f != nil && name == "" && (*p.path == 0 && c.Num == syscall.SYS_UTIMENSAT || p.emptyAllowed(&c)) {
		return f.carryOut(&c), true
	}
	if name == "" && p.emptyAllowed(&c) && dir == atCWD {
		name = "."
	}
	to, errno := resolve(dir, name, p.end, p.create)
	if errno != 0 {
		return call.Fail(errno), true
	}
	defer to.done()
	var other found
	if c.Num == syscall.SYS_LINKAT && !to.kernel { // what is not there cannot be linked, wherever to
		if errno := to.there(func(Node) syscall.Errno { return 0 }); errno != 0 {
			return call.Fail(errno), true
		}
	}
	if p.path2 != nil {
		name, errno := text(&c, *p.path2)
		if errno != 0 {
			return call.Fail(errno), !to.kernel || to.changed
		}
		if other, errno = resolve(*p.dir2, name, ramfs.Entry, false); errno != 0 {
			return call.Fail(errno), true
		}
		defer other.done()
		if to.kernel != other.kernel {
			return call.Fail(syscall.EXDEV), true
		}
	}
	if !to.kernel {
		return do(&c, &to, &other), true
	}
	if !to.changed && !other.changed {
		if c.Num == syscall.SYS_CHDIR {
			return leave(to.path), true
		}
		return 0, false
	}
	return p.elsewhere(&c, to.path, other.path), true
}

// emptyAllowed reports whether an empty path means the directory itself.
func (p *pathCall) emptyAllowed(c *call.Call) bool {
	switch c.Num {
	case sysNewfstatat, syscall.SYS_UTIMENSAT, sysFchmodat2:
		return c.D&atEmptyPath != 0
	case syscall.SYS_FCHOWNAT:
		return c.E&atEmptyPath != 0
	}
	return false
}

// leave is chdir to a directory of the kernel's.
func leave(name string) uintptr {
	b := append([]byte(name), 0)
	table.lock.Lock()
	r := call.Kernel(syscall.SYS_CHDIR, uintptr(unsafe.Pointer(&b[0])), 0, 0)
	var old *place
	if !call.Failed(r) {
		old, table.cwd = table.cwd, nil
	}
	table.lock.Unlock()
	runtime.KeepAlive(b)
	old.drop()
	return r
}

// elsewhere carries out a call of the kernel's whose paths are others than the program gave, both rooted or as they were. All its memory is here.
func (p *pathCall) elsewhere(c *call.Call, name, name2 string) uintptr {
	if c.Num == syscall.SYS_CHDIR {
		return leave(name)
	}
	b := append([]byte(name), 0)
	b2 := append([]byte(name2), 0)
	*p.path = uintptr(unsafe.Pointer(&b[0]))
	if p.path2 != nil {
		*p.path2 = uintptr(unsafe.Pointer(&b2[0]))
	}
	memory := make([]byte, max(p.n, 1))
	at := uintptr(0)
	switch {
	case p.text:
		t, errno := text(c, *p.in)
		if errno != 0 {
			return call.Fail(errno)
		}
		memory = append([]byte(t), 0)
		*p.in = uintptr(unsafe.Pointer(&memory[0]))
	case p.in != nil:
		if !c.In(memory, *p.in) {
			return call.Fail(syscall.EFAULT)
		}
		*p.in = uintptr(unsafe.Pointer(&memory[0]))
	case p.out != nil:
		at = *p.out
		*p.out = uintptr(unsafe.Pointer(&memory[0]))
	}
	if c.Num == syscall.SYS_READLINKAT {
		c.D = p.n
	}
	r, _, errno := syscall.Syscall6(c.Num, c.A, c.B, c.C, c.D, c.E, c.F)
	runtime.KeepAlive(b)
	runtime.KeepAlive(b2)
	runtime.KeepAlive(memory)
	if errno != 0 {
		return call.Fail(errno)
	}
	if p.out != nil {
		n := p.n
		if c.Num == syscall.SYS_READLINKAT {
			n = min(r, n)
		}
		if !c.Out(at, memory[:n]) {
			return call.Fail(syscall.EFAULT)
		}
	}
	return r
}

// do carries out a call about what a server has at one path, and at a second if there is one.
func do(c *call.Call, f, other *found) uintptr {
	switch c.Num {
	case syscall.SYS_OPENAT:
		return open(f, int(c.C), uint32(c.D))
	case sysNewfstatat:
		return existing(f, func(n Node) syscall.Errno { return giveStat(c, c.C, f.at.m, n, f.at.path()) })
	case syscall.SYS_FACCESSAT, sysFaccessat2:
		return existing(f, func(n Node) syscall.Errno { return access(n, c.C) })
	case syscall.SYS_FCHMODAT, sysFchmodat2:
		if f.at != nil && f.at.isLink() {
			return call.Fail(syscall.EOPNOTSUPP)
		}
		return existing(f, func(n Node) syscall.Errno { return set(n, chmod(c.C)) })
	case syscall.SYS_FCHOWNAT:
		return existing(f, func(n Node) syscall.Errno { return set(n, chown(c.C, c.D)) })
	case sysLchown:
		return existing(f, func(n Node) syscall.Errno { return set(n, chown(c.B, c.C)) })
	case syscall.SYS_UTIMENSAT:
		return existing(f, func(n Node) syscall.Errno { return setTimes(c, n) })
	case syscall.SYS_TRUNCATE:
		return existing(f, func(n Node) syscall.Errno {
			if f.at.isDir() {
				return syscall.EISDIR
			}
			return truncate(n, int64(c.B))
		})
	case syscall.SYS_CHDIR:
		return existing(f, func(Node) syscall.Errno { return f.enter() })
	case syscall.SYS_READLINKAT:
		return giveLink(c, f)
	case syscall.SYS_SYMLINKAT:
		target, errno := text(c, c.A)
		if errno != 0 {
			return call.Fail(errno)
		}
		return f.plainEntry(func(d Changer) error { return d.Symlink(f.name, target) })
	case syscall.SYS_MKDIRAT:
		mode := masked(uint32(c.C) & 0o1777)
		return f.entry(func(d Changer) error {
			return d.Mkdir(f.name, fs.ModeDir|FromLinux(mode).Perm()|FromLinux(mode)&fs.ModeSticky)
		})
	case syscall.SYS_MKNODAT:
		mode := masked(uint32(c.C) & 0o177777)
		if mode&syscall.S_IFMT == 0 {
			mode |= syscall.S_IFREG
		}
		switch mode & syscall.S_IFMT {
		case syscall.S_IFREG, syscall.S_IFIFO, syscall.S_IFSOCK:
		case syscall.S_IFDIR, syscall.S_IFCHR, syscall.S_IFBLK:
			return call.Fail(syscall.EPERM)
		default:
			return call.Fail(syscall.EINVAL)
		}
		return f.plainEntry(func(d Changer) error { return d.Mknod(f.name, FromLinux(mode)) })
	case syscall.SYS_UNLINKAT:
		return f.remove(c.C)
	case syscall.SYS_LINKAT:
		return link(f, other)
	}
	flags := c.E
	if c.Num == syscall.SYS_RENAMEAT {
		flags = 0
	}
	return rename(f, other, flags)
}

// existing calls fn with what is at the path's end.
func existing(f *found, fn func(Node) syscall.Errno) uintptr {
	return call.Fail(f.there(fn))
}

// there is existing.
func (f *found) there(fn func(Node) syscall.Errno) syscall.Errno {
	switch {
	case len(f.name) > ramfs.MaxName:
		return syscall.ENAMETOOLONG
	case f.at == nil:
		return syscall.ENOENT
	case f.slash && !f.at.isDir():
		return syscall.ENOTDIR
	}
	return fn(f.at.node)
}

// change calls fn with the path's directory, unless something is wrong with the call already.
func (f *found) change(errno syscall.Errno, fn func(Changer) error) uintptr {
	if errno != 0 {
		return call.Fail(errno)
	}
	d, ok := f.dir.node.(Changer)
	if !ok {
		return call.Fail(syscall.EROFS)
	}
	return call.Fail(errnoOf(fn(d)))
}

// entry calls fn, which makes the path's entry.
func (f *found) entry(fn func(Changer) error) uintptr {
	errno := syscall.Errno(0)
	switch {
	case len(f.name) > ramfs.MaxName:
		errno = syscall.ENAMETOOLONG
	case f.at != nil:
		errno = syscall.EEXIST
	}
	return f.change(errno, fn)
}

// plainEntry is entry of what is no directory, so that no slash may follow.
func (f *found) plainEntry(fn func(Changer) error) uintptr {
	if f.slash && f.at == nil && len(f.name) <= ramfs.MaxName {
		return call.Fail(syscall.ENOENT)
	}
	return f.entry(fn)
}

// remove is unlinkat.
func (f *found) remove(flags uintptr) uintptr {
	errno := syscall.Errno(0)
	dir := flags == atRemoveDir
	switch {
	case flags&^atRemoveDir != 0:
		errno = syscall.EINVAL
	case dir && f.last == ramfs.LastRoot:
		errno = syscall.EBUSY
	case dir && f.last == ramfs.LastDot:
		errno = syscall.EINVAL
	case dir && f.last == ramfs.LastDotDot:
		errno = syscall.ENOTEMPTY
	case f.last != ramfs.LastName:
		errno = syscall.EISDIR
	case len(f.name) > ramfs.MaxName:
		errno = syscall.ENAMETOOLONG
	case f.at == nil:
		errno = syscall.ENOENT
	case (dir || f.slash) && !f.at.isDir():
		errno = syscall.ENOTDIR
	case !dir && f.at.isDir():
		errno = syscall.EISDIR
	case f.at.isRoot():
		errno = syscall.EBUSY
	}
	return f.change(errno, func(d Changer) error { return d.Remove(f.name, dir) })
}

// link is linkat. What comes of it in Linux, in that order, is about the new name, the two trees, and the old file.
func link(old, to *found) uintptr {
	if to.at == nil && !to.slash && len(to.name) <= ramfs.MaxName {
		switch {
		case old.at.m != to.dir.m:
			return call.Fail(syscall.EXDEV)
		case old.at.isDir():
			return call.Fail(syscall.EPERM)
		}
	}
	return to.plainEntry(func(d Changer) error { return d.Link(to.name, old.at.node) })
}

// rename is renameat2. The order of the errors is the one of Linux and of the tree in memory (ramfs.Rename).
func rename(from, to *found, flags uintptr) uintptr {
	errno := syscall.Errno(0)
	switch {
	case flags&^renameNoReplace != 0: // servers cannot exchange
		errno = syscall.EINVAL
	case from.dir.m != to.dir.m:
		errno = syscall.EXDEV
	case from.last != ramfs.LastName:
		errno = syscall.EBUSY
	case to.last != ramfs.LastName && flags != 0:
		errno = syscall.EEXIST
	case to.last != ramfs.LastName:
		errno = syscall.EBUSY
	case len(from.name) > ramfs.MaxName:
		errno = syscall.ENAMETOOLONG
	case from.at == nil:
		errno = syscall.ENOENT
	case len(to.name) > ramfs.MaxName:
		errno = syscall.ENAMETOOLONG
	case flags != 0 && to.at != nil:
		errno = syscall.EEXIST
	case !from.at.isDir() && (from.slash || to.slash):
		errno = syscall.ENOTDIR
	case from.at.isRoot() || to.at != nil && to.at.isRoot():
		errno = syscall.EBUSY
	}
	return from.change(errno, func(d Changer) error { return d.Rename(from.name, to.dir.node, to.name) })
}

// access is faccessat: the program is root, whom permissions do not keep from reading and writing.
func access(n Node, want uintptr) syscall.Errno {
	const execute, write, all = 1, 2, 7
	if want&^all != 0 {
		return syscall.EINVAL
	}
	attr, err := n.Stat()
	if err != nil {
		return errnoOf(err)
	}
	_, dir := n.(Changer)
	_, file := n.(io.WriterAt)
	_, opens := n.(Opener)
	switch {
	case want&write != 0 && !dir && !file && !opens:
		return syscall.EROFS
	case want&execute != 0 && !attr.Mode.IsDir() && attr.Mode&0o111 == 0:
		return syscall.EACCES
	}
	return 0
}

// set changes a node.
func set(n Node, c Change) syscall.Errno {
	s, ok := n.(Setter)
	if !ok {
		return syscall.EROFS
	}
	return errnoOf(s.Set(c))
}

// chmod is a change of permissions.
func chmod(mode uintptr) Change {
	m := FromLinux(uint32(mode)&0o7777 | syscall.S_IFREG)
	return Change{Mode: &m}
}

// chown is a change of owner and group; -1 leaves one as it is.
func chown(uid, gid uintptr) (c Change) {
	u, g := uint32(uid), uint32(gid)
	if u != ^uint32(0) {
		c.UID = &u
	}
	if g != ^uint32(0) {
		c.GID = &g
	}
	return c
}

// truncate is truncate.
func truncate(n Node, size int64) syscall.Errno {
	if size < 0 {
		return syscall.EINVAL
	}
	return set(n, Change{Size: &size})
}

// setTimes is utimensat of node n: c.C is where the times are, 0 for the present.
func setTimes(c *call.Call, n Node) syscall.Errno {
	const (
		now  = 1<<30 - 1
		omit = 1<<30 - 2
	)
	var change Change
	times := [2]*time.Time{{}, {}}
	if c.C != 0 {
		var b [32]byte
		if !c.In(b[:], c.C) {
			return syscall.EFAULT
		}
		for i := range times {
			sec, nsec := int64(binary.NativeEndian.Uint64(b[16*i:])), int64(binary.NativeEndian.Uint64(b[16*i+8:]))
			switch {
			case nsec == omit:
				times[i] = nil
			case nsec == now:
			case nsec < 0 || nsec >= 1e9:
				return syscall.EINVAL
			default:
				*times[i] = time.Unix(sec, nsec)
			}
		}
	}
	if change.Atime, change.Mtime = times[0], times[1]; change == (Change{}) {
		return 0
	}
	return set(n, change)
}

// enter makes what was found the working directory.
func (f *found) enter() syscall.Errno {
	if !f.at.isDir() {
		return syscall.ENOTDIR
	}
	table.lock.Lock()
	old := table.cwd
	table.cwd = f.at.hold()
	table.lock.Unlock()
	old.drop()
	return 0
}

// giveLink is readlinkat.
func giveLink(c *call.Call, f *found) uintptr {
	if int(c.D) <= 0 {
		return call.Fail(syscall.EINVAL)
	}
	target := ""
	errno := f.there(func(n Node) (errno syscall.Errno) {
		if !f.at.isLink() {
			return syscall.EINVAL
		}
		target, errno = readlink(n)
		return errno
	})
	if errno != 0 {
		return call.Fail(errno)
	}
	target = target[:min(len(target), int(c.D))]
	if !c.Out(c.C, []byte(target)) {
		return call.Fail(syscall.EFAULT)
	}
	return uintptr(len(target))
}

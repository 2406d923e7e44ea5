package mount

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"sched9/kernel/ramfs"
	"sched9/srv/call"
)

// file is an open file of a server's.
type file struct {
	m     *mounted
	place *place // what it is in the tree, held; nil if the open has made it
	node  Node   // what is read and written
	own   bool   // which is this file's alone
	path  string // by which it was opened

	read, write bool
	appends     atomic.Bool
	uses        atomic.Int32 // calls, and 1 while it has a number

	lock    sync.Mutex // guards what follows, and is held while a call uses the position
	pos     int64
	entries []Entry // of a directory, as it was when it was read from the beginning
}

// fileAt returns the servers' file of a number, or nil.
func fileAt(n uintptr) *file {
	f, _ := call.At(n).(*file)
	return f
}

// hold keeps the file's node from going away, and reports false if it is gone.
func (f *file) hold() bool {
	for {
		n := f.uses.Load()
		if n == 0 {
			return false
		}
		if f.uses.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// drop ends a hold.
func (f *file) drop() {
	if f.uses.Add(-1) == 0 {
		if f.own {
			closeNode(f.node)
		}
		f.place.drop()
	}
}

// Gone implements call.File.
func (f *file) Gone() { f.drop() }

// umask is the program's: each change of it comes here on its way to the kernel.
var umask atomic.Uint32

func init() { umask.Store(0o022) }

// masked is a new file's mode.
func masked(mode uint32) uint32 { return mode &^ umask.Load() }

// open is openat of what was found.
func open(at *found, flags int, mode uint32) uintptr {
	const access = syscall.O_ACCMODE
	if flags&access == access {
		return call.Fail(syscall.EINVAL)
	}
	f := &file{m: at.dir.m}
	f.uses.Store(1)
	f.read, f.write = flags&access != syscall.O_WRONLY, flags&access != 0
	if flags&pathOnly != 0 {
		f.read, f.write = false, false
		flags &= pathOnly | syscall.O_DIRECTORY | syscall.O_NOFOLLOW
	}
	f.appends.Store(flags&syscall.O_APPEND != 0)
	if errno := f.open(at, flags, mode); errno != 0 {
		return call.Fail(errno)
	}
	n := call.Open(0, func(int) call.File { return f })
	if call.Failed(n) {
		f.drop()
	}
	return n
}

// open finds or makes the file's node. It holds nothing if it fails.
func (f *file) open(at *found, flags int, mode uint32) syscall.Errno {
	create := flags&syscall.O_CREAT != 0
	told := flags &^ (syscall.O_CREAT | syscall.O_EXCL | syscall.O_CLOEXEC)
	switch {
	case len(at.name) > ramfs.MaxName:
		return syscall.ENAMETOOLONG
	case create && at.at != nil && flags&syscall.O_EXCL != 0:
		return syscall.EEXIST
	case create && at.at == nil:
		d, ok := at.dir.node.(Changer)
		if !ok {
			return syscall.EROFS
		}
		n, err := d.Create(at.name, told, FromLinux(masked(mode)&0o7777|syscall.S_IFREG))
		if err == nil {
			f.node, f.own, f.path = n, true, at.dir.path()+"/"+at.name
		}
		return errnoOf(err)
	case at.at == nil:
		return syscall.ENOENT
	case create && at.at.isDir():
		return syscall.EISDIR
	case (at.slash || flags&syscall.O_DIRECTORY != 0) && !at.at.isDir():
		return syscall.ENOTDIR
	case at.at.isLink() && flags&pathOnly == 0: // O_NOFOLLOW
		return syscall.ELOOP
	case at.at.isDir() && (f.write || flags&syscall.O_TRUNC != 0):
		return syscall.EISDIR
	}
	f.m, f.node, f.path = at.at.m, at.at.node, at.at.path()
	if flags&pathOnly == 0 {
		if o, ok := f.node.(Opener); ok {
			n, err := o.Open(told)
			if err != nil {
				return errnoOf(err)
			}
			f.node, f.own = n, true
		} else if errno := f.openPlain(flags); errno != 0 {
			return errno
		}
	}
	f.place = at.at.hold()
	return 0
}

// openPlain is the open of a node that is not told of it.
func (f *file) openPlain(flags int) syscall.Errno {
	if _, ok := f.node.(io.WriterAt); f.write && !ok {
		return syscall.EROFS
	}
	if _, ok := f.node.(Setter); ok && f.write && flags&syscall.O_TRUNC != 0 {
		return truncate(f.node, 0)
	}
	return 0
}

// carryOut is a call about the open file.
func (f *file) carryOut(c *call.Call) uintptr {
	if !f.hold() {
		return call.Fail(syscall.EBADF)
	}
	defer f.drop()
	switch c.Num {
	case syscall.SYS_READ:
		return f.transfer(c, false, -1)
	case syscall.SYS_WRITE:
		return f.transfer(c, true, -1)
	case syscall.SYS_PREAD64, syscall.SYS_PWRITE64:
		if int64(c.D) < 0 {
			return call.Fail(syscall.EINVAL)
		}
		return f.transfer(c, c.Num == syscall.SYS_PWRITE64, int64(c.D))
	case syscall.SYS_LSEEK:
		return f.seek(int64(c.B), c.C)
	case syscall.SYS_FSTAT:
		return call.Fail(giveStat(c, c.B, f.m, f.node, f.path))
	case sysNewfstatat:
		return call.Fail(giveStat(c, c.C, f.m, f.node, f.path))
	case syscall.SYS_GETDENTS64:
		return f.readEntries(c)
	case syscall.SYS_FTRUNCATE:
		if !f.write {
			return call.Fail(syscall.EINVAL)
		}
		return call.Fail(truncate(f.node, int64(c.B)))
	case syscall.SYS_FCHMOD:
		return call.Fail(set(f.node, chmod(c.B)))
	case sysFchmodat2:
		return call.Fail(set(f.node, chmod(c.C)))
	case syscall.SYS_FCHOWN:
		return call.Fail(set(f.node, chown(c.B, c.C)))
	case syscall.SYS_FCHOWNAT:
		return call.Fail(set(f.node, chown(c.C, c.D)))
	case syscall.SYS_UTIMENSAT:
		return call.Fail(setTimes(c, f.node))
	case syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
		if s, ok := f.node.(Syncer); ok {
			return call.Fail(errnoOf(s.Sync()))
		}
		return 0
	case syscall.SYS_FCHDIR:
		if f.place == nil {
			return call.Fail(syscall.ENOTDIR)
		}
		return call.Fail((&found{at: f.place}).enter())
	}
	return f.control(c)
}

// control is fcntl.
func (f *file) control(c *call.Call) uintptr {
	r := call.Kernel(c.Num, c.A, c.B, c.C)
	if call.Failed(r) {
		return r
	}
	switch c.B {
	case syscall.F_SETFL:
		f.appends.Store(c.C&syscall.O_APPEND != 0)
	case syscall.F_GETFL:
		r &^= syscall.O_ACCMODE | syscall.O_APPEND
		if f.appends.Load() {
			r |= syscall.O_APPEND
		}
		switch {
		case f.read && f.write:
			r |= syscall.O_RDWR
		case f.write:
			r |= syscall.O_WRONLY
		}
	}
	return r
}

// maxPiece is how much is read or written at a time.
const maxPiece = 256 << 10

// transfer reads or writes c.C bytes at c.B, from byte at on; -1: from the file's position on, which goes with them.
func (f *file) transfer(c *call.Call, write bool, at int64) uintptr {
	switch {
	case write && !f.write || !write && !f.read:
		return call.Fail(syscall.EBADF)
	case f.place != nil && f.place.isDir():
		return call.Fail(syscall.EISDIR)
	case c.C == 0:
		return 0
	}
	here := at < 0
	if here {
		f.lock.Lock()
		defer f.lock.Unlock()
		at = f.pos
	}
	if write && f.appends.Load() {
		attr, err := f.node.Stat()
		if err != nil {
			return call.Fail(errnoOf(err))
		}
		at = attr.Size
	}
	n := min(c.C, 1<<40)
	var errno syscall.Errno
	done, b := uintptr(0), make([]byte, min(n, maxPiece))
	for done < n && errno == 0 {
		piece := b[:min(n-done, maxPiece)]
		var k int
		if write {
			k, errno = f.writePiece(c, c.B+done, piece, at)
		} else {
			k, errno = f.readPiece(c, c.B+done, piece, at)
		}
		done += uintptr(k)
		at += int64(k)
		if k < len(piece) {
			break
		}
	}
	if here {
		f.pos = at
	}
	if errno != 0 && done == 0 {
		return call.Fail(errno)
	}
	return done
}

// readPiece reads from byte at on to p, the program's, by way of b.
func (f *file) readPiece(c *call.Call, p uintptr, b []byte, at int64) (int, syscall.Errno) {
	r, ok := f.node.(io.ReaderAt)
	if !ok {
		return 0, syscall.EINVAL
	}
	n, err := r.ReadAt(b, at)
	switch {
	case n < 0 || n > len(b): // a server's mistake is not to be the program's
		return 0, syscall.EIO
	case err != nil && err != io.EOF && n == 0:
		return 0, errnoOf(err)
	case !c.Out(p, b[:n]):
		return 0, syscall.EFAULT
	}
	return n, 0
}

// writePiece writes what is at p, the program's, from byte at on, by way of b.
func (f *file) writePiece(c *call.Call, p uintptr, b []byte, at int64) (int, syscall.Errno) {
	w, ok := f.node.(io.WriterAt)
	switch {
	case !ok:
		return 0, syscall.EINVAL
	case !c.In(b, p):
		return 0, syscall.EFAULT
	}
	n, err := w.WriteAt(b, at)
	if n < 0 || n > len(b) {
		return 0, syscall.EIO
	}
	return n, errnoOf(err)
}

// seek is lseek.
func (f *file) seek(pos int64, whence uintptr) uintptr {
	f.lock.Lock()
	defer f.lock.Unlock()
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		pos += f.pos
	case io.SeekEnd:
		attr, err := f.node.Stat()
		if err != nil {
			return call.Fail(errnoOf(err))
		}
		pos += attr.Size
	default:
		return call.Fail(syscall.EINVAL)
	}
	if pos < 0 {
		return call.Fail(syscall.EINVAL)
	}
	f.pos = pos
	return uintptr(pos)
}

// readEntries is getdents64: the position is the number of the next entry.
func (f *file) readEntries(c *call.Call) uintptr {
	d, ok := f.node.(Directory)
	if !ok || f.place == nil || !f.place.isDir() {
		return call.Fail(syscall.ENOTDIR)
	}
	if !f.read {
		return call.Fail(syscall.EBADF)
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.pos == 0 {
		all, err := d.List()
		if err != nil {
			return call.Fail(errnoOf(err))
		}
		f.entries = append([]Entry{{".", fs.ModeDir, 0}, {"..", fs.ModeDir, 0}}, all...)
	}
	var out []byte
	pos := f.pos
	for ; pos < int64(len(f.entries)); pos++ {
		e := f.entries[pos]
		if e.Name == "" || len(e.Name) > ramfs.MaxName || strings.ContainsAny(e.Name, "/\x00") || pos > 1 && (e.Name == "." || e.Name == "..") {
			continue
		}
		// Linux's struct linux_dirent64.
		size := (19 + len(e.Name) + 1 + 7) &^ 7
		if uintptr(len(out)+size) > c.C {
			break
		}
		at := len(out)
		out = append(out, make([]byte, size)...)
		binary.NativeEndian.PutUint64(out[at:], number(e.ID, f.path+"/"+e.Name))
		binary.NativeEndian.PutUint64(out[at+8:], uint64(pos+1))
		binary.NativeEndian.PutUint16(out[at+16:], uint16(size))
		out[at+18] = byte(ToLinux(e.Type) >> 12)
		copy(out[at+19:], e.Name)
	}
	if len(out) == 0 && pos < int64(len(f.entries)) {
		return call.Fail(syscall.EINVAL)
	}
	if !c.Out(c.B, out) {
		return call.Fail(syscall.EFAULT)
	}
	f.pos = pos
	return uintptr(len(out))
}

// number is a file's: the server's, or one that is made of the file's path.
func number(id uint64, path string) uint64 {
	if id != 0 {
		return id
	}
	h := fnv.New64a()
	io.WriteString(h, path)
	return h.Sum64() | 1
}

// assign stores a number in a field whose size differs between architectures.
func assign[T ~int32 | ~uint32 | ~int64 | ~uint64, F ~int64 | ~uint64](to *T, v F) { *to = T(v) }

// giveStat stores at p what there is to know of a node of m.
func giveStat(c *call.Call, p uintptr, m *mounted, n Node, path string) syscall.Errno {
	attr, err := n.Stat()
	if err != nil {
		return errnoOf(err)
	}
	const firstDevice = 1 << 8 // the kernel's tree is device 1
	s := syscall.Stat_t{
		Dev: firstDevice + uint64(m.mark), Ino: number(attr.ID, path), Mode: ToLinux(attr.Mode), Uid: attr.UID, Gid: attr.GID, Rdev: attr.Rdev,
		Size: attr.Size, Blocks: attr.Blocks,
		Atim: syscall.NsecToTimespec(nanoseconds(attr.Atime)), Mtim: syscall.NsecToTimespec(nanoseconds(attr.Mtime)), Ctim: syscall.NsecToTimespec(nanoseconds(attr.Ctime)),
	}
	assign(&s.Nlink, max(attr.Links, 1))
	assign(&s.Blksize, int64(4096))
	if !c.Out(p, unsafe.Slice((*byte)(unsafe.Pointer(&s)), unsafe.Sizeof(s))) {
		return syscall.EFAULT
	}
	return 0
}

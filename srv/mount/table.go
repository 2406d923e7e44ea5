package mount

import (
	"io/fs"
	"path"
	"strconv"
	"syscall"

	"sched9/kernel/ramfs"
	"sched9/srv/call"
)

// possible is true where calls come to serve: in an image, and in tests.
var possible bool

// Mount has the tree of root stand in the place of the directory at path, which must exist: who names it, or what is below it, from then on names the
// server's. What was open there stays what it is. Of several mounts in one place the last is seen.
func Mount(root Node, path string) error {
	p, errno := newPlace(&mounted{}, nil, "", root)
	if errno == 0 && !p.isDir() {
		p.drop()
		errno = syscall.ENOTDIR
	}
	if errno == 0 {
		p.m.root = p
		errno = p.m.at(path)
	}
	if errno != 0 {
		return &fs.PathError{Op: "mount", Path: path, Err: errno}
	}
	return nil
}

// Bind has the directory old, of a server or not, stand in the place of the directory new as well.
func Bind(old, new string) error {
	errno := bind(old, new)
	if errno != 0 {
		return &fs.PathError{Op: "bind", Path: new, Err: errno}
	}
	return nil
}

// bind is Bind.
func bind(old, new string) syscall.Errno {
	f, errno := resolve(atCWD, old, ramfs.Follow, false)
	if errno != 0 {
		return errno
	}
	defer f.done()
	if f.kernel {
		m := &mounted{}
		if m.target, errno = directory(f.path); errno != 0 {
			return errno
		}
		to, errno := resolve(atCWD, new, ramfs.Follow, false)
		if errno != 0 {
			return errno
		}
		to.done()
		if to.kernel { // one that would have to be found through itself
			at, errno := directory(to.path)
			if errno != 0 {
				return errno
			}
			if at == m.target || at == "/" || len(m.target) > len(at) && m.target[:len(at)+1] == at+"/" {
				return syscall.EBUSY
			}
		}
		return m.at(new)
	}
	if errno := f.directory(); errno != 0 {
		return errno
	}
	m := &mounted{}
	m.root = &place{m: m, node: f.at.node, kind: f.at.kind, from: f.at.hold()}
	m.root.refs.Store(1)
	return m.at(new)
}

// Unmount takes away what was mounted or bound at path last. What is open there stays what it is until it is closed.
func Unmount(path string) error {
	if errno := unmount(path); errno != 0 {
		return &fs.PathError{Op: "unmount", Path: path, Err: errno}
	}
	return nil
}

// unmount is Unmount. It looks for what is mounted where the path leads to, so it must not follow the mount itself if that is one of a
// kernel's directory: what the path's parent has by its last name is what counts.
func unmount(name string) syscall.Errno {
	dir, base := path.Split(path.Clean(name))
	f, errno := resolve(atCWD, path.Join(dir, "."), ramfs.Follow, false)
	if errno != 0 {
		return errno
	}
	defer f.done()
	if f.kernel {
		where, errno := directory(f.path)
		if errno != 0 {
			return errno
		}
		return unmountKernel(path.Join(where, base))
	}
	if errno := f.directory(); errno != 0 {
		return errno
	}
	table.lock.Lock()
	var gone *mounted
	for m, key := f.at.m, path.Join(f.at.below(), base); ; {
		over := m.over[key]
		if over == nil {
			break
		}
		if over.root == nil || over.over[""] == nil {
			gone = over
			delete(m.over, key)
			break
		}
		m, key = over, ""
	}
	table.lock.Unlock()
	return gone.end()
}

// unmountKernel is unmount of a directory of the kernel's.
func unmountKernel(where string) syscall.Errno {
	table.lock.Lock()
	var gone *mounted
	var errno syscall.Errno
	for mark, m := range table.marks {
		if m.path != where {
			continue
		}
		gone = m
		if m.over[""] == nil {
			if errno = call.Mark(where, 0); errno == 0 {
				delete(table.marks, mark)
			}
			break
		}
		for gone.over[""] != nil { // the last of those in this place
			m, gone = gone, gone.over[""]
		}
		delete(m.over, "")
		break
	}
	table.lock.Unlock()
	if errno != 0 {
		return errno
	}
	return gone.end()
}

// end ends the hold of what was mounted; nil: nothing was.
func (m *mounted) end() syscall.Errno {
	if m == nil {
		return syscall.EINVAL
	}
	m.root.drop()
	return 0
}

// directory reports why what was found is no directory of a server's.
func (f *found) directory() syscall.Errno {
	switch {
	case f.at == nil:
		return syscall.ENOENT
	case !f.at.isDir():
		return syscall.ENOTDIR
	}
	return 0
}

// directory returns the path by which the kernel knows a directory of its own.
func directory(name string) (string, syscall.Errno) {
	n, err := syscall.Open(name, pathOnly|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", errnoOf(err)
	}
	defer syscall.Close(n)
	var b [ramfs.MaxPath]byte
	k, err := syscall.Readlink("/proc/self/fd/"+strconv.Itoa(n), b[:])
	if err != nil {
		return "", errnoOf(err)
	}
	return string(b[:k]), 0
}

// pathOnly is O_PATH.
const pathOnly = 0o10000000

// at mounts m at name, or ends it.
func (m *mounted) at(name string) (errno syscall.Errno) {
	if !possible {
		return syscall.ENOSYS
	}
	defer func() {
		if errno != 0 {
			m.root.drop()
		}
	}()
	f, errno := resolve(atCWD, name, ramfs.Follow, false)
	if errno != 0 {
		return errno
	}
	defer f.done()
	if f.kernel {
		if m.path, errno = directory(f.path); errno != 0 {
			return errno
		}
		table.lock.Lock()
		defer table.lock.Unlock()
		for i := 0; i == 0 || table.last == 0 || table.marks[table.last] != nil; i++ { // a mark is not used again soon: a call may just have found it
			if table.last++; i > 1<<16 {
				return syscall.ENOSPC
			}
		}
		if errno = call.Mark(m.path, table.last); errno != 0 {
			return errno
		}
		if table.marks == nil {
			table.marks = map[uint16]*mounted{}
		}
		m.mark, table.marks[table.last] = table.last, m
		active.Store(true)
		return 0
	}
	if errno := f.directory(); errno != 0 {
		return errno
	}
	table.lock.Lock()
	defer table.lock.Unlock()
	under := f.at.m
	if under.over == nil {
		under.over = map[string]*mounted{}
	}
	if under.over[f.at.below()] != nil {
		return syscall.EBUSY // another was faster
	}
	under.over[f.at.below()] = m
	return 0
}

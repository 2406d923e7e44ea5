package kernel

import (
	"sched9/arch"
	"sched9/kernel/ramfs"
)

// What stat tells of files.

// modeServed is that of a served file: a socket.
const modeServed = 0o140777

// modeConsole is that of the console's files while there is no tree.
const modeConsole = ramfs.ModeChar | 0o620

// statFile is fstat.
func statFile(x args) uintptr {
	return withFile(x.a, func(f *file, _ int) uintptr { return f.stat(x.b) })
}

// stat stores what there is to know of f at p.
func (f *file) stat(p uintptr) uintptr {
	if f.node == 0 {
		s := arch.Stat{Mode: modeConsole, Nlink: 1, Blksize: arch.PageSize}
		if f.kind == fileServed {
			s.Mode = modeServed
		}
		return answer(p, &s)
	}
	on := tree.lock.Lock()
	s := statOf(node(f.node))
	tree.lock.Unlock(on)
	return answer(p, &s)
}

// statPath is newfstatat. An empty path with the flag for it means the file.
func statPath(x args) uintptr {
	if x.d&atEmptyPath != 0 {
		var path pathname
		if errno := path.read(x.b); errno != 0 {
			return fail(errno)
		}
		if path.n == 0 && x.a != atCWD {
			return statFile(args{a: x.a, b: x.c})
		}
	}
	var w walk
	n, errno := w.beginNode(x.a, x.b, x.d&atEmptyPath != 0, ending(x.d))
	if errno != 0 {
		return fail(errno)
	}
	s := statOf(n)
	w.end(0)
	return answer(x.c, &s)
}

// statOf returns what there is to know of n. The tree's lock is held.
func statOf(n *ramfs.Node) arch.Stat {
	const device = 1 // the tree's number
	return arch.Stat{
		Dev: device, Ino: n.Number, Nlink: arch.Nlink(n.Links()), Mode: n.Mode, UID: n.UID, GID: n.GID, Rdev: n.Rdev,
		Size: n.Size, Blksize: arch.PageSize, Blocks: n.Blocks(),
		Atime: seconds(n.Atime), Mtime: seconds(n.Mtime), Ctime: seconds(n.Ctime),
	}
}

// seconds splits a time in nanoseconds.
func seconds(t int64) [2]int64 {
	s := t / 1e9
	if t%1e9 < 0 {
		s--
	}
	return [2]int64{s, t - s*1e9}
}

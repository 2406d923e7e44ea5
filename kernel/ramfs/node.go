package ramfs

import "unsafe"

// Kinds of nodes, and the bits of a mode that are permissions (Linux's include/uapi/linux/stat.h).
const (
	ModeKind    = 0o170000
	ModeFifo    = 0o010000
	ModeChar    = 0o020000
	ModeDir     = 0o040000
	ModeBlock   = 0o060000
	ModeFile    = 0o100000
	ModeLink    = 0o120000
	ModeSocket  = 0o140000
	ModeAllowed = 0o7777
)

// Node is a file, a directory, a symbolic link or a device.
type Node struct {
	// What stat tells. Times are in nanoseconds since 1970.
	Number              uint64
	Mode                uint32
	UID, GID            uint32
	nlink               uint32
	Rdev                uint64
	Size                int64
	Atime, Mtime, Ctime int64
	Btime               int64

	// ReadOnly makes each change of the node fail with EROFS: of its data, its
	// attributes, and of the entries of a directory.
	ReadOnly bool

	// Mount is a directory's in whose place a server's stands (Cross), 0: none. It is the caller's number of that.
	Mount uint16

	// Live is a directory's whose entries are brought up to date when it is looked at (live.go).
	Live bool

	held uint32 // by open files and the like

	// State of the caller's: locks, and the memory of an open pipe.
	Leases int32
	Pipe   uintptr
	Maps   uint32 // its first mapping, 0: none (data.go)

	number uint32 // of a link in the directory of numbers (numbers.go), and 1

	// Data of a file or a symbolic link (data.go).
	borrowed handle // the archive's bytes
	nborrow  int64  // how many of them count
	tree     root   // page of pages
	pages    int64  // that data and tree take

	// Entries of a directory (dir.go).
	parent      handle // a directory's, itself for the root; 0 if it was removed
	first, last handle
	entries     int64
	cookie      int64  // of the last entry that was made
	told        handle // the entry that Next has returned last, or one before it
}

// node is the one at h.
func (h handle) node() *Node { return (*Node)(unsafe.Pointer(h)) }

// handle returns n's.
func (n *Node) handle() handle { return handle(unsafe.Pointer(n)) }

// newNode returns a node that has no name and no holder, or nil.
func (fs *FS) newNode(mode uint32, now int64) *Node {
	r := fs.nodeSlab.take(fs)
	if r == 0 {
		return nil
	}
	n := handle(r).node()
	fs.serial++
	fs.nodes++
	n.Number, n.Mode = fs.serial, mode
	n.Atime, n.Mtime, n.Ctime, n.Btime = now, now, now, now
	return n
}

// Nameless returns a new node without a name, held, or nil if there is no memory.
func (fs *FS) Nameless(mode uint32, now int64) *Node {
	n := fs.newNode(mode, now)
	if n != nil {
		n.held = 1
	}
	return n
}

// Hold keeps n from going away until Drop.
func (n *Node) Hold() { n.held++ }

// Drop ends a Hold. The last gives back the memory of a node without names.
func (fs *FS) Drop(n *Node) {
	n.held--
	fs.reap(n)
}

// Doomed reports whether n goes away with the Hold that its only holder has.
func (n *Node) Doomed() bool { return n.nlink == 0 && n.held == 1 }

// reap gives back n's memory if it has neither a name nor a holder.
func (fs *FS) reap(n *Node) {
	if n.nlink != 0 || n.held != 0 {
		return
	}
	fs.cut(n, 0)
	fs.nodes--
	fs.nodeSlab.give(uintptr(n.handle()))
}

// Links returns how many names n has, as stat tells it.
func (n *Node) Links() uint32 { return n.nlink }

// Blocks returns how much memory n's data takes, in the units of 512 bytes of stat.
func (n *Node) Blocks() int64 { return n.pages * (PageSize / 512) }

// IsDir reports whether n is a directory.
func (n *Node) IsDir() bool { return n.Mode&ModeKind == ModeDir }

// IsLink reports whether n is a symbolic link.
func (n *Node) IsLink() bool { return n.Mode&ModeKind == ModeLink }

// IsFile reports whether n is an ordinary file.
func (n *Node) IsFile() bool { return n.Mode&ModeKind == ModeFile }

// Chmod changes n's permissions.
func (n *Node) Chmod(mode uint32, now int64) Errno {
	if n.ReadOnly {
		return EROFS
	}
	n.Mode = n.Mode&ModeKind | mode&ModeAllowed
	n.Ctime = now
	return 0
}

// Chown changes n's owner and group; -1 leaves one as it is.
func (n *Node) Chown(uid, gid uint32, now int64) Errno {
	if n.ReadOnly {
		return EROFS
	}
	const same = ^uint32(0)
	if uid != same {
		n.UID = uid
	}
	if gid != same {
		n.GID = gid
	}
	n.Ctime = now
	return 0
}

package ramfs

import "unsafe"

// Live directories: their entries come and go with what they stand for. The owner of the tree changes them, when they are looked at.

// Part is how far the renewal of a whole directory is. The zero value is its beginning.
type Part struct {
	At    int   // the next of what is counted
	Round int32 // a Live directory's owner's
	Prune bool  // the same
}

// Portion is how much is done between two releases of the tree's lock.
const Portion = 256

// Renew brings dir's entry called name up to date before it is looked for; or, without a name and before the entries are read, a portion of all. Then it reports
// whether there is more to do: with the same part, after the tree's lock was released.
func (fs *FS) Renew(dir *Node, name []byte, part *Part) (more bool) {
	switch {
	case dir.handle() == fs.numbers:
		more = fs.renumber(dir, name, part)
	case dir.Live:
		more = fs.Refresh(fs, uintptr(dir.handle()), uintptr(unsafe.Pointer(unsafe.SliceData(name))), uintptr(len(name)), uintptr(unsafe.Pointer(part)))
	}
	return more
}

// Plant makes what a live directory has by a name that is not taken: a directory, or with another mode a file or a device. It does
// not heed ReadOnly, and changes no time of dir. nil: there is no memory.
func (fs *FS) Plant(dir *Node, name []byte, mode uint32, rdev uint64) (n *Node) {
	readOnly, changed := dir.ReadOnly, dir.Mtime
	dir.ReadOnly = false
	at := Place{Dir: dir, Name: name}
	if mode&ModeKind == ModeDir {
		if n, _ = fs.Mkdir(at, mode, changed); n != nil {
			n.Rdev = rdev
		}
	} else {
		n, _ = fs.Make(at, mode, rdev, changed)
	}
	dir.ReadOnly = readOnly
	return n
}

// Prune takes away a live directory's entry called name, with all that is below it. What is held stays, without a name.
func (fs *FS) Prune(dir *Node, name []byte) {
	e := fs.lookup(dir, name)
	if e == nil {
		return
	}
	n := e.node.node()
	n.Hold() // its last child's end is not its own
	for n.first != 0 {
		child := n.first.entry()
		fs.Prune(n, child.name())
	}
	fs.unlink(e, dir.Mtime)
	fs.Drop(n)
}

// PruneUnless prunes a portion of the entries of dir whose nodes are not to stay. It begins behind the place at, 0 for the first, and returns
// where it has ended; 0: there are no more.
func (fs *FS) PruneUnless(dir *Node, at int64, stays func(n *Node) bool) int64 {
	for range Portion {
		name, n, next := dir.Next(max(at, 2)) // not of "." and ".."
		if n == nil {
			return 0
		}
		if at = next; !stays(n) {
			fs.Prune(dir, name)
		}
	}
	return at
}

// Find returns the node that dir has by that name, or nil. It brings nothing up to date.
func (fs *FS) Find(dir *Node, name []byte) *Node {
	if e := fs.lookup(dir, name); e != nil {
		return e.node.node()
	}
	return nil
}

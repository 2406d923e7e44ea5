package ramfs

import "unsafe"

// Live directories: their entries come and go with what they stand for. The owner of the tree changes them, when they are looked at.

// Renew brings all of dir up to date, before its entries are read.
func (fs *FS) Renew(dir *Node) { fs.renew(dir, nil) }

// renew is Renew of the entry called name, or of all if that is nil.
func (fs *FS) renew(dir *Node, name []byte) {
	switch {
	case dir.handle() == fs.numbers:
		fs.renumber(dir)
	case dir.Live:
		fs.Refresh(fs, uintptr(dir.handle()), uintptr(unsafe.Pointer(unsafe.SliceData(name))), uintptr(len(name)))
	}
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

// PruneUnless prunes the entries of dir whose nodes are not to stay.
func (fs *FS) PruneUnless(dir *Node, stays func(n *Node) bool) {
	for h := dir.first; h != 0; {
		e := h.entry()
		h = e.next
		if !stays(e.node.node()) {
			fs.Prune(dir, e.name())
		}
	}
}

// Find returns the node that dir has by that name, or nil. It brings nothing up to date.
func (fs *FS) Find(dir *Node, name []byte) *Node {
	if e := fs.lookup(dir, name); e != nil {
		return e.node.node()
	}
	return nil
}

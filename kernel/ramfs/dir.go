package ramfs

import "unsafe"

// Directories. An entry is in two lists: its directory's, in the order in which the
// entries were made, and that of its bucket in the table of all names. A look-up
// goes by the table, reading a directory by the list.

const (
	bucketBits = 12
	tablePages = 1 << bucketBits / fan
)

// entry is a name in a directory; its bytes follow it.
type entry struct {
	dir        handle // the directory
	node       handle // the node it names
	next, prev handle // in the directory's list
	chain      handle // in the bucket's
	cookie     int64  // its place in the directory, which no later entry gets
	hash       uint32
	size       uint8 // of the name
}

const (
	entrySize  = unsafe.Sizeof(entry{})
	shortEntry = 96 // most names fit
	longEntry  = (entrySize + MaxName + 7) &^ 7
)

// entry is the one at h.
func (h handle) entry() *entry { return (*entry)(unsafe.Pointer(h)) }

// handle returns e's.
func (e *entry) handle() handle { return handle(unsafe.Pointer(e)) }

// name returns e's name, which stays where it is while e is in its directory.
func (e *entry) name() []byte { return bytesAt(uintptr(e.handle())+entrySize, uintptr(e.size)) }

// hash is FNV-1a of the directory's number and the name.
func hash(dir *Node, name []byte) uint32 {
	h := uint32(2166136261)
	for n := dir.Number; n != 0; n >>= 8 {
		h = (h ^ uint32(n&0xff)) * 16777619
	}
	for _, c := range name {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// bucket is where the list of the entries with hash h begins.
func (fs *FS) bucket(h uint32) *handle {
	i := (h ^ h>>bucketBits) % (1 << bucketBits)
	return &(*[fan]handle)(unsafe.Pointer(fs.buckets[i/fan]))[i%fan]
}

// lookup returns dir's entry of that name, or nil.
func (fs *FS) lookup(dir *Node, name []byte) *entry {
	h := hash(dir, name)
	for e := *fs.bucket(h); e != 0; e = e.entry().chain {
		if e := e.entry(); e.hash == h && e.dir == dir.handle() && string(e.name()) == string(name) {
			return e
		}
	}
	return nil
}

// insert gives node, whose number of names is the caller's affair, a name in dir, which
// has none like it.
func (fs *FS) insert(dir *Node, name []byte, node *Node) Errno {
	s := &fs.entrySlab[0]
	if entrySize+uintptr(len(name)) > s.size {
		s = &fs.entrySlab[1]
	}
	r := s.take(fs)
	if r == 0 {
		return ENOSPC
	}
	e := handle(r).entry()
	dir.cookie++
	e.dir, e.node, e.cookie = dir.handle(), node.handle(), dir.cookie
	e.size, e.hash = uint8(len(name)), hash(dir, name)
	copy(e.name(), name)
	b := fs.bucket(e.hash)
	e.chain, *b = *b, e.handle()
	e.prev = dir.last
	if e.prev != 0 {
		e.prev.entry().next = e.handle()
	} else {
		dir.first = e.handle()
	}
	dir.last = e.handle()
	dir.entries++
	return 0
}

// remove takes e out of its directory.
func (fs *FS) remove(e *entry) {
	b := fs.bucket(e.hash)
	for *b != e.handle() {
		b = &(*b).entry().chain
	}
	*b = e.chain
	dir := e.dir.node()
	if e.prev != 0 {
		e.prev.entry().next = e.next
	} else {
		dir.first = e.next
	}
	if e.next != 0 {
		e.next.entry().prev = e.prev
	} else {
		dir.last = e.prev
	}
	dir.entries--
	if dir.told == e.handle() {
		dir.told = e.prev
	}
	s := &fs.entrySlab[0]
	if entrySize+uintptr(e.size) > s.size {
		s = &fs.entrySlab[1]
	}
	s.give(uintptr(e.handle()))
}

// Next returns the entry of dir that follows the place cookie, 0 for the beginning, and the
// place behind it; node is nil at the end. The first two are "." and "..". The name
// stays where it is until the directory is changed.
func (dir *Node) Next(cookie int64) (name []byte, node *Node, next int64) {
	const own = 2 // places of "." and ".."
	switch {
	case cookie < 0 || dir.parent == 0:
		return nil, nil, cookie
	case cookie == 0:
		return dots[:1], dir, 1
	case cookie == 1:
		return dots[:], dir.parent.node(), own
	}
	h := dir.first
	if dir.told != 0 && dir.told.entry().cookie <= cookie-own {
		h = dir.told // the list is in the cookies' order
	}
	for ; h != 0; h = h.entry().next {
		if e := h.entry(); e.cookie > cookie-own {
			dir.told = h
			return e.name(), e.node.node(), e.cookie + own
		}
	}
	return nil, nil, cookie
}

var dots = [2]byte{'.', '.'}

// touch notes at dir that its entries changed.
func (dir *Node) touch(now int64) { dir.Mtime, dir.Ctime = now, now }

// writable reports why no entry can be made in dir, if so.
func (dir *Node) writable() Errno {
	switch {
	case dir.ReadOnly:
		return EROFS
	case dir.parent == 0: // it was removed, and is still open
		return ENOENT
	}
	return 0
}

// make makes a node of that mode and enters it at, which is a place without an entry.
func (fs *FS) make(at Place, mode uint32, now int64) (*Node, Errno) {
	if e := at.Dir.writable(); e != 0 {
		return nil, e
	}
	n := fs.newNode(mode, now)
	if n == nil {
		return nil, ENOSPC
	}
	if e := fs.insert(at.Dir, at.Name, n); e != 0 {
		fs.reap(n)
		return nil, e
	}
	n.nlink = 1
	at.Dir.touch(now)
	return n, 0
}

// Make makes a file, a device (rdev says which) or a pipe.
func (fs *FS) Make(at Place, mode uint32, rdev uint64, now int64) (*Node, Errno) {
	switch {
	case at.tooLong():
		return nil, ENAMETOOLONG
	case at.Node != nil:
		return nil, EEXIST
	case at.Slash:
		return nil, ENOENT
	}
	n, e := fs.make(at, mode, now)
	if n != nil {
		n.Rdev = rdev
	}
	return n, e
}

// Mkdir makes a directory.
func (fs *FS) Mkdir(at Place, mode uint32, now int64) (*Node, Errno) {
	switch {
	case at.tooLong():
		return nil, ENAMETOOLONG
	case at.Node != nil:
		return nil, EEXIST
	case at.Dir.nlink >= maxNames:
		return nil, EMLINK
	}
	n, e := fs.make(at, ModeDir|mode&ModeAllowed, now)
	if n != nil {
		n.nlink = 2
		n.parent = at.Dir.handle()
		at.Dir.nlink++
	}
	return n, e
}

// Symlink makes a symbolic link to target.
func (fs *FS) Symlink(at Place, target []byte, now int64) Errno {
	switch {
	case len(target) == 0:
		return ENOENT
	case len(target) >= MaxPath, at.tooLong():
		return ENAMETOOLONG
	case at.Node != nil:
		return EEXIST
	case at.Slash:
		return ENOENT
	}
	n, e := fs.make(at, ModeLink|0o777, now)
	if e != 0 {
		return e
	}
	if fs.own(n, 0) == 0 {
		fs.unlink(fs.lookup(at.Dir, at.Name), now)
		return ENOSPC
	}
	p, _ := n.Edit(0, int64(len(target)), now)
	copy(bytesAt(p, uintptr(len(target))), target)
	return 0
}

// Target returns what symbolic link n points to. It stays where it is while n is held or
// named.
func (n *Node) Target() []byte {
	p, size := n.View(0, MaxPath)
	return bytesAt(p, uintptr(size))
}

// Link gives old one more name.
func (fs *FS) Link(old *Node, at Place, now int64) Errno {
	switch {
	case at.tooLong():
		return ENAMETOOLONG
	case at.Node != nil:
		return EEXIST
	case at.Slash:
		return ENOENT
	case old.IsDir():
		return EPERM
	case old.nlink == 0:
		return ENOENT
	case old.nlink >= maxNames:
		return EMLINK
	}
	if e := at.Dir.writable(); e != 0 {
		return e
	}
	if e := fs.insert(at.Dir, at.Name, old); e != 0 {
		return e
	}
	old.nlink++
	old.Ctime = now
	at.Dir.touch(now)
	return 0
}

// unlink takes away e and the name that it was.
func (fs *FS) unlink(e *entry, now int64) {
	dir, n := e.dir.node(), e.node.node()
	fs.remove(e)
	dir.touch(now)
	n.Ctime = now
	if n.IsDir() {
		dir.nlink--
		n.nlink, n.parent = 0, 0
	} else {
		n.nlink--
	}
	fs.reap(n)
}

// Unlink removes a name that is not a directory's.
func (fs *FS) Unlink(at Place, now int64) Errno {
	switch {
	case at.Last != LastName:
		return EISDIR
	case at.tooLong():
		return ENAMETOOLONG
	case at.Node == nil:
		return ENOENT
	case at.Slash && !at.Node.IsDir():
		return ENOTDIR
	case at.Node.IsDir():
		return EISDIR
	case at.Dir.ReadOnly:
		return EROFS
	}
	fs.unlink(fs.lookup(at.Dir, at.Name), now)
	return 0
}

// Rmdir takes away an empty directory.
func (fs *FS) Rmdir(at Place, now int64) Errno {
	switch {
	case at.Last == LastRoot:
		return EBUSY
	case at.Last == LastDot:
		return EINVAL
	case at.Last == LastDotDot:
		return ENOTEMPTY
	case at.tooLong():
		return ENAMETOOLONG
	case at.Node == nil:
		return ENOENT
	case !at.Node.IsDir():
		return ENOTDIR
	case at.Node.handle() == fs.root:
		return EBUSY
	case at.Dir.ReadOnly:
		return EROFS
	case at.Node.entries != 0:
		return ENOTEMPTY
	}
	fs.unlink(fs.lookup(at.Dir, at.Name), now)
	return 0
}

// What Rename may be asked for (Linux's include/uapi/linux/fs.h).
const (
	NoReplace = 1
	Exchange  = 2
)

// Rename moves the entry from to the place to, and replaces what is there.
func (fs *FS) Rename(from, to Place, flags uint, now int64) Errno {
	if flags&^(NoReplace|Exchange) != 0 || flags == NoReplace|Exchange {
		return EINVAL
	}
	if from.Last != LastName {
		return EBUSY
	}
	if to.Last != LastName {
		if flags&NoReplace != 0 {
			return EEXIST
		}
		return EBUSY
	}
	old, new := from.Node, to.Node
	switch {
	case from.tooLong():
		return ENAMETOOLONG
	case old == nil:
		return ENOENT
	case to.tooLong():
		return ENAMETOOLONG
	case flags&NoReplace != 0 && new != nil:
		return EEXIST
	case flags&Exchange != 0 && new == nil:
		return ENOENT
	case !old.IsDir() && (from.Slash || to.Slash && flags&Exchange == 0):
		return ENOTDIR
	case flags&Exchange != 0 && to.Slash && !new.IsDir():
		return ENOTDIR
	case old.IsDir() && to.Dir.inside(old):
		return EINVAL
	case new != nil && new.IsDir() && from.Dir.inside(new):
		if flags&Exchange != 0 {
			return EINVAL
		}
		return ENOTEMPTY
	case from.Dir.ReadOnly || to.Dir.ReadOnly:
		return EROFS
	case to.Dir.parent == 0:
		return ENOENT
	case old == new:
		return 0
	}
	if flags&Exchange != 0 {
		fs.exchange(from, to, now)
		return 0
	}
	if new != nil {
		switch {
		case old.IsDir() && !new.IsDir():
			return ENOTDIR
		case !old.IsDir() && new.IsDir():
			return EISDIR
		case new.IsDir() && new.entries != 0:
			return ENOTEMPTY
		}
	}
	// The entry that may need memory comes first, so that a failure changes nothing.
	replaced := fs.lookup(to.Dir, to.Name)
	if e := fs.insert(to.Dir, to.Name, old); e != 0 {
		return e
	}
	if replaced != nil {
		fs.unlink(replaced, now)
	}
	fs.remove(fs.named(from, old))
	if old.IsDir() {
		from.Dir.nlink--
		to.Dir.nlink++
		old.parent = to.Dir.handle()
	}
	old.Ctime = now
	from.Dir.touch(now)
	to.Dir.touch(now)
	return 0
}

// named returns the entry at that place which names n: while a name is replaced there are
// two of it.
func (fs *FS) named(at Place, n *Node) *entry {
	e := fs.lookup(at.Dir, at.Name)
	for e.node != n.handle() || e.dir != at.Dir.handle() || string(e.name()) != string(at.Name) {
		e = e.chain.entry()
	}
	return e
}

// exchange has two entries change nodes.
func (fs *FS) exchange(from, to Place, now int64) {
	a, b := fs.lookup(from.Dir, from.Name), fs.lookup(to.Dir, to.Name)
	a.node, b.node = b.node, a.node
	old, new := from.Node, to.Node
	if old.IsDir() {
		from.Dir.nlink--
		to.Dir.nlink++
		old.parent = to.Dir.handle()
	}
	if new.IsDir() {
		to.Dir.nlink--
		from.Dir.nlink++
		new.parent = from.Dir.handle()
	}
	old.Ctime, new.Ctime = now, now
	from.Dir.touch(now)
	to.Dir.touch(now)
}

// inside reports whether dir is n or lies below it.
func (dir *Node) inside(n *Node) bool {
	for ; dir != n; dir = dir.parent.node() {
		if dir.parent == 0 || dir.parent == dir.handle() {
			return false
		}
	}
	return true
}

package ramfs

import "unsafe"

// The directory of numbers, /proc/self/fd: a symbolic link for each number that stands for a node. A
// path leads through it to the node even if the node has no name. The links are updated when the
// directory is looked at: one that a path leads through, or, before the directory is read, all.

// SetNumbers makes dir, which is empty, that directory. Its entries are not to be changed otherwise.
func (fs *FS) SetNumbers(dir *Node) {
	fs.numbers = dir.handle()
	dir.ReadOnly = true
}

// renumber brings the link called name of dir, the directory of numbers, up to date, or with part a portion of all, and reports whether there are more. A link for
// which there is no memory is missing. A name that is no number is taken for some number, and it does no harm to renew that one.
func (fs *FS) renumber(dir *Node, name []byte, part *Part) (more bool) {
	n, left := uint(0), 1
	if part != nil {
		n, left = uint(part.At), Portion
	}
	for _, c := range name {
		n = n*10 + uint(c-'0')
	}
	for n %= 1e6; left > 0; left-- {
		var node *Node
		var text [6]byte // as many as fd.Max has
		node, more = fs.Number(int(n))
		name := text[Decimal(text[:], uint64(n)):]
		if e := fs.lookup(dir, name); node == nil && e != nil {
			fs.unlink(e, dir.Mtime)
		} else if node != nil && e == nil {
			if link := fs.newNode(ModeLink|0o700, dir.Mtime); link != nil {
				if fs.insert(dir, name, link) != 0 {
					fs.reap(link)
				} else {
					link.nlink, link.number, link.Size = 1, uint32(n)+1, 64
				}
			}
		}
		if n++; !more {
			break
		}
	}
	if part != nil {
		part.At = int(n)
	}
	return more
}

// Behind returns the node that a link of the directory of numbers leads to; nil if the node is gone, or if n is no
// such link.
func (fs *FS) Behind(n *Node) *Node {
	if n.number == 0 {
		return nil
	}
	n, _ = fs.Number(int(n.number) - 1)
	return n
}

// Decimal writes n at the end of b, which has room for it, and returns where it begins.
func Decimal(b []byte, n uint64) (begin int) {
	for begin = len(b); ; n /= 10 {
		begin--
		b[begin] = '0' + byte(n%10)
		if n < 10 {
			return begin
		}
	}
}

// Name is Path for any node: of several names of a file it is any. It looks through all names.
func (fs *FS) Name(n *Node, b []byte) (begin int, e Errno) {
	if n.IsDir() {
		return fs.Path(n, b)
	}
	for i := range uint32(1 << bucketBits) {
		for h := (*[fan]handle)(unsafe.Pointer(fs.buckets[i/fan]))[i%fan]; h != 0; h = h.entry().chain {
			e := h.entry()
			if e.node != n.handle() {
				continue
			}
			if begin = len(b) - len(e.name()) - 1; begin < 0 {
				return 0, ENAMETOOLONG
			}
			b[begin] = '/'
			copy(b[begin+1:], e.name())
			if e.dir == fs.root {
				return begin, 0
			}
			return fs.Path(e.dir.node(), b[:begin])
		}
	}
	return 0, ENOENT
}

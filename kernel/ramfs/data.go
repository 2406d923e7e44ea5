package ramfs

import (
	"unsafe"

	"sched9/sched/atomic"
)

// A file's bytes: pages found by way of a tree of pages that hold 512 addresses each,
// as page tables do. Where the tree has none, the borrowed bytes count, and zeros
// behind them. The tree has as many levels as the file's size wants.
//
// A page of a file that is mapped (Node.Maps) may come while the file is read: whoever adds pages, or takes some away, has the
// caller's guard, and readers see a tree as it was or as it will be. For that its first page and the number of its levels are one
// word, and every word is stored after what it leads to and read before it. Pages go only with the caller's lock, which readers have.

const (
	fanBits   = 9
	fan       = 1 << fanBits
	pageBits  = 12
	maxLevels = 3

	// MaxSize is the size of the largest file, in bytes: 512 GiB.
	MaxSize = 1 << (pageBits + fanBits*maxLevels)
)

// slots is a page of the tree.
type slots [fan]uintptr

// reach is how many pages a tree of so many levels holds.
func reach(levels uint8) int64 { return 1 << (fanBits * int64(levels)) }

// root is the tree's first page, and the number of its levels below what a page's address leaves free.
type root uintptr

// page and levels are the parts of it.
func (r root) page() uintptr { return uintptr(r) &^ (PageSize - 1) }

// levels: see page.
func (r root) levels() uint8 { return uint8(r) }

// store stores v at p, after all that was stored before.
func store[T ~uintptr](p *T, v uintptr) {
	atomic.StoreRelUintptr((*atomic.Uintptr)(unsafe.Pointer(p)), v)
}

// follow returns what was stored at p; what it leads to is read after it.
func follow[T ~uintptr](p *T) T { return T((*atomic.Uintptr)(unsafe.Pointer(p)).Load()) }

// find returns the place of the address of page number i, or nil if the tree has none.
func (n *Node) find(i int64) *uintptr {
	tree := follow(&n.tree)
	if i >= reach(tree.levels()) || tree == 0 {
		return nil
	}
	at := tree.page()
	for l := tree.levels() - 1; ; l-- {
		s := &(*slots)(unsafe.Pointer(at))[i>>(fanBits*int64(l))%fan]
		if l == 0 {
			return s
		}
		if at = follow(s); at == 0 {
			return nil
		}
	}
}

// grow returns the same, and makes the place if necessary; nil if there is no memory.
func (fs *FS) grow(n *Node, i int64) *uintptr {
	for n.tree == 0 || i >= reach(n.tree.levels()) {
		p := fs.page()
		if p == 0 {
			return nil
		}
		(*slots)(unsafe.Pointer(p))[0] = n.tree.page()
		store(&n.tree, p|uintptr(n.tree.levels()+1))
		n.pages++
	}
	at := n.tree.page()
	for l := n.tree.levels() - 1; ; l-- {
		s := &(*slots)(unsafe.Pointer(at))[i>>(fanBits*int64(l))%fan]
		if l == 0 {
			return s
		}
		if *s == 0 {
			p := fs.page()
			if p == 0 {
				return nil
			}
			store(s, p)
			n.pages++
		}
		at = *s
	}
}

// Borrow makes the size bytes at data n's, which has none. They stay where they are and
// must not change.
func (n *Node) Borrow(data uintptr, size int64) {
	n.borrowed, n.nborrow, n.Size = handle(data), size, size
}

// View returns up to most bytes of n from byte at on, which lie together: where they
// are, 0 for zeros, and how many; 0 bytes at the end. They may be read until n is next
// changed.
func (n *Node) View(at, most int64) (p uintptr, size int64) {
	if at < 0 || at >= n.Size {
		return 0, 0
	}
	in := at % PageSize
	size = min(most, n.Size-at, PageSize-in)
	if s := n.find(at / PageSize); s != nil {
		if p := follow(s); p != 0 {
			return p + uintptr(in), size
		}
	}
	if at >= n.nborrow {
		return 0, size
	}
	return uintptr(n.borrowed) + uintptr(at), min(size, n.nborrow-at)
}

// Reserve makes bytes [at, at+size) of n writable with no need for more memory: Edit then
// does not fail there. n's size stays. If memory is short it reserves as many bytes as it
// can from at on, and returns how many; ENOSPC if none, EFBIG if at is beyond the
// largest file.
func (fs *FS) Reserve(n *Node, at, size int64) (int64, Errno) {
	switch {
	case n.ReadOnly:
		return 0, EROFS
	case at < 0:
		return 0, EINVAL
	case size == 0:
		return 0, 0
	case at >= MaxSize:
		return 0, EFBIG
	}
	size = min(size, MaxSize-at)
	for i := at / PageSize; i*PageSize < at+size; i++ {
		if fs.own(n, i) == 0 {
			if done := i*PageSize - at; done > 0 {
				return done, 0
			}
			return 0, ENOSPC
		}
	}
	return size, 0
}

// own is Own with the guard, if n is mapped.
func (fs *FS) own(n *Node, i int64) (p uintptr) {
	if n.Maps == 0 {
		return fs.Own(n, i)
	}
	on := fs.Guard()
	p = fs.Own(n, i)
	fs.Unguard(on)
	return p
}

// Own gives n a page of its own for page number i, with the present contents, if it has none, and returns it, or 0 if there is no
// memory. If n is mapped the caller has the guard, and need not have the lock.
func (fs *FS) Own(n *Node, i int64) uintptr {
	s := fs.grow(n, i)
	if s == nil {
		return 0
	}
	if *s != 0 {
		return *s
	}
	p := fs.page()
	if p == 0 {
		return 0
	}
	if from := i * PageSize; from < n.nborrow {
		size := uintptr(min(PageSize, n.nborrow-from))
		copy(bytesAt(p, size), bytesAt(uintptr(n.borrowed)+uintptr(from), size))
	}
	store(s, p)
	n.pages++
	return p
}

// Edit returns up to most bytes of n from byte at on, which lie together, to be written, and
// how many. They were reserved. n grows to hold them.
func (n *Node) Edit(at, most, now int64) (p uintptr, size int64) {
	in := at % PageSize
	size = min(most, PageSize-in)
	n.Size = max(n.Size, at+size)
	n.Mtime, n.Ctime = now, now
	return *n.find(at / PageSize) + uintptr(in), size
}

// Extend makes n at least size bytes long, with zeros, for a writer that is about to fill it.
func (fs *FS) Extend(n *Node, size int64) Errno {
	switch {
	case n.ReadOnly:
		return EROFS
	case size > MaxSize:
		return EFBIG
	}
	n.Size = max(n.Size, size)
	return 0
}

// shrinkStep is how many pages Shrink gives back at most.
const shrinkStep = 256

// Shrink gives back a part of the memory of n's bytes from size on, from the end, and reports true
// if there was more than that. So a call that truncates a large file, or is the last to hold one
// without a name, can work in steps and let others have the tree in between.
func (fs *FS) Shrink(n *Node, size int64) (more bool) {
	if n.pages <= shrinkStep || n.ReadOnly || !n.IsFile() {
		return false
	}
	last, at := int64(0), n.tree.page()
	for l := int64(n.tree.levels()) - 1; l >= 0; l-- {
		s := (*slots)(unsafe.Pointer(at))
		i := fan - 1
		for i > 0 && s[i] == 0 {
			i--
		}
		last, at = last<<fanBits|int64(i), s[i]
	}
	to := max((last-shrinkStep+1)*PageSize, size)
	if to >= n.Size {
		return false
	}
	fs.shorten(n, to)
	return to > size
}

// Truncate makes n size bytes long. What it gains is zeros.
func (fs *FS) Truncate(n *Node, size, now int64) Errno {
	switch {
	case n.ReadOnly:
		return EROFS
	case n.IsDir():
		return EISDIR
	case !n.IsFile() || size < 0:
		return EINVAL
	case size > MaxSize:
		return EFBIG
	}
	if size < n.Size {
		fs.shorten(n, size)
	}
	n.Size = size
	n.Mtime, n.Ctime = now, now
	return 0
}

// shorten makes n size bytes long, which is less than it was. If it is mapped what goes is taken out of the mappings first, and
// none of it comes back in between.
func (fs *FS) shorten(n *Node, size int64) {
	if n.Maps == 0 {
		fs.cut(n, size)
		n.Size = size
		return
	}
	on := fs.Guard()
	n.Size = size
	fs.Unmap(uintptr(n.handle()), size)
	fs.cut(n, size)
	fs.Unguard(on)
}

// cut gives back the memory of n's bytes from size on, so that they read as zeros.
func (fs *FS) cut(n *Node, size int64) {
	n.nborrow = min(n.nborrow, size)
	if n.tree != 0 {
		keep := (size + PageSize - 1) / PageSize
		if fs.prune(n, n.tree.page(), n.tree.levels(), 0, keep) {
			n.tree = 0
		}
	}
	// The rest of the last page must be zeros, in case the file grows again.
	if in := size % PageSize; in != 0 {
		if s := n.find(size / PageSize); s != nil && *s != 0 {
			clear(bytesAt(*s+uintptr(in), uintptr(PageSize-in)))
		}
	}
}

// prune gives back what the part of the tree at p, of so many levels, holds from page number
// keep on; first is the number of the part's first page. It reports whether that was
// all, and p is given back too.
func (fs *FS) prune(n *Node, p uintptr, levels uint8, first, keep int64) (gone bool) {
	s := (*slots)(unsafe.Pointer(p))
	each := reach(levels - 1)
	gone = true
	for i := range s {
		if s[i] == 0 {
			continue
		}
		at := first + int64(i)*each
		switch {
		case levels == 1 && at >= keep:
			fs.free(s[i])
			n.pages--
			s[i] = 0
		case levels > 1 && at+each > keep && fs.prune(n, s[i], levels-1, at, keep):
			s[i] = 0
		default:
			gone = false
		}
	}
	if gone {
		fs.free(p)
		n.pages--
	}
	return gone
}

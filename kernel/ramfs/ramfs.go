// Package ramfs is a tree of files in memory, with Linux's semantics of paths, links, modes and
// errors. It knows no system calls and no open files; its caller handles those, and locks.
//
// It stores everything in pages that it is given: nothing comes from the Go heap and no field is a
// pointer, so code without a P may run it. A file's bytes may be in an archive that the caller
// keeps (Borrow): they are read there, and a page of them is copied when it is first written.
//
// A node lives while an entry names it or a holder holds it (Hold).
package ramfs

import (
	"unsafe"

	"sched9/sched/atomic"
)

// PageSize is the size, in bytes, of the pages that the tree is made of.
const PageSize = 4096

// Errno is an error by Linux's number; 0 is none.
type Errno int

// The errors of this package, by Linux's numbers (include/uapi/asm-generic/errno*.h).
const (
	EPERM        Errno = 1
	ENOENT       Errno = 2
	EBUSY        Errno = 16
	EEXIST       Errno = 17
	EXDEV        Errno = 18
	ENOTDIR      Errno = 20
	EISDIR       Errno = 21
	EINVAL       Errno = 22
	EFBIG        Errno = 27
	ENOSPC       Errno = 28
	EROFS        Errno = 30
	EMLINK       Errno = 31
	ENAMETOOLONG Errno = 36
	ENOTEMPTY    Errno = 39
	ELOOP        Errno = 40
)

// Limits, as on Linux: the bytes of a name and of a path, including its zero byte, the symbolic
// links that a path may lead through, and the names of a file.
const (
	MaxName  = 255
	MaxPath  = 4096
	maxLinks = 40
	maxNames = 65000
)

// FS is the tree. Get and Put are set when it is made, and Init makes it ready.
type FS struct {
	Get func() uintptr // returns a page of zeros, or 0
	Put func(uintptr)  // takes one back

	// What is needed for files that are mapped, nil if none ever is: Guard is what whoever changes their data has (data.go), and
	// returns what Unguard wants. With the guard held Unmap takes the bytes from size on of the node at n out of the mappings (it is
	// passed as a number so that the compiler leaves on the stack what nodes are found with).
	Guard   func() (on uintptr)
	Unguard func(on uintptr)
	Unmap   func(n uintptr, size int64)

	// Number returns the node behind number n, which has at most 6 digits, nil if there is none, and whether there are larger
	// numbers (numbers.go).
	Number func(n int) (node *Node, more bool)

	// Refresh brings a Live directory, the node at dir, up to date: what it has by the name of n bytes at p; 0: a portion of all, from the Part at part on
	// (live.go), and it reports whether there is more. These
	// are on the scheduler's stack, and so that the compiler leaves them there they are passed as numbers.
	Refresh func(fs *FS, dir, p, n, part uintptr) (more bool)

	pages atomic.Int64 // in use; pages of files that are mapped come without the caller's lock
	limit int64        // of those
	nodes int64        // in use

	nodeSlab  slab
	entrySlab [2]slab // for short names and for all

	root    handle
	numbers handle              // the directory of numbers
	serial  uint64              // number of the last node
	buckets [tablePages]uintptr // pages of the table of names
}

// handle is the address of something in a page; 0: nothing.
type handle uintptr

// Init makes an empty tree of one directory, which takes at most limit pages. now is in
// nanoseconds since 1970. It reports false if there is no page for the root.
func (fs *FS) Init(limit int64, now int64) bool {
	fs.limit = limit
	for i := range fs.buckets {
		if fs.buckets[i] = fs.page(); fs.buckets[i] == 0 {
			return false
		}
	}
	fs.nodeSlab.size = unsafe.Sizeof(Node{})
	fs.entrySlab[0].size = shortEntry
	fs.entrySlab[1].size = longEntry
	root := fs.newNode(ModeDir|0o755, now)
	if root == nil {
		return false
	}
	root.nlink = 2
	root.parent = root.handle()
	fs.root = root.handle()
	return true
}

// Root returns the root.
func (fs *FS) Root() *Node { return fs.root.node() }

// Usage returns how many pages are in use, how many may be, and the number of nodes.
func (fs *FS) Usage() (used, limit, nodes int64) { return fs.pages.Load(), fs.limit, fs.nodes }

// page returns a page of zeros, or 0 if the tree has reached its limit or there is no memory.
func (fs *FS) page() uintptr {
	if fs.pages.Add(1) > fs.limit {
		fs.pages.Add(-1)
		return 0
	}
	p := fs.Get()
	if p == 0 {
		fs.pages.Add(-1)
	}
	return p
}

// free gives back a page.
func (fs *FS) free(p uintptr) {
	fs.Put(p)
	fs.pages.Add(-1)
}

// slab hands out records of one size. A page of theirs is never given back: the
// tree's records take as much memory as the most that there were at a time.
type slab struct {
	size uintptr
	free uintptr // first of a list that runs through the first word of each
}

// take returns a record of zeros, or 0.
func (s *slab) take(fs *FS) uintptr {
	if s.free == 0 {
		p := fs.page()
		if p == 0 {
			return 0
		}
		for at := p; at+s.size <= p+PageSize; at += s.size {
			s.give(at)
		}
	}
	r := s.free
	s.free = *(*uintptr)(unsafe.Pointer(r))
	clear(bytesAt(r, s.size))
	return r
}

// give takes a record back.
func (s *slab) give(r uintptr) {
	*(*uintptr)(unsafe.Pointer(r)) = s.free
	s.free = r
}

// bytesAt is the n bytes at p.
func bytesAt(p, n uintptr) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), n) }

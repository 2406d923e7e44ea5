package ramfs

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// arena gives pages outside the Go heap, and counts them.
type arena struct {
	memory []byte
	next   int
	free   []uintptr
	out    int
}

func newArena(t testing.TB, pages int) *arena {
	m, err := syscall.Mmap(-1, 0, pages*PageSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	return &arena{memory: m}
}

func (a *arena) get() uintptr {
	var p uintptr
	switch {
	case len(a.free) > 0:
		p = a.free[len(a.free)-1]
		a.free = a.free[:len(a.free)-1]
		clear(bytesAt(p, PageSize))
	case a.next+PageSize > len(a.memory):
		return 0
	default:
		p = uintptr(unsafe.Pointer(&a.memory[a.next]))
		a.next += PageSize
	}
	a.out++
	return p
}

func (a *arena) put(p uintptr) {
	for i := range bytesAt(p, PageSize) {
		bytesAt(p, PageSize)[i] = 0xa5 // whoever still reads it shall notice
	}
	a.free = append(a.free, p)
	a.out--
}

func newFS(t testing.TB, pages int) (*FS, *arena) {
	a := newArena(t, pages)
	fs := &FS{Get: a.get, Put: a.put}
	if !fs.Init(int64(pages), 1) {
		t.Fatal("no page for the root")
	}
	return fs, a
}

// write and read go through Reserve, Edit and View as a system call does.
func (fs *FS) write(n *Node, at int64, b []byte) (int, Errno) {
	size, e := fs.Reserve(n, at, int64(len(b)))
	if e != 0 {
		return 0, e
	}
	for done := int64(0); done < size; {
		p, k := n.Edit(at+done, size-done, 2)
		copy(bytesAt(p, uintptr(k)), b[done:])
		done += k
	}
	return int(size), 0
}

func (n *Node) read(at int64, size int) []byte {
	var b []byte
	for len(b) < size {
		p, k := n.View(at+int64(len(b)), int64(size-len(b)))
		if k == 0 {
			break
		}
		if p == 0 {
			b = append(b, make([]byte, k)...)
		} else {
			b = append(b, bytesAt(p, uintptr(k))...)
		}
	}
	return b
}

// pair is a tree of ours beside a directory of the host's, on which the same is done.
type pair struct {
	fs   *FS
	root *Node  // where paths begin
	host string // on the host
	open []openPair
}

// depth is how far below the top paths begin: links to ".." do not lead further up.
const depth = 100

type openPair struct {
	n *Node
	f *os.File
}

// errnoOf is the number of the host's error.
func errnoOf(err error) Errno {
	if err == nil {
		return 0
	}
	var e syscall.Errno
	for {
		if x, ok := err.(syscall.Errno); ok {
			e = x
			break
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return -1
		}
		err = u.Unwrap()
	}
	return Errno(e)
}

// names are few, so that paths meet often.
var names = []string{"a", "b", "c", "dd", "a/", "b/", ".", "..", "a/b", "b/c", "c/dd", "a/../b", "./a", "dd/.", "a/b/c", "b//c", "l", "l/", "m/a", "l/../a", "x" + strings.Repeat("y", 254), "x" + strings.Repeat("y", 255), "a/b/..", ""}

func pick(r *rand.Rand) string {
	n := names[r.IntN(len(names))]
	if r.IntN(3) == 0 {
		n += "/" + names[r.IntN(len(names))]
	}
	return strings.TrimLeft(n, "/") // the host's root is not ours
}

// step does one operation on both, and returns what it was with both results.
func (p *pair) step(r *rand.Rand) (what string, ours, hosts Errno) {
	fs, root := p.fs, p.root
	name, other := pick(r), pick(r)
	dirfd, err := syscall.Open(p.host, syscall.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		panic(err)
	}
	defer syscall.Close(dirfd)
	walk := func(path string, end End) (Place, Errno) { return fs.Walk(root, []byte(path), end) }
	two := func(fn func(from, to Place) Errno) Errno {
		a, e := walk(name, Entry)
		if e != 0 {
			return e
		}
		b, e := walk(other, Entry)
		if e != 0 {
			return e
		}
		return fn(a, b)
	}
	one := func(fn func(Place) Errno) Errno {
		a, e := walk(name, Entry)
		if e != 0 {
			return e
		}
		return fn(a)
	}
	at := func(s string) string { return s }
	const now = 5
	switch r.IntN(13) {
	case 0, 1:
		what = "mkdir " + name
		ours = one(func(a Place) Errno { _, e := fs.Mkdir(a, 0o755, now); return e })
		hosts = errnoOf(syscall.Mkdirat(dirfd, at(name), 0o755))
	case 2:
		what = "rmdir " + name
		ours = one(func(a Place) Errno { return fs.Rmdir(a, now) })
		hosts = unlinkat(dirfd, name, 0x200)
	case 3:
		what = "unlink " + name
		ours = one(func(a Place) Errno { return fs.Unlink(a, now) })
		hosts = unlinkat(dirfd, name, 0)
	case 4, 5:
		flags := uint(0)
		if r.IntN(8) == 0 {
			flags = NoReplace << r.UintN(2)
		}
		what = fmt.Sprintf("rename %s %s %d", name, other, flags)
		ours = two(func(a, b Place) Errno { return fs.Rename(a, b, flags, now) })
		hosts = renameat2(dirfd, name, other, flags)
	case 6:
		what = "symlink " + name + " -> " + other
		ours = one(func(a Place) Errno { return fs.Symlink(a, []byte(other), now) })
		if other == "" {
			// The kernel looks at the target first.
			ours = ENOENT
		}
		hosts = symlinkat(other, dirfd, name)
	case 7:
		what = "link " + name + " " + other
		ours = func() Errno {
			a, e := walk(name, NoFollow)
			switch {
			case e != 0:
				return e
			case a.Node == nil:
				return ENOENT
			case a.Slash && !a.Node.IsDir():
				return ENOTDIR
			}
			b, e := walk(other, Entry)
			if e != 0 {
				return e
			}
			return fs.Link(a.Node, b, now)
		}()
		hosts = linkat(dirfd, name, other)
	case 8, 9, 10:
		set := []struct {
			ours uint
			host int
		}{{0, syscall.O_RDONLY}, {OpenWrite, syscall.O_RDWR}, {OpenCreate, syscall.O_CREAT}, {OpenExclusive, syscall.O_EXCL},
			{OpenTruncate, syscall.O_TRUNC}, {OpenDirectory, syscall.O_DIRECTORY}, {OpenNoFollow, syscall.O_NOFOLLOW}, {OpenWrite | OpenCreate, syscall.O_RDWR | syscall.O_CREAT}}
		var of uint
		hf := syscall.O_CLOEXEC | syscall.O_NONBLOCK
		for range r.IntN(4) {
			x := set[r.IntN(len(set))]
			of |= x.ours
			hf |= x.host
		}
		if of&OpenTruncate != 0 {
			of |= OpenWrite
			hf |= syscall.O_RDWR
		}
		if of&OpenExclusive != 0 && of&OpenCreate == 0 {
			of &^= OpenExclusive
			hf &^= syscall.O_EXCL
		}
		what = fmt.Sprintf("open %s %b", name, of)
		n, _, e := fs.Open(root, []byte(name), of, 0o644, now)
		ours = e
		fd, err := syscall.Openat(dirfd, name, hf, 0o644)
		hosts = errnoOf(err)
		if e == 0 && err == nil {
			if of&OpenWrite != 0 && n.IsFile() {
				b := make([]byte, r.IntN(9000))
				for i := range b {
					b[i] = byte(r.Uint32())
				}
				off := int64(r.IntN(3 * PageSize))
				syscall.Pwrite(fd, b, off)
				fs.write(n, off, b)
				if r.IntN(3) == 0 {
					size := int64(r.IntN(4 * PageSize))
					syscall.Ftruncate(fd, size)
					fs.Truncate(n, size, now)
				}
			}
			if r.IntN(4) == 0 && len(p.open) < 20 {
				n.Hold()
				p.open = append(p.open, openPair{n, os.NewFile(uintptr(fd), name)})
			} else {
				syscall.Close(fd)
			}
		} else if err == nil {
			syscall.Close(fd)
		}
	case 11: // what was opened is the same still, whatever happened to its names
		if len(p.open) == 0 {
			return "", 0, 0
		}
		i := r.IntN(len(p.open))
		o := p.open[i]
		what = "close " + o.f.Name()
		st, err := o.f.Stat()
		if err != nil {
			panic(err)
		}
		if o.n.IsFile() {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/self/fd/%d", o.f.Fd()))
			if string(b) != string(o.n.read(0, int(o.n.Size))) {
				ours = 1000
			}
		}
		if got, want := o.n.Links(), uint32(st.Sys().(*syscall.Stat_t).Nlink); got != want {
			what += fmt.Sprintf(": %d links, the host has %d", got, want)
			ours = 1001
		}
		o.f.Close()
		fs.Drop(o.n)
		p.open = append(p.open[:i], p.open[i+1:]...)
	case 12:
		what = "readlink " + name
		var target string
		ours = func() Errno {
			a, e := walk(name, NoFollow)
			switch {
			case e != 0:
				return e
			case a.Node == nil:
				return ENOENT
			case a.Slash && !a.Node.IsDir():
				return ENOTDIR
			case !a.Node.IsLink():
				return EINVAL
			}
			target = string(a.Node.Target())
			return 0
		}()
		b := make([]byte, 5000)
		n, e := readlinkat(dirfd, name, b)
		hosts = e
		if e == 0 && string(b[:n]) != target {
			ours = 1002
		}
	}
	return what, ours, hosts
}

func unlinkat(fd int, name string, flags uintptr) Errno {
	s, _ := syscall.BytePtrFromString(name)
	_, _, e := syscall.Syscall(syscall.SYS_UNLINKAT, uintptr(fd), uintptr(unsafe.Pointer(s)), flags)
	return Errno(e)
}

func renameat2(fd int, a, b string, flags uint) Errno {
	p, _ := syscall.BytePtrFromString(a)
	q, _ := syscall.BytePtrFromString(b)
	const sysRenameat2 = 316 // on amd64; see TestLinux
	_, _, e := syscall.Syscall6(sysRenameat2, uintptr(fd), uintptr(unsafe.Pointer(p)), uintptr(fd), uintptr(unsafe.Pointer(q)), uintptr(flags), 0)
	return Errno(e)
}

func symlinkat(target string, fd int, name string) Errno {
	p, _ := syscall.BytePtrFromString(target)
	q, _ := syscall.BytePtrFromString(name)
	_, _, e := syscall.Syscall(syscall.SYS_SYMLINKAT, uintptr(unsafe.Pointer(p)), uintptr(fd), uintptr(unsafe.Pointer(q)))
	return Errno(e)
}

func linkat(fd int, a, b string) Errno {
	p, _ := syscall.BytePtrFromString(a)
	q, _ := syscall.BytePtrFromString(b)
	_, _, e := syscall.Syscall6(syscall.SYS_LINKAT, uintptr(fd), uintptr(unsafe.Pointer(p)), uintptr(fd), uintptr(unsafe.Pointer(q)), 0, 0)
	return Errno(e)
}

func readlinkat(fd int, name string, b []byte) (int, Errno) {
	p, _ := syscall.BytePtrFromString(name)
	n, _, e := syscall.Syscall6(syscall.SYS_READLINKAT, uintptr(fd), uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0)
	return int(n), Errno(e)
}

// tree lists all that is below n, by what Linux tells of it too.
func (fs *FS) tree(n *Node, path string, into *[]string) {
	for name, child, at := n.Next(2); child != nil; name, child, at = n.Next(at) {
		full := path + "/" + string(name)
		switch {
		case child.IsDir():
			*into = append(*into, fmt.Sprintf("%s/ %d", full, child.Links()))
			fs.tree(child, full, into)
		case child.IsLink():
			*into = append(*into, fmt.Sprintf("%s -> %s %d", full, child.Target(), child.Links()))
		default:
			*into = append(*into, fmt.Sprintf("%s %d %d %x", full, child.Links(), child.Size, sum(child.read(0, int(child.Size)))))
		}
	}
}

func sum(b []byte) (h uint64) {
	for _, c := range b {
		h = h*1099511628211 + uint64(c) + 1
	}
	return h
}

func hostTree(dir, path string, into *[]string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	for _, e := range list {
		full := path + "/" + e.Name()
		info, err := e.Info()
		if err != nil {
			panic(err)
		}
		links := info.Sys().(*syscall.Stat_t).Nlink
		switch {
		case e.IsDir():
			*into = append(*into, fmt.Sprintf("%s/ %d", full, links))
			hostTree(filepath.Join(dir, e.Name()), full, into)
		case e.Type()&os.ModeSymlink != 0:
			target, _ := os.Readlink(filepath.Join(dir, e.Name()))
			*into = append(*into, fmt.Sprintf("%s -> %s %d", full, target, links))
		default:
			b, _ := os.ReadFile(filepath.Join(dir, e.Name()))
			*into = append(*into, fmt.Sprintf("%s %d %d %x", full, links, info.Size(), sum(b)))
		}
	}
}

// TestLinux does the same at random on a tree of ours and on a directory of the host's (in
// memory too, where there is one) and compares each error and the trees.
func TestLinux(t *testing.T) {
	if syscall.SYS_OPENAT != 257 {
		t.Log("the numbers of system calls here are amd64's")
		return
	}
	base := "/dev/shm"
	if _, err := os.Stat(base); err != nil {
		base = ""
	}
	seeds := 30
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		dir, err := os.MkdirTemp(base, "ramfs")
		if err != nil {
			t.Fatal(err)
		}
		linux(t, dir, uint64(seed))
		os.RemoveAll(dir)
		if t.Failed() {
			return
		}
	}
}

func linux(t *testing.T, dir string, seed uint64) {
	fs, arena := newFS(t, 4096)
	top := filepath.Join(dir, "top")
	down := strings.Repeat("r/", depth)
	if err := os.MkdirAll(filepath.Join(top, down), 0o755); err != nil {
		t.Fatal(err)
	}
	p := &pair{fs: fs, root: fs.Root(), host: filepath.Join(top, down)}
	for range depth {
		at, e := fs.Walk(p.root, []byte("r"), Entry)
		if e == 0 {
			p.root, e = fs.Mkdir(at, 0o755, 1)
		}
		if e != 0 {
			t.Fatal(e)
		}
	}
	p.root.Hold()
	r := rand.New(rand.NewPCG(seed, 7))
	var log []string
	for i := range 400 {
		what, ours, hosts := p.step(r)
		log = append(log, fmt.Sprintf("%s: %d, the host says %d", strings.ReplaceAll(what, strings.Repeat("y", 200), "YY"), ours, hosts))
		if ours != hosts {
			t.Errorf("seed %d, step %d\n%s", seed, i, strings.Join(log[max(0, len(log)-12):], "\n"))
			return
		}
		if i%20 == 0 {
			var a, b []string
			fs.tree(fs.Root(), "", &a)
			hostTree(top, "", &b)
			sort.Strings(a)
			sort.Strings(b)
			if x, y := strings.Join(a, "\n"), strings.Join(b, "\n"); x != y {
				t.Errorf("seed %d, step %d: the trees differ\nours\n%s\nthe host's\n%s\n%s", seed, i, x, y, strings.Join(log[max(0, len(log)-22):], "\n"))
				return
			}
		}
	}
	// All is given back but what the records take.
	fs.Drop(p.root)
	for _, o := range p.open {
		o.f.Close()
		fs.Drop(o.n)
	}
	var empty func(n *Node, path string)
	empty = func(n *Node, path string) {
		for {
			name, child, _ := n.Next(2)
			if child == nil {
				return
			}
			full := path + "/" + string(name)
			if child.IsDir() {
				empty(child, full)
			}
			at, e := fs.Walk(fs.Root(), []byte(full), Entry)
			if e != 0 {
				t.Fatal(full, e)
			}
			if child.IsDir() {
				e = fs.Rmdir(at, 9)
			} else {
				e = fs.Unlink(at, 9)
			}
			if e != 0 {
				t.Fatal(full, e)
			}
		}
	}
	empty(fs.Root(), "")
	records := tablePages
	for _, s := range []*slab{&fs.nodeSlab, &fs.entrySlab[0], &fs.entrySlab[1]} {
		n := 0
		for f := s.free; f != 0; f = *(*uintptr)(unsafe.Pointer(f)) {
			n++
		}
		if s == &fs.nodeSlab {
			n++ // the root
		}
		per := int(PageSize / s.size)
		if n%per != 0 {
			t.Errorf("seed %d: %d records of %d bytes are free, %d fill a page", seed, n, s.size, per)
		}
		records += n / per
	}
	if arena.out != records || fs.pages.Load() != int64(records) || fs.nodes != 1 {
		t.Errorf("seed %d: %d pages are out, %d counted, %d hold records, %d nodes", seed, arena.out, fs.pages.Load(), records, fs.nodes)
	}
}

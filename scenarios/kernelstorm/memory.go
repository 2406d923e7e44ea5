package main

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Address space, and what may be done with it.

const (
	page = 4096
	huge = 2 << 20

	none  = syscall.PROT_NONE
	read  = syscall.PROT_READ
	write = syscall.PROT_READ | syscall.PROT_WRITE

	fixed    = syscall.MAP_FIXED
	dontNeed = 4
)

// mmap is the call, as the next ones are.
func (w *worker) mmap(at, n uintptr, prot, flags int) uintptr {
	p, _, e := syscall.Syscall6(syscall.SYS_MMAP, at, n, uintptr(prot), uintptr(syscall.MAP_ANON|syscall.MAP_PRIVATE|flags), ^uintptr(0), 0)
	if e != 0 {
		w.wrong("mmap of %d KiB: %v", n>>10, e)
	}
	return p
}

// call is a call that has to succeed.
func (w *worker) call(what string, nr, a, b, c uintptr) {
	if _, _, e := syscall.Syscall(nr, a, b, c); e != 0 {
		w.wrong("%s: %v", what, e)
	}
}

func (w *worker) munmap(at, n uintptr) { w.call("munmap", syscall.SYS_MUNMAP, at, n, 0) }

// word is the word at p.
func word(p uintptr) *uint64 { return *(**uint64)(unsafe.Pointer(&p)) }

// try reads or writes v at the word at p and reports whether that is allowed.
func (w *worker) try(p uintptr, write bool, v uint64) (old uint64, ok bool) {
	defer func() {
		if e, bad := recover().(interface{ Addr() uintptr }); bad {
			if e.Addr() != p {
				w.wrong("a fault at %#x is told as one at %#x", p, e.Addr())
			}
			ok = false
		}
	}()
	old = *word(p)
	if write {
		*word(p) = v
	}
	return old, true
}

// A space is a worker's own piece of address space, and its knowledge of each page: the access and
// the first word.
type space struct {
	at    uintptr
	prots []int
	words []uint64
}

// maxPages bounds a space.
const maxPages = 48

// open maps one, of any length.
func (s *space) open(w *worker) {
	n := 1 + w.IntN(maxPages)
	*s = space{w.mmap(0, uintptr(n)*page, write, 0), make([]int, n), make([]uint64, n)}
	for i := range s.prots {
		s.prots[i] = write
	}
}

// close unmaps it, whole or in two parts; then nothing is there.
func (s *space) close(w *worker) {
	n := len(s.prots)
	for i := range n {
		w.touch(i, false)
	}
	k := w.IntN(n)
	w.munmap(s.at+uintptr(k)*page, uintptr(n-k)*page)
	if k > 0 {
		w.munmap(s.at, uintptr(k)*page)
	}
}

// region gives a space back and maps another one.
func (w *worker) region() {
	w.space.close(w)
	w.space.open(w)
}

// touch accesses page i and checks the result.
func (w *worker) touch(i int, change bool) {
	s := &w.space
	p := s.at + uintptr(i)*page
	old, ok := w.try(p, change, s.words[i]+1)
	may := s.prots[i] == write || s.prots[i] == read && !change
	if ok != may || ok && old != s.words[i] {
		w.wrong("page %d has access %d and holds %#x; access (write %v) says %v, %#x", i, s.prots[i], s.words[i], change, ok, old)
	}
	if ok && change {
		s.words[i]++
	}
}

// memory changes some pages of the space, and touches some.
func (w *worker) memory() {
	s := &w.space
	for range 1 + w.IntN(2) {
		i := w.IntN(len(s.prots))
		n := 1 + w.IntN(len(s.prots)-i)
		at, size := s.at+uintptr(i)*page, uintptr(n)*page
		prot := []int{write, write, read, none}[w.IntN(4)]
		switch w.IntN(4) {
		case 0:
			w.mmap(at, size, prot, fixed)
			for k := i; k < i+n; k++ {
				s.prots[k], s.words[k] = prot, 0
			}
		case 1:
			w.call("madvise", syscall.SYS_MADVISE, at, size, dontNeed)
			clear(s.words[i : i+n])
		default:
			w.call("mprotect", syscall.SYS_MPROTECT, at, size, uintptr(prot))
			for k := i; k < i+n; k++ {
				s.prots[k] = prot
			}
		}
		for range 8 {
			w.touch(i+w.IntN(n), w.IntN(2) == 0)
		}
	}
}

// larges bounds how many have a large region.
var larges = make(chan bool, 2)

// large maps more than 2 MiB, touches some of it, and gives it back in parts.
func (w *worker) large() {
	larges <- true
	const n = 2*huge + 7*page
	p := w.mmap(0, n, write, 0)
	x := uintptr(w.IntN(n/page-8)) * page
	for i := uintptr(0); i < n; i += 61 * page {
		if v := *word(p + i); v != 0 {
			w.wrong("new memory holds %#x at %#x", v, i)
		}
		*word(p + i) = uint64(i) + 1
	}
	w.munmap(p+x, 5*page)
	for i := uintptr(0); i < n; i += 61 * page {
		want, in := uint64(i)+1, i < x || i >= x+5*page
		if old, ok := w.try(p+i, false, 0); ok != in && !ok || ok && in && old != want {
			w.wrong("at %#x beside a hole at %#x: %#x, %v", i, x, old, ok)
		}
	}
	if x > 0 {
		w.munmap(p, x)
	}
	w.munmap(p+x+5*page, n-x-5*page)
	<-larges
}

// record is what faults are made with.
type record struct {
	fill [200]uint64
	next *record
}

//go:noinline
func (w *worker) failing(n int, r *record, list []int) int {
	switch n {
	case 0:
		return int(r.fill[7])
	case 1:
		r.next = &record{}
		return 0
	case 2:
		return list[len(list)+n]
	case 3:
		return n / len(list)
	}
	return int(r.fill[n])
}

// fault has the processor fault, and recovers.
func (w *worker) fault() {
	for range 1 + w.IntN(4) {
		n := w.IntN(4)
		func() {
			defer func() {
				e, ok := recover().(runtime.Error)
				if !ok {
					w.wrong("fault %d was none", n)
				}
				_ = e.Error()
			}()
			w.failing(n, nil, nil)
		}()
	}
}

// grows bounds how many have a large stack.
var grows = make(chan bool, 8)

// stack makes the stack grow and checks that its contents stay.
func (w *worker) stack() {
	grows <- true
	depth := 1 + w.IntN(150)
	if got, want := w.dig(depth, w.Uint64()), depth*(depth+1)/2; got != want {
		w.wrong("a stack of depth %d holds %d, not %d", depth, got, want)
	}
	<-grows
}

//go:noinline
func (w *worker) dig(depth int, x uint64) (sum int) {
	if depth == 0 {
		return 0
	}
	var frame [64]uint64
	p := &frame[w.id%64]
	for i := range frame {
		frame[i] = x + uint64(i)
	}
	sum = w.dig(depth-1, x*3+1) + depth
	if *p != x+uint64(w.id%64) {
		w.wrong("a pointer into the stack at depth %d reads %#x", depth, *p)
	}
	for i, v := range frame {
		if v != x+uint64(i) {
			w.wrong("word %d of the stack at depth %d is %#x", i, depth, v)
		}
	}
	return sum
}

// heap allocates, and finds what it wrote.
func (w *worker) heap() {
	var all [8][]byte
	for i := range all {
		all[i] = make([]byte, 1+w.IntN(8000))
		for k := range all[i] {
			if all[i][k] != 0 {
				w.wrong("new memory of the heap holds %d", all[i][k])
			}
			all[i][k] = byte(w.id + i)
		}
		if w.IntN(4) == 0 {
			runtime.Gosched()
		}
	}
	for i, b := range all {
		for _, c := range b {
			if c != byte(w.id+i) {
				w.wrong("memory of the heap holds %d, not %d", c, byte(w.id+i))
			}
		}
	}
	sink.Store(&all[w.IntN(len(all))])
}

var sink atomic.Pointer[[]byte]

// world stops it.
func (w *worker) world() {
	switch w.IntN(5) {
	case 0:
		runtime.GC()
	case 1:
		debug.FreeOSMemory()
	case 2:
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
	case 3:
		runtime.Stack(make([]byte, 2000), true)
	case 4:
		runtime.GOMAXPROCS(1 + w.IntN(runtime.NumCPU()))
	}
}

// free is how much memory the machine has free; on a machine with other programs it says nothing.
func free() uint64 {
	var name syscall.Utsname
	var s syscall.Sysinfo_t
	if syscall.Uname(&name) != nil || name.Sysname[0] != 's' || syscall.Sysinfo(&s) != nil {
		return 0
	}
	return s.Freeram * uint64(s.Unit)
}

// Mapping requests address space and gives it back, in whole and in parts, and changes its protection.
//
// Shows the kernel's promises for mmap, munmap, mprotect, madvise and mincore: Linux's results and errors; memory that
// comes zeroed and keeps its contents while it cannot be accessed; access that is refused on every vCPU once mprotect
// has returned; a call that fails changes nothing; and that nothing is used up for good: neither address space nor
// tables nor the pages of 2 MiB. The proof: goroutines map, unmap, protect and drop parts of regions of their own, on
// all vCPUs, and compare every byte that they read with the expected one; the kernel's resources in use at the end are
// compared with their expected number.
//
//	mapping               all of this
//	mapping leak N        maps, touches and unmaps N times
//	mapping areas N       has N areas at once, if the kernel lets it, and gives them back
//	mapping storm N       N operations of each of 8 goroutines
package main

import (
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const (
	page = 4096
	huge = 2 << 20

	none  = syscall.PROT_NONE
	read  = syscall.PROT_READ
	write = syscall.PROT_READ | syscall.PROT_WRITE

	fixed    = syscall.MAP_FIXED
	dontNeed = 4
)

func wrong(format string, args ...any) {
	fmt.Printf("mapping: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// The calls, as they are.

func mmap(at, n uintptr, prot, flags int) (uintptr, syscall.Errno) {
	p, _, e := syscall.Syscall6(syscall.SYS_MMAP, at, n, uintptr(prot), uintptr(syscall.MAP_ANON|syscall.MAP_PRIVATE|flags), ^uintptr(0), 0)
	return p, e
}

func munmap(at, n uintptr) syscall.Errno {
	_, _, e := syscall.Syscall(syscall.SYS_MUNMAP, at, n, 0)
	return e
}

func mprotect(at, n uintptr, prot int) syscall.Errno {
	_, _, e := syscall.Syscall(syscall.SYS_MPROTECT, at, n, uintptr(prot))
	return e
}

func madvise(at, n uintptr) syscall.Errno {
	_, _, e := syscall.Syscall(syscall.SYS_MADVISE, at, n, dontNeed)
	return e
}

func mincore(at, n, vec uintptr) syscall.Errno {
	_, _, e := syscall.Syscall(syscall.SYS_MINCORE, at, n, vec)
	return e
}

// must is for calls that have to succeed.
func must(what string, e syscall.Errno) {
	if e != 0 {
		wrong("%s: %v", what, e)
	}
}

// region is mmap that has to succeed.
func region(n uintptr, prot int) uintptr {
	p, e := mmap(0, n, prot, 0)
	must("mmap", e)
	return p
}

// word is the word at p.
func word(p uintptr) *uint64 { return *(**uint64)(unsafe.Pointer(&p)) }

// try reads or writes v at the word at p and reports whether that is allowed.
func try(p uintptr, write bool, v uint64) (old uint64, ok bool) {
	defer func() {
		if e, bad := recover().(interface{ Addr() uintptr }); bad {
			if e.Addr() != p {
				wrong("a fault at %#x is told as one at %#x", p, e.Addr())
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

// errors compares the errors of calls that cannot be carried out.
func errors() {
	p := region(4*page, write)
	*word(p) = 1
	must("munmap", munmap(p+page, page)) // a hole
	var vec [4]byte
	at := uintptr(unsafe.Pointer(&vec))
	errno := func(_ uintptr, e syscall.Errno) syscall.Errno { return e }
	for _, c := range []struct {
		name      string
		got, want syscall.Errno
	}{
		{"mmap of nothing", errno(mmap(0, 0, write, 0)), syscall.EINVAL},
		{"mmap at half a page", errno(mmap(p+8, page, write, fixed)), syscall.EINVAL},
		{"mmap of more than there is", errno(mmap(0, 1<<46, write, 0)), syscall.ENOMEM},
		{"mmap of more than can be", errno(mmap(0, 1<<60, none, 0)), syscall.ENOMEM},
		{"mmap of nearly all numbers", errno(mmap(0, ^uintptr(0)-page, write, 0)), syscall.ENOMEM},
		{"munmap at half a page", munmap(p+8, page), syscall.EINVAL},
		{"munmap of nothing", munmap(p, 0), syscall.EINVAL},
		{"munmap of the other half", munmap(1<<63, page), syscall.EINVAL},
		{"munmap of a hole", munmap(p+page, page), 0},
		{"mprotect at half a page", mprotect(p+8, page, read), syscall.EINVAL},
		{"mprotect of nothing", mprotect(p, 0, read), 0},
		{"mprotect of a hole", mprotect(p+page, page, read), syscall.ENOMEM},
		{"mprotect with a hole", mprotect(p+page, 2*page, read), syscall.ENOMEM},
		{"mprotect of the other half", mprotect(1<<63, page, read), syscall.ENOMEM},
		{"madvise at half a page", madvise(p+8, page), syscall.EINVAL},
		{"madvise of nothing", madvise(p, 0), 0},
		{"madvise of a hole", madvise(p+page, page), syscall.ENOMEM},
		{"mincore at half a page", mincore(p+8, page, at), syscall.EINVAL},
		{"mincore of nothing", mincore(p, 0, at), 0},
		{"mincore of a hole", mincore(p, 4*page, at), syscall.ENOMEM},
		{"mincore into nowhere", mincore(p, page, 8), syscall.EFAULT},
		{"mincore", mincore(p+2*page, 2*page, at), 0},
	} {
		if c.got != c.want {
			wrong("%s says %v, not %v", c.name, c.got, c.want)
		}
	}
	if *word(p) != 1 {
		wrong("what failed changed something")
	}

	// What can only be read may be larger than memory, with a page that can be written.
	const large = 64 << 30
	zeros, e := mmap(0, large, read, 0)
	must("mmap of much to read", e)
	if e := mprotect(zeros, large, write); e != syscall.ENOMEM {
		wrong("mprotect of much, to write, says %v", e)
	}
	last := zeros + large - page
	must("mprotect of the last page", mprotect(last, page, write))
	*word(last) = 1
	if *word(zeros) != 0 || *word(last - page) != 0 || *word(last) != 1 {
		wrong("much to read is not zero but for the last page")
	}
	must("munmap of much", munmap(zeros, large))
	*word(p + 3*page) = 1
	must("mincore", mincore(p+3*page, page, at))
	if vec[0]&1 != 1 {
		wrong("mincore does not see a page that was touched")
	}
	must("munmap", munmap(p, 4*page))
	fmt.Println("mapping: the errors are Linux's")
}

// refused is what sched9 alone refuses: code made at run time, and the place of its processors' stacks.
func refused() {
	var name syscall.Utsname
	if syscall.Uname(&name) != nil || name.Sysname[0] != 's' {
		fmt.Println("mapping: this is not sched9")
		return
	}
	p := region(page, write)
	if e := mprotect(p, page, read|syscall.PROT_EXEC); e != syscall.EACCES {
		wrong("mprotect for execution says %v", e)
	}
	if _, e := mmap(0, page, read|syscall.PROT_EXEC, 0); e != syscall.EACCES {
		wrong("mmap for execution says %v", e)
	}
	must("munmap", munmap(p, page))
	const stacks = 0x5000_0000_0000
	if at, e := mmap(stacks, 1<<20, write, 0); e != 0 || at == stacks {
		wrong("mmap with a wish for the processors' stacks: %#x, %v", at, e)
	} else {
		must("munmap", munmap(at, 1<<20))
	}
	if _, e := mmap(stacks, 1<<20, write, fixed); e != syscall.ENOMEM {
		wrong("mmap over the processors' stacks says %v", e)
	}
	for name, e := range map[string]syscall.Errno{"munmap": munmap(stacks, page), "mprotect": mprotect(stacks+page, page, none), "madvise": madvise(stacks+page, page)} {
		if e == 0 {
			wrong("%s takes the processors' stacks", name)
		}
	}
	fmt.Println("mapping: what is the kernel's stays so")
}

// access tries each access under each protection, and checks that the contents stay.
func access() {
	debug.SetPanicOnFault(true)
	const n = 8 * page
	p := region(n, write)
	for i := uintptr(0); i < n; i += 2 * page { // the others have no frame yet
		*word(p + i) = uint64(i) + 1
	}
	want := func(i uintptr) uint64 {
		if i%(2*page) == 0 {
			return uint64(i) + 1
		}
		return 0
	}
	for _, prot := range []int{read, none, write, none, read, write} {
		must("mprotect", mprotect(p, n, prot))
		for i := uintptr(0); i < n; i += page {
			if old, ok := try(p+i, false, 0); ok != (prot != none) || ok && old != want(i) {
				wrong("a read of page %d with access %d: %v, %d", i/page, prot, ok, old)
			}
			if _, ok := try(p+i, true, want(i)); ok != (prot == write) {
				wrong("a write to page %d with access %d: %v", i/page, prot, ok)
			}
		}
	}
	// One page in the middle, with another access than its neighbours.
	must("mprotect", mprotect(p+3*page, page, none))
	for i := uintptr(0); i < n; i += page {
		if _, ok := try(p+i, true, want(i)); ok != (i != 3*page) {
			wrong("a write to page %d beside one that cannot be accessed: %v", i/page, ok)
		}
	}
	must("mprotect", mprotect(p, n, write))
	must("madvise", madvise(p, n))
	if v := *word(p); v != 0 {
		wrong("after madvise there is %d", v)
	}
	must("munmap", munmap(p, n))
	if _, ok := try(p, false, 0); ok {
		wrong("what was unmapped can be read")
	}
	fmt.Println("mapping: each access under each protection is as it should be")
}

// closing makes goroutines write to a page that loses its access again and again. Once mprotect has
// returned, no write may succeed.
func closing() {
	const rounds = 20
	p := region(page, write)
	var stop atomic.Bool
	var wg sync.WaitGroup
	for g := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			debug.SetPanicOnFault(true)
			for i := uint64(1); !stop.Load(); i++ {
				try(p+uintptr(g)*8, true, i)
			}
		})
	}
	var moved int
	for range rounds {
		must("mprotect", mprotect(p, page, read))
		before := *(*[page / 8]uint64)(unsafe.Pointer(word(p)))
		for range 2000 {
			runtime.KeepAlive(p)
		}
		runtime.Gosched()
		after := *(*[page / 8]uint64)(unsafe.Pointer(word(p)))
		if before != after {
			wrong("somebody wrote to a page that can only be read")
		}
		must("mprotect", mprotect(p, page, write))
		for i := 0; i < 1000 && *(*[page / 8]uint64)(unsafe.Pointer(word(p))) == after; i++ {
			runtime.Gosched()
		}
		if *(*[page / 8]uint64)(unsafe.Pointer(word(p))) != after {
			moved++
		}
	}
	stop.Store(true)
	wg.Wait()
	must("munmap", munmap(p, page))
	fmt.Printf("mapping: closed %d times before writers, who went on %d times\n", rounds, moved)
	if moved == 0 {
		wrong("nobody wrote")
	}
}

// worker is a goroutine of a storm: a region, and its expected contents.
type worker struct {
	r     *rand.Rand
	at    uintptr
	prots []int // by page; -1: not mapped
	words []uint64
	ops   [6]int
}

// some returns a range of pages, and often one that ends at 2 MiB.
func (w *worker) some() (i, n int) {
	i = w.r.Intn(len(w.prots))
	n = 1 + w.r.Intn(40)
	switch w.r.Intn(8) {
	case 0:
		i = i / (huge / page) * (huge / page)
		n = huge / page
	case 1:
		n = 1 + w.r.Intn(len(w.prots))
	}
	return i, min(n, len(w.prots)-i)
}

// all reports whether pages [i, i+n) are all mapped.
func (w *worker) all(i, n int) bool {
	for _, p := range w.prots[i : i+n] {
		if p < 0 {
			return false
		}
	}
	return true
}

// step does one thing.
func (w *worker) step() {
	i, n := w.some()
	at, size := w.at+uintptr(i)*page, uintptr(n)*page
	prot := []int{write, write, read, none}[w.r.Intn(4)]
	op := w.r.Intn(10)
	switch op {
	case 0:
		_, e := mmap(at, size, prot, fixed)
		must("mmap", e)
		for k := i; k < i+n; k++ {
			w.prots[k], w.words[k] = prot, 0
		}
	case 1:
		// Unmapped address space stays reserved for this worker, or another would get it.
		_, e := mmap(at, size, none, fixed)
		must("mmap", e)
		for k := i; k < i+n; k++ {
			w.prots[k], w.words[k] = none, 0
		}
	case 2, 3:
		must("madvise", madvise(at, size))
		clear(w.words[i : i+n])
	case 4, 5, 6:
		must("mprotect", mprotect(at, size, prot))
		for k := i; k < i+n; k++ {
			w.prots[k] = prot
		}
	}
	w.ops[min(op, 5)]++
	for range 8 {
		k := i + w.r.Intn(n)
		p, change := w.at+uintptr(k)*page, w.r.Intn(2) == 0
		old, ok := try(p, change, w.words[k]+1)
		if may := w.prots[k] == write || w.prots[k] == read && !change; ok != may || ok && old != w.words[k] {
			wrong("page %d has access %d and holds %d; access (write %v) says %v, %d", k, w.prots[k], w.words[k], change, ok, old)
		}
		if ok && change {
			w.words[k]++
		}
	}
}

// storm has goroutines do all of it at once.
func storm(workers, steps int) {
	const pages = 3 * huge / page
	var wg sync.WaitGroup
	for g := range workers {
		wg.Go(func() {
			debug.SetPanicOnFault(true)
			w := &worker{r: rand.New(rand.NewSource(int64(g))), at: region(pages*page, write), prots: make([]int, pages), words: make([]uint64, pages)}
			for i := range w.prots {
				w.prots[i] = write
			}
			for i := range steps {
				w.step()
				if i%16 == 0 {
					sink.Store(make([]byte, 10_000)) // the heap grows and shrinks as well
					runtime.Gosched()
				}
			}
			must("munmap", munmap(w.at, pages*page))
		})
	}
	wg.Wait()
	fmt.Printf("mapping: %d goroutines did %d things each to their memory, and it held\n", workers, steps)
}

var sink atomic.Value

// leak maps, touches and unmaps.
func leak(n int) {
	var free uint64
	for i := range n {
		p := region(huge, write)
		*word(p) = 1
		if i%3 == 0 { // a part of it first
			must("munmap", munmap(p+page, 5*page))
		}
		must("munmap", munmap(p, huge))
		if i != n/10 && i != n-1 {
			continue
		}
		var s syscall.Sysinfo_t
		if err := syscall.Sysinfo(&s); err != nil {
			wrong("sysinfo: %v", err)
		}
		if now := s.Freeram * uint64(s.Unit); i == n-1 && now+(4<<20) < free {
			wrong("%d KiB were free, and after %d times %d", free>>10, n, now>>10)
		} else {
			free = now
		}
	}
	fmt.Printf("mapping: mapped and unmapped %d times\n", n)
}

// areas has many, with no two alike side by side, and gives all back.
func areas(n int) {
	var all []uintptr
	for i := range n {
		p, e := mmap(0, page, []int{read, write}[i%2], 0)
		if e == syscall.ENOMEM {
			break
		}
		must("mmap", e)
		if i%64 == 1 {
			*word(p) = uint64(i)
		}
		all = append(all, p)
	}
	for _, i := range rand.Perm(len(all)) {
		if i%64 == 1 && *word(all[i]) != uint64(i) {
			wrong("page %d holds %d", i, *word(all[i]))
		}
		must("munmap", munmap(all[i], page))
	}
	x := make([]byte, 8<<20)
	x[5] = 1
	runtime.KeepAlive(x)
	fmt.Printf("mapping: %d areas were there and went\n", len(all))
}

// whole has a large region become whole again, in two ways, and touches it each time.
func whole() {
	const n = 16 * huge
	const ballast = 40 << 20 // a program that uses little gets no large pages
	b := region(ballast, write)
	for i := uintptr(0); i < ballast; i += page {
		*word(b + i) = 1
	}
	p := region(n+huge, none)
	at := (p + huge - 1) &^ (huge - 1)
	for round := range uint64(3) {
		_, e := mmap(at, n, write, fixed)
		must("mmap", e)
		for i := uintptr(0); i < n; i += page {
			if v := *word(at + i); v != 0 {
				wrong("round %d: new memory holds %d", round, v)
			}
			*word(at + i) = uint64(i) + round
		}
		// Holes in each part, then the rest.
		for i := uintptr(0); i < n; i += huge {
			must("madvise", madvise(at+i+3*page, 5*page))
			if v := *word(at + i + 4*page); v != 0 {
				wrong("after madvise there is %d", v)
			}
			if v := *word(at + i + 9*page); v != uint64(i+9*page)+round {
				wrong("beside what was given back there is %d", v)
			}
		}
		if round == 1 {
			must("madvise", madvise(at, n))
		}
	}
	must("munmap", munmap(p, n+huge))
	fmt.Println("mapping: a region became whole again")
}

// number returns argument i, or other when there is none.
func number(i, other int) int {
	if len(os.Args) > i {
		if n, err := strconv.Atoi(os.Args[i]); err == nil {
			return n
		}
	}
	return other
}

func main() {
	how := "all"
	if len(os.Args) > 1 {
		how = os.Args[1]
	}
	switch how {
	case "leak":
		leak(number(2, 200_000))
	case "areas":
		areas(number(2, 70_000))
	case "storm":
		storm(8, number(2, 10_000))
	case "whole":
		whole()
	default:
		errors()
		refused()
		access()
		closing()
		storm(4, 60)
		leak(300)
		areas(6000)
	}
	fmt.Println("mapping: done")
}

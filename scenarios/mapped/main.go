// Mapped maps files into memory, as databases do.
//
// Shows Linux's results and errors of mmap, munmap, mprotect, msync and mremap for files; that a shared mapping, all others of the
// file, and read and write see the same bytes at any time; that a private one keeps its changes; that a file that grows or shrinks
// does so in its mappings, and an access behind its end is a SIGBUS; that a file without a name stays as long as it is mapped, and
// no longer; fallocate; and the calls that Linux has for old programs. The same program runs on Linux, and prints the same.
//
// The proof: goroutines on all vCPUs write and read one file by a mapping and by calls, while others shorten it, protect it and drop
// its pages; whatever a goroutine reads it has written itself, or it is zero behind the least end.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const (
	page = 4096

	read      = syscall.PROT_READ
	readWrite = syscall.PROT_READ | syscall.PROT_WRITE
	shared    = syscall.MAP_SHARED
	private   = syscall.MAP_PRIVATE
)

func wrong(format string, args ...any) {
	fmt.Printf("mapped: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// must is for errors that cannot be.
func must(err error) {
	if err != nil {
		wrong("%v", err)
	}
}

var dir string

// file makes a file of n pages.
func file(name string, pages int64) *os.File {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	must(err)
	must(f.Truncate(pages * page))
	return f
}

// mapped maps n pages of f from page first on.
func mapped(f *os.File, first int64, n, prot, flags int) []byte {
	b, err := syscall.Mmap(int(f.Fd()), first*page, n*page, prot, flags)
	must(err)
	return b
}

// at is the address of b.
func at(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// faults reports whether fn makes an access that cannot be made, and where.
func faults(fn func()) (addr uintptr, yes bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if e, ok := recover().(interface{ Addr() uintptr }); ok {
			addr, yes = e.Addr(), true
		}
	}()
	fn()
	return 0, false
}

// see fails unless f has text at an offset, by a call.
func see(f *os.File, off int64, text string) {
	b := make([]byte, len(text))
	_, err := f.ReadAt(b, off)
	if must(err); string(b) != text {
		wrong("the file has %q at %d, not %q", b, off, text)
	}
}

// coherent: mappings and calls see the same bytes.
func coherent() {
	f := file("coherent", 5)
	one, other := mapped(f, 0, 5, readWrite, shared), mapped(f, 2, 3, read, shared)
	_, err := f.WriteAt([]byte("by a call"), 3*page-4)
	must(err)
	if string(one[3*page-4:][:9]) != "by a call" || string(other[page-4:][:9]) != "by a call" {
		wrong("mappings do not see what was written")
	}
	copy(one[2*page+100:], "by a mapping")
	if see(f, 2*page+100, "by a mapping"); string(other[100:][:12]) != "by a mapping" {
		wrong("the other mapping does not see it")
	}
	// To and from a mapping of the file itself, which has no page there yet.
	n, err := f.ReadAt(one[4*page:], 2*page+100)
	if must(err); n != page || string(one[4*page:][:12]) != "by a mapping" {
		wrong("%d bytes were read to the mapping", n)
	}
	_, err = f.WriteAt(one[page:2*page], 0)
	must(err)
	must(syscall.Munmap(one))
	must(syscall.Munmap(other))
	see(f, 4*page, "by a mapping")
	must(f.Close())
	fmt.Println("mapped: all see the same bytes")
}

// own: a private mapping's changes are its own, and what it has not touched is the file's.
func own() {
	f := file("private", 3)
	_, err := f.WriteAt([]byte("the file's"), page)
	must(err)
	b := mapped(f, 0, 3, readWrite, private)
	if string(b[page:][:10]) != "the file's" {
		wrong("a private mapping has %q", b[page:][:10])
	}
	copy(b[page:], "mine alone")
	see(f, page, "the file's")
	_, err = f.WriteAt([]byte("later"), 2*page)
	must(err)
	if string(b[2*page:][:5]) != "later" || string(b[page:][:10]) != "mine alone" {
		wrong("then it has %q and %q", b[page:][:10], b[2*page:][:5])
	}
	must(syscall.Madvise(b, syscall.MADV_DONTNEED))
	if string(b[page:][:10]) != "the file's" {
		wrong("what was given back is not the file's again: %q", b[page:][:10])
	}
	must(syscall.Munmap(b))
	must(f.Close())
	fmt.Println("mapped: a private mapping keeps its changes")
}

// length: a file grows and shrinks in its mappings.
func length() {
	f := file("length", 1)
	b := mapped(f, 0, 600, readWrite, shared)
	c := mapped(f, 0, 600, readWrite, private)
	last := 599 * page
	for _, m := range [][]byte{b, c} {
		if addr, yes := faults(func() { m[last+5]++ }); !yes || addr != at(m)+uintptr(last)+5 {
			wrong("an access behind the end: fault %v at %#x of %#x", yes, addr, at(m))
		}
	}
	must(f.Truncate(600 * page))
	b[last], c[last] = 'x', 'y'
	b[page+7] = 'z'
	see(f, int64(last), "x")
	must(f.Truncate(page + 7))
	for _, m := range [][]byte{b, c} {
		if _, yes := faults(func() { m[last]++ }); !yes {
			wrong("what the file lost is still there")
		}
	}
	if b[page+7] != 0 {
		wrong("the rest of the last page is not zero")
	}
	b[page+8] = 'r' // behind the end, in its page
	must(f.Truncate(600 * page))
	if b[last] != 0 || c[last] != 0 || b[page+7] != 0 {
		wrong("what the file gained is not zero: %d, %d, %d", b[last], c[last], b[page+7])
	}
	n, err := syscall.Pwrite(int(f.Fd()), b[:3], 700*page) // past all mappings
	if must(err); n != 3 {
		wrong("%d bytes were written", n)
	}
	must(syscall.Munmap(b))
	must(syscall.Munmap(c))
	low()
	must(f.Close())
	fmt.Println("mapped: files grow and shrink in their mappings")
}

// low maps the end of a file at an address that is less than its place in the file.
func low() {
	const wish, place = 8 << 30, 64 << 30
	f := file("low", place/page+4)
	p, _, errno := syscall.Syscall6(syscall.SYS_MMAP, wish, 4*page, readWrite, shared, f.Fd(), place)
	if errno != 0 {
		wrong("mmap at %#x: %v", wish, errno)
	}
	b := *(*[]byte)(unsafe.Pointer(&struct {
		p    uintptr
		n, c int
	}{p, 4 * page, 4 * page}))
	b[0], b[2*page] = 'a', 'b'
	see(f, place+2*page, "b")
	must(f.Truncate(place + page))
	if _, yes := faults(func() { b[2*page]++ }); !yes || b[0] != 'a' {
		wrong("the end of a file that became shorter is still there, or its beginning is not")
	}
	must(f.Truncate(page))
	must(f.Truncate(place + 4*page))
	if b[0] != 0 || b[2*page] != 0 {
		wrong("what a file gained is not zero: %d, %d", b[0], b[2*page])
	}
	if _, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, p, 4*page, 0); errno != 0 {
		wrong("munmap: %v", errno)
	}
	must(f.Close())
}

// errors: those of Linux.
func errors() {
	f := file("errors", 4)
	name := f.Name()
	readOnly, err := os.Open(name)
	must(err)
	writeOnly, err := os.OpenFile(name, os.O_WRONLY, 0)
	must(err)
	folder, err := os.Open(dir)
	must(err)
	r, w, err := os.Pipe()
	must(err)
	for _, c := range []struct {
		what        string
		fd          int
		off         int64
		n           int
		prot, flags int
		want        error
	}{
		{"no file", 1000, 0, page, read, shared, syscall.EBADF},
		{"a file for writing only", int(writeOnly.Fd()), 0, page, read, shared, syscall.EACCES},
		{"to write, for reading only", int(readOnly.Fd()), 0, page, readWrite, shared, syscall.EACCES},
		{"privately to write, for reading only", int(readOnly.Fd()), 0, page, readWrite, private, nil},
		{"half a page", int(f.Fd()), page / 2, page, read, shared, syscall.EINVAL},
		{"no length", int(f.Fd()), 0, 0, read, shared, syscall.EINVAL},
		{"neither shared nor private", int(f.Fd()), 0, page, read, 0, syscall.EINVAL},
		{"a directory", int(folder.Fd()), 0, page, read, shared, syscall.ENODEV},
		{"a pipe", int(r.Fd()), 0, page, read, private, syscall.ENODEV},
		{"behind the end", int(f.Fd()), 100 * page, page, read, shared, nil},
		{"past all offsets", int(f.Fd()), -page, 2 * page, read, shared, syscall.EOVERFLOW},
		{"all of memory", int(f.Fd()), 0, 1 << 48, read, shared, syscall.ENOMEM},
	} {
		p, _, errno := syscall.Syscall6(syscall.SYS_MMAP, 0, uintptr(c.n), uintptr(c.prot), uintptr(c.flags), uintptr(c.fd), uintptr(c.off))
		switch {
		case errno == 0 && c.want == nil:
			if _, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, p, uintptr(c.n), 0); errno != 0 {
				wrong("munmap: %v", errno)
			}
		case errno == 0 || error(errno) != c.want:
			wrong("mmap of %s: %v, not %v", c.what, errno, c.want)
		}
	}
	b := mapped(readOnly, 0, 4, read, shared)
	if err := syscall.Mprotect(b[page:2*page], readWrite); err != syscall.EACCES {
		wrong("mprotect to write of a file for reading: %v", err)
	}
	must(syscall.Mprotect(b[page:2*page], syscall.PROT_NONE))
	if _, yes := faults(func() { sink = b[page] }); !yes || b[0] != 0 || b[2*page] != 0 {
		wrong("what may not be accessed can be")
	}
	for _, c := range []struct {
		addr, n, flags uintptr
		want           syscall.Errno
	}{
		{at(b), 4 * page, syscall.MS_SYNC, 0}, {at(b) + page, 1, syscall.MS_ASYNC, 0}, {at(b) + 1, page, syscall.MS_SYNC, syscall.EINVAL},
		{at(b), page, syscall.MS_SYNC | syscall.MS_ASYNC, syscall.EINVAL}, {at(b), page, 64, syscall.EINVAL}, {page, page, syscall.MS_SYNC, syscall.ENOMEM},
	} {
		if _, _, errno := syscall.Syscall(syscall.SYS_MSYNC, c.addr, c.n, c.flags); errno != c.want {
			wrong("msync of %d bytes, flags %d: %v", c.n, c.flags, errno)
		}
	}
	must(syscall.Munmap(b))
	zero, err := os.OpenFile("/dev/zero", os.O_RDWR, 0)
	must(err)
	b = mapped(zero, 0, 2, readWrite, private)
	if b[page]++; b[page] != 1 || b[0] != 0 {
		wrong("/dev/zero has %d, %d", b[0], b[page])
	}
	must(syscall.Munmap(b))
	for _, f := range []*os.File{f, readOnly, writeOnly, folder, r, w, zero} {
		must(f.Close())
	}
	fmt.Println("mapped: errors are Linux's")
}

// remap is mremap. Pieces of one mapping are unmapped, and it goes on.
func remap() {
	f := file("remap", 64)
	b := mapped(f, 8, 5, readWrite, shared) // the last page is a fence, of its own kind
	fence, _, errno := syscall.Syscall6(syscall.SYS_MMAP, at(b)+4*page, page, read, private|syscall.MAP_ANON|syscall.MAP_FIXED, ^uintptr(0), 0)
	if errno != 0 {
		wrong("fence: %v", errno)
	}
	copy(b[3*page:], "moved")
	if _, _, errno := syscall.Syscall6(syscall.SYS_MREMAP, at(b), 4*page, 32*page, 0, 0, 0); errno != syscall.ENOMEM {
		wrong("mremap where it is, with no room: %v", errno)
	}
	to, _, errno := syscall.Syscall6(syscall.SYS_MREMAP, at(b), 4*page, 32*page, 1, 0, 0)
	if errno != 0 {
		wrong("mremap: %v", errno)
	}
	big := *(*[]byte)(unsafe.Pointer(&struct {
		p    uintptr
		n, c int
	}{to, 32 * page, 32 * page}))
	if string(big[3*page:][:5]) != "moved" {
		wrong("after its move it has %q", big[3*page:][:5])
	}
	big[31*page] = 'e'
	see(f, 39*page, "e")
	if _, yes := faults(func() { sink = b[0] }); !yes {
		wrong("it is still where it was")
	}
	if p, _, errno := syscall.Syscall6(syscall.SYS_MREMAP, to, 32*page, 16*page, 0, 0, 0); errno != 0 || p != to {
		wrong("mremap to less: %#x, %v", p, errno)
	}
	// In place, for what is no whole number of pages; what the file loses goes to the mapping's end.
	if p, _, errno := syscall.Syscall6(syscall.SYS_MREMAP, to, 16*page, 20*page-100, 0, 0, 0); errno != 0 || p != to {
		wrong("mremap to more where there is room: %#x, %v", p, errno)
	}
	big[19*page]++
	must(f.Truncate(20 * page))
	must(f.Truncate(64 * page))
	if big[19*page] != 0 || string(big[3*page:][:5]) != "moved" {
		wrong("after its file was short it has %d, %q", big[19*page], big[3*page:][:5])
	}
	for _, u := range [][2]uintptr{{to + 16*page, 4 * page}, {to + 4*page, 4 * page}, {to, page}, {fence, page}} {
		if _, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, u[0], u[1], 0); errno != 0 {
			wrong("munmap: %v", errno)
		}
	}
	if _, _, errno := syscall.Syscall6(syscall.SYS_MREMAP, to, page, 2*page, 1, 0, 0); errno != syscall.EFAULT {
		wrong("mremap of nothing: %v", errno)
	}
	if string(big[3*page:][:5]) != "moved" || big[15*page] != 0 {
		wrong("the pieces that are left are not the file's")
	}
	for _, u := range [][2]uintptr{{to + page, 3 * page}, {to + 8*page, 8 * page}} {
		if _, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, u[0], u[1], 0); errno != 0 {
			wrong("munmap: %v", errno)
		}
	}
	must(f.Close())
	fmt.Println("mapped: mappings grow, shrink and move")
}

// nameless: a file goes with its last name, number and mapping, not before.
func nameless() {
	for range 40 {
		f := file("nameless", 4096) // 16 MiB
		b := mapped(f, 0, 4096, readWrite, shared)
		must(os.Remove(f.Name()))
		must(f.Close())
		for i := 0; i < len(b); i += page {
			b[i] = byte(i / page)
		}
		for i := 0; i < len(b); i += page {
			if b[i] != byte(i/page) {
				wrong("page %d of a file without a name has %d", i/page, b[i])
			}
		}
		must(syscall.Munmap(b))
	}
	fmt.Println("mapped: what has no name stays as long as it is mapped")
}

// Pages of the storm: each worker has some that are never cut off, and some that are.
const (
	workers = 4
	safe    = 40 // of each
	steps   = 500
)

// storm has workers read and write pages of their own, by two mappings and by calls, while the file's end comes and goes and pages are
// dropped and protected.
func storm() {
	f := file("storm", workers*safe*2)
	const pages = workers * safe * 2
	maps := [2][]byte{mapped(f, 0, pages, readWrite, shared), mapped(f, 0, pages, readWrite, shared)}
	var wg, ends sync.WaitGroup
	done := make(chan bool)
	ends.Go(func() { // the second half comes and goes
		r := rand.New(rand.NewSource(1))
		for {
			select {
			case <-done:
				return
			default:
			}
			must(f.Truncate(int64(pages/2+r.Intn(pages/2)) * page))
			must(f.Truncate(pages * page))
			time.Sleep(100 * time.Microsecond)
		}
	})
	for w := range workers {
		wg.Go(func() { work(f, maps, w) })
	}
	wg.Wait()
	close(done)
	ends.Wait()
	for _, m := range maps {
		must(syscall.Munmap(m))
	}
	must(f.Close())
	fmt.Printf("mapped: %d workers saw what they wrote\n", workers)
}

// work is one worker's steps.
func work(f *os.File, maps [2][]byte, w int) {
	r := rand.New(rand.NewSource(int64(w)))
	var kept [safe]uint64
	word := func(m []byte, i int) *uint64 { return (*uint64)(unsafe.Pointer(&m[i*page])) }
	buf := make([]byte, 8)
	value := (*uint64)(unsafe.Pointer(&buf[0]))
	for n := range uint64(steps) {
		i := r.Intn(safe)
		mine, lost := w*safe+i, (workers+w)*safe+i
		m := maps[r.Intn(2)]
		stamp := uint64(w+1)<<32 | n
		switch r.Intn(8) {
		case 0, 1:
			*word(m, mine), kept[i] = stamp, stamp
		case 2:
			*value, kept[i] = stamp, stamp
			_, err := f.WriteAt(buf, int64(mine)*page)
			must(err)
		case 3:
			if *word(m, mine) != kept[i] {
				wrong("worker %d finds %#x in page %d, not %#x", w, *word(m, mine), i, kept[i])
			}
		case 4:
			if _, err := f.ReadAt(buf, int64(mine)*page); err != nil || *value != kept[i] {
				wrong("worker %d reads %#x in page %d, not %#x: %v", w, *value, i, kept[i], err)
			}
		case 5:
			must(syscall.Madvise(m[mine*page:(mine+1)*page], syscall.MADV_DONTNEED))
		case 6:
			must(syscall.Mprotect(m[mine*page:(mine+1)*page], read))
			if *word(m, mine) != kept[i] {
				wrong("worker %d finds %#x in page %d, which it may only read, not %#x", w, *word(m, mine), i, kept[i])
			}
			must(syscall.Mprotect(m[mine*page:(mine+1)*page], readWrite))
		default:
			var got uint64
			if _, yes := faults(func() { got = *word(m, lost); *word(m, lost) = stamp }); !yes && got != 0 && got>>32 != uint64(w+1) {
				wrong("worker %d finds %#x in a page that comes and goes", w, got)
			}
		}
	}
}

// older are the calls that Linux has for old programs, on amd64, and fallocate, which is none of them.
func older() {
	f := file("older", 0)
	for _, c := range []struct {
		mode, off, n int64
		want         error
		size         int64
	}{{0, page, page + 1, nil, 2*page + 1}, {1, 0, 10 * page, nil, 2*page + 1}, {0, 0, 5, nil, 2*page + 1}, {0, 0, 0, syscall.EINVAL, 2*page + 1}, {0, -1, 5, syscall.EINVAL, 2*page + 1}} {
		err := syscall.Fallocate(int(f.Fd()), uint32(c.mode), c.off, c.n)
		st, _ := f.Stat()
		if err != c.want || st.Size() != c.size {
			wrong("fallocate(%d, %d, %d): %v, %d bytes", c.mode, c.off, c.n, err, st.Size())
		}
	}
	must(f.Close())
	if runtime.GOARCH == "amd64" {
		amd64()
	}
	fmt.Println("mapped: calls for old programs")
}

// amd64 makes them by their numbers there.
func amd64() {
	path := func(name string) uintptr {
		b := append([]byte(filepath.Join(dir, name)), 0)
		keep = append(keep, b)
		return at(b)
	}
	call := func(what string, want syscall.Errno, num uintptr, args ...uintptr) uintptr {
		args = append(args, 0, 0, 0)
		r, _, errno := syscall.Syscall(num, args[0], args[1], args[2])
		if errno != want {
			wrong("%s: %v, not %v", what, errno, want)
		}
		return r
	}
	call("mkdir", 0, 83, path("old"), 0o755)
	fd := call("creat", 0, 85, path("old/file"), 0o640)
	call("close", 0, syscall.SYS_CLOSE, fd)
	fd = call("open", 0, 2, path("old/file"), syscall.O_RDWR, 0)
	call("close", 0, syscall.SYS_CLOSE, fd)
	call("open", syscall.ENOENT, 2, path("old/none"), 0, 0)
	call("rename", 0, 82, path("old/file"), path("old/new"))
	call("link", 0, 86, path("old/new"), path("old/second"))
	call("symlink", 0, 88, path("old/second"), path("old/way"))
	buf := make([]byte, 200)
	if n := call("readlink", 0, 89, path("old/way"), at(buf), 200); !strings.HasSuffix(string(buf[:n]), "/old/second") {
		wrong("readlink: %q", buf[:n])
	}
	var st syscall.Stat_t
	call("stat", 0, 4, path("old/way"), uintptr(unsafe.Pointer(&st)))
	if st.Mode != syscall.S_IFREG|0o640 || st.Nlink != 2 {
		wrong("stat: %#o, %d names", st.Mode, st.Nlink)
	}
	call("lstat", 0, 6, path("old/way"), uintptr(unsafe.Pointer(&st)))
	if st.Mode&syscall.S_IFMT != syscall.S_IFLNK {
		wrong("lstat: %#o", st.Mode)
	}
	call("access", 0, 21, path("old/new"), 4)
	call("access", syscall.ENOENT, 21, path("old/none"), 4)
	call("chmod", 0, 90, path("old/new"), 0o600)
	call("utimes", 0, 235, path("old/new"), uintptr(unsafe.Pointer(&[4]int64{5, 6, 7, 8})))
	call("stat", 0, 4, path("old/new"), uintptr(unsafe.Pointer(&st)))
	if st.Mode&0o777 != 0o600 || st.Atim.Nano() != 5e9+6000 || st.Mtim.Nano() != 7e9+8000 {
		wrong("after chmod and utimes: %#o, %d, %d", st.Mode, st.Atim.Nano(), st.Mtim.Nano())
	}
	call("utimes", syscall.EINVAL, 235, path("old/new"), uintptr(unsafe.Pointer(&[4]int64{0, 1e6, 0, 0})))
	call("utime", 0, 132, path("old/new"), uintptr(unsafe.Pointer(&[2]int64{9, 10})))
	call("stat", 0, 4, path("old/new"), uintptr(unsafe.Pointer(&st)))
	if st.Atim.Nano() != 9e9 || st.Mtim.Nano() != 10e9 {
		wrong("after utime: %d, %d", st.Atim.Nano(), st.Mtim.Nano())
	}
	for _, name := range []string{"new", "second", "way"} {
		call("unlink", 0, 87, path("old/"+name))
	}
	call("rmdir", 0, 84, path("old"))
	var ends [2]int32
	call("pipe", 0, 22, uintptr(unsafe.Pointer(&ends)))
	call("write", 0, syscall.SYS_WRITE, uintptr(ends[1]), at(buf), 3)
	if n := call("read", 0, syscall.SYS_READ, uintptr(ends[0]), at(buf), 200); n != 3 {
		wrong("a pipe has %d bytes", n)
	}
	var limit [2]uint64
	call("getrlimit", 0, 97, syscall.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&limit)))
	if limit[0] == 0 {
		wrong("no file may be open")
	}
	if sec := call("time", 0, 201, 0); sec == 0 {
		wrong("time is %d", sec)
	}
}

// sink is where bytes go that are read for the access alone.
var sink byte

// keep has what addresses were passed of.
var keep [][]byte

func main() {
	var err error
	dir, err = os.MkdirTemp("", "mapped")
	must(err)
	coherent()
	own()
	length()
	errors()
	remap()
	nameless()
	storm()
	older()
	must(os.RemoveAll(dir))
	fmt.Println("mapped: done")
}

// Pointers gives system calls addresses that are unmapped, or must not be written.
//
// Shows that the kernel survives them: each call that takes an address answers EFAULT, as Linux does, and the program goes on.
// The proof: every such call with every kind of bad address; a path and a struct that lie right before the end of their memory,
// and one byte behind; then calls on a page that another goroutine, on another vCPU, takes away and gives back all the time,
// which must answer 0 or EFAULT and nothing else. An unprotected access in the kernel ends the run as a kernel fault. With the
// argument "disk" it also tests the transfers of /dev/vda.
package main

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const page = 4096

func wrong(format string, args ...any) {
	fmt.Printf("pointers: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// fstatat is a number that package syscall names differently on the two architectures.
var fstatat = map[string]uintptr{"amd64": 262, "arm64": 79}[runtime.GOARCH]

// region maps n pages with the given protection.
func region(n, prot int) uintptr {
	b, err := syscall.Mmap(-1, 0, n*page, prot, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		wrong("mmap: %v", err)
	}
	return uintptr(unsafe.Pointer(&b[0]))
}

// remap replaces n pages at p by new ones.
func remap(p uintptr, n, prot int) {
	if _, _, e := syscall.Syscall6(syscall.SYS_MMAP, p, uintptr(n*page), uintptr(prot),
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_FIXED, ^uintptr(0), 0); e != 0 {
		wrong("mmap over %#x: %v", p, e)
	}
}

// call is a system call that takes an address.
type call struct {
	name string
	out  bool // it writes there, so read-only memory will not do
	do   func(p uintptr) syscall.Errno
}

// errno returns what a call says.
func errno(n, a, b, c, d uintptr) syscall.Errno {
	_, _, e := syscall.Syscall6(n, a, b, c, d, 0, 0)
	return e
}

var good [256]byte

var calls = []call{
	{"write", false, func(p uintptr) syscall.Errno { return errno(syscall.SYS_WRITE, 1, p, 100, 0) }},
	{"openat", false, func(p uintptr) syscall.Errno { return errno(syscall.SYS_OPENAT, 0, p, 0, 0) }},
	{"fstatat, path", false, func(p uintptr) syscall.Errno { return errno(fstatat, 0, p, uintptr(unsafe.Pointer(&good)), 0) }},
	{"fstat", true, func(p uintptr) syscall.Errno { return errno(syscall.SYS_FSTAT, 1, p, 0, 0) }},
	{"clock_gettime", true, func(p uintptr) syscall.Errno { return errno(syscall.SYS_CLOCK_GETTIME, 1, p, 0, 0) }},
	{"nanosleep", false, func(p uintptr) syscall.Errno { return errno(syscall.SYS_NANOSLEEP, p, 0, 0, 0) }},
	{"futex", false, func(p uintptr) syscall.Errno { return errno(syscall.SYS_FUTEX, p, 128, 12345, 0) }},
	{"futex, time", false, func(p uintptr) syscall.Errno {
		return errno(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&good)), 128, 12345, p)
	}},
	{"sched_getaffinity", true, func(p uintptr) syscall.Errno { return errno(syscall.SYS_SCHED_GETAFFINITY, 0, 128, p, 0) }},
	{"sigaltstack", true, func(p uintptr) syscall.Errno { return errno(syscall.SYS_SIGALTSTACK, 0, p, 0, 0) }},
	{"prlimit", true, func(p uintptr) syscall.Errno { return errno(syscall.SYS_PRLIMIT64, 0, syscall.RLIMIT_NOFILE, 0, p) }},
	{"getrandom", true, func(p uintptr) syscall.Errno { return errno(getrandom, p, 16, 0, 0) }},
	{"uname", true, func(p uintptr) syscall.Errno { return errno(syscall.SYS_UNAME, p, 0, 0, 0) }},
	{"sysinfo", true, func(p uintptr) syscall.Errno { return errno(syscall.SYS_SYSINFO, p, 0, 0, 0) }},
	{"getcwd", true, func(p uintptr) syscall.Errno { return errno(syscall.SYS_GETCWD, p, 100, 0, 0) }},
}

// getrandom is a number that package syscall lacks on amd64.
var getrandom = map[string]uintptr{"amd64": 318, "arm64": 278}[runtime.GOARCH]

// badEverywhere tries each call with each kind of address.
func badEverywhere() {
	none := region(2, syscall.PROT_NONE)
	gone := region(2, syscall.PROT_READ|syscall.PROT_WRITE)
	if err := errno(syscall.SYS_MUNMAP, gone, 2*page, 0, 0); err != 0 {
		wrong("munmap: %v", err)
	}
	addresses := []struct {
		name string
		p    uintptr
		out  bool // bad only for calls that write
	}{
		{"nothing", 0x10, false},
		{"no access", none, false},
		{"unmapped", gone, false},
		{"wild", 0xdeadbeef000, false},
		{"not canonical", 0xdead_0000_0000_0000, false},
		{"the kernel's", 0xffff_8000_0010_0000, false},
		{"the end", ^uintptr(0) - 7, false},
		{"text", reflect.ValueOf(wrong).Pointer() &^ 7, true},
	}
	n := 0
	for _, c := range calls {
		for _, a := range addresses {
			if a.out && !c.out {
				continue
			}
			if e := c.do(a.p); e != syscall.EFAULT {
				wrong("%s with %s (%#x) says %v", c.name, a.name, a.p, e)
			}
			n++
		}
	}
	fmt.Printf("pointers: %d calls with bad addresses, all EFAULT\n", n)
}

// edge makes calls read and write up to the end of memory, and one byte beyond.
func edge() {
	p := region(2, syscall.PROT_READ|syscall.PROT_WRITE)
	remap(p+page, 1, syscall.PROT_NONE)
	at := func(p uintptr) *byte { return *(**byte)(unsafe.Pointer(&p)) }
	path := "/no/such\x00"
	for size, want := range map[int]syscall.Errno{len(path): syscall.ENOENT, len(path) - 1: syscall.EFAULT} {
		start := p + page - uintptr(size)
		copy(unsafe.Slice(at(start), size), path)
		if e := errno(syscall.SYS_OPENAT, ^uintptr(99), start, 0, 0); e != want {
			wrong("a path with %d of %d bytes before the end says %v", size, len(path), e)
		}
	}
	for _, c := range []struct {
		size, behind uintptr
		name         string
		n, a         uintptr
	}{
		{16, 1, "clock_gettime", syscall.SYS_CLOCK_GETTIME, 1},
		{16, 8, "clock_gettime", syscall.SYS_CLOCK_GETTIME, 1},
		{unsafe.Sizeof(syscall.Stat_t{}), 8, "fstat", syscall.SYS_FSTAT, 1},
	} {
		if e := errno(c.n, c.a, p+page-c.size, 0, 0); e != 0 {
			wrong("%s right before the end says %v", c.name, e)
		}
		if e := errno(c.n, c.a, p+page-c.size+c.behind, 0, 0); e != syscall.EFAULT {
			wrong("%s with %d bytes behind the end says %v", c.name, c.behind, e)
		}
	}
	// A page that has not been touched is no bad address.
	fresh := region(1, syscall.PROT_READ|syscall.PROT_WRITE)
	if e := errno(syscall.SYS_UNAME, fresh, 0, 0, 0); e != 0 {
		wrong("uname into a fresh page says %v", e)
	}
	fmt.Println("pointers: to the last byte before the end, and no further")
}

// storm has goroutines call while another one takes the page away and gives it back.
func storm() {
	p := region(1, syscall.PROT_READ|syscall.PROT_WRITE)
	var stop atomic.Bool
	var flips, fine, faults atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			remap(p, 1, syscall.PROT_NONE)
			runtime.Gosched()
			remap(p, 1, syscall.PROT_READ|syscall.PROT_WRITE)
			runtime.Gosched()
			flips.Add(1)
		}
	})
	const rounds = 150
	var work sync.WaitGroup
	for g := range 4 {
		work.Go(func() {
			for i := range rounds {
				c := &calls[(g+i)%len(calls)]
				if c.name == "nanosleep" || c.name == "write" || strings.HasPrefix(c.name, "futex") {
					c = &calls[len(calls)-1] // these use the contents of the page
				}
				switch e := c.do(p); e {
				case syscall.EFAULT:
					faults.Add(1)
				case 0, syscall.ENOENT, syscall.EAGAIN, syscall.ENOTDIR, syscall.EBADF:
					fine.Add(1)
				default:
					wrong("%s on a page that comes and goes says %v", c.name, e)
				}
				runtime.Gosched()
			}
		})
	}
	work.Wait()
	stop.Store(true)
	wg.Wait()
	fmt.Printf("pointers: a page came and went %d times: %d calls passed, %d said EFAULT\n", flips.Load(), fine.Load(), faults.Load())
}

// disk gives bad addresses to the transfers of a disk, and checks that the disk and the file's position do not
// change.
func disk() {
	const sector = 512
	for _, flags := range []int{os.O_RDWR, os.O_RDWR | syscall.O_NONBLOCK} {
		fd, err := syscall.Open("/dev/vda", flags, 0)
		if err != nil {
			wrong("open: %v", err)
		}
		again := func(do func() (int, error)) (n int, err error) {
			for n, err = do(); err == syscall.EAGAIN; n, err = do() {
				runtime.Gosched()
			}
			return n, err
		}
		raw := func(n, p uintptr) func() (int, error) {
			return func() (int, error) {
				r, _, e := syscall.Syscall(n, uintptr(fd), p, 2*sector)
				if e != 0 {
					return 0, e
				}
				return int(r), nil
			}
		}
		want, got := make([]byte, 2*sector), make([]byte, 2*sector)
		if n, err := again(func() (int, error) { return syscall.Read(fd, want) }); n != len(want) || err != nil {
			wrong("read: %d, %v", n, err)
		}
		if _, err := syscall.Seek(fd, 0, 0); err != nil {
			wrong("seek: %v", err)
		}
		for _, n := range []uintptr{syscall.SYS_READ, syscall.SYS_WRITE} {
			if n, err := again(raw(n, 0xdeadbeef000)); err != syscall.EFAULT {
				wrong("a transfer with a bad address: %d, %v", n, err)
			}
		}
		if n, err := again(func() (int, error) { return syscall.Read(fd, got) }); n != len(got) || err != nil || string(got) != string(want) {
			wrong("after transfers that failed a read says %d, %v, and the first bytes are %q, not %q", n, err, got[:8], want[:8])
		}
		if err := syscall.Close(fd); err != nil {
			wrong("close: %v", err)
		}
	}
	fd, err := syscall.Open("/dev/delay", os.O_RDONLY, 0)
	if err != nil {
		wrong("open: %v", err)
	}
	if _, _, e := syscall.Syscall(syscall.SYS_READ, uintptr(fd), 0xdeadbeef000, 8); e != syscall.EFAULT {
		wrong("/dev/delay with a bad address says %v", e)
	}
	fmt.Println("pointers: the disk is as it was")
}

func main() {
	badEverywhere()
	edge()
	storm()
	if len(os.Args) > 1 {
		disk()
	}
	fmt.Println("pointers: done")
}

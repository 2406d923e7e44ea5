//go:build !sched9

package call

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"sched9/kernel/ramfs"
	"sched9/record"
)

// On a host servers run in tests: the numbers of their files are those of a file of the host's, and nothing polls.

func in(b []byte, p, _, _ uintptr) uintptr {
	return uintptr(copy(b, memory(p, len(b))))
}

func out(p uintptr, b []byte, _, _ uintptr) uintptr {
	return uintptr(copy(memory(p, len(b)), b))
}

func pointer(p, _, _ uintptr) (v uintptr, ok bool) {
	return *(*uintptr)(unsafe.Pointer(&memory(p, 8)[0])), true
}

// memory is that of the test, n bytes at p. The compiler would not take it inlined.
//
//go:noinline
func memory(p uintptr, n int) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), n)
}

// Do is what a test does in place of a system call that may be a server's.
func Do(num, a, b, c, d, e, f uintptr) (r uintptr, served bool) {
	return dispatch(Call{Num: num, A: a, B: b, C: c, D: d, E: e, F: f})
}

// install has nothing to do.
func install() {}

// open makes a file of the servers'.
func open(flags uintptr) (n, place int, errno syscall.Errno) {
	n, err := syscall.Open("/dev/null", syscall.O_RDWR|int(flags&syscall.O_NONBLOCK), 0)
	if err != nil {
		return -1, -1, err.(syscall.Errno)
	}
	return n, n, 0
}

// Ready has nobody to tell.
func Ready(int) {}

// Kernel is the host's.
func Kernel(num, a, b, c uintptr) uintptr {
	r, _, errno := syscall.RawSyscall(num, a, b, c)
	if errno != 0 {
		return Fail(errno)
	}
	return r
}

// OpenCard returns nil: there is no card.
func OpenCard() Card { return nil }

// AwaitCard is not called.
func AwaitCard() {}

// Drops are what Dropped has counted.
var Drops [record.NumDrops]atomic.Uint64

// Dropped counts n packets that the network dropped.
func Dropped(why record.Drop, n uint64) { Drops[why].Add(n) }

// marks are the marked directories of the host, by path.
var marks sync.Map

// Cross finds the first marked directory in path, if that is rooted; it knows of no symbolic links.
func Cross(_ uintptr, path string, _ ramfs.End) (mark uint16, rest string, errno syscall.Errno) {
	if !strings.HasPrefix(path, "/") {
		return 0, "", 0
	}
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if m, ok := marks.Load(filepath.Clean(path[:i])); ok {
			return m.(uint16), strings.TrimLeft(path[i:], "/"), 0
		}
	}
	return 0, "", 0
}

// Mark marks the directory at path for Cross, or with 0 takes its mark off.
func Mark(path string, mark uint16) syscall.Errno {
	st, err := os.Stat(path)
	_, marked := marks.Load(filepath.Clean(path))
	switch {
	case err != nil:
		return syscall.ENOENT
	case !st.IsDir():
		return syscall.ENOTDIR
	case mark == 0 && !marked:
		return syscall.EINVAL
	case mark != 0 && marked:
		return syscall.EBUSY
	case mark == 0:
		marks.Delete(filepath.Clean(path))
	default:
		marks.Store(filepath.Clean(path), mark)
	}
	return 0
}

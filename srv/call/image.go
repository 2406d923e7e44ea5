//go:build sched9

package call

import (
	"internal/runtime/syscall/linux"
	"syscall"
	"unsafe"

	"sched9/drivers/virtionet"
	"sched9/kernel/ramfs"
	"sched9/record"
)

//go:linkname server syscall.sched9Server
var server func(num, a, b, c, d, e, f, low, high uintptr) (r uintptr, served bool)

//go:linkname serveIn runtime.sched9ServeIn
//go:noescape
func serveIn(to unsafe.Pointer, p, n, low, high uintptr) uintptr

//go:linkname serveOut runtime.sched9ServeOut
//go:noescape
func serveOut(p uintptr, from unsafe.Pointer, n, low, high uintptr) uintptr

//go:linkname pointer runtime.sched9ServePointer
func pointer(p, low, high uintptr) (v uintptr, ok bool)

func in(b []byte, p, low, high uintptr) uintptr {
	return serveIn(unsafe.Pointer(&b[0]), p, uintptr(len(b)), low, high)
}

func out(p uintptr, b []byte, low, high uintptr) uintptr {
	return serveOut(p, unsafe.Pointer(&b[0]), uintptr(len(b)), low, high)
}

// install has the servers asked about each call, from now on.
func install() {
	server = func(num, a, b, c, d, e, f, low, high uintptr) (uintptr, bool) {
		return dispatch(Call{num, a, b, c, d, e, f, low, high})
	}
}

// Calls of the kernel's (kernel/leaf.go).
const (
	sysServeFile  = 0x9003
	sysServeReady = 0x9004
)

// open makes a file of the servers'. flags may have O_NONBLOCK. place is the same for all numbers that the file gets.
func open(flags uintptr) (n, place int, errno syscall.Errno) {
	r := Kernel(sysServeFile, flags, 0, 0)
	if Failed(r) {
		return -1, -1, syscall.Errno(-r)
	}
	return int(uint32(r)), int(r >> 32), 0
}

// Ready tells the poller that a file may newly be read or written. Goroutines that wait for it try again.
func Ready(place int) { Kernel(sysServeReady, uintptr(place), 0, 0) }

// Kernel carries a call out that is the kernel's, without asking a server.
func Kernel(num, a, b, c uintptr) uintptr {
	r, _, errno := linux.Syscall6(num, a, b, c, 0, 0, 0)
	if errno != 0 {
		return -errno
	}
	return r
}

//go:linkname serveCross runtime.sched9ServeCross
//go:noescape
func serveCross(dir uintptr, path unsafe.Pointer, n uintptr, end uint8, c *ramfs.Crossing) (errno int)

//go:linkname serveMark runtime.sched9ServeMark
//go:noescape
func serveMark(path unsafe.Pointer, n uintptr, mount uint16) (errno int)

// Cross finds the first marked directory that a path leads through, from the directory of file number dir on (AT_FDCWD: the working directory), and returns
// its mark, 0 if there is none, and the rest of the path. A rest that is too long is an error.
func Cross(dir uintptr, path string, end ramfs.End) (mark uint16, rest string, errno syscall.Errno) {
	var c ramfs.Crossing
	e := serveCross(dir, unsafe.Pointer(unsafe.StringData(path)), uintptr(len(path)), uint8(end), &c)
	return c.Mount, string(c.Rest[:c.N]), syscall.Errno(e)
}

// Mark marks the directory at path for Cross, or with 0 takes its mark off. One that is marked is not marked again: EBUSY.
func Mark(path string, mark uint16) syscall.Errno {
	return syscall.Errno(serveMark(unsafe.Pointer(unsafe.StringData(path)), uintptr(len(path)), mark))
}

//go:linkname netOpen runtime.sched9NetOpen
func netOpen() *virtionet.Card

// OpenCard returns the machine's network card, ready, or nil if there is none that can be used. It is called once: later calls
// return nil.
func OpenCard() Card {
	if c := netOpen(); c != nil {
		return c
	}
	return nil
}

// AwaitCard waits for an interrupt of the card's after the last return, or since OpenCard. One goroutine calls it.
//
//go:linkname AwaitCard runtime.sched9NetWait
func AwaitCard()

// Dropped counts n packets that the network dropped, shows them in /sched/net and records them.
//
//go:linkname Dropped runtime.sched9NetDropped
func Dropped(why record.Drop, n uint64)

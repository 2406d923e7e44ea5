// Package net is the network of an image: sockets for the program, which are carried out by gVisor's network stack (inet.go)
// or here (unix.go). It is a server (package srv): each call runs on the goroutine that calls.
//
// Calls answer Linux's errors. What package net of the standard library asks of sockets is here; other options
// answer ENOPROTOOPT, other families EAFNOSUPPORT.
package net

import (
	"sync"
	"sync/atomic"
	"syscall"

	"sched9/srv"
)

// sock is a socket. No call waits: what would wait answers EAGAIN, and the function that attach got is called when it may be
// tried again. Any goroutines may call at a time.
type sock interface {
	attach(notify func())
	bind(name []byte) syscall.Errno
	connect(name []byte) syscall.Errno // EINPROGRESS: the outcome is there when connecting is over
	connecting() bool
	listen(backlog int) syscall.Errno
	accept() (sock, syscall.Errno)
	name() []byte
	peer() ([]byte, syscall.Errno)
	send(m *message) (int, syscall.Errno)
	recv(m *message) (int, syscall.Errno)
	shutdown(how int) syscall.Errno
	option(level, name int) ([]byte, syscall.Errno)
	setOption(level, name int, value []byte) syscall.Errno
	close()
}

// file is an open socket. One that has several numbers (dup) is one file still.
type file struct {
	sock
	place int
	refs  int // its numbers; files.lock

	lock   sync.Mutex
	waited chan struct{} // is closed at the next event; nil: no call waits
}

// maxFiles is above all numbers of files (kernel/fd).
const maxFiles = 2048

// files are the sockets by number. A number's entry is set before the number is known to the program, and cleared before the
// kernel may give it to another file. lock guards changes.
var files struct {
	lock sync.Mutex
	each [maxFiles]atomic.Pointer[file]
}

// fileAt returns the socket of a number, or nil.
func fileAt(n uintptr) *file {
	if n >= maxFiles {
		return nil
	}
	return files.each[n].Load()
}

// open gives s a number, or closes it.
func open(s sock, flags uintptr) uintptr {
	files.lock.Lock()
	defer files.lock.Unlock()
	n, place, errno := srv.Open(flags)
	if errno != 0 {
		s.close()
		return srv.Fail(errno)
	}
	f := &file{sock: s, place: place, refs: 1}
	s.attach(f.event)
	files.each[n].Store(f)
	return uintptr(n)
}

// event tells all who wait for the file: in the poller, and in calls.
func (f *file) event() {
	srv.Ready(f.place)
	f.lock.Lock()
	if f.waited != nil {
		close(f.waited)
		f.waited = nil
	}
	f.lock.Unlock()
}

// try carries out a call by fn. If fn answers EAGAIN and the call may wait, it is tried again after each event.
//
// No event is lost: the channel is there before the try whose answer makes the call wait.
func (f *file) try(may bool, fn func() uintptr) uintptr {
	r := fn()
	for r == srv.Fail(syscall.EAGAIN) && may {
		f.lock.Lock()
		if f.waited == nil {
			f.waited = make(chan struct{})
		}
		event := f.waited
		f.lock.Unlock()
		if r = fn(); r == srv.Fail(syscall.EAGAIN) {
			<-event
		}
	}
	return r
}

// waits reports whether calls of number n wait.
func waits(n uintptr) bool {
	flags := srv.Kernel(syscall.SYS_FCNTL, n, syscall.F_GETFL, 0)
	return !srv.Failed(flags) && flags&syscall.O_NONBLOCK == 0
}

// closeFile is close.
func closeFile(n uintptr) uintptr {
	files.lock.Lock()
	f := files.each[n].Swap(nil)
	r := srv.Kernel(syscall.SYS_CLOSE, n, 0, 0)
	files.lock.Unlock()
	drop(f)
	return r
}

// drop ends a number's use of f, if there is one.
func drop(f *file) {
	if f == nil {
		return
	}
	files.lock.Lock()
	f.refs--
	last := f.refs == 0
	files.lock.Unlock()
	if last {
		f.close()
		f.event() // calls that wait find it closed
	}
}

// duplicate is dup and its kin, which the kernel carries out: call is one that returns another number of file a. replaced is
// the number that the call may take from another file, or maxFiles.
func duplicate(c *srv.Call, replaced uintptr) uintptr {
	files.lock.Lock()
	f := fileAt(c.A)
	old := fileAt(replaced)
	if replaced == c.A {
		old = nil
	}
	if old != nil {
		files.each[replaced].Store(nil)
	}
	r := srv.Kernel(c.Num, c.A, c.B, c.C)
	switch {
	case srv.Failed(r):
		if old != nil { // it is what it was
			files.each[replaced].Store(old)
			old = nil
		}
	case f != nil && fileAt(r) != f:
		f.refs++
		files.each[r].Store(f)
	}
	files.lock.Unlock()
	drop(old)
	return r
}

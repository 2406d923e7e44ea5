// Package net is the network of an image: sockets for the program, which are carried out by gVisor's network stack (inet.go)
// or here (unix.go). It is a server (package srv): each call runs on the goroutine that calls.
//
// Calls answer Linux's errors. What package net of the standard library asks of sockets is here; other options
// answer ENOPROTOOPT, other families EAFNOSUPPORT.
package net

import (
	"sync"
	"syscall"
	"time"

	"sched9/srv/call"
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

// file is an open socket.
type file struct {
	sock
	place int

	lock   sync.Mutex
	waited chan struct{} // is closed at the next event; nil: no call waits

	receives, sends limit
}

// fileAt returns the socket of a number, or nil.
func fileAt(n uintptr) *file {
	f, _ := call.At(n).(*file)
	return f
}

// open gives s a number, or closes it.
func open(s sock, flags uintptr) uintptr {
	n := call.Open(flags, func(place int) call.File {
		f := &file{sock: s, place: place}
		s.attach(f.event)
		return f
	})
	if call.Failed(n) {
		s.close()
	}
	return n
}

// Gone implements call.File.
func (f *file) Gone() {
	f.close()
	f.event() // calls that wait find it closed
}

// event tells all who wait for the file: in the poller, and in calls.
func (f *file) event() {
	call.Ready(f.place)
	f.lock.Lock()
	if f.waited != nil {
		close(f.waited)
		f.waited = nil
	}
	f.lock.Unlock()
}

// try carries out a call by fn. If fn answers EAGAIN and the call may wait, it is tried again after each event, until the limit.
//
// No event is lost: the channel is there before the try whose answer makes the call wait.
func (f *file) try(may bool, limit *limit, fn func() uintptr) uintptr {
	r := fn()
	var late <-chan time.Time
	if d := limit.Load(); d != 0 && may && r == call.Fail(syscall.EAGAIN) {
		t := time.NewTimer(time.Duration(d))
		defer t.Stop()
		late = t.C
	}
	for r == call.Fail(syscall.EAGAIN) && may {
		f.lock.Lock()
		if f.waited == nil {
			f.waited = make(chan struct{})
		}
		event := f.waited
		f.lock.Unlock()
		if r = fn(); r == call.Fail(syscall.EAGAIN) {
			select {
			case <-event:
			case <-late:
				return r
			}
		}
	}
	return r
}

// waits reports whether calls of number n wait.
func waits(n uintptr) bool {
	flags := call.Kernel(syscall.SYS_FCNTL, n, syscall.F_GETFL, 0)
	return !call.Failed(flags) && flags&syscall.O_NONBLOCK == 0
}

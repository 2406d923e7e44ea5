// Package call lets Go code of an image carry out system calls of the program in it: a server. Its function runs on the
// goroutine that calls, and may do what that may: lock, allocate, wait for other goroutines. While it waits the
// processor runs others.
//
// A file of a server has numbers as other files do, and is in the network poller. Such files are the kernel's
// (kernel/served.go); what they mean is the server's.
package call

import "syscall"

// Call is a system call of the program. Arguments that are addresses are reached by In and Out alone: what is on the
// caller's stack may have moved.
type Call struct {
	Num, A, B, C, D, E, F uintptr

	low, high uintptr // bounds of the caller's stack when it called
}

// A Server carries a call out, and returns the result, Fail's for an error. It returns false, and has done nothing, if the
// call is the kernel's.
type Server func(c Call) (r uintptr, served bool)

// Fail makes a result of an error.
func Fail(e syscall.Errno) uintptr { return -uintptr(e) }

// Failed reports whether a result is an error.
func Failed(r uintptr) bool { return r > ^uintptr(4095) }

// In copies the program's memory at p to b, and reports whether all of it could be read.
func (c *Call) In(b []byte, p uintptr) bool {
	return len(b) == 0 || in(b, p, c.low, c.high) == uintptr(len(b))
}

// Out copies b to the program's memory at p, and reports whether all of it could be written.
func (c *Call) Out(p uintptr, b []byte) bool {
	return len(b) == 0 || out(p, b, c.low, c.high) == uintptr(len(b))
}

// Pointer reads the address that is at p in the program's memory, for In and Out.
func (c *Call) Pointer(p uintptr) (v uintptr, ok bool) { return pointer(p, c.low, c.high) }

// Card drives a network card (drivers/virtionet says what its methods do). Receive, Back, Tell, Listen and Full are for one goroutine;
// Buffer, Send, Push and WantRoom for one at a time.
type Card interface {
	Address() [6]byte

	Receive() (frame []byte, buffer int)
	Back(buffer int)
	Tell()
	Listen(on bool) bool
	Full() bool

	Buffer() []byte
	Send(n int)
	Push()
	WantRoom(on bool) bool
}

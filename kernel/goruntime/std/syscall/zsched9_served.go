//go:build sched9

package syscall

import _ "unsafe" // for go:linkname

// Served calls. A server is Go code of the image that carries out system calls in the kernel's place. It runs on the
// calling goroutine, before that enters the system call: so it may lock, allocate and wait for others, as for any channel.
// What it waits with is the runtime's, so there is no protocol of its own here, and a call that waits holds no M.
//
// The goroutine's stack may move meanwhile, and with it what the arguments point at. The server gets the stack's bounds
// at the time of the call, and reaches the program's memory by them (runtime.sched9ServeIn). That memory stays alive:
// Syscall's callers keep what they have made arguments of (go:uintptrkeepalive).

// sched9Server is the server, nil if the program has none. Package zsched9/srv/call sets it, when the program is initialized;
// package net imports a server, so that one is there before a socket is. The result is the kernel's, -errno for an
// error. It is not served if the kernel is to carry the call out.
var sched9Server func(num, a, b, c, d, e, f, low, high uintptr) (r uintptr, served bool)

//go:linkname sched9StackBounds runtime.sched9StackBounds
func sched9StackBounds() (low, high uintptr)

// sched9ByServer begins a system call. It reports false if no server carries it out; otherwise it stores the results. The stack does not
// move before its bounds are known. It may move while the server looks at a call that it leaves to the kernel: then arguments that
// point at the stack point at where that is now. d, e and f are nil if the call has no such arguments.
//
//go:nosplit
func sched9ByServer(num uintptr, a, b, c, d, e, f, r1 *uintptr, err *Errno) bool {
	serve := sched9Server
	if serve == nil {
		return false
	}
	low, high := sched9StackBounds()
	if high == 0 {
		return false // Syscall calls RawSyscall6: no server wanted the call, and the goroutine may be without a P
	}
	var d0, e0, f0 uintptr
	if d != nil {
		d0, e0, f0 = *d, *e, *f
	}
	r, served := serve(num, *a, *b, *c, d0, e0, f0, low, high)
	if served {
		if *r1 = r; r > ^uintptr(4095) {
			*r1, *err = ^uintptr(0), Errno(-r)
		}
		return true
	}
	if _, now := sched9StackBounds(); now != high {
		sched9Moved(a, low, high, now)
		sched9Moved(b, low, high, now)
		sched9Moved(c, low, high, now)
		if d != nil {
			sched9Moved(d, low, high, now)
			sched9Moved(e, low, high, now)
			sched9Moved(f, low, high, now)
		}
	}
	return false
}

// sched9Moved changes p, if it is an address on a stack with those bounds, for the stack's new upper bound, from which all of it
// keeps its distance.
//
//go:nosplit
func sched9Moved(p *uintptr, low, high, now uintptr) {
	if *p-low < high-low {
		*p += now - high
	}
}

//go:build sched9names

package syscall

import _ "unsafe" // for go:linkname

// sched9Serve completes a system call that its leaf has left to the goroutine (kernel/made.go): r is the leaf's result.
func sched9Serve(r uintptr) (uintptr, Errno) {
	r, errno := sched9Served(r)
	return r, Errno(errno)
}

// sched9Served and sched9Sentence: see package runtime.
//
//go:linkname sched9Served runtime.sched9Served
func sched9Served(r uintptr) (uintptr, uintptr)

//go:linkname sched9SentenceOf runtime.sched9Sentence
func sched9SentenceOf(e uintptr) string

// sched9Sentence says what an error of a ctl file means, "" if e is none.
func sched9Sentence(e Errno) string {
	return sched9SentenceOf(uintptr(e))
}

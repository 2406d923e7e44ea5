// Rawsyscall makes system calls by its own assembly, as golang.org/x/sys/unix and others do: the
// instruction reaches the kernel, which answers as Linux does if it knows the call, and preserves
// the registers that Linux preserves. From many goroutines, beside preemption [A2].
//
// With the argument "fault" it makes the kernel run foreign code at an unmapped address: a fault in
// the kernel, which must show its state [V4]. Linux has no such call.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

// call makes system call num. kept reports whether all registers but the
// result's and the two that the instruction itself uses have kept their values.
func call(num, a, b, c uintptr) (r uintptr, kept bool)

// awaitBlocked returns when the other goroutine has blocked for ever, wherever it
// runs.
func awaitBlocked() {
	all := make([]byte, 64<<10)
	for !strings.Contains(string(all[:runtime.Stack(all, true)]), "[select (no cases)]") {
		runtime.Gosched()
	}
}

const (
	sysWrite  = syscall.SYS_WRITE
	sysGetpid = syscall.SYS_GETPID
	noCall    = 9999
	noSys     = -38 // ENOSYS

	foreignCall = 0x9000 // of the guest's
	nowhere     = 0x123456789000
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "fault" {
		go func() { select {} }()
		awaitBlocked()
		r, _ := call(foreignCall, nowhere, 0, 0) // the kernel jumps there
		fail("a jump to nowhere answered", int(r))
	}
	line := []byte("rawsyscall: this line was written by an instruction\n")
	if n, kept := call(sysWrite, 1, uintptr(unsafe.Pointer(&line[0])), uintptr(len(line))); int(n) != len(line) || !kept {
		fail("write answered", int(n), "registers kept:", kept)
	}
	if r, kept := call(noCall, 0, 0, 0); int(r) != noSys || !kept {
		fail("an unknown call answered", int(r), "registers kept:", kept)
	}
	const workers, turns = 8, 2000
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range turns {
				if r, kept := call(sysGetpid, 0, 0, 0); int(r) != os.Getpid() || !kept {
					fail("getpid answered", int(r), "registers kept:", kept)
				}
			}
		})
	}
	wg.Wait()
	fmt.Println("rawsyscall:", workers*turns, "calls answered, registers kept")
	fmt.Println("rawsyscall: done")
}

func fail(args ...any) {
	fmt.Println(append([]any{"rawsyscall: wrong:"}, args...)...)
	os.Exit(1)
}

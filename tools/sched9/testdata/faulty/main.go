// Faulty has code that is not Go's run off the end of its system stack, which no panic can tell of.
package main

import (
	"fmt"
	"syscall"
	"unsafe"
)

// foreignCall is sched9's call for code that the scheduler does not control.
const foreignCall = 0x9000

// deeper is assembly.
func deeper()

func main() {
	f := deeper
	syscall.Syscall(foreignCall, **(**uintptr)(unsafe.Pointer(&f)), 0, 0)
	fmt.Println("faulty: there was no end of the stack")
}

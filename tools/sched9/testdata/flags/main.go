// Flags shows what flags of go build have done: a variable that the linker sets, code that is not optimised, and pointers
// that are checked, of which the last one is wrong.
package main

import (
	"fmt"
	"runtime"
	"unsafe"
)

var version = "none"

// plain is inlined, unless the compiler was told not to.
func plain() uintptr {
	pc, _, _, _ := runtime.Caller(0)
	return pc
}

func main() {
	pc := plain()
	fmt.Printf("version %q, inlined %v\n", version, runtime.FuncForPC(pc).Entry() == runtime.FuncForPC(here()).Entry())
	var words [4]uint64
	p := (**int)(unsafe.Add(unsafe.Pointer(&words), 1))
	fmt.Println(*p)
}

// here is a place in main.
//
//go:noinline
func here() uintptr {
	pc, _, _, _ := runtime.Caller(1)
	return pc
}

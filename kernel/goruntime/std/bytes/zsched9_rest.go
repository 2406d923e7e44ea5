//go:build sched9

package bytes

import "internal/runtime/s9/kernel"

// A program that makes system calls beyond those of packages os and syscall does so by golang.org/x/sys/unix or by code that is larger
// still. None of that can be changed here, but all of it has this package, and the smallest programs have not: so with this package
// those calls are linked in.
func init() { kernel.Rest() }

//go:build sched9

package syscall

import "internal/runtime/s9/kernel"

// sched9Rest has the kernel carry out what the smallest programs never ask for, and is linked in only with what does (package bytes has
// it for code that makes its calls by itself).
func sched9Rest() { kernel.Rest() }

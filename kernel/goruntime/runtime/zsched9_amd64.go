//go:build sched9

package runtime

import (
	narch "sched9/arch"
	"unsafe"
)

// sched9TLSOffset is the distance from m.tls, where g is kept, to the thread
// pointer that finds it there: -8(FS).
const sched9TLSOffset = 8

// What Linux gives as a signal's code for these exceptions.
const (
	sched9CodeIllegal    = 2    // ILL_ILLOPN
	sched9CodeBreakpoint = 0x80 // SI_KERNEL
)

// sched9Interrupted fills c with the registers of f.
func sched9Interrupted(c *sigcontext, f *narch.Frame) {
	c.rax, c.rbx, c.rcx, c.rdx = uint64(f.AX), uint64(f.BX), uint64(f.CX), uint64(f.DX)
	c.rsi, c.rdi, c.rbp, c.rsp = uint64(f.SI), uint64(f.DI), uint64(f.BP), uint64(f.RSP)
	c.r8, c.r9, c.r10, c.r11 = uint64(f.R8), uint64(f.R9), uint64(f.R10), uint64(f.R11)
	c.r12, c.r13, c.r14, c.r15 = uint64(f.R12), uint64(f.R13), uint64(f.R14), uint64(f.R15)
	c.rip, c.eflags, c.cs, c.cr2 = uint64(f.RIP), uint64(f.RFLAGS), uint16(f.CS), uint64(f.CR2)
}

// sched9Called fills c with the registers of the goroutine whose system call a leaf answers.
// sched9Syscall keeps them on its stack, and where, on the M's system stack, which is free
// from g0sp on: CX and R11 are lost.
func sched9Called(c *sigcontext, g0sp uintptr) {
	leaf := g0sp&^15 - 80
	sp := *(*uintptr)(unsafe.Pointer(leaf + 64))
	r := (*[13]uint64)(unsafe.Pointer(sp)) // in the order in which they are popped
	c.r15, c.r14, c.r13, c.r12, c.r10, c.r9, c.r8 = r[0], r[1], r[2], r[3], r[4], r[5], r[6]
	c.rdi, c.rsi, c.rdx, c.rbx, c.rbp = r[7], r[8], r[9], r[10], r[11]
	c.rax = *(*uint64)(unsafe.Pointer(leaf)) // the call's number
	c.rip = r[12]                            // behind the call
	c.rsp = uint64(sp + unsafe.Sizeof(*r))
}

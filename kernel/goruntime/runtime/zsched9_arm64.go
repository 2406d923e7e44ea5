//go:build sched9

package runtime

import (
	narch "sched9/arch"
	"unsafe"
)

// sched9TLSOffset is the distance from m.tls to what is given to the kernel as thread
// pointer. Nothing here has one: g is in a register.
const sched9TLSOffset = 8

// What Linux gives as a signal's code for these exceptions.
const (
	sched9CodeIllegal    = 1 // ILL_ILLOPC
	sched9CodeBreakpoint = 1 // TRAP_BRKPT
)

// sched9Interrupted fills c with the registers of f.
func sched9Interrupted(c *sigcontext, f *narch.Frame) {
	for i, r := range f.R {
		c.regs[i] = uint64(r)
	}
	c.sp, c.pc, c.pstate, c.fault_address = uint64(f.Stack), uint64(f.Next), uint64(f.State), uint64(f.FAR)
}

// sched9Called fills c with the registers of the goroutine whose system call a leaf answers.
// sched9Syscall keeps them on the M's system stack, which is free from g0sp on: R16 and R17 are
// lost, and R18, R27 are not kept because nobody uses them.
func sched9Called(c *sigcontext, g0sp uintptr) {
	const leaf, frame = 80, 80 + 8*34
	keep := (*[28]uint64)(unsafe.Pointer(g0sp&^15 - frame + leaf))
	copy(c.regs[1:9], keep[0:8])                                  // R1 to R8
	copy(c.regs[11:16], keep[8:13])                               // R11 to R15
	c.pc = keep[13]                                               // behind the call
	copy(c.regs[19:27], keep[14:22])                              // R19 to R26
	copy(c.regs[29:31], keep[22:24])                              // R29 and R30
	copy(c.regs[9:11], keep[24:26])                               // R9 and R10
	c.regs[0] = *(*uint64)(unsafe.Pointer(g0sp&^15 - frame + 16)) // the first argument
	c.regs[28] = keep[27]
	c.sp = keep[26]
}

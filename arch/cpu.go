// Package arch is the architecture: the portable kernel's interface to a processor and the machine around it (README.md
// lists it). Files for one architecture end in its name, as those of package runtime do; each architecture defines the
// names that the kernel and the shared files use, and the compiler reports missing ones.
package arch

import (
	"unsafe"

	"sched9/arch/paging"
)

// MaxCPU is the most processors that are used.
const MaxCPU = 64

const (
	PageSize = paging.PageSize
	HugeSize = paging.HugeSize
)

// cpus are what each processor needs to know about itself, by its number.
var cpus [MaxCPU]CPU

// noG is an empty g, on which boot code and exception handlers run. It only has to be zero where
// compiled code looks: a stack guard of 0 lets every stack check pass.
var noG [1024]byte

// NoG returns the address of noG.
func NoG() uintptr { return uintptr(unsafe.Pointer(&noG)) }

// Stacks are the tops of a processor's interrupt stacks. That for exceptions has FaultStack
// bytes.
type Stacks struct{ IRQ, Fault, NMI uintptr }

// FaultStack is room for two exceptions, because the handler of one may fault once (trap_*.s): faultRoom for each,
// which has room for all registers too.
const (
	FaultStack = 2 * faultRoom
	faultRoom  = 16 << 10
)

// SetIRQG makes g the g of the calling processor's interrupt handlers, on their stack, whose bounds
// g must hold. Interrupts are off.
func SetIRQG(g uintptr) { cpus[ID()].irqG = g }

// ID returns the number of the processor that runs the caller. The caller may
// not migrate: it runs on a scheduler stack or in a handler.
func ID() int

// Pages returns the page tables. They are the kernel's to lock.
func Pages() *paging.Tables { return &pages }

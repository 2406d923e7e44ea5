package arch

import "unsafe"

// Saved returns the registers that entry saved when a trap on the stack with that top interrupted code (trap_*.s): they
// stay there until the handler returns.
func Saved(top uintptr) *Frame { return (*Frame)(unsafe.Pointer(top - unsafe.Sizeof(Frame{}))) }

// Kind is what a fault is to a portable kernel.
type Kind int

const (
	FaultOther   Kind = iota
	FaultPage         // access to a page that is absent or protected; Fault says where
	FaultAddress      // access through an address that cannot exist
	FaultDivide
	FaultFloat
	FaultIllegal // instruction
	FaultBreakpoint
	FaultNMI
)

// Access is what the faulting instruction did.
type Access int

const (
	Read  Access = iota
	Store        // or both
	Fetch        // of itself
)

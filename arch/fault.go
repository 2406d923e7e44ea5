package arch

import "unsafe"

// Saved returns what entry saved of who was interrupted by a trap whose stack has that top (trap_*.s): it lies there, as
// long as the handler is on its way.
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

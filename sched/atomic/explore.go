//go:build explore

// Package atomic is sync/atomic as the scheduler uses it, instrumented: see atomic.go for the
// package in ordinary builds.
package atomic

import "unsafe"

// Op is a kind of access.
type Op uint8

const (
	OpLoad Op = iota
	OpStore
	OpSwap
	OpCAS
	OpAdd
)

// String is the method's name.
func (o Op) String() string { return [...]string{"Load", "Store", "Swap", "CAS", "Add"}[o] }

// Before is called before each access to the word at addr, After after it: got is the access's
// result, put the word's new value, wrote whether it stored anything. Both are set while no user of
// the package runs; nil: not called.
var (
	Before func(addr unsafe.Pointer, op Op)
	After  func(addr unsafe.Pointer, op Op, got, put uint64, wrote bool)
)

// before calls the hook, if there is one.
func before(addr unsafe.Pointer, op Op) {
	if Before != nil {
		Before(addr, op)
	}
}

// after calls After in the same way.
func after(addr unsafe.Pointer, op Op, got, put uint64, wrote bool) {
	if After != nil {
		After(addr, op, got, put, wrote)
	}
}

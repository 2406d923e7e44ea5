//go:build explore

// Package atomic is sync/atomic as the scheduler uses it, instrumented: see atomic.go
// for the package as everybody else has it.
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

// Before is called before each access to the word at addr, After after it: got is what
// the access returned, put what it left in the word, wrote whether it stored anything.
// Both are set while nothing runs that uses the package; nil: nothing is told.
var (
	Before func(addr unsafe.Pointer, op Op)
	After  func(addr unsafe.Pointer, op Op, got, put uint64, wrote bool)
)

// before and after call the hooks.
func before(addr unsafe.Pointer, op Op) {
	if Before != nil {
		Before(addr, op)
	}
}

func after(addr unsafe.Pointer, op Op, got, put uint64, wrote bool) {
	if After != nil {
		After(addr, op, got, put, wrote)
	}
}

// number is what the words that can be added to hold.
type number interface {
	~int32 | ~int64 | ~uint32 | ~uint64 | ~uintptr
}

// word is what sync/atomic's types for numbers have in common.
type word[T number] interface {
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(old, new T) bool
	Add(T) T
}

// The functions that follow are the methods of all types for numbers: w is the word,
// at the address addr.

func load[T number, W word[T]](w W, addr unsafe.Pointer) T {
	before(addr, OpLoad)
	v := w.Load()
	after(addr, OpLoad, uint64(v), uint64(v), false)
	return v
}

func store[T number, W word[T]](w W, addr unsafe.Pointer, v T) {
	before(addr, OpStore)
	w.Store(v)
	after(addr, OpStore, 0, uint64(v), true)
}

func swap[T number, W word[T]](w W, addr unsafe.Pointer, v T) T {
	before(addr, OpSwap)
	old := w.Swap(v)
	after(addr, OpSwap, uint64(old), uint64(v), true)
	return old
}

func cas[T number, W word[T]](w W, addr unsafe.Pointer, old, v T) bool {
	before(addr, OpCAS)
	if !w.CompareAndSwap(old, v) {
		after(addr, OpCAS, 0, uint64(w.Load()), false)
		return false
	}
	after(addr, OpCAS, 1, uint64(v), true)
	return true
}

func add[T number, W word[T]](w W, addr unsafe.Pointer, d T) T {
	before(addr, OpAdd)
	v := w.Add(d)
	after(addr, OpAdd, uint64(v), uint64(v), true)
	return v
}

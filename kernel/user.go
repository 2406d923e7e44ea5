package kernel

import (
	"unsafe"

	"sched9/arch"
)

// The program's memory, as a leaf reaches it. A program may give any number for an
// address, and another of its threads may unmap the memory in the middle of the call.
// So no address is looked up beforehand: that would be true only while mem.lock is held,
// and an access may need that lock itself, for a page that is not there yet. Instead the
// access is tried by arch.Copy or arch.Load, and one that memory.go cannot serve makes
// these return (trapFault); the leaf answers EFAULT.
//
// All of it may be called with a Spin lock held that is before mem.lock in order.

// inProgram reports whether [p, p+n) is where a program may have memory at all. What lies
// above is the kernel's map of physical memory.
func inProgram(p, n uintptr) bool { return p < userHigh && n <= userHigh-p }

// copyIn copies n bytes at p, the program's, to memory of the kernel's and returns how many
// it could: all, or as many as there are before one that cannot be read. copyOut copies
// to the program's memory at p.
func copyIn(to unsafe.Pointer, p, n uintptr) uintptr {
	if !inProgram(p, n) {
		return 0
	}
	return n - arch.Copy(to, unsafe.Pointer(p), n)
}

// copyOut: see copyIn.
func copyOut(p uintptr, from unsafe.Pointer, n uintptr) uintptr {
	if !inProgram(p, n) {
		return 0
	}
	return n - arch.Copy(unsafe.Pointer(p), from, n)
}

// get reads the program's value at p and reports whether it could; put stores one.
func get[T any](p uintptr, v *T) bool {
	return copyIn(unsafe.Pointer(v), p, unsafe.Sizeof(*v)) == unsafe.Sizeof(*v)
}

// put: see get.
func put[T any](p uintptr, v *T) bool {
	return copyOut(p, unsafe.Pointer(v), unsafe.Sizeof(*v)) == unsafe.Sizeof(*v)
}

// answer stores v at p and returns 0, what a leaf does whose answer is one value.
func answer[T any](p uintptr, v *T) uintptr {
	if !put(p, v) {
		return fail(eFAULT)
	}
	return 0
}

// loadWord reads the program's word at p, a multiple of 4, in one access; ok is false if
// it cannot be read. What follows it is not seen before it.
func loadWord(p uintptr) (v uint32, ok bool) {
	if !inProgram(p, 4) {
		return 0, false
	}
	return arch.Load(unsafe.Pointer(p))
}

// zeros are what clearOut copies from.
var zeros [1024]byte

// clearOut clears n bytes at p, the program's, and returns how many it could.
func clearOut(p, n uintptr) (done uintptr) {
	for done < n {
		k := min(n-done, uintptr(len(zeros)))
		got := copyOut(p+done, unsafe.Pointer(&zeros), k)
		if done += got; got < k {
			break
		}
	}
	return done
}

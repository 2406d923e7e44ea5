package kernel

import (
	"unsafe"

	"sched9/arch"
)

// Access to the program's memory by leaves. A program may pass any number as an address, and
// another of its threads may unmap the memory during the call. So no address is checked beforehand:
// the result would be valid only while mem.lock is held, and an access may need that lock itself,
// for a page that is not there yet. Instead arch.Copy or arch.Load tries the access; if memory.go
// cannot serve it they return early (trapFault), and the leaf answers EFAULT.
//
// All of these may be called with a Spin lock held that precedes mem.lock in order.

// inProgram reports whether [p, p+n) is in the range of a program's addresses. Above it is the
// kernel's map of physical memory.
func inProgram(p, n uintptr) bool { return p < userHigh && n <= userHigh-p }

// copyIn copies n bytes at p, the program's, to memory of the kernel's and returns how many it
// could: all, or those before the first unreadable one. copyOut copies to the program's memory at
// p.
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

// loadWord reads the program's word at p, a multiple of 4, in one access; ok is false if it cannot
// be read. Later loads are not made before it.
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

//go:build sched9

package runtime

import (
	nkernel "sched9/kernel"
	nramfs "sched9/kernel/ramfs"
	"unsafe"
)

// What servers need of the runtime (std/syscall/zsched9_served.go).

// sched9StackBounds returns the bounds of the goroutine's stack; 0 if it has entered a system call already.
//
//go:nosplit
func sched9StackBounds() (low, high uintptr) {
	gp := getg()
	if gp.syscallsp != 0 {
		return 0, 0
	}
	return gp.stack.lo, gp.stack.hi
}

// sched9ServeAt returns where p is now. Memory on the goroutine's stack, which had those bounds when p was made a number,
// keeps its distance from the upper one. On the scheduler's stack, so that it stays there.
func sched9ServeAt(p, low, high uintptr) uintptr {
	if p-low < high-low {
		p += getg().m.curg.stack.hi - high
	}
	return p
}

// sched9ServeIn copies n bytes of the program's at p, an argument of a call that was made on a stack with those bounds, and
// returns how many it could. sched9ServeOut copies to the program's memory. Package zsched9/srv/call calls them.
func sched9ServeIn(to unsafe.Pointer, p, n, low, high uintptr) (done uintptr) {
	systemstack(func() { done = nkernel.ServeIn(to, sched9ServeAt(p, low, high), n) })
	return done
}

// sched9ServeOut: see sched9ServeIn.
func sched9ServeOut(p uintptr, from unsafe.Pointer, n, low, high uintptr) (done uintptr) {
	systemstack(func() { done = nkernel.ServeOut(sched9ServeAt(p, low, high), from, n) })
	return done
}

// sched9ServePointer reads an address at p, an argument as above. If it is one of the goroutine's stack, it is as of now; the
// result is what it was when the call was made, as the arguments are.
func sched9ServePointer(p, low, high uintptr) (v uintptr, ok bool) {
	systemstack(func() {
		ok = nkernel.ServeIn(unsafe.Pointer(&v), sched9ServeAt(p, low, high), unsafe.Sizeof(v)) == unsafe.Sizeof(v)
		if s := &getg().m.curg.stack; ok && v-s.lo < s.hi-s.lo {
			v += high - s.hi
		}
	})
	return v, ok
}

// sched9ServeCross and sched9ServeMark are the kernel's ServeCross and ServeMark. Package zsched9/srv/call calls them; in an image without, the linker
// leaves them out.
func sched9ServeCross(dir uintptr, path unsafe.Pointer, n uintptr, end uint8, c *nramfs.Crossing) (errno int) {
	systemstack(func() { errno = nkernel.ServeCross(dir, path, n, nramfs.End(end), c) })
	return errno
}

// sched9ServeMark: see sched9ServeCross.
func sched9ServeMark(path unsafe.Pointer, n uintptr, mount uint16) (errno int) {
	systemstack(func() { errno = nkernel.ServeMark(path, n, mount) })
	return errno
}

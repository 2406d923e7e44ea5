package kernel

import (
	"unsafe"

	"sched9/arch"
	"sched9/kernel/names"
)

// /dev/kmesg: what the kernel and the runtime have said, as opposed to the program, which has written to standard output or
// error by system calls. The end of it is kept, in an image that serves names.

// kmesgSize is a power of two.
const kmesgSize = 16 << 10

// kmesg is a ring of bytes, of which n have been said.
var kmesg struct {
	lock Spin
	n    uint64
	text [kmesgSize]byte
}

// keepMessage keeps n bytes at p, the kernel's or the runtime's own memory. Any context but a trap.
func keepMessage(p, n uintptr) {
	on := kmesg.lock.Lock()
	for i := range n {
		kmesg.text[kmesg.n%kmesgSize] = *(*byte)(unsafe.Pointer(p + i))
		kmesg.n++
	}
	kmesg.lock.Unlock(on)
}

// say writes a line of the kernel's to standard error. Like Write.
func say(p, n uintptr) {
	if names.Served {
		keepMessage(p, n)
	}
	Write(2, p, n)
}

// keepBoot keeps a line about the machine. Boot.
func keepBoot() {
	var ram uint64
	arch.RAM(func(from, to uint64) { ram += to - from })
	var a, b [20]byte
	for _, part := range [...]string{"boot: ", utoa(&a, uint64(numCPU)), " processors, ", utoa(&b, ram>>20), " MiB of memory\n"} {
		keepMessage(uintptr(unsafe.Pointer(unsafe.StringData(part))), uintptr(len(part)))
	}
}

// Messages copies what is kept to b, of kmesgSize bytes or more, from the first whole line on, and returns how much that is. Scheduler stack.
func Messages(b []byte) (n int) {
	on := kmesg.lock.Lock()
	at := uint64(0)
	if kmesg.n > kmesgSize {
		at = kmesg.n - kmesgSize + 1 // the byte before the oldest is gone
		for at < kmesg.n && kmesg.text[(at-1)%kmesgSize] != '\n' {
			at++
		}
	}
	for ; at < kmesg.n; at++ {
		b[n] = kmesg.text[at%kmesgSize]
		n++
	}
	kmesg.lock.Unlock(on)
	return n
}

// MaxMessages is the room that Messages needs.
const MaxMessages = kmesgSize

package main

import (
	"fmt"
	"runtime/debug"
	"syscall"
	"unsafe"
)

// edge takes the page below its stack pointer away and reads from nil. It is not preempted,
// being assembly, so nothing uses that page before what the fault brings.
func edge() (errno uintptr)

const page = 4096

// elsewhere is a stack for edge.
var elsewhere [page]byte

// descend calls itself until its frame is distance above the end of a page, and there
// calls edge.
//
//go:noinline
func descend(distance uintptr, depth int) int {
	var x [2]uintptr
	if uintptr(unsafe.Pointer(&x))%page == distance {
		wrong("edge says %v", syscall.Errno(edge()))
	}
	if depth == 0 {
		return 0
	}
	x[depth&1] = distance
	return descend(distance, depth-1) + int(x[depth>>1&1]>>60)
}

// step calls descend from a frame with a T in it: another distance for each size.
//
//go:noinline
func step[T any](distance uintptr, depth int) int {
	var pad T
	keep(unsafe.Slice((*uintptr)(unsafe.Pointer(&pad)), 1))
	return descend(distance, depth)
}

var steps = []func(uintptr, int) int{step[[1]uintptr], step[[2]uintptr], step[[3]uintptr], step[[4]uintptr],
	step[[5]uintptr], step[[6]uintptr], step[[7]uintptr], step[[8]uintptr]}

// grow has the stack be large from here on.
//
//go:noinline
func grow() {
	var pad [128 << 10 / 8]uintptr
	keep(pad[:])
}

// keep makes p's array one in memory.
//
//go:noinline
func keep(p []uintptr) {}

// edges makes goroutines fault with the stack pointer at each distance from the end of its page
// while the page below is absent: the code that turns the fault into a panic has to write there.
func edges() {
	debug.SetGCPercent(-1) // so that no stack moves
	met := 0
	for distance := uintptr(0); distance < 128; distance += 8 {
		for _, f := range steps {
			done := make(chan error)
			go func() {
				grow()
				done <- caught(func() { f(distance, 600) })
			}()
			if <-done != nil {
				met++
			}
		}
	}
	fmt.Printf("faults: %d goroutines recovered with nothing below their stack pointer\n", met)
}

// Foreign runs code that the scheduler does not control: assembly of its own, which could be
// firmware.
//
// Shows [M5]: a goroutine that calls foreign code gives its P away at once; with one P, others run
// while the code goes on, and it goes on until one of them ends it. Shows [M15]: a processor that
// is given to foreign code is no M, but borrows one to call Go: the calls come in, block on
// channels, allocate, and return; the number of the scheduler's own Ms does not change. With the
// argument "deeper" the code runs off the end of its system stack: there is a guard, and the last
// message names it.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// The calls, by numbers that Linux does not use.
const (
	foreignCall = 0x9000
	foreignCPU  = 0x9001
)

// hold, device and deeper are assembly.
func hold()
func device()
func deeper()

// block is what foreign code and Go share. Its address does not change: it is no
// stack's.
type block struct{ a, b uint64 }

var held, dev block

// pc returns the address of f's code.
func pc(f func()) uintptr { return **(**uintptr)(unsafe.Pointer(&f)) }

// fail ends the program.
func fail(format string, args ...any) {
	fmt.Printf("foreign: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// call has foreign code hold an M until another goroutine, on the same P, ends it.
func call() {
	runtime.GOMAXPROCS(1)
	returned := make(chan uint64)
	go func() {
		n, _, errno := syscall.Syscall(foreignCall, pc(hold), uintptr(unsafe.Pointer(&held)), 0)
		if errno != 0 {
			fail("the call: %v", errno)
		}
		returned <- uint64(n)
	}()
	for atomic.LoadUint64(&held.b) < 1000 {
		runtime.Gosched() // there is one P, and foreign code runs: we run too
	}
	for i := range 100 {
		done := make(chan int)
		go func() { done <- i }()
		<-done
	}
	select {
	case <-returned:
		fail("the foreign code returned by itself")
	default:
	}
	atomic.StoreUint64(&held.a, 1)
	if n := <-returned; n < 1000 {
		fail("the foreign code counted %d", n)
	}
	fmt.Println("foreign: others ran on the P while foreign code held the M")
}

const calls = 500

// called is what foreign code calls. It and all that it holds lie here and in the heap, not on main's stack: that moves, and the
// address that foreign code has does not.
var called func(i uintptr)

// callback gives a processor to foreign code, which calls.
func callback() {
	var got, sum atomic.Uint64
	question, answer := make(chan uint64), make(chan uint64)
	called = func(i uintptr) {
		got.Add(1)
		question <- uint64(i) // a goroutine on another M answers
		b := make([]byte, 1000)
		b[i%1000] = 1
		sum.Add(<-answer)
		if i%50 == 0 {
			time.Sleep(time.Millisecond)
		}
		if i%100 == 0 {
			runtime.GC()
		}
	}
	dev.a = calls
	cpu, _, errno := syscall.RawSyscall(foreignCPU, pc(device), uintptr(unsafe.Pointer(&dev)), *(*uintptr)(unsafe.Pointer(&called)))
	if errno != 0 {
		fail("no processor for foreign code: %v", errno)
	}
	runtime.GC() // there is a processor less, and the Ps that it begins with have to stay
	for range calls {
		answer <- 2 * <-question
	}
	for atomic.LoadUint64(&dev.b) < calls {
		runtime.Gosched()
	}
	if got.Load() != calls || sum.Load() != calls*(calls-1) {
		fail("%d calls, sum %d", got.Load(), sum.Load())
	}
	fmt.Printf("foreign: processor %d called %d times\n", cpu, calls)
}

func main() {
	if len(os.Args) > 1 {
		go func() {
			syscall.Syscall(foreignCall, pc(deeper), 0, 0)
			fail("there was no end of the stack")
		}()
		for { // so that another processor runs it, if there is one
		}
	}
	// GODEBUG=schedforeign=1 has kept a processor for it.
	if runtime.NumCPU() > 2 {
		callback()
	}
	if runtime.NumCPU() > 1 {
		call()
	}
	if _, _, errno := syscall.RawSyscall(foreignCPU, 0, 0, 0); errno != syscall.EINVAL {
		fail("a processor for no code: %v", errno)
	}
	fmt.Println("foreign: done")
}

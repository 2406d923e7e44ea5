package main

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"syscall"
)

// state_amd64.go and state_arm64.go access the mode of a thread's floating-point units: control
// returns it as one number, setControl sets it. usualControl is what every program expects: nothing
// traps, and it rounds to nearest; with otherControl it rounds to zero, and flushes too small
// numbers to 0.

const (
	ending  = 16      // threads that end
	staying = 400     // goroutines that end and leave theirs, many more than there are vCPUs
	third   = 1.0 / 3 // with the usual rounding
)

// one is no constant to the compiler.
var one = 1.0

// usual makes sure that the caller's thread is in the usual state.
func usual(what string) {
	if c := control(); c != usualControl {
		wrong("%s begins with floating-point control %#x, not %#x", what, c, usualControl)
	}
	if v := one / 3; v != third {
		wrong("on %s a third is %v", what, v)
	}
}

// other spoils the state of the caller's thread.
func other() { setControl(otherControl) }

// restore undoes that.
func restore() { setControl(usualControl) }

// started is how many threads the runtime has started.
func started() uint64 {
	s := []metrics.Sample{{Name: "/sched/threads/total:threads"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// bringUp starts all threads there are from those whose state is another [M14]. Each
// new one is spoilt in its turn, and kept, so that the next goroutine needs the next.
func bringUp() {
	before := started()
	runtime.LockOSThread()
	other()
	release := make(chan bool)
	var up, gone atomic.Int32
	n := int32(runtime.NumCPU() - 1)
	for i := range n {
		go func() {
			runtime.LockOSThread()
			usual("a new thread")
			other()
			up.Add(1)
			<-release
			restore()
			runtime.UnlockOSThread()
			gone.Add(1)
		}()
		for up.Load() != i+1 {
		}
	}
	if c := control(); c != otherControl {
		wrong("the thread that started others has lost its rounding: control %#x", c)
	}
	restore()
	runtime.UnlockOSThread()
	close(release)
	for gone.Load() != n {
		runtime.Gosched()
	}
	fmt.Printf("threads: %d threads were there, %d more started by those with a rounding of their own\n", before, started()-before)
}

// ends ends goroutines that are tied to threads whose state they have changed: the thread ends with
// its goroutine [M11], if that is still tied; a goroutine that has unlocked as often as locked
// leaves its thread as it is [M12].
func ends() {
	for i := range ending {
		before := runtime.NumGoroutine()
		id := make(chan int, 1)
		go func() {
			for range i%3 + 1 {
				runtime.LockOSThread()
			}
			for range i % 3 {
				runtime.UnlockOSThread() // and is tied still
			}
			id <- syscall.Gettid()
			other()
			if i%2 == 0 {
				runtime.Goexit()
			}
		}()
		last := <-id
		for runtime.NumGoroutine() > before {
			runtime.Gosched()
		}
		if threads()[last] {
			wrong("thread %d, to which a goroutine was tied at its end, is there still", last)
		}
		each(free(), func(int) { usual("the thread after the one that ended") })
	}
	kept := map[int]bool{}
	for i := range staying {
		id := make(chan int, 1)
		go func() {
			for range i%5 + 1 {
				runtime.LockOSThread()
			}
			for range i%5 + 1 {
				runtime.UnlockOSThread()
			}
			id <- syscall.Gettid()
		}()
		kept[<-id] = true
	}
	if len(kept) > staying/4 {
		wrong("%d goroutines that had unlocked left %d threads behind", staying, len(kept))
	}
	fmt.Printf("threads: %d threads ended with their goroutines, and their state with them\n", ending)
}

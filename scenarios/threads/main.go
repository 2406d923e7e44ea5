// Threads ties goroutines to their threads, in every way that matters.
//
// Shows [M6] (a tied goroutine runs on its thread, and no other does there while it waits, if there are threads
// enough), [M11] (a thread ends with a goroutine that ends tied to it, and so do its changes of the thread's state),
// [M12] (locks are counted), [M13] (a tied goroutine is handed a P when it is ready) and [M14] (a new thread does not
// inherit its creator's state). The proof is in the threads' numbers, and in the rounding mode of floating-point
// arithmetic, which is the thread's: goroutines that change the rounding and do not restore it would spoil the thread
// for every goroutine after them.
//
// With more goroutines tied than threads, threads are shared; on one vCPU this is the only test. With the argument
// "main" the program ties main.main to its thread before it begins, as programs with a window do.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
)

// tied says that main.main is tied to its thread.
var tied = len(os.Args) > 1 && os.Args[1] == "main"

// first is the thread on which the program began.
var first = syscall.Gettid()

func init() {
	if tied {
		runtime.LockOSThread()
	}
}

// free is the number of threads that can be had at once, besides main's if that is tied.
func free() int {
	if tied {
		return runtime.NumCPU() - 1
	}
	return runtime.NumCPU()
}

func wrong(format string, args ...any) {
	fmt.Printf("threads: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// on is the thread that a tied goroutine should be on.
type on int

// here is the thread of the caller, which is tied.
func here() on { return on(syscall.Gettid()) }

// still makes sure that the caller is there.
func (o on) still(after string) {
	if t := syscall.Gettid(); t != int(o) {
		wrong("tied to thread %d, and on %d after %s", o, t, after)
	}
}

// each has n goroutines, each tied to a thread of its own, call f at the same time:
// none returns from its thread before all have called.
func each(n int, f func(i int)) {
	called, release := make(chan bool, n), make(chan bool)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			t := here()
			f(i)
			called <- true
			<-release
			t.still("the others")
		})
	}
	for range n {
		<-called
	}
	close(release)
	wg.Wait()
}

// threads are those that can be had, which must be so many.
func threads() map[int]bool {
	var mu sync.Mutex
	all := map[int]bool{}
	each(free(), func(int) {
		t := syscall.Gettid()
		mu.Lock()
		all[t] = true
		mu.Unlock()
	})
	if len(all) != free() {
		wrong("%d goroutines at once were tied to the threads %v", free(), all)
	}
	return all
}

func main() {
	fmt.Printf("threads: %d vCPUs, %d Ps\n", runtime.NumCPU(), runtime.GOMAXPROCS(0))
	if free() > 1 {
		bringUp()
	}
	threads()
	stays()
	if free() > 1 {
		alone()
	}
	handoffP()
	pull()
	ends()
	if t := syscall.Gettid(); tied {
		if t != first {
			wrong("main was tied to thread %d, and is on %d", first, t)
		}
		fmt.Printf("threads: main stayed on thread %d\n", t)
	}
	fmt.Println("threads: done")
}

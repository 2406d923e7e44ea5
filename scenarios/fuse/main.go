// Fuse limits the number of threads.
//
// Shows [M10] (SetMaxThreads; a program that needs more threads than it allows itself ends with the fatal error
// "thread exhaustion"). A program asks for threads by blocking them: in system calls, and with goroutines that
// are tied to them. There are as many threads as vCPUs and no more, so with a limit that is not below those the
// same program never meets the limit: work that needs one more thread than there are waits until one is free.
// Threads that have ended do not count.
//
// The first argument is the limit; "early" as the second sets it before there are more threads than that, else
// it is set when all are there.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"time"
)

func wrong(format string, args ...any) {
	fmt.Printf("fuse: wrong: "+format+"\n", args...)
	os.Exit(1)
}

// ask asks for n threads at once: half of the goroutines are tied to theirs and wait,
// the others hold them in system calls.
func ask(n int) {
	var wg, here sync.WaitGroup
	here.Add(n)
	release := make(chan bool)
	for i := range n {
		wg.Go(func() {
			if i%2 == 0 {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				here.Done()
				<-release
				return
			}
			here.Done()
			for range 3 {
				syscall.Nanosleep(&syscall.Timespec{Nsec: int64(200 * time.Microsecond)}, nil)
			}
		})
	}
	here.Wait()
	close(release)
	wg.Wait()
}

// end has n threads end, one after the other.
func end(n int) {
	for range n {
		done := make(chan bool)
		go func() {
			runtime.LockOSThread()
			close(done)
		}()
		<-done
	}
}

func main() {
	limit := 10000
	if len(os.Args) > 1 {
		limit, _ = strconv.Atoi(os.Args[1])
	}
	if len(os.Args) < 3 {
		ask(runtime.NumCPU())
	}
	fmt.Printf("fuse: %d vCPUs, at most %d threads\n", runtime.NumCPU(), limit)
	if was := debug.SetMaxThreads(limit); was != 10000 {
		wrong("the limit was %d", was)
	}
	fmt.Println("fuse: set")
	ask(5 * runtime.NumCPU())
	fmt.Printf("fuse: %d goroutines asked for threads\n", 5*runtime.NumCPU())
	end(100)
	ask(5 * runtime.NumCPU())
	fmt.Println("fuse: 100 threads ended")
	if was := debug.SetMaxThreads(20000); was != limit {
		wrong("the limit was %d, not %d", was, limit)
	}
	fmt.Println("fuse: done")
}

// Skew sets the time-stamp counters of two processors ahead while no others run, as firmware may have left them, by an instruction of the kernel's privilege. Then it
// has all processors tell each other the time, and prints by how much it went back. It begins with GOMAXPROCS=1.
package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// skew adds to this processor's counter, if it can be moved.
func skew(by uint64)

func main() {
	const (
		counts = 1 << 36 // several seconds of any processor, which nothing else takes
		turns  = 20_000
	)
	// This goroutine keeps its thread while it waits, so others run on a second one, which may have been started before.
	runtime.LockOSThread()
	elsewhere := func(do func()) {
		var done sync.WaitGroup
		done.Go(do)
		done.Wait()
	}
	elsewhere(func() {})
	start := time.Now()
	skew(counts)
	ahead := time.Since(start) > time.Second
	elsewhere(func() { skew(counts) })
	runtime.UnlockOSThread()
	n := runtime.NumCPU()
	runtime.GOMAXPROCS(n)
	var all, done sync.WaitGroup
	var last, back atomic.Int64
	all.Add(n)
	for range n {
		done.Go(func() {
			runtime.LockOSThread() // the others have processors of their own until all are here
			all.Done()
			all.Wait()
			for range turns {
				told := last.Load()
				now := int64(time.Since(start))
				if now < told {
					back.Store(max(back.Load(), told-now))
				}
				last.Store(now)
			}
		})
	}
	done.Wait()
	machine, err := os.ReadFile("/dev/machine")
	if err != nil {
		fmt.Println(err)
	}
	fmt.Printf("skew: %d processors, two ahead: %v, %s, back by %d ns\n", n, ahead, regexp.MustCompile("clock-step .*").Find(machine), back.Load())
}

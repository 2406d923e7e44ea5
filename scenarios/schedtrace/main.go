// Schedtrace is busy for a while, and then idle, so that GODEBUG=schedtrace has something to show.
//
// Shows [V1] and [S6]: the line SCHED comes as often as asked for, on a machine whose Ps all run loops and on one that sleeps,
// and says how many Ps are idle and how long their queues are; scheddetail=1 adds the rows of Ps, Ms and Gs. In the first half
// there are twice as many loops as Ps, one of them tied to its thread; in the second none runs; in both a goroutine waits for
// ever. expect.toml asks for the lines that only one of the halves can have.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

const half = 200 * time.Millisecond

func main() {
	go func() { select {} }()
	fmt.Printf("schedtrace: %d loops on %d Ps\n", 2*runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	end := time.Now().Add(half)
	for i := range 2 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			if i == 0 {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			for time.Now().Before(end) {
				for range 1000 {
				}
			}
		})
	}
	wg.Wait()
	fmt.Println("schedtrace: nothing runs")
	time.Sleep(half)
	fmt.Println("schedtrace: done")
}

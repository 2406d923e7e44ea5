// Idle waits. Nothing else.
//
// Shows [T2] (an idle machine programs the hardware timer for the next timer instead of ticking), [A5] (no
// tick on an idle vCPU), [M1] and [M9] (an idle M is parked in HLT, not spinning). Goroutines wait in every
// kind of wait structure (channel, mutex, condition, wait group, timer) for two seconds; expect.toml allows
// only a handful of ticks and wakes in that time. A vCPU that ticked at 100 Hz, or that polled,
// would go far beyond.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

const rest = 2 * time.Second

func main() {
	var mu sync.Mutex
	cond := sync.NewCond(new(sync.Mutex))
	gate := make(chan bool)
	open := false
	var wg, begun sync.WaitGroup
	begun.Add(4)
	mu.Lock()
	wg.Go(func() { begun.Done(); <-gate })
	wg.Go(func() { begun.Done(); mu.Lock(); mu.Unlock() })
	wg.Go(func() {
		cond.L.Lock()
		begun.Done()
		for !open {
			cond.Wait()
		}
		cond.L.Unlock()
	})
	wg.Go(func() { begun.Done(); time.Sleep(rest / 2) })
	begun.Wait()

	fmt.Printf("idle: %d goroutines wait on %d vCPUs\n", runtime.NumGoroutine(), runtime.NumCPU())
	begin := time.Now()
	time.Sleep(rest)
	slept := time.Since(begin)
	if slept < rest {
		fmt.Printf("idle: wrong: woke after %v\n", slept)
		os.Exit(1)
	}

	close(gate)
	mu.Unlock()
	cond.L.Lock()
	open = true
	cond.L.Unlock()
	cond.Broadcast()
	wg.Wait()
	fmt.Printf("idle: slept %v, late by %v; all woke\n", slept, slept-rest)
	fmt.Println("idle: done")
}

// Share makes eight goroutines that compute, and waits for them.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

const workers = 8

var (
	done sync.WaitGroup
	sum  atomic.Uint64
)

// work computes for some time, without calls.
func work() {
	x := uint64(1)
	for range 2_000_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	sum.Add(x)
	done.Done()
}

func main() {
	done.Add(workers)
	for range workers {
		go work()
	}
	done.Wait()
	fmt.Println("share: done:", sum.Load())
}

// Mlfq runs a goroutine that answers beside some that compute, on one processor. The one that answers waits for a
// moment, gives way, and so on. Under GODEBUG=schedpolicy=mlfq it goes before those that compute each time; under others it may
// have to wait until each of them has had its slice.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	batch  = 6
	rounds = 30
	work   = 2_000_000 // turns of a loop
)

// compute is work without calls.
func compute() (x uint32) {
	for i := range uint32(work) {
		x = x*31 + i
	}
	return x
}

func main() {
	runtime.GOMAXPROCS(1)
	var computed atomic.Int32 // of those that compute, how many have ended
	var sum atomic.Uint32
	var all sync.WaitGroup
	for range batch {
		all.Go(func() {
			sum.Add(compute())
			computed.Add(1)
		})
	}
	early := false
	all.Go(func() {
		for range rounds {
			time.Sleep(100 * time.Microsecond)
			runtime.Gosched()
		}
		early = computed.Load() == 0
	})
	all.Wait()
	fmt.Printf("mlfq: %d goroutines have computed %#x\n", computed.Load(), sum.Load())
	if early {
		fmt.Println("mlfq: the one that answers was done before any of them")
	} else {
		fmt.Println("mlfq: the one that answers was done after some of them")
	}
	fmt.Println("mlfq: done")
}

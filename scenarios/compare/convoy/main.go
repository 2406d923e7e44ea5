// Convoy has goroutines take one lock again and again, with as much work inside as outside of it. If one is made to leave with the
// lock in its hands all others queue up behind it, and go on as a convoy, one after the other. Short slices make more of them.
//
//	sched9 compare -procs 4 -slice 50us,1ms,10ms -o convoy.html ./scenarios/compare/convoy
package main

import (
	"fmt"
	"sync"
)

const (
	takers = 8
	rounds = 150
	turns  = 20_000 // of a loop, with the lock and without
)

// compute is work without calls.
//
//go:noinline
func compute(turns int) (x uint32) {
	for i := range uint32(turns) {
		x = x*31 + i
	}
	return x
}

func taker(lock *sync.Mutex, all *sync.WaitGroup) {
	defer all.Done()
	for range rounds {
		lock.Lock()
		compute(turns)
		lock.Unlock()
		compute(turns)
	}
}

func main() {
	var lock sync.Mutex
	var all sync.WaitGroup
	for range takers {
		all.Add(1)
		go taker(&lock, &all)
	}
	all.Wait()
	fmt.Println("convoy: done")
}

// Inversion is what reset the Mars Pathfinder in 1997: urgent needs a lock that weather holds, and weather has no P because
// radio, which needs no lock, computes. Under a policy that puts those that compute behind others, weather is among these, so it
// holds the lock for longest. How long does urgent take for a round that has nearly no work in it?
//
//	sched9 compare -policy M:N,mlfq -slice 1ms,10ms -o inversion.html ./scenarios/compare/inversion
package main

import (
	"fmt"
	"sync"
	"time"
)

const (
	rounds = 20
	radios = 3
	short  = 10_000 // turns of a loop
	medium = 1_000_000
	long   = 40_000_000
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

func urgent(bus *sync.Mutex, all *sync.WaitGroup, worst *time.Duration) {
	defer all.Done()
	for range rounds {
		time.Sleep(2 * time.Millisecond)
		begin := time.Now()
		bus.Lock()
		compute(short)
		bus.Unlock()
		*worst = max(*worst, time.Since(begin))
	}
}

func weather(bus *sync.Mutex, all *sync.WaitGroup) {
	defer all.Done()
	for range rounds {
		compute(medium)
		bus.Lock()
		compute(medium)
		bus.Unlock()
	}
}

func radio(all *sync.WaitGroup) {
	defer all.Done()
	compute(long)
}

func main() {
	var bus sync.Mutex
	var all sync.WaitGroup
	var worst time.Duration
	all.Add(radios + 2)
	for range radios {
		go radio(&all)
	}
	go weather(&bus, &all)
	go urgent(&bus, &all, &worst)
	all.Wait()
	fmt.Printf("inversion: urgent's slowest round took %v\n", worst.Round(100*time.Microsecond))
}

// Bursts is a server: each 10 ms comes a burst of requests, each served by a goroutine of its own with a little work, while
// one goroutine keeps the books and never waits. How long does the last request of a burst wait, and does the bookkeeper have a share?
//
//	sched9 compare -policy M:N,pool,mlfq -procs 1,4 -o bursts.html ./scenarios/compare/bursts
package main

import (
	"fmt"
	"sync"
	"time"
)

const (
	bursts     = 10
	requests   = 50     // in a burst
	perRequest = 30_000 // turns of a loop
	books      = 30_000_000
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

func request(all *sync.WaitGroup) {
	defer all.Done()
	compute(perRequest)
}

func bookkeeper(all *sync.WaitGroup) {
	defer all.Done()
	compute(books)
}

func main() {
	var all sync.WaitGroup
	all.Add(1)
	go bookkeeper(&all)
	tick := time.NewTicker(10 * time.Millisecond)
	for range bursts {
		<-tick.C
		for range requests {
			all.Add(1)
			go request(&all)
		}
	}
	all.Wait()
	fmt.Println("bursts: done")
}

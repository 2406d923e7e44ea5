// Batch runs goroutines that answer beside some that compute. A typist does a little work each millisecond, as an editor does for
// each key; a batch computes without a pause. How long does a typist wait for a P, and what does that cost the others?
//
//	sched9 compare -policy M:N,mlfq,N:1 -o batch.html ./scenarios/compare/batch
//	sched9 compare -slice 100us,1ms,10ms ./scenarios/compare/batch
package main

import (
	"fmt"
	"sync"
	"time"
)

const (
	batches  = 4
	typists  = 2
	keys     = 40
	perBatch = 15_000_000 // turns of a loop
	perKey   = 20_000
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

func batch(all *sync.WaitGroup) {
	defer all.Done()
	compute(perBatch)
}

func typist(all *sync.WaitGroup) {
	defer all.Done()
	for range keys {
		time.Sleep(time.Millisecond)
		compute(perKey)
	}
}

func main() {
	var all sync.WaitGroup
	all.Add(batches + typists)
	for range batches {
		go batch(&all)
	}
	for range typists {
		go typist(&all)
	}
	all.Wait()
	fmt.Println("batch: done")
}

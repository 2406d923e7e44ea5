// A barrier for three, used in two rounds. Each round has a gate of its own, which the last one to come opens.
package main

import (
	"fmt"
	"sync"
)

const n = 3

type barrier struct {
	mu   sync.Mutex
	here int
	gate chan struct{}
}

func (b *barrier) wait() {
	b.mu.Lock()
	b.here++
	if b.here == n {
		b.here = 0
		close(b.gate)
		b.gate = make(chan struct{})
		b.mu.Unlock()
		return
	}
	gate := b.gate
	b.mu.Unlock()
	<-gate
}

func main() {
	b := &barrier{gate: make(chan struct{})}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for range 2 {
				b.wait()
			}
		})
	}
	wg.Wait()
	fmt.Println("2 rounds")
}

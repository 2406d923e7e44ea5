// A barrier for three, used in two rounds. The last one to come lets two others pass; one who is quick may come back in
// the next round and pass in place of one who is slow.
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
		for range n - 1 {
			b.gate <- struct{}{}
		}
		b.mu.Unlock()
		return
	}
	b.mu.Unlock()
	<-b.gate
}

func main() {
	b := &barrier{gate: make(chan struct{}, n)}
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

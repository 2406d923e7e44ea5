// A place for one item, with one Cond for those who wait for an item and those who wait for room. Signal wakes one of
// them, who may not be one that can go on.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type place struct {
	mu      sync.Mutex
	changed *sync.Cond
	full    bool
	item    int
}

func (p *place) put(v int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.full {
		p.changed.Wait()
	}
	p.full, p.item = true, v
	p.changed.Signal() // there is an item
}

func (p *place) get() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.full {
		p.changed.Wait()
	}
	p.full = false
	p.changed.Signal() // there is room
	return p.item
}

func main() {
	p := &place{}
	p.changed = sync.NewCond(&p.mu)
	var sum atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { sum.Add(int64(p.get())) })
	}
	for i := range 2 {
		wg.Go(func() {
			p.put(i + 1)
		})
	}
	wg.Wait()
	fmt.Println("sum", sum.Load())
}

// A gate that opens once: the look and the wait are under one lock, in a loop.
package main

import (
	"fmt"
	"sync"
)

type gate struct {
	mu   sync.Mutex
	cond *sync.Cond
	open bool
}

func (g *gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.open {
		g.cond.Wait()
	}
}

func (g *gate) release() {
	g.mu.Lock()
	g.open = true
	g.mu.Unlock()
	g.cond.Broadcast()
}

func main() {
	g := &gate{}
	g.cond = sync.NewCond(&g.mu)
	var wg sync.WaitGroup
	wg.Go(func() { g.pass() })
	g.release()
	wg.Wait()
	fmt.Println("passed")
}

// A gate that opens once. pass looks whether it is open, under the lock, and then waits, under the lock again: an opening
// in between wakes nobody.
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

func (g *gate) isOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

func (g *gate) pass() {
	if !g.isOpen() {
		g.await()
	}
}

func (g *gate) await() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cond.Wait()
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

// A table that is loaded at the first look, with a flag that is checked before and under the lock; it is set too early.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type ports struct {
	mu    sync.Mutex
	ready atomic.Bool
	table map[string]int
}

func (p *ports) get(name string) int {
	if !p.ready.Load() {
		p.mu.Lock()
		if !p.ready.Load() {
			p.ready.Store(true)
			p.table = map[string]int{"http": 80, "https": 443}
		}
		p.mu.Unlock()
	}
	return p.table[name]
}

func main() {
	var p ports
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			n := p.get("http")
			if n != 80 {
				fmt.Fprintln(os.Stderr, "wrong: the port is", n)
				os.Exit(1)
			}
		})
	}
	wg.Wait()
	fmt.Println("port 80")
}

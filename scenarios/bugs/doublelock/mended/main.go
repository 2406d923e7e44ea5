// A registry of services: remove wants the lock held, and both of its callers hold it.
package main

import (
	"fmt"
	"sync"
)

type registry struct {
	mu   sync.Mutex
	addr map[string]string
	down map[string]bool
}

// remove wants r.mu held.
func (r *registry) remove(name string) {
	delete(r.addr, name)
	delete(r.down, name)
}

func (r *registry) check(name string, healthy bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down[name] = !healthy
	if !healthy {
		r.remove(name)
	}
}

func (r *registry) lookup(name string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down[name] {
		r.remove(name)
	}
	addr, ok := r.addr[name]
	return addr, ok
}

func main() {
	r := &registry{addr: map[string]string{"db": "10.0.0.2:5432"}, down: map[string]bool{}}
	var wg sync.WaitGroup
	wg.Go(func() {
		r.check("db", false)
	})
	wg.Go(func() {
		r.lookup("db")
	})
	wg.Wait()
	fmt.Println("checked")
}

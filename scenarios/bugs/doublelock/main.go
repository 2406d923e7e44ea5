// A registry of services. A check that fails marks the service and removes it; lookup removes a marked one too, by the
// method that takes the lock which lookup holds.
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

func (r *registry) remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.addr, name)
	delete(r.down, name)
}

func (r *registry) check(name string, healthy bool) {
	r.mu.Lock()
	r.down[name] = !healthy
	r.mu.Unlock()
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

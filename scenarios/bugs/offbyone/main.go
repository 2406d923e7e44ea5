// A ring for two items between producers and a consumer. A producer waits when there are more than two.
package main

import (
	"fmt"
	"os"
	"sync"
)

type ring struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   [2]int
	head, n int
}

func (r *ring) put(v int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.n > len(r.items) {
		r.changed.Wait()
	}
	r.items[(r.head+r.n)%len(r.items)] = v
	r.n++
	r.changed.Broadcast()
}

func (r *ring) get() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.n == 0 {
		r.changed.Wait()
	}
	v := r.items[r.head]
	r.head = (r.head + 1) % len(r.items)
	r.n--
	r.changed.Broadcast()
	return v
}

func main() {
	r := &ring{}
	r.changed = sync.NewCond(&r.mu)
	for i := range 3 {
		go func() {
			r.put(1 << i)
		}()
	}
	sum := 0
	for range 3 {
		sum += r.get()
	}
	if sum != 7 {
		fmt.Fprintln(os.Stderr, "wrong: the sum is", sum)
		os.Exit(1)
	}
	fmt.Println("sum 7")
}

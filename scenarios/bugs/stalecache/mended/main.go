// A cache in front of a store: a lock is held from the load of a value to its store into the cache.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type cached struct {
	mu    sync.Mutex
	store atomic.Int64
	cache sync.Map
}

func (c *cached) read() int64 {
	if v, ok := c.cache.Load("price"); ok {
		return v.(int64)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.store.Load()
	c.cache.Store("price", v)
	return v
}

func (c *cached) update(v int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store.Store(v)
	c.cache.Delete("price")
}

func main() {
	c := &cached{}
	var wg sync.WaitGroup
	wg.Go(func() {
		c.update(12)
	})
	wg.Go(func() {
		c.read()
	})
	wg.Wait()
	if v := c.read(); v != 12 {
		fmt.Fprintln(os.Stderr, "wrong: the price is", v)
		os.Exit(1)
	}
	fmt.Println("price 12")
}

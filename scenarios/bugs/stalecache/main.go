// A cache in front of a store. A reader that has loaded a value puts it into the cache, after an update has removed the
// old one from there.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type cached struct {
	store atomic.Int64
	cache sync.Map
}

func (c *cached) read() int64 {
	if v, ok := c.cache.Load("price"); ok {
		return v.(int64)
	}
	v := c.store.Load()
	c.cache.Store("price", v)
	return v
}

func (c *cached) update(v int64) {
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

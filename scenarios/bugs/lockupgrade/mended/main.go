// A cache of pages with a count of their users. A page that is missing under the read lock is looked for again under the
// write lock.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type page struct{ users atomic.Int32 }

type cache struct {
	mu    sync.RWMutex
	pages map[string]*page
}

func (c *cache) get(name string) *page {
	c.mu.RLock()
	p := c.pages[name]
	c.mu.RUnlock()
	if p != nil {
		return p
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p = c.pages[name]; p == nil {
		p = &page{}
		c.pages[name] = p
	}
	return p
}

func main() {
	c := &cache{pages: map[string]*page{}}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { c.get("index").users.Add(1) })
	}
	wg.Wait()
	if n := c.get("index").users.Load(); n != 3 {
		fmt.Fprintln(os.Stderr, "wrong:", n, "users of 3")
		os.Exit(1)
	}
	fmt.Println("3 users")
}

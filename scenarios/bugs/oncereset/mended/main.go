// A client that connects once, and again after a reset, under a lock.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type client struct {
	mu        sync.Mutex
	connected bool
	dials     atomic.Int32
}

func (c *client) connect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.connected {
		c.connected = true
		c.dials.Add(1)
	}
}

func (c *client) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connected = false
}

func main() {
	c := &client{}
	var wg sync.WaitGroup
	wg.Go(func() {
		c.connect()
	})
	wg.Go(func() {
		c.reset()
	})
	wg.Wait()
	c.connect()
	fmt.Println("connected")
}

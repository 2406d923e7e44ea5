// A client that connects once, and again after a reset, which puts a new Once where another goroutine may be using the
// old one.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type client struct {
	once  sync.Once
	dials atomic.Int32
}

func (c *client) connect() {
	c.once.Do(func() {
		c.dials.Add(1)
	})
}

func (c *client) reset() {
	c.once = sync.Once{}
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

// A connection that may be closed from both ends: the channel is closed once.
package main

import (
	"fmt"
	"sync"
)

type conn struct {
	once sync.Once
	done chan struct{}
}

func (c *conn) close() {
	c.once.Do(func() { close(c.done) })
}

func main() {
	c := &conn{done: make(chan struct{})}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			c.close()
		})
	}
	<-c.done
	wg.Wait()
	fmt.Println("closed")
}

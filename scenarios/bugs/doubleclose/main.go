// A connection that may be closed from both ends. Each closes the channel when it has seen it open.
package main

import (
	"fmt"
	"sync"
)

type conn struct {
	done chan struct{}
}

func (c *conn) close() {
	select {
	case <-c.done:
	default:
		close(c.done)
	}
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

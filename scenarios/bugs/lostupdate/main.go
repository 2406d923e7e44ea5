// A counter whose add is two atomic steps, and no data race: what another one adds in between is lost.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type counter struct {
	n atomic.Int64
}

func (c *counter) add(d int64) {
	n := c.n.Load()
	c.n.Store(n + d)
}

func main() {
	var c counter
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 10 {
				c.add(1)
			}
		})
	}
	wg.Wait()
	if n := c.n.Load(); n != 20 {
		fmt.Fprintln(os.Stderr, "wrong: counted", n, "of 20")
		os.Exit(1)
	}
	fmt.Println("counted 20")
}

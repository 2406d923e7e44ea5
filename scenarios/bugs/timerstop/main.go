// A pool of one connection, which is closed when nobody has used it for a while. get stops the timer without asking
// whether that was in time.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const idle = 2 * time.Millisecond

type conn struct {
	timer  *time.Timer
	closed atomic.Bool
}

type pool struct {
	mu   sync.Mutex
	free *conn
}

func (p *pool) put(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = c
	c.timer = time.AfterFunc(idle, func() {
		c.closed.Store(true)
	})
}

func (p *pool) get() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.free
	p.free = nil
	if c == nil || c.closed.Load() {
		return &conn{}
	}
	c.timer.Stop()
	return c
}

func main() {
	p := &pool{}
	for range 4 {
		c := p.get()
		if c.closed.Load() {
			fmt.Fprintln(os.Stderr, "wrong: write on a closed connection")
			os.Exit(1)
		}
		p.put(c)
		time.Sleep(idle) // until the next request
	}
	fmt.Println("4 requests")
}

// Three reports, one each millisecond. When they take too long the ticker is stopped, and who ranges over its channel
// waits for ever.
package main

import (
	"fmt"
	"time"
)

type reporter struct {
	ticker *time.Ticker
	done   chan struct{}
}

func (r *reporter) run() {
	n := 0
	for range r.ticker.C {
		n++
		if n == 3 {
			close(r.done)
			return
		}
	}
}

func main() {
	r := &reporter{ticker: time.NewTicker(time.Millisecond), done: make(chan struct{})}
	go r.run()
	select {
	case <-r.done:
	case <-time.After(3 * time.Millisecond):
	}
	r.ticker.Stop()
	fmt.Println("stopped")
}

// Three reports, one each millisecond. When they take too long a channel that is closed says so.
package main

import (
	"fmt"
	"time"
)

type reporter struct {
	ticker *time.Ticker
	done   chan struct{}
	quit   chan struct{}
}

func (r *reporter) run() {
	n := 0
	for {
		select {
		case <-r.ticker.C:
		case <-r.quit:
			return
		}
		n++
		if n == 3 {
			close(r.done)
			return
		}
	}
}

func main() {
	r := &reporter{ticker: time.NewTicker(time.Millisecond), done: make(chan struct{}), quit: make(chan struct{})}
	go r.run()
	select {
	case <-r.done:
	case <-time.After(3 * time.Millisecond):
	}
	r.ticker.Stop()
	close(r.quit)
	fmt.Println("stopped")
}

// A limiter of one. A refused caller gives back a slot too: that of the caller at work.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type limiter struct {
	slots chan struct{}
}

func (l *limiter) do(job func()) bool {
	defer func() { <-l.slots }()
	select {
	case l.slots <- struct{}{}:
	default:
		return false
	}
	job()
	return true
}

func main() {
	l := &limiter{slots: make(chan struct{}, 1)}
	var served atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			l.do(func() { served.Add(1) })
		})
	}
	wg.Wait()
	if served.Load() == 0 {
		panic("nobody was served")
	}
	fmt.Println("served")
}

// A queue that is closed without its lock: put holds it from the look to the send, which does not help.
package main

import (
	"fmt"
	"sync"
)

type queue struct {
	mu     sync.Mutex
	closed bool
	items  chan int
}

func (q *queue) put(v int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.items <- v
	return true
}

func (q *queue) close() {
	q.closed = true
	close(q.items)
}

func main() {
	q := &queue{items: make(chan int, 4)}
	var wg sync.WaitGroup
	wg.Go(func() {
		q.close()
	})
	wg.Go(func() {
		for i := 0; i < 4 && q.put(i); i++ {
		}
	})
	wg.Wait()
	n := 0
	for v := range q.items {
		if v != n {
			panic("out of order")
		}
		n++
	}
	fmt.Println("closed")
}

// A queue with two consumers. A put wakes all who wait, and each of them takes an item without looking again whether
// there is one.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []int
}

func (q *queue) put(v int) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	q.cond.Broadcast()
}

func (q *queue) get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.cond.Wait()
	}
	v := q.items[0]
	q.items = q.items[1:]
	return v
}

func main() {
	q := &queue{}
	q.cond = sync.NewCond(&q.mu)
	var sum atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { sum.Add(int64(q.get())) })
	}
	for i := range 2 {
		q.put(i + 1)
	}
	wg.Wait()
	fmt.Println("sum", sum.Load())
}

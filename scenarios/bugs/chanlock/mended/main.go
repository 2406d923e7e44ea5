// Statistics that report each change on a channel, after the lock is released.
package main

import (
	"fmt"
	"sync"
)

type stats struct {
	mu     sync.Mutex
	total  int
	seen   int
	events chan int
}

func (s *stats) add(n int) {
	s.mu.Lock()
	s.total += n
	s.mu.Unlock()
	s.events <- n
}

func (s *stats) note(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen += n
}

func main() {
	s := &stats{events: make(chan int, 1)}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { s.add(i + 1) })
	}
	for range 3 {
		n := <-s.events
		s.note(n)
	}
	wg.Wait()
	fmt.Println(s.seen, "of", s.total)
}

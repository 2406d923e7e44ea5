// A stock of one item, which two workers take and put back. A worker that finds none left returns with the lock held.
package main

import (
	"errors"
	"fmt"
	"sync"
)

var errEmpty = errors.New("nothing left")

type stock struct {
	mu   sync.Mutex
	left int
}

func (s *stock) take() error {
	s.mu.Lock()
	if s.left == 0 {
		return errEmpty
	}
	s.left--
	s.mu.Unlock()
	return nil
}

func (s *stock) put() {
	s.mu.Lock()
	s.left++
	s.mu.Unlock()
}

func main() {
	s := &stock{left: 1}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if s.take() == nil {
				s.put()
			}
		})
	}
	wg.Wait()
	fmt.Println(s.left, "in stock")
}

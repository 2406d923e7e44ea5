// A list of free slots without a lock. The exchange in take succeeds when the head is the same as before, although the
// slot behind it may be in use by now.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type slots struct {
	head atomic.Int32
	next [5]atomic.Int32 // 4 slots, 1 to 4; 0 ends the list
	used [5]atomic.Bool
}

func (s *slots) take() int32 {
	for {
		h := s.head.Load()
		n := s.next[h].Load()
		if s.head.CompareAndSwap(h, n) {
			if s.used[h].Swap(true) {
				fmt.Fprintln(os.Stderr, "wrong: slot", h, "is in use twice")
				os.Exit(1)
			}
			return h
		}
	}
}

func (s *slots) give(h int32) {
	s.used[h].Store(false)
	for {
		old := s.head.Load()
		s.next[h].Store(old)
		if s.head.CompareAndSwap(old, h) {
			return
		}
	}
}

func main() {
	var s slots
	for i := range int32(4) {
		s.give(i + 1)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			a, b := s.take(), s.take()
			s.give(a)
			s.give(b)
		})
	}
	wg.Wait()
	fmt.Println("4 slots are free")
}

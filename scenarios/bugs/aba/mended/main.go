// A list of free slots without a lock: the head has a number that each change increases, so that it is never the same
// again.
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

type slots struct {
	head atomic.Uint64   // the slot, and 8 bits higher the number of changes
	next [5]atomic.Int32 // 4 slots, 1 to 4; 0 ends the list
	used [5]atomic.Bool
}

func (s *slots) take() int32 {
	for {
		h := s.head.Load()
		n := s.next[h&0xff].Load()
		if s.head.CompareAndSwap(h, changed(h, n)) {
			h := int32(h & 0xff)
			if s.used[h].Swap(true) {
				fmt.Fprintln(os.Stderr, "wrong: slot", h, "is in use twice")
				os.Exit(1)
			}
			return h
		}
	}
}

// changed is what follows the head old when h is the first slot.
func changed(old uint64, h int32) uint64 { return (old>>8+1)<<8 | uint64(h) }

func (s *slots) give(h int32) {
	s.used[h].Store(false)
	for {
		old := s.head.Load()
		s.next[h].Store(int32(old & 0xff))
		if s.head.CompareAndSwap(old, changed(old, h)) {
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

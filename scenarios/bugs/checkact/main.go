// The last seat of a train: it is free when a buyer looks, under the lock, and then it is sold, under the lock again.
package main

import (
	"fmt"
	"os"
	"sync"
)

type train struct {
	mu    sync.Mutex
	seats int
	sold  int
}

func (t *train) free() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sold < t.seats
}

func (t *train) sell() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sold++
}

func main() {
	t := &train{seats: 1}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if t.free() {
				t.sell()
			}
		})
	}
	wg.Wait()
	if t.sold > t.seats {
		fmt.Fprintln(os.Stderr, "wrong: sold", t.sold, "of", t.seats)
		os.Exit(1)
	}
	fmt.Println("sold", t.sold)
}

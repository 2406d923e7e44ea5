// The last seat of a train: one method looks and sells, under one lock.
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

func (t *train) buy() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sold < t.seats {
		t.sold++
	}
}

func main() {
	t := &train{seats: 1}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(t.buy)
	}
	wg.Wait()
	if t.sold > t.seats {
		fmt.Fprintln(os.Stderr, "wrong: sold", t.sold, "of", t.seats)
		os.Exit(1)
	}
	fmt.Println("sold", t.sold)
}

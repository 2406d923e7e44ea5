// A log of visits. A visitor that finds it locked goes away, and the visit is not counted.
package main

import (
	"fmt"
	"os"
	"sync"
)

type visits struct {
	mu sync.Mutex
	n  int
}

func (v *visits) count() {
	if !v.mu.TryLock() {
		return
	}
	defer v.mu.Unlock()
	v.n++
}

func main() {
	var v visits
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(v.count)
	}
	wg.Wait()
	if v.n != 3 {
		fmt.Fprintln(os.Stderr, "wrong:", v.n, "visits of 3")
		os.Exit(1)
	}
	fmt.Println("3 visits")
}

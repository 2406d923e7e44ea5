// Typist has two goroutines that do a little work for each key, as an editor does.
// Beside them three others compute.
package main

import (
	"fmt"
	"sync"
	"time"
)

func work(n int) {
	for i := 0; i < n; i++ {
	}
}

func compute(all *sync.WaitGroup) {
	work(20_000_000)
	all.Done()
}

func typist(all *sync.WaitGroup) {
	var slowest time.Duration
	for range 40 {
		key := time.Now()
		time.Sleep(time.Millisecond)
		work(100_000)
		slowest = max(slowest, time.Since(key))
	}
	fmt.Println("the slowest key took", slowest.Round(time.Millisecond))
	all.Done()
}

func main() {
	var all sync.WaitGroup
	all.Add(5)
	for range 3 {
		go compute(&all)
	}
	for range 2 {
		go typist(&all)
	}
	all.Wait()
}
